"""A unit at a query time: the tuples that something has changed for are evaluated again, in blocks.

Each block is evaluated by the ordinary operators, from a cut on up to which nothing has changed for any of its tuples,
as a bucket of the unit's stage would be; what comes out equal stops there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Mask
from holdsfor.engine.evaluate import define, find_domains
from holdsfor.engine.frontier import Settled, find_settled
from holdsfor.engine.incremental.arrivals import Stores, differing, replace_rows
from holdsfor.engine.incremental.keys import UNTOUCHED, Touched, Tuples, Unit, tuple_keys
from holdsfor.engine.incremental.known import KnownWorld, Setting
from holdsfor.engine.incremental.stored import Difference, Gathered, keep
from holdsfor.engine.relation import EMPTY, Data, Intervals, Points, merge_in_order, put_after
from holdsfor.engine.settling import still_running
from holdsfor.engine.world import Running, World
from holdsfor.kernels import minus2
from holdsfor.kernels.machine_state import FAR
from holdsfor.plan.operators import Due, Group, Relation
from holdsfor.plan.walk import defines

#: What has changed far back may be evaluated in so many blocks besides what is in time, each from its own cut.
LATE_BLOCKS = (0, 1, 3)
#: The counts that say how much a query time looks at.
WORK = ("definitions_evaluated", "definitions_skipped", "blocks_evaluated", "rows_gathered")
#: Evaluating a definition costs as much as so many rows more, however few its rows are (measured: 0.3 ms).
ROWS_PER_DEFINITION = 4_000
#: A row that is gathered and compared costs so many times what one costs where all are evaluated together.
GATHERING = 1.5
#: To have all rows of relations in one piece costs so many times what evaluating them does.
JOINING = 0.3

Differences = dict[Relation, Difference]
Band = tuple[int, int]
"""Times, the first excluded."""


@dataclass(frozen=True, slots=True)
class Block:
    """tuples: None if all are evaluated together. until: nothing has changed for any of them up to then."""

    tuples: Tuples | None
    until: int


@dataclass(slots=True)
class Turn:
    """A query time in the making. bare: a world without relations, at the query time."""

    known: KnownWorld
    setting: Setting
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
        for block in self._blocks(unit, touched):
            self.count("blocks_evaluated", 1)
            Evaluation(self, unit, block, stirred).run()

    def _find_touched(self, unit: Unit) -> tuple[Touched, frozenset[int]]:
        """The tuples of a unit that something has changed for, and the definitions that time alone may change."""
        touched, stirred = Touched(), set()
        for relation in unit.reads:
            difference = self.differences.get(relation)
            if difference:
                for data, until in _changed(difference):
                    self._touch(unit, relation, data, until + self.bare.axis.origin, touched)
        near = self.known.query_time
        for number in unit.definitions:
            look = self.setting.program.plan.looks[number]
            if look.stirs is None or number in self.setting.timed or self._is_beginning(number):
                touched.touch_all(near)
                stirred.add(number)
                continue
            for relation in look.relations:
                waiting = self.known.agenda.get((relation, look.stirs))
                if waiting is not None and len(reached := self._reached(waiting)):
                    stirred.add(number)
                    self._touch(unit, relation, reached, np.full(len(reached), near), touched)
            if self._touch_deadlines(unit, number, touched):
                stirred.add(number)
        self._touch_followers(unit, touched)
        return touched, frozenset(stirred)

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
        """All tuples that have one of the arguments that were touched."""
        if not touched.members:
            return
        earliest = np.full(len(self.bare.dictionary) + 1, UNTOUCHED)
        for codes, until in touched.members:
            np.minimum.at(earliest, codes, until)
        for relation, positions in unit.links:
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

    def _blocks(self, unit: Unit, touched: Touched) -> Iterator[Block]:
        tuples = touched.tuples()
        if touched.everything is not None:
            earliest = [int(until.min()) for _, until in tuples.values() if len(until)]
            yield Block(None, min([touched.everything, *earliest]))
            return
        every = np.concatenate([until for _, until in tuples.values()])
        bands = self._choose_bands(unit, every)
        if bands is None:
            yield Block(None, int(every.min()))
            return
        for low, high in bands:
            chosen = {size: keys[(until > low) & (until <= high)] for size, (keys, until) in tuples.items()}
            least = int(every[(every > low) & (every <= high)].min())
            yield Block(Tuples(self.bare.axis, len(self.bare.dictionary) + 1, chosen), least)

    def _choose_bands(self, unit: Unit, until: Ints) -> list[Band] | None:
        """The division into blocks that costs least: few blocks, few rows in each, or (None) all tuples together."""
        now = self.bare.now
        stores = [self.stores[relation] for relation in unit.reads if relation in self.stores]
        rows = sum(map(len, stores))
        density = rows / self.setting.windows.window  # rows in a tick
        share = 1 / max([1, *(stored.count_keys() for stored in stores)])  # of one tuple
        fixed = ROWS_PER_DEFINITION * len(unit.definitions)

        def cost(bands: list[Band] | None) -> float:
            if bands is None:
                return fixed + JOINING * rows + (now - int(until.min())) * density
            total = 0.0
            for low, high in bands:
                chosen = until[(until > low) & (until <= high)]
                total += fixed + GATHERING * len(chosen) * share * (now - int(chosen.min())) * density
            return total

        divisions = [list(_divide(until, self.known.query_time, late)) for late in LATE_BLOCKS]
        return min([*divisions, None], key=cost)


def _divide(until: Ints, near: int, late_blocks: int) -> Iterator[Band]:
    """What is in time apart from what is late, and that in so many parts; or (0) all together."""
    low, late = int(until.min()) - 1, until[until < near]
    if late_blocks and len(late):
        ends = {int(np.quantile(late, (part + 1) / late_blocks)) for part in range(late_blocks - 1)}
        for end in sorted({*ends, int(late.max())}):
            if np.any((until > low) & (until <= end)):
                yield low, end
                low = end
    if np.any(until > low):
        yield low, int(until.max())


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


@dataclass(slots=True)
class Evaluation:
    """A block of a unit on its way through the definitions. moved: relations that differ for its tuples."""

    turn: Turn
    unit: Unit
    block: Block
    stirred: frozenset[int]
    moved: set[Relation] = field(default_factory=set)
    settled: Settled = field(init=False)
    world: World = field(init=False)

    def __post_init__(self) -> None:
        turn = self.turn
        self.moved = {relation for relation, difference in turn.differences.items() if difference}
        setting = turn.setting
        lookings, floor = setting.of_units[self.unit], turn.known.frontier.cuts
        self.settled = find_settled(lookings, setting.windows, self.block.until, setting.joining, floor)
        self.world = replace(turn.bare, relations={}, running={}, shared={})

    def run(self) -> None:
        program = self.turn.setting.program
        domains = find_domains(program, self.world)
        for number in self.unit.definitions:
            definition, look = program.plan.definitions[number], program.plan.looks[number]
            if number not in self.stirred and self.moved.isdisjoint(look.relations):
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
        edge = self.settled.horizons.get(relation, self.settled.recent)
        if relation in self.settled.cuts:
            edge = self.settled.horizon(relation)
        edge -= self.world.axis.origin
        tuples, unit = self.block.tuples, self.unit
        if tuples is None or relation in unit.everywhere:
            whole = stored.whole()
            self.turn.count("rows_gathered", len(whole))
            return Gathered(whole, np.arange(len(whole)))
        home = unit.homes.get(relation)
        shares = (*unit.shares.get(relation, ()), *(() if home is None else (home,)))
        gathered = stored.gather(lambda data: tuples.places(data, shares, unit.follows.get(relation, ()), edge))
        self.turn.count("rows_gathered", len(gathered.data))
        return gathered

    def _seen(self, number: int, before: Mapping[Relation, Data]) -> World:
        """What a definition sees: conclusions begin after its cut, with what held there."""
        plan, origin = self.turn.setting.program.plan, self.world.axis.origin
        definition = plan.definitions[number]
        cut = self.settled.cuts[defines(definition)[0]]
        if cut < self.turn.setting.windows.start:
            return replace(self.world, after=cut)
        boundary = cut + 1 - origin
        settled = {relation: data.until(boundary, None) for relation, data in before.items()}
        carried = {r: data.holding_at(boundary) for r, data in before.items() if isinstance(data, Intervals)}
        running = {}
        for due in definition.deadlines if isinstance(definition, Group) else ():
            mine = self._running_here(due)
            running[due] = still_running(mine, cut - origin)
        return replace(self.world, after=cut, carried=carried, settled=settled, carried_running=running)

    def _conclude(self, relation: Relation, before: Gathered, seen: World) -> None:
        """Puts what was concluded in the place of what was known."""
        turn = self.turn
        turn.setting.scope.restrict(relation, seen)
        concluded = seen.relations[relation]
        if self.block.tuples is not None:
            concluded = concluded.where(self.block.tuples.contain(concluded, self.unit.homes[relation]))
        cut = self.settled.cuts[relation]
        boundary = cut + 1 - self.world.axis.origin
        now = put_after(seen.settled.get(relation), concluded, boundary).distinct()
        self.world.relations[relation] = now
        turn.stores.setdefault(relation, keep(now.none()))
        edge = turn.known.frontier.horizon(relation) - self.world.axis.origin if turn.setting.scope.forgets else None
        if self.block.tuples is None:  # all of it was gathered: there is nothing else to keep
            gone, come = differing(before.data, now)
            difference = Difference(before.data.where(gone), now.where(come))
            turn.stores[relation] = keep(now if edge is None else now.beyond(edge))
            self._note(relation, difference)
            return
        self._note(relation, replace_rows(relation, turn.stores, before, now, edge))

    def _note(self, relation: Relation, difference: Difference) -> None:
        if difference:
            self.moved.add(relation)
            self.turn.differences[relation] = _joined(self.turn.differences.get(relation), difference)
        else:
            self.moved.discard(relation)

    # ------------------------------------------------------------ deadlines

    def _running_here(self, due: Due) -> Running:
        running = self.turn.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
        return choose_running(running, self._is_here(due, running))

    def _is_here(self, due: Due, running: Running) -> Mask:
        if self.block.tuples is None:
            return np.ones(len(running.keys), np.bool_)
        axis = self.world.axis
        s = running.keys << axis.time_bits
        rows = Intervals(axis, self.world.dictionary, due.source.arity, s, s)
        return self.block.tuples.contain(rows, self.unit.homes[due.source])

    def _keep_deadlines(self, number: int, seen: World) -> None:
        """Deadlines that were over at the cut stay as they were; the others are as they are found now."""
        definition = self.turn.setting.program.plan.definitions[number]
        for due in definition.deadlines if isinstance(definition, Group) else ():
            before = self.turn.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
            here = self._is_here(due, before)
            cut = self.settled.cuts[due.source] - self.world.axis.origin
            over = (before.made <= cut) & ((before.due <= cut) | (before.dropped <= cut))
            found = seen.running.get(due, Running(EMPTY, EMPTY, EMPTY, EMPTY))
            found = _with_times_made(found, seen.carried_running.get(due))
            mine = self._is_here(due, found)
            self.turn.running[due] = _both(choose_running(before, ~here | over), choose_running(found, mine))


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


def _joined(one: Difference | None, other: Difference) -> Difference:
    """What blocks with different tuples change."""
    if one is None:
        return other
    return Difference(merge_in_order(one.removed, other.removed)[0], merge_in_order(one.added, other.added)[0])
