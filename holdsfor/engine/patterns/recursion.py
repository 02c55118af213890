"""Output events: the occurrences that rules conclude.

Where patterns are about each other, rules are applied to what is new until nothing new comes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from holdsfor.engine.bodies.heads import choose_current, head_codes
from holdsfor.engine.bodies.rulebook import Rulebook, find_rule, rows_of
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Selection
from holdsfor.engine.data.points import Points, united
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.errors import HoldsforError
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.plan.definitions import Derived, Recursion
from holdsfor.plan.operators import Arg, Conclude, Occurring, Relation
from holdsfor.plan.patterns import Absent, OneOfSeveral, Pairs, Pattern, Scan, Selected, Sliding, scans, subpatterns

Found = list[tuple[Conclude, Rows]]


def evaluate_derived(definition: Derived, world: World, rulebook: Rulebook) -> None:
    world.relations[definition.relation] = conclude_events(definition.relation, definition.rules, world, rulebook)


def conclude_events(relation: Relation, rules: Iterable[Conclude], world: World, rulebook: Rulebook) -> Points:
    """Return the events that the rules conclude, sorted by the first argument that is a term, and time."""
    concluded = [
        (rule, choose_current(rows_of(rule, find_rule(rule, rulebook), world), rule.time, world)) for rule in rules
    ]
    concluded = [(rule, rows) for rule, rows in concluded if rows.size]
    if not concluded:
        return world.points_of(relation).none()
    time = np.concatenate([rows.times(rule.time) for rule, rows in concluded])
    columns = [_column([(rows, rule.args[p]) for rule, rows in concluded], world) for p in range(relation.arity)]
    key = tuple(p for p in range(relation.arity) if not columns[p].is_number)[:1]
    packed = world.axis.pack([columns[p].codes() for p in key], time)
    packed, order = sort_packed(packed, world.axis.time_bits)
    chosen = Selection(index=order)
    payload = {p: column.select(chosen) for p, column in enumerate(columns)}
    begun = _begun(concluded, world)
    begun = None if begun is None else begun[order]
    points = Points(world.axis, world.dictionary, relation.arity, key, packed, payload, begun)
    return world.cut.choose_later(relation, points)


def _begun(concluded: Found, world: World) -> Ints | None:
    """When each began, on the axis; None if none of them takes time."""
    if all(rule.start is None for rule, _ in concluded):
        return None
    starts = [rows.times(rule.time if rule.start is None else rule.start) for rule, rows in concluded]
    return np.concatenate(starts) - world.axis.origin


def _column(parts: list[tuple[Rows, Arg]], world: World) -> Column:
    """One column out of several rules: of numbers if all of them give numbers of one kind, else of terms."""
    columns = [rows.column(arg) if isinstance(arg, str) else None for rows, arg in parts]
    numbers = [column.numbers() for column in columns if column is not None and column.is_number]
    if len(numbers) == len(parts) and len({array.dtype for array in numbers}) == 1:
        return Column(world.dictionary, numbers=np.concatenate(numbers))
    return Column(world.dictionary, np.concatenate([head_codes(rows, arg, world) for rows, arg in parts]))


MOST_ROUNDS = 100_000


def evaluate_recursion(definition: Recursion, world: World, rulebook: Rulebook) -> None:
    own = [event.relation for event in definition.parts]
    grow = _grow if all(_only_adds(event, own) for event in definition.parts) else _settle_down
    grow(definition, world, rulebook)


def _only_adds(event: Derived, own: Sequence[Relation]) -> bool:
    """Whether more occurrences of the circle never take one away: nothing is chosen, or absent, among them."""
    patterns = (op.pattern for rule in event.rules for op in rule.chain if isinstance(op, Occurring))
    joins = [part for pattern in patterns for part in subpatterns(pattern) if isinstance(part, Pairs | Absent)]
    absent = (scan for join in joins if isinstance(join, Absent) for what in join.what for scan in scans(what))
    makes_all = all(join.choosing.policy == "unrestricted" for join in joins)
    return makes_all and not any(scan.relation in own for scan in absent)


def _settle_down(definition: Recursion, world: World, rulebook: Rulebook) -> None:
    """All rules on all that the round before has concluded, until it is the same.

    What a policy chooses, and what NOT asks for, may change with more to choose from, so nothing can be kept from a
    round. But what ends at a time depends on what ends before or is shorter: each round gets at least one more right.
    """
    own = [event.relation for event in definition.parts]
    settled = {relation: _settled(relation, world) for relation in own}
    new = {relation: points.none() for relation, points in settled.items()}
    for _ in range(MOST_ROUNDS):
        known = {r: united([settled[r], new[r]]) for r in own}
        seen = world.with_relations(known)
        before = new
        new = {
            event.relation: conclude_events(event.relation, event.rules, seen, rulebook).distinct()
            for event in definition.parts
        }
        if all(_same(before[relation], new[relation]) for relation in own):
            world.relations.update(new)
            return
    raise _endless(own)


def _same(one: Points, other: Points) -> bool:
    return len(one) == len(other) and not any(map(len, one.unlike(other)))


def _endless(own: list[Relation]) -> HoldsforError:
    names = ", ".join(str(relation) for relation in own)
    return HoldsforError(f"{names}: the rules add something new without end; add a condition that ends them")


def _grow(definition: Recursion, world: World, rulebook: Rulebook) -> None:
    """The first round applies all rules to what was settled; later ones only to what the round before has added."""
    own = [event.relation for event in definition.parts]
    settled = {relation: _settled(relation, world) for relation in own}
    known = dict(settled)
    rules = {event.relation: tuple(_on_what_is_new(event, own)) for event in definition.parts}
    first = world.with_relations(settled)  # others must not share this round's
    new = {
        event.relation: conclude_events(event.relation, event.rules, first, rulebook).distinct()
        for event in definition.parts
    }
    for _ in range(MOST_ROUNDS):
        new = {relation: _unknown(points, known[relation]) for relation, points in new.items()}
        if not any(map(len, new.values())):
            world.relations.update({r: _since(known[r], settled[r]) for r in own})
            return
        known = {relation: united([known[relation], new[relation]]) for relation in own}
        seen = world.with_relations(known)
        seen.relations.update({_newest(relation): points for relation, points in new.items()})
        new = {r: conclude_events(r, rules[r], seen, rulebook).distinct() for r in own}
    raise _endless(own)


def _settled(relation: Relation, world: World) -> Points:
    settled = world.cut.settled(relation)
    return settled if isinstance(settled, Points) else world.points_of(relation).none()


def _unknown(points: Points, known: Points) -> Points:
    return points if not len(known) else known.unlike(points)[1]


def _since(known: Points, settled: Points) -> Points:
    return known if not len(settled) else settled.unlike(known)[1]


def _newest(relation: Relation) -> Relation:
    """Name the relation of the rows that the last round has added."""
    return replace(relation, name=f"{relation.name} newest", part_of=relation.signature)


def _on_what_is_new(event: Derived, own: list[Relation]) -> Iterator[Conclude]:
    """For each place where a rule reads one of these relations, the rule that reads what is new there."""
    for rule in event.rules:
        first, *rest = rule.chain
        if isinstance(first, Occurring):
            for pattern in _variants(first.pattern, own):
                yield replace(rule, chain=(replace(first, pattern=pattern), *rest))


def _variants(pattern: Pattern, own: list[Relation]) -> Iterator[Pattern]:
    match pattern:
        case Scan():
            if pattern.relation in own:
                yield replace(pattern, relation=_newest(pattern.relation))
        case Pairs():
            yield from (replace(pattern, left=left) for left in _variants(pattern.left, own))
            yield from (replace(pattern, right=right) for right in _variants(pattern.right, own))
        case Absent():
            yield from (replace(pattern, first=first) for first in _variants(pattern.first, own))
            if not isinstance(pattern.last, int):
                yield from (replace(pattern, last=last) for last in _variants(pattern.last, own))
        case Selected() | Sliding():
            yield from (replace(pattern, pattern=inside) for inside in _variants(pattern.pattern, own))
        case OneOfSeveral():
            for one in pattern.alternatives:
                yield from _variants(one, own)
        case _:
            return
