"""The input that could change a conclusion and did not: rows that a tree of reasons does not show.

A fluent holds also because nothing has ended it, and a negation is true because nothing makes its condition true. If
only the rows in the tree were evaluated, something could be true that is false with all rows, because a row is missing
that prevents it. So with each such reason go the rows of all inputs that could: those that are reached through an odd
number of negations. For rules without negation there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from holdsfor.engine.data.rows import Rows
from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Definition, Domain, Due, Simple
from holdsfor.plan.nodes import PlanNode
from holdsfor.plan.operators import Relation, RuleNode
from holdsfor.plan.patterns import PatternNode
from holdsfor.plan.structures import is_open
from holdsfor.why.derivation import LeafRows
from holdsfor.why.replay import PartialKey, Replay
from holdsfor.why.solutions import agreeing, bind_head, key_of

MORE, LESS, EITHER = 1, -1, 0


class Effect(NamedTuple):
    """A relation, for groundings like this one, that is to have no more (1), no less (-1), or neither (0)."""

    relation: Relation
    key: PartialKey
    direction: int


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
        group = frozenset(effects)
        if group not in self._rows:
            rows = [
                part
                for effect in self.close(group)
                if effect.direction != MORE and self._replay.is_input(effect.relation)
                for part in self._replay.rows_like(effect.relation, effect.key)
            ]
            self._rows[group] = tuple(rows)
        return self._rows[group]

    def rows_against(self, parts: Iterable[PlanNode], row: Rows) -> tuple[LeafRows, ...]:
        """Return the rows of inputs that keep parts of a rule from having more, with the values of a row."""
        return self.rows_for(effect for part in parts for effect in self._effects(part, row, MORE))

    def rows_around(self, parts: Iterable[PlanNode], row: Rows) -> tuple[LeafRows, ...]:
        """Return the rows of inputs that keep parts of a rule as they are, with the values of a row."""
        return self.rows_for(effect for part in parts for effect in self._effects(part, row, EITHER))

    def endings(self, relation: Relation, key: PartialKey) -> Iterator[Effect]:
        """Iterate over the effects by which a value of a fluent would be ended more often."""
        fluent = self._replay.fluent_of(relation)
        assert fluent is not None
        if _is_intricate(self._replay.definitions[relation], fluent):
            return self._everything(fluent, relation, key)
        return self._ends(fluent, relation, key, MORE)

    def close(self, effects: Iterable[Effect]) -> set[Effect]:
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
        if relation in self._domains:
            yield from self._of_rules(self._domains[relation].rules, key, EITHER)
        if self._replay.is_input(relation):
            return
        target = self._replay.reached.get(relation, relation)
        fluent = self._replay.fluent_of(target)
        if fluent is None:
            yield from self._of_rules(self._replay.rules_of(relation), key, direction)
        elif target != relation or _is_intricate(self._replay.definitions[relation], fluent):
            yield from self._everything(fluent, target, key)
        else:
            place = fluent.relations.index(relation)
            yield from self._of_rules(fluent.initiations[place], key, direction)
            yield from self._of_rules(fluent.initially[place] if fluent.initially else (), key, EITHER)
            yield from self._ends(fluent, relation, key, -direction)

    def _ends(self, fluent: Simple, relation: Relation, key: PartialKey, direction: int) -> Iterator[Effect]:
        """Iterate over the effects by which a value is ended: by its terminations, and by other values."""
        place, is_valued = fluent.relations.index(relation), relation.kind == "valued"
        yield from self._of_rules(fluent.terminations[place], key, direction)
        for other, rules in enumerate(fluent.initiations):
            if is_valued or other != place:
                yield from self._of_rules(rules, _any_value(relation, key), direction)
        for other, initially in enumerate(fluent.initially):
            if is_valued or other != place:
                yield from self._of_rules(initially, _any_value(relation, key), EITHER)

    def _everything(self, fluent: Simple, relation: Relation, key: PartialKey) -> Iterator[Effect]:
        """Iterate over both effects of all that the rules of a fluent read."""
        return self._of_rules(find_all(fluent, RuleNode), _any_value(relation, key), EITHER)

    def _of_rules(self, rules: Iterable[RuleNode], key: PartialKey, direction: int) -> Iterator[Effect]:
        for rule in rules:
            row = agreeing(bind_head(rule, key, self._replay), rule.args, key, self._replay)
            if row.size:
                yield from (effect for effect in self._effects(rule, row, direction))

    def _effects(self, part: PlanNode, row: Rows, direction: int) -> Iterator[Effect]:
        """Iterate over the effects by which a part of a rule has more, or less, with the values of a row."""
        if any(pattern.chooses for pattern in find_all(part, PatternNode)):
            row, direction = row.without(row.names), EITHER  # also what is about others may be taken, or take
        for node, sign in part.dependencies():
            yield Effect(node.relation, key_of(node, row, self._replay), direction * sign)


def _any_value(relation: Relation, key: PartialKey) -> PartialKey:
    return (*key[:-1], None) if relation.kind == "valued" else key


def _is_intricate(definition: Definition, fluent: Simple) -> bool:
    """Return whether deadlines, or rules about every grounding that is alive, make each change matter both ways."""
    has_deadlines = any(True for _ in find_all(definition, Due))
    return has_deadlines or any(is_about_all(rule) for rules in fluent.initiations for rule in rules)


def is_about_all(rule: RuleNode) -> bool:
    """Whether a rule concludes something of every grounding that is alive."""
    return any(map(is_open, rule.args))
