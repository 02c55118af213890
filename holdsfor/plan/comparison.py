"""Tell which definitions differ between two versions of rules, and which depend on those that do."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from holdsfor.functions import Registered
from holdsfor.language.description import EventDescription
from holdsfor.language.facts import FactTable, Row
from holdsfor.language.literals import About, Apply, Statement
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import EventPattern, Measure, Stretch
from holdsfor.language.terms import Signature
from holdsfor.plan import plan
from holdsfor.plan.compiler.also_input import DERIVED
from holdsfor.plan.whole_plan import Plan

#: How pieces of a plan begin that are not definitions.
_PREDICATE, _GROUNDING, _INPUT = "predicate ", "grounding of ", "input "


@dataclass(frozen=True, slots=True)
class RuleChanges:
    """Definitions and predicates by what a change of rules means for them.

    changed: their own rules or facts differ; affected: they depend on some that do; untouched: all others.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    affected: tuple[str, ...]
    untouched: tuple[str, ...]

    @property
    def touched(self) -> frozenset[str]:
        """Return the definitions and predicates of the new rules that do not mean what they did."""
        return frozenset((*self.added, *self.changed, *self.affected))

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def compare_rules(old: EventDescription, new: EventDescription) -> RuleChanges:
    """Compare definitions by what they come to; names of variables, comments and order mean nothing."""
    before, after = plan(old), plan(new)
    pieces = dict(_named_pieces(before)), dict(_named_pieces(after))
    facts = _changed_facts([before, after])
    names = [set(each) for each in pieces]
    added, removed = names[1] - names[0], names[0] - names[1]
    changed = {name for name in names[0] & names[1] if pieces[0][name] != pieces[1][name]} | facts
    changed |= (names[0] & names[1]) & _callers_of_others(old, new)
    dependents = find_dependents(new, old)
    reached = close_over(dependents, added | removed | changed)
    affected = (reached & names[1]) - added - changed
    untouched = names[1] - added - changed - affected
    return RuleChanges(*(tuple(sorted(each)) for each in (added, removed, changed, affected, untouched)))


def _named_pieces(made: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Iterate over definitions and predicates, each with the digests of all that is about it."""
    digests: dict[str, list[str]] = {}
    for name, digest in made.pieces:
        if not name.startswith(_INPUT):
            name = name.removeprefix(_GROUNDING).removeprefix(_PREDICATE).partition("=")[0].replace(f" {DERIVED}", "")
            digests.setdefault(name, []).append(digest)
    yield from ((name, tuple(each)) for name, each in digests.items())


def _changed_facts(plans: Sequence[Plan]) -> set[str]:
    old, new = (dict(each.facts) for each in plans)
    others = (each for each in old.keys() | new.keys() if old.get(each) != new.get(each))  # by their texts, at once
    return {str(signature) for signature in others if _rows(old, signature) != _rows(new, signature)}


def _rows(facts: dict[Signature, FactTable], signature: Signature) -> set[Row]:
    table = facts.get(signature)
    return set(table.rows()) if table is not None else set()


def find_dependents(*descriptions: EventDescription) -> dict[str, set[str]]:
    """Return the names whose rules mention a name, by that name."""
    dependents: dict[str, set[str]] = {}
    for statement in chain(*map(_statements, descriptions)):
        for name in _mentioned(statement):
            dependents.setdefault(name, set()).add(str(statement.signature))
    return dependents


def _statements(description: EventDescription) -> Iterator[Statement]:
    background = description.background
    yield from chain(description.rules, description.patterns, description.initially, description.deadlines)
    yield from chain(background.clauses, background.groundings)


def _callers_of_others(old: EventDescription, new: EventDescription) -> set[str]:
    """Return the names whose rules call a function of a user that is another one now."""
    before, after = _functions(old), _functions(new)
    others = {name for name in before.keys() & after.keys() if not _is_same(before[name], after[name])}
    calls = ((name, statement) for statement in _statements(new) for name, _ in _called(statement))
    return {str(statement.signature) for name, statement in calls if name in others}


def _functions(description: EventDescription) -> dict[str, Registered]:
    return dict(call for statement in _statements(description) for call in _called(statement))


def _called(statement: Statement) -> Iterator[tuple[str, Registered]]:
    """Yield the functions of a user that a statement calls."""
    for applied in find_all(statement, Apply):
        if applied.function.registered is not None:
            yield applied.function.name, applied.function.registered
    for measure in find_all(statement, Measure):
        if measure.registered is not None:
            yield measure.function, measure.registered


def _is_same(one: Registered, other: Registered) -> bool:
    """Whether two functions are one, or do the same as far as they can be written down."""
    if one.call is other.call:
        return True
    try:
        return pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # whatever a function has with it
        return False


def _mentioned(statement: Statement) -> Iterator[str]:
    yield from (str(literal.signature) for literal in find_all(statement, About))
    for kind in (EventPattern, Stretch):
        yield from (str(Signature.of(pattern.terms[0])) for pattern in find_all(statement, kind))


def close_over(dependents: dict[str, set[str]], names: set[str]) -> set[str]:
    """Return names with all that depend on them."""
    reached, waiting = set(names), [*names]
    while waiting:
        more = dependents.get(waiting.pop(), set()) - reached
        reached |= more
        waiting += more
    return reached
