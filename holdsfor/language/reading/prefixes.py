"""Names with a prefix: `wt:'Wind'` is short for an IRI, and each IRI has one name, whichever way it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.terms import quoted

if TYPE_CHECKING:
    from holdsfor.language.facts import FactTable

#: Prefixes that need no declaration.
BUILT_IN = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
TYPE = BUILT_IN["rdf"] + "type"
#: Endings of files with triples.
ENDINGS = (".ttl", ".nt", ".nq", ".rdf", ".owl")

#: Beginnings of names, the longest first, and what each is replaced by.
Leads: TypeAlias = tuple[tuple[str, str], ...]
#: For each predicate that rules ask for, the terms that they ask for in its second argument; None: any.
NeededFacts: TypeAlias = Mapping[Signature, frozenset[str] | None]


class TripleFacts(Protocol):
    """Triples, which become facts where rules ask for them."""

    @property
    def namespaces(self) -> Iterable[tuple[str, str, str]]:
        """Yield prefix and namespace of each declaration, with the file that has it."""

    def tables(self, needed: NeededFacts, leads: Leads) -> Sequence[FactTable]:
        """Return the facts of the predicates that are properties here, and of their RDFS entailments."""

    def properties(self, leads: Leads) -> frozenset[str]:
        """Return the names of all properties."""

    def classes(self, leads: Leads) -> frozenset[str]:
        """Return the names of all classes."""


#: What reads files with triples.
TripleFactsOf: TypeAlias = Callable[[Sequence[Source]], TripleFacts]


def has_triples(name: str) -> bool:
    """Whether a file of that name has triples, and no rules."""
    return Path(name).suffix in ENDINGS


def make_leads(namespaces: Mapping[str, str]) -> Leads:
    """Return what names begin with in any form, and their one form: the first prefix of the longest namespace."""
    first: dict[str, str] = {}
    for prefix, namespace in namespaces.items():
        first.setdefault(namespace, prefix)
    leads = {namespace: f"{prefix}:" for namespace, prefix in first.items()}
    for prefix, namespace in namespaces.items():
        for other, its_prefix in first.items():
            if other.startswith(namespace):
                leads[f"{prefix}:{other[len(namespace) :]}"] = f"{its_prefix}:"
    return tuple(sorted(leads.items(), key=lambda lead: (-len(lead[0]), lead)))


def as_text(leads: Leads) -> Leads:
    """Return the same for names as Prolog text: all that have a colon stand in quotes."""
    return tuple((quoted(lead)[:-1], quoted(short)[:-1]) for lead, short in leads)


def name_shortener(leads: Leads) -> Callable[[str], str]:
    """Return the function that gives the one form of a name."""
    short = dict(leads)
    begins = re.compile("|".join(re.escape(lead) for lead, _ in leads))
    return lambda name: begins.sub(lambda match: short[match[0]], name, count=1) if begins.match(name) else name
