"""A unit at a query time: the tuples that something has changed for are evaluated again.

They are evaluated by the ordinary operators, as a bucket of the unit's stage would be, each from a cut of its own on,
up to which nothing has changed for it; what comes out equal stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Mask
from holdsfor.engine.evaluate import define, find_domains
from holdsfor.engine.incremental.arrivals import Stores, differing, replace_rows
from holdsfor.engine.incremental.keys import UNTOUCHED, Touched, TouchedKeys, Tuples, Unit, tuple_keys
from holdsfor.engine.incremental.known import KnownWorld, SessionSetting, Waiting
from holdsfor.engine.incremental.stored import Difference, Gathered, estimate_keys, keep
from holdsfor.engine.relation import EMPTY, Data, Intervals, Points, put_after
from holdsfor.engine.settling import still_running
from holdsfor.engine.world import Cuts, Running, World
from holdsfor.kernels import compress, find_earliest_of_codes, minus2, points_since
from holdsfor.kernels.machine_state import FAR
from holdsfor.plan.operators import Due, Group, Relation
from holdsfor.plan.walk import defines

#: The counts that say how much a query time looks at.
WORK = ("definitions_evaluated", "definitions_skipped", "blocks_evaluated", "rows_gathered")
#: A row that is gathered and compared costs so many times what one costs where all are evaluated together.
GATHERING = 1.5
#: To have all rows of relations in one piece costs so many times what evaluating them does.
JOINING = 0.3

Differences = dict[Relation, Difference]


@dataclass(frozen=True, slots=True)
class TouchedBlock:
    """tuples: None if all are evaluated together. until: nothing has changed for any of them up to then.

    Times are relative to the origin of the axis, and the last before a tick.
    """

    tuples: Tuples | None
    until: int


@dataclass(slots=True)
class QueryTurn:
    """A query time in the making. bare: a world without relations, at the query time."""

    known: KnownWorld
    setting: SessionSetting
    bare: World
    stores: Stores
    running: dict[Due, Running]
    differences: Differences
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, rows: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + rows

    # ------------------------------------------------------------ what is touched

    def evaluate(self, unit: Unit) -> None:
        """Brings a unit up to date."""
        touched, stirred = self._find_touched(unit)
        if not touched:
            self.count("definitions_skipped", len(unit.definitions))
            return
        self.count("blocks_evaluated", 1)
        Evaluation(self, unit, self._choose_block(unit, touched), stirred).run()

    def _find_touched(self, unit: Unit) -> tuple[Touched, frozenset[int]]:
        """The tuples of a unit that something has changed for, and the definitions that time alone may change."""
        touched, stirred = Touched(), set()
        for relation in unit.reads:
            difference = self.differences.get(relation)
            if difference:
                for data, until in _changed(difference):
                    self._touch(unit, relation, data, until + self.bare.axis.origin, touched)
        near = self.known.query_time
        stirring: dict[Waiting, bool] = {}
        for number in unit.definitions:
            look = self.setting.program.plan.looks[number]
            if look.stirs is None or number in self.setting.timed or self._is_beginning(number):
                touched.touch_all(near)
                stirred.add(number)
                continue
            for relation in look.relations:
                waiting = (relation, look.stirs)
                if waiting not in stirring:
                    stirring[waiting] = self._touch_waiting(unit, waiting, touched)
                if stirring[waiting]:
                    stirred.add(number)
            if self._touch_deadlines(unit, number, touched):
                stirred.add(number)
        self._touch_followers(unit, touched)
        return touched, frozenset(stirred)

    def _touch_waiting(self, unit: Unit, waiting: Waiting, touched: Touched) -> bool:
        """Tuples of rows that may change something by the passing of time alone."""
        rows = self.known.agenda.get(waiting)
        if rows is None or not len(reached := self._reached(rows)):
            return False
        self._touch(unit, waiting[0], reached, np.array([self.known.query_time]), touched)
        return True

    def _is_beginning(self, number: int) -> bool:
        """Whether the start of the history, where complements begin, is so near that time may change them."""
        if number not in self.setting.complementing:
            return False
        edge = self.setting.stirring(number, self.known.query_time)
        return edge is None or edge < self.setting.windows.first

    def _reached(self, data: Data) -> Data:
        """The rows that are not all in the future."""
        now = self.bare.now - self.bare.axis.origin + self.setting.windows.tick
        starts = data.packed if isinstance(data, Points) else data.s
        return data.where((starts & self.bare.axis.mask) <= now)

    def _touch(self, unit: Unit, relation: Relation, data: Data, until: Ints, touched: Touched) -> None:
        if not len(data):
            return
        if not unit.is_keyed or relation in unit.everywhere:
            touched.touch_all(int(until.min()))
            return
        home = unit.homes.get(relation)
        for positions in (*unit.shares.get(relation, ()), *(() if home is None else (home,))):
            touched.touch(len(positions), tuple_keys(data, positions), until)
        for position in unit.follows.get(relation, ()):
            touched.members.append((data.codes(position), until))

    def _touch_followers(self, unit: Unit, touched: Touched) -> None:
        """All tuples that have one of the arguments that were touched.

        Where the rows that told of a tuple are forgotten, what still holds of it does.
        """
        if not touched.members:
            return
        earliest = np.full(len(self.bare.dictionary) + 1, UNTOUCHED)
        for codes, until in touched.members:
            find_earliest_of_codes(earliest, codes, until)
        for relation, positions in (*unit.links, *unit.homes.items()):
            stored = self.stores.get(relation)
            for data in () if stored is None else (stored.base, stored.more):
                if len(data):
                    times = np.minimum.reduce([earliest[data.codes(position)] for position in positions])
                    rows = np.flatnonzero(times != UNTOUCHED)
                    touched.touch(len(positions), tuple_keys(data.take(rows), positions), times[rows])

    def _touch_deadlines(self, unit: Unit, number: int, touched: Touched) -> bool:
        """Tuples with a deadline that is due by now."""
        definition = self.setting.program.plan.definitions[number]
        axis, near, some = self.bare.axis, self.known.query_time, False
        for due in definition.deadlines if isinstance(definition, Group) else ():
            running = self.running.get(due)
            if running is None or not len(running.keys):
                continue
            at = running.due + axis.origin
            rows = np.flatnonzero(
                (at > near - self.setting.windows.tick) & (at <= self.bare.now) & (running.dropped > near - axis.origin)
            )
            if len(rows):
                some = True
                s = running.keys[rows] << axis.time_bits
                keys = Intervals(axis, self.bare.dictionary, due.source.arity, s, s)
                self._touch(unit, due.source, keys, np.full(len(rows), near), touched)
        return some

    # ------------------------------------------------------------ blocks

    def _choose_block(self, unit: Unit, touched: Touched) -> TouchedBlock:
        """The tuples that are touched, or all tuples together where that costs less."""
        tuples = {size: TouchedKeys(keys, self._before_tick(until)) for size, (keys, until) in touched.tuples().items()}
        chosen = Tuples(self.bare.axis, len(self.bare.dictionary) + 1, tuples)
        if touched.everything is not None:
            until = int(self._before_tick(np.array([touched.everything]))[0])
            return TouchedBlock(None, min(until, chosen.earliest))
        return TouchedBlock(None if self._is_dear(unit, chosen) else chosen, chosen.earliest)

    def _before_tick(self, until: Ints) -> Ints:
        """Times that are the last before a tick, relative to the origin. What is in time has the same one."""
        tick = self.bare.axis.tick
        return (np.minimum(until, self.known.query_time) + 1) // tick * tick - 1 - self.bare.axis.origin

    def _is_dear(self, unit: Unit, tuples: Tuples) -> bool:
        """Whether it costs less to evaluate all tuples from the earliest time of one of them on, by counted rows."""
        now = self.bare.now - self.bare.axis.origin
        stores = [self.stores[relation] for relation in unit.reads if relation in self.stores]
        if not stores:
            return False
        share = 1 / estimate_keys(max((stored.base for stored in stores), key=len))  # of one tuple
        if GATHERING * share * len(tuples) <= 1:
            return False
        rows = sum(map(len, stores))
        density = rows / self.setting.windows.window  # rows in a tick
        elapsed = sum(float((now - touched.until).sum()) for touched in tuples.by_size.values())
        return GATHERING * elapsed * share * density > JOINING * rows + (now - tuples.earliest) * density


def _changed(difference: Difference) -> Iterator[tuple[Data, Ints]]:
    """Rows that differ, each with the last time before it, relative to the origin of the axis."""
    removed, added = difference.removed, difference.added
    if isinstance(removed, Points) or isinstance(added, Points):
        for data in (removed, added):
            assert isinstance(data, Points)
            yield data, (data.packed & data.axis.mask) - 1
        return
    mask, tick = removed.axis.mask, removed.axis.tick
    for one, other in ((removed, added), (added, removed)):
        apart = one.of(*minus2(one.s, one.e, other.s, other.e))
        yield apart, (apart.s & mask) - 1 - tick


# ---------------------------------------------------------------- one block


@dataclass(frozen=True, slots=True)
class TupleCuts:
    """The cuts of a definition's tuples: so long before the times of the tuples, or at the floor."""

    tuples: Tuples
    unit: Unit
    delay: int
    floor: int

    def of(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        return np.maximum(self.tuples.until_of(self.unit.homes[relation], codes) - self.delay, self.floor)

    def since(self, relation: Relation, packed: Ints, arity: int) -> Ints:
        axis, home = self.tuples.axis, self.unit.homes[relation]
        if home == (0,) and not axis.is_wide(arity):
            shift = axis.time_bits + (arity - 1) * axis.code_bits
            return points_since(packed, shift, self.tuples.until_of_codes, self.delay, self.floor, axis.mask)
        keys = packed >> axis.time_bits
        return compress(packed, (packed & axis.mask) > self.of(relation, lambda p: axis.code(keys, p, arity)))


@dataclass(slots=True)
class Evaluation:
    """A block of a unit on its way through the definitions."""

    turn: QueryTurn
    unit: Unit
    block: TouchedBlock
    stirred: frozenset[int]
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.world = replace(self.turn.bare, relations={}, running={}, shared={})

    def run(self) -> None:
        program = self.turn.setting.program
        domains = find_domains(program, self.world)
        for number in self.unit.definitions:
            definition, look = program.plan.definitions[number], program.plan.looks[number]
            if number not in self.stirred and self.turn.differences.keys().isdisjoint(look.relations):
                self.turn.count("definitions_skipped", 1)
                continue
            self.turn.count("definitions_evaluated", 1)
            own = defines(definition)
            before = {relation: self._gather(relation) for relation in own}
            for relation in look.relations:
                if relation not in self.world.relations and relation not in before:
                    self.world.relations[relation] = self._gather(relation).data
            seen = self._seen(number, {relation: gathered.data for relation, gathered in before.items()})
            self.turn.count("left_out", define(definition, seen, domains, program))
            for relation in own:
                self._conclude(relation, before[relation], seen)
            self._keep_deadlines(number, seen)

    def _gather(self, relation: Relation) -> Gathered:
        """Of the block's tuples, what may be looked at."""
        stored = self.turn.stores.get(relation) or keep(self.world.nothing_of(relation))
        tuples, unit = self.block.tuples, self.unit
        if tuples is None or relation in unit.everywhere:
            whole = stored.whole()
            self.turn.count("rows_gathered", len(whole))
            return Gathered(whole, np.arange(len(whole)))
        home = unit.homes.get(relation)
        shares = (*unit.shares.get(relation, ()), *(() if home is None else (home,)))
        reach = self._on_axis(self.turn.setting.of_units[unit].edges[relation])
        gathered = stored.gather(lambda data: tuples.places(data, shares, unit.follows.get(relation, ()), reach))
        self.turn.count("rows_gathered", len(gathered.data))
        return gathered

    def _on_axis(self, distance: int | None) -> int:
        most = self.world.axis.mask + 1
        return most if distance is None else min(distance, most)

    # ------------------------------------------------------------ cuts

    def _find_cuts(self, relation: Relation) -> TupleCuts | int:
        """The cut of each tuple, or of all of them, relative to the origin."""
        delay = self._on_axis(self.turn.setting.of_units[self.unit].cuts[relation])
        floor = self.turn.known.frontier.cuts[relation] - self.world.axis.origin
        tuples = self.block.tuples
        if tuples is None or tuples.is_even:
            return max(self.block.until - delay, floor)
        return TupleCuts(tuples, self.unit, delay, floor)

    def _seen(self, number: int, before: Mapping[Relation, Data]) -> World:
        """What a definition sees: conclusions begin after its cuts, with what held there."""
        origin = self.world.axis.origin
        definition = self.turn.setting.program.plan.definitions[number]
        cuts = self._find_cuts(defines(definition)[0])
        earliest = cuts if isinstance(cuts, int) else max(self.block.until - cuts.delay, cuts.floor)
        of_keys: Cuts | None = None if isinstance(cuts, int) else cuts
        settled: dict[Relation, Data] = {}
        carried: dict[Relation, Ints] = {}
        running: dict[Due, Running] = {}
        for relation, data in before.items():
            boundary = self._settled_before(cut_of_rows(cuts, relation, data))
            settled[relation], carried[relation] = data.divide_at(boundary)
        for due in definition.deadlines if isinstance(definition, Group) else ():
            mine = self._running_here(due)
            running[due] = still_running(mine, cut_of_rows(cuts, due.source, self._rows_about(due, mine)))
        return replace(
            self.world, after=earliest + origin, cuts=of_keys, carried=carried, settled=settled, carried_running=running
        )

    def _settled_before(self, cut: Ints) -> Ints:
        """The first time after a cut; before all times where that is the start of the history: nothing held there."""
        return np.where(cut >= self.world.start - self.world.axis.origin, cut + 1, -1)

    def _conclude(self, relation: Relation, before: Gathered, seen: World) -> None:
        """Puts what was concluded in the place of what was known."""
        turn = self.turn
        turn.setting.scope.restrict(relation, seen)
        concluded, cuts = seen.relations[relation], self._find_cuts(relation)
        if self.block.tuples is not None and isinstance(cuts, int):
            concluded = concluded.where(self.block.tuples.contain(concluded, self.unit.homes[relation]))
        boundary = cut_of_rows(cuts, relation, concluded) + 1
        now = put_after(seen.settled.get(relation), concluded, boundary).distinct()
        self.world.relations[relation] = now
        turn.stores.setdefault(relation, keep(now.none()))
        edge = turn.known.frontier.horizon(relation) - self.world.axis.origin if turn.setting.scope.forgets else None
        if self.block.tuples is None:  # all of it was gathered: there is nothing else to keep
            gone, come = differing(before.data, now)
            difference = Difference(before.data.take(gone), now.take(come))
            turn.stores[relation] = keep(now if edge is None else now.beyond(edge))
        else:
            difference = replace_rows(relation, turn.stores, before, now, edge)
        if difference:
            turn.differences[relation] = difference

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

    def _keep_deadlines(self, number: int, seen: World) -> None:
        """Deadlines that were over at the cut stay as they were; the others are as they are found now."""
        definition = self.turn.setting.program.plan.definitions[number]
        for due in definition.deadlines if isinstance(definition, Group) else ():
            before = self.turn.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
            here = self._is_here(due, before)
            cut = cut_of_rows(self._find_cuts(due.source), due.source, self._rows_about(due, before))
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
