"""The identity of compiled rules: the same for the same rules, in every process and with any optimiser.

A checkpoint is known by it. Rules count as they are printed, in which variables have the names of their places: names
of classes and fields in here may change, but other words in a printed plan are other rules to all checkpoints.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

from holdsfor.language.description import AS_INPUT
from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation
from holdsfor.plan.printing.plan import show_deadline, show_declared, show_definition, show_domain, show_input
from holdsfor.plan.whole_plan import Plan


def identify(made: Plan) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the digest of a plan, and of each piece of it under a name that a message can use. Facts are no part."""
    pieces: defaultdict[str, list[str]] = defaultdict(list)
    for name, lines in _pieces(made):
        pieces[name] += lines
    digests = [(name, _digest(lines)) for name, lines in pieces.items()]
    return _digest(map(" ".join, digests)), tuple((name, digest[:12]) for name, digest in digests)


def _pieces(made: Plan) -> Iterator[tuple[str, Iterable[str]]]:
    """Iterate over the texts of definitions, declarations and inputs of a plan, each under its name."""
    for definition in made.definitions:
        for member in definition.members:
            yield str(member.defines[0].definition), show_definition(member)
        yield from ((str(due.source.definition), [show_deadline(due)]) for due in find_all(definition, Due))
    for closure in made.closures:
        for signature, rule in closure.rules:
            yield f"predicate {signature}", [show_declared(Relation(*signature, None, "event"), rule)]
    for domain in made.domains:
        yield f"grounding of {domain.relation.signature}", show_domain(domain)
    for source in sorted(made.sources, key=lambda source: source.input.stored_as):
        signature = source.input.signature
        name = f"input {signature}"
        if source.input.is_defined:
            name = str(signature._replace(name=signature.name.removesuffix(f" {AS_INPUT}")))
        yield name, [show_input(source)]  # which arguments are read follows from the rules


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
