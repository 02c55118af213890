"""Which keys a change touches: a stage shares its rows out by tuples of arguments, and each tuple is by itself.

What is true of a bucket of a stage (see `plan.distribution`) is true of any set of tuples: with all rows about them,
what is concluded about them is as if all other rows were there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.column import Mask
from holdsfor.engine.relation import EMPTY, Data, Intervals, Points
from holdsfor.kernels import places_in_ranges, places_of_codes, places_of_keys
from holdsfor.plan.operators import Plan, Relation, Stage
from holdsfor.plan.walk import defines

Positions = tuple[int, ...]

#: So many binary searches cost as much as a look at one row for each of them.
SEARCH = 24
UNTOUCHED = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Definitions of one stage that are evaluated for the same tuples.

    shares: by which arguments the rows of a relation belong to tuples. follows: rows that belong to all tuples with the
    argument at the position; links: relations that say which tuples there are; everywhere: rows that belong to all.
    homes: where tuples stand in what is defined. is_keyed: if not, all is evaluated together.
    """

    definitions: tuple[int, ...]
    reads: frozenset[Relation]
    shares: dict[Relation, tuple[Positions, ...]] = field(default_factory=dict)
    follows: dict[Relation, tuple[int, ...]] = field(default_factory=dict)
    links: tuple[tuple[Relation, Positions], ...] = ()
    everywhere: frozenset[Relation] = frozenset()
    homes: dict[Relation, Positions] = field(default_factory=dict)
    is_keyed: bool = False


def find_units(plan: Plan, definitions: Iterable[int]) -> tuple[Unit, ...]:
    """The units of the stages that have these definitions, in the order of the stages."""
    within = set(definitions)
    return tuple(
        unit
        for stage in plan.stages
        for unit in _units_of(stage, plan, within)
        if not within.isdisjoint(unit.definitions)
    )


def _units_of(stage: Stage, plan: Plan, within: set[int]) -> Iterator[Unit]:
    keyed = {home.relation for home in stage.homes if home.positions and home.slices is None}
    by_key = [n for n in stage.definitions if n in within and keyed.issuperset(defines(plan.definitions[n]))]
    others = [n for n in stage.definitions if n in within and n not in set(by_key)]
    if by_key:
        yield _keyed_unit(stage, plan, tuple(by_key))
    if others:
        yield Unit(tuple(others), _reads(plan, others))


def _keyed_unit(stage: Stage, plan: Plan, definitions: tuple[int, ...]) -> Unit:
    reads = _reads(plan, definitions)
    shares: dict[Relation, list[Positions]] = {}
    follows: dict[Relation, list[int]] = {}
    links = []
    for route in stage.routes:
        if route.way == "share" and route.positions:
            shares.setdefault(route.relation, []).append(route.positions)
        elif route.way == "follow":
            follows.setdefault(route.relation, []).append(route.positions[0])
        elif route.way == "link":
            links.append((route.relation, route.positions))
    own = {relation for number in definitions for relation in defines(plan.definitions[number])}
    homes = {home.relation: home.positions for home in stage.homes if home.relation in own and home.positions}
    everywhere = {route.relation for route in stage.routes if route.way == "everywhere"}
    everywhere |= reads - shares.keys() - follows.keys() - own
    return Unit(
        definitions,
        reads,
        {relation: tuple(dict.fromkeys(each)) for relation, each in shares.items()},
        {relation: tuple(dict.fromkeys(each)) for relation, each in follows.items()},
        tuple(links),
        frozenset(everywhere & reads),
        homes,
        is_keyed=True,
    )


def _reads(plan: Plan, definitions: Iterable[int]) -> frozenset[Relation]:
    return frozenset(relation for number in definitions for relation in plan.looks[number].relations)


# ---------------------------------------------------------------- tuples


def tuple_keys(data: Data, positions: Positions) -> Ints:
    """The tuple of each row as a number; the order of its arguments does not matter."""
    if len(positions) == 1:
        return data.codes(positions[0])
    return ordered_key(data.axis, [data.codes(position) for position in positions])


def ordered_key(axis: Axis, codes: Sequence[Ints]) -> Ints:
    return axis.key(list(np.sort(np.stack(codes), axis=0)))


@dataclass(slots=True)
class Touched:
    """Tuples that something has changed for, by their size, each with a time up to which nothing has.

    members: arguments that touch all tuples that have them. everything: a time for all tuples at once; None: not all
    are touched.
    """

    parts: dict[int, list[tuple[Ints, Ints]]] = field(default_factory=dict)
    members: list[tuple[Ints, Ints]] = field(default_factory=list)
    everything: int | None = None

    def __bool__(self) -> bool:
        return self.everything is not None or any(len(keys) for parts in self.parts.values() for keys, _ in parts)

    def touch(self, size: int, keys: Ints, until: Ints) -> None:
        if len(keys):
            self.parts.setdefault(size, []).append((keys, until))

    def touch_all(self, until: int) -> None:
        self.everything = until if self.everything is None else min(until, self.everything)

    def tuples(self) -> dict[int, tuple[Ints, Ints]]:
        """By size: the distinct tuples, sorted, each with the earliest of its times."""
        return {size: _earliest(parts) for size, parts in self.parts.items()}


def _earliest(parts: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    keys, until = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(keys, kind="stable")
    keys, until = keys[order], until[order]
    first = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    return keys[first], np.minimum.reduceat(until, first)


@dataclass(frozen=True)
class Tuples:
    """The tuples that are evaluated together, by their size."""

    axis: Axis
    codes: int  # how many codes there are
    by_size: dict[int, Ints]

    def __len__(self) -> int:
        return sum(map(len, self.by_size.values()))

    @cached_property
    def members(self) -> Ints:
        """The arguments of tuples of several."""
        columns = [self.axis.code(keys, p, k) for k, keys in self.by_size.items() if k > 1 for p in range(k)]
        return np.unique(np.concatenate([EMPTY, *columns]))

    def contain(self, data: Data, positions: Positions) -> Mask:
        """Which rows are about one of them."""
        keys = self.by_size.get(len(positions), EMPTY)
        if not len(keys) or not len(data):
            return np.zeros(len(data), np.bool_)
        wanted = tuple_keys(data, positions)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.equal(keys[place], wanted)

    def places(self, data: Data, shares: Iterable[Positions], follows: Iterable[int], edge: int) -> Ints:
        """The rows about them that are not over at the edge, which is relative to the origin of the axis."""
        found = [self._places(data, positions, self.by_size.get(len(positions), EMPTY), edge) for positions in shares]
        found += [self._places(data, (position,), self.members, edge) for position in follows]
        found = [places for places in found if len(places)]
        if len(found) <= 1:
            return found[0] if found else EMPTY
        return np.unique(np.concatenate(found))

    def _places(self, data: Data, positions: Positions, keys: Ints, edge: int) -> Ints:
        if not len(keys) or not len(data):
            return EMPTY
        edge = max(edge, -1)
        if len(keys) * SEARCH < len(data) and (ranges := _ranges(data, positions, keys, edge)) is not None:
            return _within(data, ranges, edge)
        if len(positions) > 1:
            rows = np.flatnonzero(self.contain(data, positions))
            return rows[(data.lasts()[rows] & data.axis.mask) > edge]
        wanted = np.zeros(self.codes, np.bool_)
        wanted[keys] = True
        shift = _leading_shift(data, positions)
        if shift is None:
            return places_of_codes(data.codes(positions[0]), data.lasts(), wanted, data.axis.mask, edge)
        starts = data.packed if isinstance(data, Points) else data.s
        return places_of_keys(starts, data.lasts(), shift, wanted, data.axis.mask, edge)


def _leading_shift(data: Data, positions: Positions) -> int | None:
    """By how many bits the code of the one argument stands before the rest; None if it does not lead."""
    axis = data.axis
    if isinstance(data, Points):
        return axis.time_bits if data.key == positions else None
    if positions != (0,) or axis.is_wide(data.arity):
        return None
    return axis.time_bits + (data.arity - 1) * axis.code_bits


def _ranges(data: Data, positions: Positions, keys: Ints, edge: int) -> tuple[Ints, Ints] | None:
    """Where the rows of each key begin and end, if they stand together."""
    axis = data.axis
    if (shift := _leading_shift(data, positions)) is not None:
        starts = data.packed if isinstance(data, Points) else data.s
        high = np.searchsorted(starts, (keys + 1) << shift, "left")
        if shift == axis.time_bits:
            return np.searchsorted(data.lasts(), (keys << shift) | max(edge, 0), "right" if edge >= 0 else "left"), high
        return np.searchsorted(starts, keys << shift, "left"), high
    if isinstance(data, Intervals) and 1 < data.arity == len(positions) and not axis.is_wide(data.arity):
        columns = [axis.code(keys, p, data.arity) for p in range(data.arity)]
        every = np.unique(np.concatenate([axis.key([columns[p] for p in order]) for order in permutations(positions)]))
        low = np.searchsorted(data.s, every << axis.time_bits, "left")
        return low, np.searchsorted(data.s, (every + 1) << axis.time_bits, "left")
    return None


def _within(data: Data, ranges: tuple[Ints, Ints], edge: int) -> Ints:
    low, high = ranges
    return places_in_ranges(low.astype(np.int64), high.astype(np.int64), data.lasts(), data.axis.mask, edge)
