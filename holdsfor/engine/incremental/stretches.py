"""Late changes: each touched tuple is evaluated over a stretch of time only, as long as that ends as it did before.

A stretch goes on for some time after the last row that differs. Evaluation looks no further back than a known distance;
so if over that distance, up to the end of the stretch, all is as it was before, then all that follows is, too. Tuples
for which it is not are evaluated again, up to now.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.incremental.arrivals import differing
from holdsfor.engine.incremental.blocks import Evaluation
from holdsfor.engine.incremental.cuts import TupleCuts
from holdsfor.engine.incremental.keys import find_firsts, sorted_by, starts_of
from holdsfor.engine.incremental.stored import Difference, Gathered, keep
from holdsfor.engine.incremental.touched import Touched, TouchedKeys, find_earliest, tuple_keys
from holdsfor.engine.incremental.turn import QueryTurn, TouchedBlock
from holdsfor.engine.incremental.units import Positions, Unit
from holdsfor.engine.points import EMPTY, Points
from holdsfor.engine.relation import Data
from holdsfor.engine.world import World
from holdsfor.kernels import places_after
from holdsfor.plan.operators import Relation

#: A stretch has room for so many rows after the last one that differs: most fluents are as they were after one or two.
ROWS_AFTER = 12
#: Stretches are tried where they are, in all, at most this part of the time up to now.
LONGEST = 0.5
#: Later than all times on an axis: the end of what is evaluated up to now.
UP_TO_NOW = 1 << 60


@dataclass(frozen=True, slots=True)
class Stretches:
    """The tuples of a block, with how late their rows are looked at. back: how far evaluation looks back.

    ends: of the stretches, instead of beginnings.
    """

    block: TouchedBlock
    ends: TouchedKeys
    back: int


def find_stretches(turn: QueryTurn, unit: Unit, touched: Touched, block: TouchedBlock) -> Stretches | None:
    """None if it does not pay to stop before now, or evaluation may look back, or ahead, at any distance.

    Also for tuples of several arguments: their rows do not stand together in the order of their times.
    """
    looking, tuples = turn.setting.looking[unit], block.tuples
    if tuples is None or looking is None:
        return None
    tick, keys = turn.bare.axis.tick, tuples.by_size.get(1)
    back, ahead = looking[0] + tick, looking[1] + 2 * tick
    if keys is None or len(tuples.by_size) > 1 or len(keys.keys) * back > LONGEST * _measure(turn, keys):
        return None
    rows = _find_rows(turn, unit)
    if rows is None:
        return None
    ends = _find_ends(turn, keys, _find_last_changes(turn, unit, touched, keys), rows, back)
    if _measure(turn, keys, ends) > LONGEST * _measure(turn, keys):
        return None
    bounded = replace(tuples, by_size={1: replace(keys, ends=ends.until + ahead)})
    return Stretches(replace(block, tuples=bounded), ends, back)


def _find_rows(turn: QueryTurn, unit: Unit) -> Data | None:
    """Most of the rows that the unit reads, sorted by tuple and time; None if there are no such rows."""
    candidates = []
    for relation in unit.reads:
        stored, places = turn.stores.get(relation), unit.shares.get(relation, ())
        if stored is not None and any(sorted_by(stored.largest()) == positions for positions in places):
            candidates.append(stored.largest())
    return max((data for data in candidates if len(data)), key=len, default=None)


def _find_last_changes(turn: QueryTurn, unit: Unit, touched: Touched, keys: TouchedKeys) -> Ints:
    """For each tuple, when the last row that differs is over; up to now where that is not the end of it."""
    lasts = [(some, np.array([-UP_TO_NOW])) for some in touched.endless.get(1, ())]
    for relation in unit.reads:
        difference = turn.differences.get(relation)
        for data in () if difference is None else (difference.removed, difference.added):
            if len(data):
                times = -_last_times(data)
                lasts += [(tuple_keys(data, positions), times) for positions in unit.about.get(relation, ())]
    changed, latest = find_earliest(lasts)
    place = np.minimum(np.searchsorted(changed, keys.keys), len(changed) - 1)
    assert np.array_equal(changed[place], keys.keys), "a tuple is touched by rows that differ, or endlessly"
    return np.asarray(-latest[place])


def _find_ends(turn: QueryTurn, keys: TouchedKeys, lasts: Ints, data: Data, back: int) -> TouchedKeys:
    """Some rows after the last that differs, and as long as evaluation looks back: as times before a tick."""
    axis = turn.bare.axis
    tick, origin, now = axis.tick, axis.origin, turn.bare.now - axis.origin
    rows, wanted = starts_of(data), (keys.keys << axis.time_bits) | np.minimum(lasts, axis.mask)
    place = places_after(rows, find_firsts(data, axis.time_bits), keys.keys, wanted) + ROWS_AFTER
    row = rows[np.minimum(place, len(rows) - 1)]
    ends = ((row & axis.mask) + back + origin + 1) // tick * tick + tick - 1 - origin
    is_far = (place < len(rows)) & (row >> axis.time_bits == keys.keys) & (ends < now)
    return TouchedKeys(keys.keys, np.where(is_far, ends, UP_TO_NOW))


def _last_times(data: Data) -> Ints:
    """When each row is over; what goes on is never."""
    times = data.lasts() & data.axis.mask
    return times if isinstance(data, Points) else np.where(times == data.axis.mask, UP_TO_NOW, times)


def _measure(turn: QueryTurn, keys: TouchedKeys, ends: TouchedKeys | None = None) -> float:
    """How long it is to the ends, all together; None: to now."""
    now = turn.bare.now - turn.bare.axis.origin
    last = now if ends is None else np.minimum(ends.until, now)
    return float(np.sum(last - keys.until))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stretch has brought for a relation: rows of what was gathered that are gone, and rows that came."""

    relation: Relation
    before: Gathered
    gone: Ints
    added: Data


@dataclass(slots=True)
class Trial:
    """An evaluation of stretches. What it concludes counts for the tuples that end as they did before."""

    turn: QueryTurn
    unit: Unit
    stretches: Stretches
    stirred: frozenset[int]

    def run(self) -> TouchedBlock | None:
        """The tuples that are left to be evaluated up to now; None: none are."""
        evaluation = StretchEvaluation(self.turn, self.unit, self.stretches.block, self.stirred, self.stretches)
        evaluation.run()
        self.turn.count("blocks_evaluated", 1)
        unlike = np.unique(np.concatenate([EMPTY, *evaluation.unlike]))
        for outcome in evaluation.outcomes:
            self._commit(outcome, unlike, evaluation.find_edge(outcome.relation))
        return self._find_rest(unlike)

    def _commit(self, outcome: Outcome, unlike: Ints, edge: int | None) -> None:
        home = self.unit.homes[outcome.relation]
        gone, added = outcome.gone, outcome.added
        if len(unlike):
            gone = gone[~np.isin(tuple_keys(outcome.before.data.take(gone), home), unlike)]
            added = added.where(~np.isin(tuple_keys(added, home), unlike))
        difference = Difference(outcome.before.data.take(gone), added)
        if difference:
            stored = self.turn.stores.setdefault(outcome.relation, keep(added.none()))
            self.turn.stores[outcome.relation] = stored.change(outcome.before.origin[gone], added, edge)
            self.turn.add_difference(outcome.relation, difference)

    def _find_rest(self, unlike: Ints) -> TouchedBlock | None:
        tuples = self.stretches.block.tuples
        if tuples is None or not len(unlike):
            return None
        touched = tuples.by_size[1]
        chosen = np.isin(touched.keys, unlike)
        rest = replace(tuples, by_size={1: TouchedKeys(touched.keys[chosen], touched.until[chosen])})
        return TouchedBlock(rest, rest.earliest)


@dataclass(slots=True)
class StretchEvaluation(Evaluation):
    """Keeps back what it concludes. unlike: the tuples that do not end as they did before."""

    stretches: Stretches
    outcomes: list[Outcome] = field(default_factory=list)
    unlike: list[Ints] = field(default_factory=list)

    def _differs(self, relations: Iterable[Relation]) -> bool:
        own = {outcome.relation for outcome in self.outcomes}
        return Evaluation._differs(self, relations) or not own.isdisjoint(relations)

    def _conclude(self, relation: Relation, before: Gathered, seen: World, cuts: TupleCuts | int) -> None:
        now = self.world.relations[relation] = self._join_settled(relation, seen, cuts)
        home = self.unit.homes[relation]
        old_places, old = self._cut_off(before.data, home)
        new_places, new = self._cut_off(now, home)
        gone, come = differing(old, new)
        self._find_unlike(old.take(gone), home)
        self._find_unlike(new.take(come), home)
        if len(gone) or len(come):
            self.outcomes.append(Outcome(relation, before, old_places[gone], now.take(new_places[come])))

    def _cut_off(self, data: Data, home: Positions) -> tuple[Ints, Data]:
        """Up to the ends of the stretches, and the tick after them, where what happened last shows: rows and places."""
        ends, mask = self._ends_of(data, home), data.axis.mask
        if isinstance(data, Points):
            places = np.flatnonzero((data.packed & mask) <= ends)
            return places, data.take(places)
        ends = ends + 1 + data.axis.tick
        places = np.flatnonzero((data.s & mask) < ends)
        s, e = data.s[places], data.e[places]
        return places, data.of(s, (e & ~mask) | np.minimum(e & mask, ends[places]))

    def _find_unlike(self, data: Data, home: Positions) -> None:
        """Tuples with rows that differ, and that are not over long enough before the end."""
        near = (data.lasts() & data.axis.mask) + self.stretches.back > self._ends_of(data, home)
        if near.any():
            self.unlike.append(tuple_keys(data.take(np.flatnonzero(near)), home))

    def _ends_of(self, data: Data, home: Positions) -> Ints:
        return self.stretches.ends.until_of(tuple_keys(data, home))
