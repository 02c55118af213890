"""Facts of the properties that rules ask for, with what RDFS entails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.names import shorten
from holdsfor.io.facts import FactColumns, once
from holdsfor.io.rdf.entailment import Entailment, Pairs, left, right
from holdsfor.io.rdf.literals import language_column, term_column
from holdsfor.io.rdf.reading import Codes, Triples, read_files
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.reading.prefixes import BUILT_IN, TYPE, Leads, NeededFacts, name_shortener
from holdsfor.language.terms import Place

_CLASSES = (BUILT_IN["rdfs"] + "Class", BUILT_IN["owl"] + "Class")
_PROPERTIES = (BUILT_IN["rdf"] + "Property", BUILT_IN["owl"] + "ObjectProperty", BUILT_IN["owl"] + "DatatypeProperty")


def read_triples(files: Sequence[Source]) -> TripleKnowledge:
    """Read files with triples."""
    triples, namespaces = read_files(files)
    return TripleKnowledge(triples, namespaces, files[0].name)


class TripleKnowledge:
    """Triples, and what follows from them. file_name: where facts seem to stand, in messages."""

    def __init__(self, triples: Triples, namespaces: list[tuple[str, str, str]], file_name: str) -> None:
        self.namespaces = namespaces
        self._triples = triples
        self._place = Place(file_name, 1, 1, 1, 1)
        self._entailment: Entailment | None = None

    @property
    def entailment(self) -> Entailment:
        """Return what follows, worked out when it is first needed for."""
        if self._entailment is None:
            self._entailment = Entailment(self._triples)
        return self._entailment

    def tables(self, needed: NeededFacts, leads: Leads) -> list[FactColumns]:
        """Return the facts of the predicates that are properties; with three arguments texts and their languages."""
        properties = self._named_properties(leads)
        tables = []
        for signature, second in needed.items():
            if signature.name in properties:
                tables += list(self._tables(signature, properties[signature.name], second, leads))
        return tables

    def properties(self, leads: Leads) -> frozenset[str]:
        return frozenset(self._named_properties(leads))

    def classes(self, leads: Leads) -> frozenset[str]:
        """Return the names of resources that have members, or that the schema is about."""
        above, domain, ranges = (self._stated(name) for name in ("subClassOf", "domain", "range"))
        declared = [each for iri in _CLASSES for each in self._members(iri)]
        types = right(self.entailment.types)
        numbers = [types, left(above), right(above), right(domain), right(ranges), *declared]
        return frozenset(self._names(np.unique(np.concatenate(numbers)), leads))

    def _named_properties(self, leads: Leads) -> dict[str, int]:
        """Return the properties that triples have, or that the schema is about, by name."""
        above, domain, ranges = (self._stated(name) for name in ("subPropertyOf", "domain", "range"))
        declared = [each for iri in _PROPERTIES for each in self._members(iri)]
        numbers = [self._triples.properties, left(above), right(above), left(domain), left(ranges), *declared]
        each = np.unique(np.concatenate(numbers))
        named = dict(zip(self._names(each, leads), each.tolist(), strict=True))
        named.setdefault(name_shortener(leads)(TYPE), self._triples.find(TYPE))
        return named

    def _stated(self, name: str) -> Pairs:
        return self.entailment.pairs(self._triples.find(BUILT_IN["rdfs"] + name))

    def _members(self, iri: str) -> Iterator[Codes]:
        """Return the nodes that triples say are of a class."""
        number = self._triples.find(iri)
        of_class = self._triples.objects == number
        yield self._triples.subjects[of_class & (self._triples.properties == self._triples.find(TYPE))]

    def _find(self, name: str, leads: Leads) -> int:
        """Return the number of a resource by its name, or -1."""
        iris = [lead + name[len(short) :] for lead, short in leads if name.startswith(short)]
        return max(map(self._triples.find, (name, *iris)))

    def _names(self, numbers: Codes, leads: Leads) -> list[str]:
        nodes = self._triples.nodes.take(pa.array(numbers))
        names: list[str] = shorten(pc.utf8_slice_codeunits(nodes, 1, -1), leads).to_pylist()
        return names

    def _tables(
        self, signature: Signature, number: int, second: frozenset[str] | None, leads: Leads
    ) -> Iterator[FactColumns]:
        shorten_name = name_shortener(leads)
        if signature.arity == 2 and signature.name == shorten_name(TYPE) and second is not None:
            numbers = [self._find(name, leads) for name in second]
            pairs = self.entailment.members([each for each in numbers if each >= 0])
        else:
            pairs = self.entailment.pairs(number)
        nodes = self._triples.nodes
        columns = [term_column(nodes, each, leads) for each in (left(pairs), right(pairs))]
        if signature.arity == 3:
            have_one, languages = language_column(nodes, right(pairs))
            if not have_one.any():
                return
            columns = [*(column.filter(pa.array(have_one)) for column in columns), languages]
        yield FactColumns(signature, once(tuple(columns)), self._place)
