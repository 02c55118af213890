"""A unit at a query time: the tuples that something has changed for are evaluated again.

They are evaluated by the ordinary operators, as a bucket of the unit's stage would be, each from a cut of its own on,
up to which nothing has changed for it (`TupleCuts`); what comes out equal stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.cut import NO_DEADLINES, CommonCut, Running
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains
from holdsfor.engine.definitions.evaluate import define, find_domains
from holdsfor.engine.definitions.fixpoint import evaluate_fixpoint
from holdsfor.engine.incremental.dependents import as_intervals, find_dependents
from holdsfor.engine.incremental.known import QueryTurn
from holdsfor.engine.incremental.stored import Difference, Gathered, keep
from holdsfor.engine.incremental.tuples import Tuples
from holdsfor.engine.incremental.units import DefinitionStep, Unit
from holdsfor.engine.stepping.settling import still_running
from holdsfor.kernels.kernel import AFTER_ALL
from holdsfor.kernels.rows.gathering import cuts_of_codes
from holdsfor.kernels.rows.holding import member_search
from holdsfor.kernels.rows.moving import compress, merge_sorted
from holdsfor.plan.definitions import Due, Fixpoint
from holdsfor.plan.operators import Relation


@dataclass(slots=True)
class TupleCuts:
    """Cut each tuple so long before its own time, or at the floor.

    start: of the history, relative to the origin: nothing held before it. before: what was known of what is defined.
    """

    tuples: Tuples
    unit: Unit
    delay: int
    floor: int
    start: int
    before: Mapping[Relation, Gathered]
    earliest: int
    running: Mapping[Due, Running] = field(default_factory=dict)
    _divided: dict[Relation, tuple[Data, Ints]] = field(default_factory=dict)  # as soon as somebody asks

    def of_rows(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        home = self.unit.homes[relation]
        if len(home) == 1:
            return cuts_of_codes(codes(home[0]), self.tuples.until_of_codes, self.delay, self.floor)
        return np.maximum(self.tuples.until_of(home, codes) - self.delay, self.floor)

    def of_keys(self, relation: Relation, keys: Ints, axis: Axis) -> Ints:
        return self.of_rows(relation, lambda position: axis.code(keys, position, relation.arity))

    def holding(self, relation: Relation) -> Ints:
        return self._divide(relation)[1]

    def settled(self, relation: Relation) -> Data:
        return self._divide(relation)[0]

    def merge_later(self, relation: Relation, one: Ints, other: Ints, arity: int) -> Ints:
        axis = self.tuples.axis
        packed = merge_sorted(one, other) if other.size else one
        keys = packed >> axis.time_bits
        return compress(packed, (packed & axis.mask) > self.of_rows(relation, lambda p: axis.code(keys, p, arity)))

    def choose_later(self, relation: Relation, points: Points) -> Points:
        return points.where((points.packed & points.axis.mask) > self.of_rows(relation, points.codes))

    def leading(self, relations: Iterable[Relation]) -> tuple[Ints, Ints] | None:
        homes = {(self.unit.homes[relation], relation.arity) for relation in relations}
        home, arity = homes.pop()
        shift = None if homes or home != (0,) else self.tuples.axis.leading_shift(arity)
        return None if shift is None else (self.tuples.until_of_codes, np.array([shift, self.delay, self.floor]))

    def _divide(self, relation: Relation) -> tuple[Data, Ints]:
        """Divide what was known at the cuts: what was settled before them, and the keys that hold there."""
        if relation not in self._divided:
            data = self.before[relation].data
            boundary = settled_before(self.of_rows(relation, data.codes), self.floor, self.start)
            self._divided[relation] = data.divide_at(boundary)
        return self._divided[relation]


def settled_before(cut: Ints, floor: int, start: int) -> Ints:
    """The first time after a cut; before all times where that is the start of the history: nothing held there.

    floor: no cut is before it.
    """
    return cut + 1 if floor >= start else np.where(cut >= start, cut + 1, -1)


@dataclass(slots=True)
class Evaluation:
    """Tuples of a unit on their way through its definitions.

    tuples: None if all are evaluated together. until: nothing has changed for any of them up to then.
    """

    turn: QueryTurn
    unit: Unit
    tuples: Tuples | None
    until: int
    stirred: frozenset[int]
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.world = self.turn.bare.with_only({})

    def run(self) -> None:
        program, relations = self.turn.setting.program, self.world.relations
        domains = find_domains(program, self.world)
        for step in self.unit.steps:
            if step.number not in self.stirred and not self._differs(step.reads):
                self.turn.count("definitions_skipped", 1)
                continue
            self.turn.count("definitions_evaluated", 1)
            if self.tuples is None and self._evaluate_dependents(step, domains):
                continue
            before = {relation: self.gather(relation) for relation in step.own}
            for relation in step.reads:
                if relation not in relations and relation not in before:
                    relations[relation] = self.gather(relation).data
            seen = self.world.conclude_after(self._find_cut(step, before))
            self.turn.count("left_out", define(step.definition, seen, domains, program))
            for relation in step.own:
                self.turn.setting.scope.restrict(relation, seen)
                self._conclude(relation, before[relation], seen, self.tuples is None)
            self._keep_deadlines(step, seen)

    def _evaluate_dependents(self, step: DefinitionStep, domains: Domains) -> bool:
        """Evaluate a circle of intervals for what depends on what differs; False if it must be evaluated as a whole."""
        circle, turn = step.definition, self.turn
        is_open = step.number in self.unit.pointwise and domains.keys().isdisjoint(step.own)
        if not isinstance(circle, Fixpoint) or not is_open:
            return False
        chosen = find_dependents(circle, turn.stores, turn.differences, self.world, self._find_earliest(step.own[0]))
        if chosen is None:
            return False
        turn.count("rows_gathered", sum(map(len, chosen.rows.values())))
        seen = self.world.with_only(chosen.rows).conclude_after(self._find_cut(step, chosen.before))
        evaluate_fixpoint(chosen.circle, seen, domains, chosen.beside)
        for relation in step.own:
            concluded = as_intervals(seen.relations[relation])
            seen.relations[relation] = concluded.where(member_search(concluded.keys(), chosen.keys[relation]))
            turn.setting.scope.restrict(relation, seen)
            self._conclude(relation, chosen.before[relation], seen, is_whole=False)
            self.world.relations.pop(relation)  # of which others read all
        return True

    def _differs(self, relations: Iterable[Relation]) -> bool:
        return not self.turn.differences.keys().isdisjoint(relations)

    def gather(self, relation: Relation) -> Gathered:
        """Return the rows about the block's tuples that may be looked at."""
        stored, tuples = self.turn.stores.get(relation), self.tuples
        if stored is None:
            return Gathered(self.world.nothing_of(relation), EMPTY)
        if tuples is None or (wanted := self.unit.wanted[relation]).is_everywhere:
            whole = stored.whole()
            gathered = Gathered(whole, np.arange(len(whole)))
        else:
            gathered = tuples.gather(stored, wanted, self._on_axis(wanted.reach))
        self.turn.count("rows_gathered", gathered.origin.size)
        return gathered

    def _on_axis(self, distance: int | None) -> int:
        most = self.world.axis.mask + 1
        return most if distance is None else min(distance, most)

    # ------------------------------------------------------------ cuts

    def _find_cut(self, step: DefinitionStep, before: Mapping[Relation, Gathered]) -> TupleCuts | CommonCut:
        """Find the cut of each tuple, or one of all of them: the same for all that a definition defines."""
        cut = self._divide_before(step.own[0], before)
        if not step.deadlines:
            return cut
        running: dict[Due, Running] = {}
        for due in step.deadlines:
            mine = self._running_here(due)
            running[due] = still_running(mine, cut.of_rows(due.source, self._rows_about(due, mine).codes))
        return replace(cut, running=running)

    def _find_earliest(self, relation: Relation) -> int:
        """Return the first cut of all tuples."""
        floor = self.turn.known.frontier.cuts[relation] - self.world.axis.origin
        return max(self.until - self._on_axis(self.unit.delays.cuts[relation]), floor)

    def _divide_before(self, relation: Relation, before: Mapping[Relation, Gathered]) -> TupleCuts | CommonCut:
        """Divide what was known of what a definition defines. relation: one that it defines."""
        delay = self._on_axis(self.unit.delays.cuts[relation])
        floor = self.turn.known.frontier.cuts[relation] - self.world.axis.origin
        earliest, start = self._find_earliest(relation), self.world.start_on_axis
        if self.tuples is not None:
            return TupleCuts(self.tuples, self.unit, delay, floor, start, before, earliest)
        boundary = settled_before(np.array([earliest]), earliest, start)
        divided = {own: gathered.data.divide_at(boundary) for own, gathered in before.items()}
        holding = {own: keys for own, (_, keys) in divided.items()}
        return CommonCut(earliest, holding, {own: rows for own, (rows, _) in divided.items()})

    def _conclude(self, relation: Relation, before: Gathered, seen: World, is_whole: bool) -> None:
        """Put what was concluded in the place of what was known. is_whole: before, and now, is all of the relation."""
        turn, edge = self.turn, self.find_edge(relation)
        now, removed, added = _compare(relation, before.data, seen)
        self.world.relations[relation] = now
        stored = turn.stores.get(relation) or keep(now.none())
        if is_whole:  # there is nothing else to keep
            stored = keep(now if edge is None else now.beyond(edge))
        elif len(removed) or len(added):
            stored = stored.change(before.origin[removed], added, edge)
        turn.stores[relation] = stored
        turn.add_difference(relation, Difference(before.data.take(removed), added))

    def find_edge(self, relation: Relation) -> int | None:
        """Return the time up to which rows may be forgotten; None: none may."""
        turn = self.turn
        return turn.known.frontier.horizon(relation) - self.world.axis.origin if turn.setting.scope.forgets else None

    # ------------------------------------------------------------ deadlines

    def _running_here(self, due: Due) -> Running:
        running = self.turn.running.get(due, NO_DEADLINES)
        return choose_running(running, self._is_here(due, running))

    def _rows_about(self, due: Due, running: Running) -> Intervals:
        """For each deadline a row with the arguments that it is about."""
        s = running.keys << self.world.axis.time_bits
        return Intervals(self.world.axis, self.world.dictionary, due.source.arity, s, s)

    def _is_here(self, due: Due, running: Running) -> Mask:
        if self.tuples is None:
            return np.ones(len(running.keys), np.bool_)
        return self.tuples.contain(self._rows_about(due, running), self.unit.homes[due.source])

    def _keep_deadlines(self, step: DefinitionStep, seen: World) -> None:
        """Deadlines that were over at the cut stay as they were; the others are as they are found now."""
        for due in step.deadlines:
            before = self.turn.running.get(due, NO_DEADLINES)
            here = self._is_here(due, before)
            cut = seen.cut.of_rows(due.source, self._rows_about(due, before).codes)
            over = (before.made <= cut) & ((before.due <= cut) | (before.dropped <= cut))
            new = seen.running.get(due, NO_DEADLINES)
            new = _with_times_made(new, seen.cut.running.get(due))
            mine = self._is_here(due, new)
            self.turn.running[due] = _both(choose_running(before, ~here | over), choose_running(new, mine))


def _compare(relation: Relation, before: Data, seen: World) -> tuple[Data, Ints, Data]:
    """Return the rows of a relation as they are now, the places of earlier rows that are gone, and the new rows."""
    concluded = seen.relations[relation]
    if relation.kind == "event" and not len(before):  # all of it is after the cuts
        distinct = concluded.distinct()
        return distinct, EMPTY, distinct
    now = seen.join_settled(relation).distinct()
    removed, added = before.differing(now)
    return now, removed, now.take(added)


def _with_times_made(running: Running, carried: Running | None) -> Running:
    """Return deadlines that were running at the cut with the times at which they were made, which only `carried` has.

    It matters when something changes before that time: then there is no such deadline yet.
    """
    taken = np.flatnonzero(running.made == -AFTER_ALL)
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
