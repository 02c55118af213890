"""A unit at a query time: the tuples that something has changed for are evaluated again.

They are evaluated by the ordinary operators, as a bucket of the unit's stage would be, each from a cut of its own on,
up to which nothing has changed for it; what comes out equal stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Mask
from holdsfor.engine.evaluate import define, find_domains
from holdsfor.engine.incremental.arrivals import differing
from holdsfor.engine.incremental.keys import Tuples
from holdsfor.engine.incremental.stored import Difference, Gathered, keep
from holdsfor.engine.incremental.turn import QueryTurn, TouchedBlock
from holdsfor.engine.incremental.units import DefinitionStep, RowsWanted, Unit
from holdsfor.engine.intervals import Intervals
from holdsfor.engine.points import EMPTY
from holdsfor.engine.relation import Data, put_after
from holdsfor.engine.settling import still_running
from holdsfor.engine.world import Cuts, Running, World
from holdsfor.kernels import compress, conclude_after_cuts, cuts_of_codes, divide_at_cuts, merge_sorted, points_since
from holdsfor.kernels.machine_state import FAR
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation


@dataclass(frozen=True, slots=True)
class TupleCuts:
    """The cuts of a definition's tuples: so long before the times of the tuples, or at the floor."""

    tuples: Tuples
    unit: Unit
    delay: int
    floor: int

    def of(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        home = self.unit.homes[relation]
        if len(home) == 1:
            return cuts_of_codes(codes(home[0]), self.tuples.until_of_codes, self.delay, self.floor)
        return np.maximum(self.tuples.until_of(home, codes) - self.delay, self.floor)

    def since(self, relation: Relation, one: Ints, other: Ints, arity: int) -> Ints:
        axis, shift = self.tuples.axis, self.find_shift(relation, arity)
        if shift is not None:
            return points_since(one, other, shift, self.tuples.until_of_codes, self.delay, self.floor, axis.mask)
        packed = merge_sorted(one, other) if other.size else one
        keys = packed >> axis.time_bits
        return compress(packed, (packed & axis.mask) > self.of(relation, lambda p: axis.code(keys, p, arity)))

    def leading(self, relation: Relation, arity: int) -> tuple[Ints, int, int, int] | None:
        shift = self.find_shift(relation, arity)
        return None if shift is None else (self.tuples.until_of_codes, shift, self.delay, self.floor)

    def find_shift(self, relation: Relation, arity: int) -> int | None:
        """By how many bits a tuple of one argument stands before the rest of its rows; None if it does not."""
        axis = self.tuples.axis
        if self.unit.homes[relation] != (0,) or axis.is_wide(arity):
            return None
        return axis.time_bits + (arity - 1) * axis.code_bits

    def divide(self, relation: Relation, data: Data, start: int) -> tuple[Data, Ints] | None:
        """What was settled, and the keys that hold at the cuts; None if that takes more than one step."""
        if not isinstance(data, Intervals) or (shift := self.find_shift(relation, data.arity)) is None:
            return None
        edges, bits = self.tuples.until_of_codes, data.axis.time_bits
        s, e, keys = divide_at_cuts(data.s, data.e, edges, shift, self.delay, self.floor, start, bits)
        return data.of(s, e), keys

    def conclude(
        self, relation: Relation, before: Gathered, settled: Data | None, concluded: Data
    ) -> ChangedRows | None:
        """None: it takes more than one step."""
        known = before.data
        if not isinstance(concluded, Intervals) or not isinstance(settled, Intervals):
            return None
        shift = self.find_shift(relation, concluded.arity)
        if shift is None or not isinstance(known, Intervals):
            return None
        lists = known.s, known.e, before.origin, settled.s, settled.e, concluded.s, concluded.e
        edges, mask = self.tuples.until_of_codes, concluded.axis.mask
        s, e, gone_s, gone_e, origin, come_s, come_e = conclude_after_cuts(
            *lists, edges, shift, self.delay, self.floor, mask
        )
        return ChangedRows(concluded.of(s, e), known.of(gone_s, gone_e), origin, known.of(come_s, come_e))


class ChangedRows(NamedTuple):
    """Rows as they are now; those that only were there, with their origins, and those that only are now."""

    now: Data
    removed: Data
    origin: Ints
    added: Data


@dataclass(slots=True)
class Evaluation:
    """A block of a unit on its way through the definitions."""

    turn: QueryTurn
    unit: Unit
    block: TouchedBlock
    stirred: frozenset[int]
    world: World = field(init=False)
    wanted: Mapping[Relation, RowsWanted] = field(init=False)

    def __post_init__(self) -> None:
        self.wanted = self.turn.setting.wanted[self.unit]
        self.world = replace(self.turn.bare, relations={}, running={}, shared={})

    def run(self) -> None:
        program, relations = self.turn.setting.program, self.world.relations
        domains = find_domains(program, self.world)
        for step in self.turn.setting.steps[self.unit]:
            if step.number not in self.stirred and not self._differs(step.reads):
                self.turn.count("definitions_skipped", 1)
                continue
            self.turn.count("definitions_evaluated", 1)
            before = {relation: self.gather(relation) for relation in step.own}
            for relation in step.reads:
                if relation not in relations and relation not in before:
                    relations[relation] = self.gather(relation).data
            cuts = self._find_cuts(step)
            seen = self._seen(step, before, cuts)
            self.turn.count("left_out", define(step.definition, seen, domains, program))
            for relation in step.own:
                self.turn.setting.scope.restrict(relation, seen)
                self._conclude(relation, before[relation], seen, cuts)
            self._keep_deadlines(step, seen, cuts)

    def _differs(self, relations: Iterable[Relation]) -> bool:
        return not self.turn.differences.keys().isdisjoint(relations)

    def gather(self, relation: Relation) -> Gathered:
        """Of the block's tuples, what may be looked at."""
        stored, tuples = self.turn.stores.get(relation), self.block.tuples
        if stored is None:
            return Gathered(self.world.nothing_of(relation), EMPTY)
        if tuples is None or (wanted := self.wanted[relation]).is_everywhere:
            whole = stored.whole()
            gathered = Gathered(whole, np.arange(len(whole)))
        else:
            gathered = tuples.gather(stored, wanted.shares, wanted.follows, self._on_axis(wanted.reach))
        self.turn.count("rows_gathered", gathered.origin.size)
        return gathered

    def _on_axis(self, distance: int | None) -> int:
        most = self.world.axis.mask + 1
        return most if distance is None else min(distance, most)

    # ------------------------------------------------------------ cuts

    def _find_cuts(self, step: DefinitionStep) -> TupleCuts | int:
        """The cut of each tuple, or of all of them, relative to the origin: the same for all that is defined."""
        relation = step.own[0]
        delay = self._on_axis(self.turn.setting.of_units[self.unit].cuts[relation])
        floor = self.turn.known.frontier.cuts[relation] - self.world.axis.origin
        tuples = self.block.tuples
        if tuples is None:
            return max(self.block.until - delay, floor)
        return TupleCuts(tuples, self.unit, delay, floor)

    def _seen(self, step: DefinitionStep, before: Mapping[Relation, Gathered], cuts: TupleCuts | int) -> World:
        """What a definition sees: conclusions begin after its cuts, with what held there."""
        origin = self.world.axis.origin
        earliest = cuts if isinstance(cuts, int) else max(self.block.until - cuts.delay, cuts.floor)
        floor = cuts if isinstance(cuts, int) else cuts.floor
        of_keys: Cuts | None = None if isinstance(cuts, int) else cuts
        settled: dict[Relation, Data] = {}
        carried: dict[Relation, Ints] = {}
        running: dict[Due, Running] = {}
        start = self.world.start - origin
        for relation, gathered in before.items():
            divided = None if isinstance(cuts, int) else cuts.divide(relation, gathered.data, start)
            if divided is None:
                boundary = self._settled_before(cut_of_rows(cuts, relation, gathered.data), floor)
                divided = gathered.data.divide_at(boundary)
            settled[relation], carried[relation] = divided
        for due in step.deadlines:
            mine = self._running_here(due)
            running[due] = still_running(mine, cut_of_rows(cuts, due.source, self._rows_about(due, mine)))
        return self.world.from_cuts(earliest + origin, of_keys, carried, settled, running)

    def _settled_before(self, cut: Ints, floor: int) -> Ints:
        """The first time after a cut; before all times where that is the start of the history: nothing held there.

        floor: no cut is before it.
        """
        start = self.world.start - self.world.axis.origin
        return cut + 1 if floor >= start else np.where(cut >= start, cut + 1, -1)

    def _conclude(self, relation: Relation, before: Gathered, seen: World, cuts: TupleCuts | int) -> None:
        """Puts what was concluded in the place of what was known."""
        turn, edge = self.turn, self.find_edge(relation)
        now, removed, origin, added = self._compare(relation, before, seen, cuts)
        self.world.relations[relation] = now
        if self.block.tuples is None:  # all of it was gathered: there is nothing else to keep
            turn.stores[relation] = keep(now if edge is None else now.beyond(edge))
        elif len(removed) or len(added):
            stored = turn.stores[relation] if relation in turn.stores else keep(now.none())
            turn.stores[relation] = stored.change(origin, added, edge)
        elif relation not in turn.stores:
            turn.stores[relation] = keep(now.none())
        turn.add_difference(relation, Difference(removed, added))

    def _compare(self, relation: Relation, before: Gathered, seen: World, cuts: TupleCuts | int) -> ChangedRows:
        if not isinstance(cuts, int):
            changed = cuts.conclude(relation, before, seen.settled.get(relation), seen.relations[relation])
            if changed is not None:
                return changed
        now = self._join_settled(relation, seen, cuts)
        gone, come = differing(before.data, now)
        return ChangedRows(now, before.data.take(gone), before.origin[gone], now.take(come))

    def _join_settled(self, relation: Relation, seen: World, cuts: TupleCuts | int) -> Data:
        """What was settled before the cuts, and what was concluded after them."""
        concluded = seen.relations[relation]
        boundary = cut_of_rows(cuts, relation, concluded) + 1
        return put_after(seen.settled.get(relation), concluded, boundary).distinct()

    def find_edge(self, relation: Relation) -> int | None:
        """What is over there may be forgotten; None: nothing may."""
        turn = self.turn
        return turn.known.frontier.horizon(relation) - self.world.axis.origin if turn.setting.scope.forgets else None

    # ------------------------------------------------------------ deadlines

    def _running_here(self, due: Due) -> Running:
        running = self.turn.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
        return choose_running(running, self._is_here(due, running))

    def _rows_about(self, due: Due, running: Running) -> Intervals:
        """For each deadline a row with the arguments that it is about."""
        s = running.keys << self.world.axis.time_bits
        return Intervals(self.world.axis, self.world.dictionary, due.source.arity, s, s)

    def _is_here(self, due: Due, running: Running) -> Mask:
        if self.block.tuples is None:
            return np.ones(len(running.keys), np.bool_)
        return self.block.tuples.contain(self._rows_about(due, running), self.unit.homes[due.source])

    def _keep_deadlines(self, step: DefinitionStep, seen: World, cuts: TupleCuts | int) -> None:
        """Deadlines that were over at the cut stay as they were; the others are as they are found now."""
        for due in step.deadlines:
            before = self.turn.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
            here = self._is_here(due, before)
            cut = cut_of_rows(cuts, due.source, self._rows_about(due, before))
            over = (before.made <= cut) & ((before.due <= cut) | (before.dropped <= cut))
            new = seen.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
            new = _with_times_made(new, seen.carried_running.get(due))
            mine = self._is_here(due, new)
            self.turn.running[due] = _both(choose_running(before, ~here | over), choose_running(new, mine))


def cut_of_rows(cuts: TupleCuts | int, relation: Relation, data: Data) -> Ints:
    """The cut of each row, or one for all of them."""
    return np.array([cuts]) if isinstance(cuts, int) else cuts.of(relation, data.codes)


def _with_times_made(running: Running, carried: Running | None) -> Running:
    """Of deadlines that were running at the cut an evaluation does not know when they were made; who carried them does.

    It matters when something changes before that time: then there is no such deadline yet.
    """
    taken = np.flatnonzero(running.made == -FAR)
    if carried is None or not len(taken):
        return running
    made = running.made.copy()
    made[taken[np.lexsort((running.due[taken], running.keys[taken]))]] = carried.made[
        np.lexsort((carried.due, carried.keys))
    ]
    return replace(running, made=made)


def choose_running(running: Running, mask: Mask) -> Running:
    return Running(running.keys[mask], running.made[mask], running.due[mask], running.dropped[mask])


def _both(one: Running, other: Running) -> Running:
    columns = zip(
        (one.keys, one.made, one.due, one.dropped), (other.keys, other.made, other.due, other.dropped), strict=True
    )
    return Running(*(np.concatenate(pair) for pair in columns))
