"""The input that could change a conclusion and did not: rows that a tree of reasons does not show.

A fluent holds also because nothing has ended it, and a negation is true because nothing makes its condition true. If
only the rows in the tree were evaluated, something could be true that is false with all rows, because a row is missing
that prevents it. So with each such reason go the rows of all inputs that could: those that are reached through an odd
number of negations. For rules without negation there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal as OneOf
from typing import NamedTuple

from holdsfor.engine.data.rows import Rows
from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Declared, Derived, Domain, Group, Recursion, Simple, Static
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Occurring,
    Of,
    Relation,
    Structure,
    Tally,
    Without,
)
from holdsfor.plan.patterns import Absent, Pairs, Pattern, Scan, Selected, Sliding, subpatterns
from holdsfor.why.derivation import LeafRows
from holdsfor.why.replay import PartialKey, Replay

Direction = OneOf["more", "less"]
OPPOSITE: dict[Direction, Direction] = {"more": "less", "less": "more"}
Bindings = Mapping[str, int]
"""Variables with the codes of their values, as far as they are known."""


class Effect(NamedTuple):
    """A relation, for groundings like this one, that is to have no more, or no less, than with all rows."""

    relation: Relation
    key: PartialKey
    direction: Direction


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
        causes = frozenset(effects)
        if causes not in self._rows:
            rows = [
                part
                for effect in self._close(causes)
                if effect.direction == "less" and self._replay.is_input(effect.relation)
                for part in self._replay.rows_like(effect.relation, effect.key)
            ]
            self._rows[causes] = tuple(rows)
        return self._rows[causes]

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
        relation, key, direction = effect
        definition = self._replay.definitions.get(relation)
        if relation in self._domains:
            yield from self._both_of_rules(self._domains[relation].rules, key)
        match definition:
            case Group() if relation.kind == "event":
                target = next(target for target, event in definition.reached if event == relation)
                yield from self._everything(definition, target, key)
            case Simple() | Group():
                yield from self._changes(definition, relation, key, direction)
            case Static():
                for rule in definition.rules:
                    yield from self._of_rule(rule, key, direction)
            case Derived():
                yield from self._of_rules(definition.rules, key, direction)
            case Recursion():
                event = next(each for each in definition.events if each.relation == relation)
                yield from self._of_rules(event.rules, key, direction)

    # ------------------------------------------------------------ definitions

    def _changes(
        self, definition: Simple | Group, relation: Relation, key: PartialKey, direction: Direction
    ) -> Iterator[Effect]:
        """Iterate over the effects by which a value of a fluent has more, or less."""
        fluent = fluent_of(relation, definition)
        if _is_intricate(definition, fluent):
            yield from self._everything(definition, relation, key)
            return
        place = fluent.relations.index(relation)
        yield from self._of_rules(fluent.initiations[place], key, direction)
        yield from self._both_of_rules(fluent.initially[place] if fluent.initially else (), key)
        yield from self._ends(fluent, relation, key, OPPOSITE[direction])

    def endings(self, definition: Simple | Group, relation: Relation, key: PartialKey) -> Iterator[Effect]:
        """Iterate over the effects by which a value of a fluent would be ended more often."""
        fluent = fluent_of(relation, definition)
        if _is_intricate(definition, fluent):
            yield from self._everything(definition, relation, key)
        else:
            yield from self._ends(fluent, relation, key, "more")

    def _ends(self, fluent: Simple, relation: Relation, key: PartialKey, direction: Direction) -> Iterator[Effect]:
        """Iterate over the effects by which a value is ended: by its terminations, and by other values."""
        place, is_valued = fluent.relations.index(relation), relation.kind == "valued"
        yield from self._of_rules(fluent.terminations[place], key, direction)
        any_value = (*key[:-1], None) if is_valued else key
        for other, rules in enumerate(fluent.initiations):
            if is_valued or other != place:
                yield from self._of_rules(rules, any_value, direction)
        for other, initially in enumerate(fluent.initially):
            if is_valued or other != place:
                yield from self._both_of_rules(initially, any_value)

    def _everything(self, definition: Simple | Group, relation: Relation, key: PartialKey) -> Iterator[Effect]:
        """Iterate over both effects of all that the rules of a fluent read."""
        fluent = fluent_of(relation, definition)
        any_value = (*key[:-1], None) if relation.kind == "valued" else key
        for changes in (*fluent.initiations, *fluent.terminations):
            yield from self._both_of_rules(changes, any_value)
        for initially in fluent.initially:
            yield from self._both_of_rules(initially, any_value)

    def _of_rules(self, rules: Iterable[Conclude], key: PartialKey, direction: Direction) -> Iterator[Effect]:
        for rule in rules:
            bindings = self._bind(rule.args, key)
            if bindings is not None:
                yield from self.of_chain(rule.chain, direction, bindings)

    def _both_of_rules(self, rules: Iterable[Conclude | Declared], key: PartialKey) -> Iterator[Effect]:
        for rule in rules:
            bindings = self._bind(rule.args, key)
            if bindings is not None:
                yield from self.both(rule.chain, bindings)

    def _of_rule(self, rule: HoldsForRule, key: PartialKey, direction: Direction) -> Iterator[Effect]:
        bindings = self._bind(rule.args, key)
        if bindings is not None:
            yield from self.of_chain(rule.conditions, direction, bindings)
            yield from self.of_expression(rule.expression, direction, bindings)
            for item in (item for alternative in rule.evidence for item in alternative):
                if isinstance(item, Of):
                    yield self._read(item, direction, bindings)

    def _bind(self, args: tuple[Arg, ...], key: PartialKey) -> Bindings | None:
        """Return the variables of a head with the values of a grounding; None if it is about other groundings."""
        bindings: dict[str, int] = {}
        for arg, code in zip(args, key, strict=True):
            if code is None or arg is None or isinstance(arg, Structure):
                continue
            if (bindings.setdefault(arg, code) if isinstance(arg, str) else self._replay.code(arg)) != code:
                return None
        return bindings

    # ------------------------------------------------------------ conditions

    def both(self, part: Chain | Pattern | Expression, bindings: Bindings) -> Iterator[Effect]:
        """Iterate over both effects of each relation that is read there."""
        for node in find_all(part, RelationNode):
            yield self._read(node, "more", bindings)
            yield self._read(node, "less", bindings)

    def _read(self, node: RelationNode, direction: Direction, bindings: Bindings) -> Effect:
        """Return the effect of a relation with those of its arguments that have values."""
        key = tuple(self._code(arg, bindings) for arg in node.args)
        return Effect(node.relation, key, direction)

    def _code(self, arg: Arg, bindings: Bindings) -> int | None:
        if isinstance(arg, str):
            return bindings.get(arg)
        return None if arg is None or isinstance(arg, Structure) else self._replay.code(arg)

    def of_chain(self, chain: Chain, direction: Direction, bindings: Bindings) -> Iterator[Effect]:
        """Iterate over the effects by which a chain has more solutions, or fewer."""
        for op in chain:
            match op:
                case At(what="occurrence") | Holding():
                    yield self._read(op, direction, bindings)
                case Occurring():
                    yield from self.of_pattern(op.pattern, direction, bindings)
                case Without():
                    yield from self.of_chain(op.chain, OPPOSITE[direction], bindings)
                case At() | Tally():
                    yield from self.both((op,), bindings)

    def of_expression(self, expression: Expression, direction: Direction, bindings: Bindings) -> Iterator[Effect]:
        """Iterate over the effects by which an expression has more, or less."""
        match expression:
            case Of():
                yield self._read(expression, direction, bindings)
            case Combine(op="complement", within=None):
                for part in expression.parts:
                    yield from self.of_expression(part, OPPOSITE[direction], bindings)
            case Combine(op="difference"):
                for place, part in enumerate(expression.parts):
                    yield from self.of_expression(part, OPPOSITE[direction] if place else direction, bindings)
            case Combine(op="union" | "intersection"):
                for part in expression.parts:
                    yield from self.of_expression(part, direction, bindings)
            case _:
                yield from self.both(expression, bindings)

    def of_pattern(self, pattern: Pattern, direction: Direction, bindings: Bindings) -> Iterator[Effect]:
        """Iterate over the effects of a pattern; where it chooses or measures, everything matters."""
        if any(isinstance(part, Sliding) or part.policy != "unrestricted" for part in subpatterns(pattern)):
            yield from self.both(pattern, {})  # also what is about others may be taken, or take
            return
        if isinstance(pattern, Pairs | Absent | Selected):
            for chain in pattern.conditions:
                yield from self.of_chain(chain, direction, bindings)
        if isinstance(pattern, Scan) and pattern.relation.kind == "event":
            yield self._read(pattern, direction, bindings)
        elif isinstance(pattern, Scan):
            yield from self.both(pattern, bindings)
        for operand in pattern.operands:
            is_absent = isinstance(pattern, Absent) and operand in pattern.what
            yield from self.of_pattern(operand, OPPOSITE[direction] if is_absent else direction, bindings)


def fluent_of(relation: Relation, definition: Simple | Group) -> Simple:
    """Return the fluent that a relation is a value of."""
    return next(fluent for fluent in definition.simple_fluents if relation in fluent.relations)


def _is_intricate(definition: Simple | Group, fluent: Simple) -> bool:
    """Return whether deadlines, or rules about every grounding that is alive, make each change matter both ways."""
    rules = (rule for rules in fluent.initiations for rule in rules)
    return (isinstance(definition, Group) and bool(definition.deadlines)) or any(None in rule.args for rule in rules)


def bindings_of(row: Rows) -> Bindings:
    """Return the variables of a row that are terms, with their codes."""
    columns = {name: row.column(name) for name in row.names}
    return {name: int(column.codes()[0]) for name, column in columns.items() if not column.is_number}
