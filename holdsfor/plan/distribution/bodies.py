"""Rules as distribution sees them: a head, and conditions on events and fluents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdsfor.plan.operators import (
    Arg,
    At,
    Conclude,
    Declared,
    Definition,
    Holding,
    HoldsForRule,
    Of,
    Op,
    Relation,
    Static,
)
from holdsfor.plan.walk import conclusions, flat, parts, simple_of

Atom = At | Holding | Of


@dataclass(frozen=True, slots=True)
class Body:
    """A rule. evidence: alternatives, one of which must be there for the rule to conclude anything."""

    head: tuple[Arg, ...]
    atoms: tuple[Atom, ...]
    evidence: tuple[tuple[Atom, ...], ...]
    is_rowwise: bool  # each row of its one condition concludes by itself

    def reads(self, relations: Iterable[Relation]) -> bool:
        wanted = set(relations)
        return any(atom.relation in wanted for atom in self.atoms)


def bodies_of(definition: Definition) -> Iterator[Body]:
    for rule in conclusions(definition):
        yield body_of(rule)
    for fluent in simple_of(definition):
        yield from (body for rules in fluent.initially for rule in rules if (body := _initial_body(rule)).atoms)
    if isinstance(definition, Static):
        yield from map(body_of, definition.rules)


def body_of(rule: Conclude | HoldsForRule) -> Body:
    if isinstance(rule, Conclude):
        atoms, positive = _atoms(flat(rule.chain)), _atoms(rule.chain)
        return Body(rule.args, atoms, (positive,), len(atoms) == len(positive) == 1)
    evidence = tuple(tuple(item for item in join if isinstance(item, Of)) for join in rule.evidence)
    return Body(rule.args, tuple(parts(rule.expression)), evidence, isinstance(rule.expression, Of))


def _initial_body(rule: Declared) -> Body:
    """What holds initially may be for what the data mention."""
    return Body(rule.args, _atoms(flat(rule.chain)), (_atoms(rule.chain),), False)


def _atoms(ops: Iterable[Op]) -> tuple[Atom, ...]:
    return tuple(op for op in ops if isinstance(op, At | Holding))
