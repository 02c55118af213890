"""The input that could change a conclusion and did not: rows that a tree of reasons does not show.

A fluent holds also because nothing has ended it, and a negation is true because nothing makes its condition true. If
only the rows in the tree were evaluated, something could be true that is false with all rows, because a row is missing
that prevents it. So with each such reason go the rows of all inputs that could: those that are reached through an odd
number of negations. For rules without negation there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal as OneOf
from typing import NamedTuple

from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Definition, Derived, Domain, Group, Recursion, Simple, Static
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    Occurring,
    Of,
    Relation,
    Tally,
    Without,
)
from holdsfor.plan.patterns import Absent, Pairs, Pattern, Scan, Selected, Sliding, subpatterns
from holdsfor.why.derivation import LeafRows
from holdsfor.why.replay import Replay

Direction = OneOf["more", "less"]
OPPOSITE: dict[Direction, Direction] = {"more": "less", "less": "more"}


class Effect(NamedTuple):
    """A relation, and whether it is to have no more, or no less, than with all rows."""

    relation: Relation
    direction: Direction


def both(relations: Iterable[Relation]) -> Iterator[Effect]:
    """Iterate over both effects of each relation."""
    for relation in relations:
        yield Effect(relation, "more")
        yield Effect(relation, "less")


class Influence:
    """The effects that relations have on each other, by the rules of a replay."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._rows: dict[frozenset[Effect], tuple[LeafRows, ...]] = {}

    @cached_property
    def _domains(self) -> dict[Relation, Domain]:
        return {domain.relation: domain for domain in self._replay.program.plan.domains}

    def rows_for(self, effects: Iterable[Effect]) -> tuple[LeafRows, ...]:
        """Return the rows of inputs that keep relations from having more, or less, than they have."""
        wanted_effects = frozenset(effects)
        if wanted_effects not in self._rows:
            inputs = dict.fromkeys(
                effect.relation
                for effect in self._close(wanted_effects)
                if effect.direction == "less" and self._replay.is_input(effect.relation)
            )
            blocks = {id(part.block): part for relation in inputs for part in self._replay.all_rows_of(relation)}
            self._rows[wanted_effects] = tuple(blocks.values())
        return self._rows[wanted_effects]

    def _close(self, effects: Iterable[Effect]) -> set[Effect]:
        """Return the effects with all that they go back to."""
        reached = set(effects)
        waiting = list(reached)
        while waiting:
            for effect in self._before(waiting.pop()):
                if effect not in reached:
                    reached.add(effect)
                    waiting.append(effect)
        return reached

    def _before(self, effect: Effect) -> Iterator[Effect]:
        """Iterate over the effects that one goes back to directly."""
        relation, direction = effect
        definition = self._replay.definitions.get(relation)
        if relation in self._domains:
            for declared in self._domains[relation].rules:
                yield from both(_relations_in(declared.chain))
        match definition:
            case Group(deadlines=deadlines) if deadlines:
                yield from both(_relations_in(definition))
                yield from both(one for fluent in definition.simple_fluents for one in fluent.relations)
            case Simple() | Group():
                fluent = next(each for each in definition.simple_fluents if relation in each.relations)
                yield from changes_of(fluent, relation, direction)
            case Static():
                for rule in definition.rules:
                    yield from effects_of_chain(rule.conditions, direction)
                    yield from effects_of_expression(rule.expression, direction)
                    for alternative in rule.evidence:
                        yield from (Effect(one.relation, direction) for one in alternative if isinstance(one, Of))
            case Derived():
                yield from _effects_of_rules(definition.rules, direction)
            case Recursion():
                event = next(each for each in definition.events if each.relation == relation)
                yield from _effects_of_rules(event.rules, direction)


def changes_of(fluent: Simple, relation: Relation, direction: Direction) -> Iterator[Effect]:
    """Iterate over the effects by which a value of a fluent has more, or less."""
    place = fluent.relations.index(relation)
    yield from _effects_of_rules(fluent.initiations[place], direction)
    yield from _effects_of_rules(fluent.terminations[place], OPPOSITE[direction])
    for declared in fluent.initially[place] if fluent.initially else ():
        yield from both(_relations_in(declared.chain))
    yield from _effects_of_others(fluent, place)


def endings_of(fluent: Simple, relation: Relation) -> Iterator[Effect]:
    """Iterate over the effects by which a value of a fluent would be ended more often."""
    place = fluent.relations.index(relation)
    yield from _effects_of_rules(fluent.terminations[place], "more")
    yield from _effects_of_others(fluent, place)


def _effects_of_others(fluent: Simple, place: int) -> Iterator[Effect]:
    """Iterate over the effects of other values: they end this one, and of two at once none holds."""
    for other, rules in enumerate(fluent.initiations):
        is_alone = other == place and fluent.relations[place].kind != "valued" and not any(map(_is_open, rules))
        if not is_alone:
            yield from both(one for rule in rules for one in _relations_in(rule.chain))
    for other, initially in enumerate(fluent.initially):
        if other != place:
            yield from both(one for declared in initially for one in _relations_in(declared.chain))
    if any(map(_is_open, (rule for rules in fluent.initiations for rule in rules))):
        yield from both(one for rules in fluent.terminations for rule in rules for one in _relations_in(rule.chain))


def _is_open(rule: Conclude) -> bool:
    """Return whether a rule is about every grounding that is alive."""
    return None in rule.args


def _effects_of_rules(rules: Iterable[Conclude], direction: Direction) -> Iterator[Effect]:
    for rule in rules:
        yield from effects_of_chain(rule.chain, direction)


def effects_of_chain(chain: Chain, direction: Direction) -> Iterator[Effect]:
    """Iterate over the effects by which a chain has more solutions, or fewer."""
    for op in chain:
        match op:
            case At(what="occurrence") | Holding():
                yield Effect(op.relation, direction)
            case At():
                yield from both([op.relation])
            case Occurring():
                yield from effects_of_pattern(op.pattern, direction)
            case Without():
                yield from effects_of_chain(op.chain, OPPOSITE[direction])
            case Tally():
                yield from both(_relations_in(op.chain))


def effects_of_expression(expression: Expression, direction: Direction) -> Iterator[Effect]:
    """Iterate over the effects by which an expression has more, or less."""
    match expression:
        case Of():
            yield Effect(expression.relation, direction)
        case Combine(op="complement", within=None):
            for part in expression.parts:
                yield from effects_of_expression(part, OPPOSITE[direction])
        case Combine(op="difference"):
            for place, part in enumerate(expression.parts):
                yield from effects_of_expression(part, OPPOSITE[direction] if place else direction)
        case Combine(op="union" | "intersection"):
            for part in expression.parts:
                yield from effects_of_expression(part, direction)
        case _:
            yield from both(_relations_in(expression))


def effects_of_pattern(pattern: Pattern, direction: Direction) -> Iterator[Effect]:
    """Iterate over the effects of a pattern; where it chooses or measures, everything matters."""
    chooses = any(isinstance(part, Sliding) or part.policy != "unrestricted" for part in subpatterns(pattern))
    if chooses:
        yield from both(_relations_in(pattern))
    if isinstance(pattern, Pairs | Absent | Selected):
        for chain in pattern.conditions:
            yield from effects_of_chain(chain, direction)
    if isinstance(pattern, Scan):
        is_event = pattern.relation.kind == "event"
        yield from [Effect(pattern.relation, direction)] if is_event else both([pattern.relation])
    for operand in pattern.operands:
        is_absent = isinstance(pattern, Absent) and operand in pattern.what
        yield from effects_of_pattern(operand, OPPOSITE[direction] if is_absent else direction)


def _relations_in(part: Chain | Definition | Pattern | Expression) -> Iterator[Relation]:
    """Iterate over the relations that are read there, those inside negations and patterns too."""
    return (node.relation for node in find_all(part, RelationNode))
