"""Tuples of a unit that a query time touches: by what differs, by the passing of time alone, by deadlines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.relation import Codes, Data
from holdsfor.engine.incremental.known import QueryTurn
from holdsfor.engine.incremental.late import touch_by_contradictions
from holdsfor.engine.incremental.stored import Difference
from holdsfor.engine.incremental.tuples import Touched, TouchedKeys, Tuples, ordered_key
from holdsfor.engine.incremental.units import Carriers, DefinitionStep, Unit, Wait
from holdsfor.kernels.changes.touching import (
    find_followers,
    find_lingering_keys,
    mark_lasting,
    touch_by_intervals,
    touch_by_points,
)
from holdsfor.kernels.kernel import AFTER_ALL
from holdsfor.kernels.rows.gathering import find_earliest_of_codes
from holdsfor.kernels.rows.moving import compress
from holdsfor.plan.operators import Relation

CarriedCodes = dict[tuple[Carriers, int], Mask]
"""Codes for which a fluent that others depend on has held since a time, by the fluents and the time."""


def find_touched(turn: QueryTurn, unit: Unit) -> tuple[Touched, frozenset[int]]:
    """The tuples of a unit that something has changed for, and the definitions that time alone may change."""
    touched = Touched()
    for relation in unit.reads & turn.differences.keys():
        difference = turn.differences[relation]
        is_late_judged = touch_by_contradictions(turn, unit, relation, difference, touched)
        after = turn.known.query_time - turn.bare.axis.origin if is_late_judged else -1
        for codes, until in _changed(unit, relation, difference, after):
            _touch(turn, unit, relation, codes, until, touched)
    stirred = _find_stirred(turn, unit, touched)
    _touch_followers(turn, unit, touched)
    return touched, frozenset(stirred)


def _find_stirred(turn: QueryTurn, unit: Unit, touched: Touched) -> set[int]:
    """The definitions that time alone may change; the tuples that it may change them for are touched."""
    complementing = (step.number for step in unit.steps if step.number in turn.setting.complementing)
    always = {*unit.always, *(number for number in complementing if _is_beginning(turn, number))}
    if always:
        touched.touch_all(turn.known.query_time)
    changed: set[int] = set(always)
    carried: CarriedCodes = {}
    for relation, rows in turn.known.agenda.items():
        for wait in unit.waits.get(relation, ()):
            changed.update(_touch_waiting(turn, unit, relation, rows, wait, carried, touched))
    waiting = (step for step in unit.steps if step.deadlines and step.number not in unit.always)
    changed.update(step.number for step in waiting if _touch_deadlines(turn, unit, step, touched))
    return changed


def _touch_waiting(
    turn: QueryTurn,
    unit: Unit,
    relation: Relation,
    rows: Data,
    wait: Wait,
    carried: CarriedCodes,
    touched: Touched,
) -> Iterator[int]:
    """Tuples of rows that may change something by the passing of time alone; gives the definitions that they may."""
    axis, edges = turn.bare.axis, turn.known.edges
    edge = min([edges[reach] for reach in wait.numbers])
    now = turn.bare.now_on_axis + turn.setting.windows.tick  # what is all in the future changes nothing
    if _are_in_keys(unit, relation, rows):
        keys, latest = find_lingering_keys(rows.begins(), rows.lasts(), edge, now, axis.time_bits)
        codes, count = _codes_of_keys(rows, keys), keys.size
    else:
        rows = rows.where((rows.begins() & axis.mask) <= now).lingering(edge)
        codes, count, latest = rows.codes, len(rows), rows.latest() if len(rows) else edge
    leader, until = unit.wanted[relation].leader, np.array([turn.known.query_time])
    if count and wait.carriers is not None and leader is not None and relation not in (*unit.follows, *unit.everywhere):
        chosen = _choose_carried(turn, codes(leader), wait.carriers, edge, carried)
        count = chosen.size
        touched.touch(1, chosen, until)
    elif count:
        _touch(turn, unit, relation, codes, until, touched)
    for reach, numbers in wait.numbers.items():
        if count and latest > edges[reach]:
            yield from numbers


def _choose_carried(turn: QueryTurn, codes: Ints, carriers: Carriers, edge: int, carried: CarriedCodes) -> Ints:
    """Choose the codes of which one of the carriers is not over at the edge. Where that takes too long to tell, all."""
    if (carriers, edge) not in carried:
        stores = [(stored, at) for relation, at in carriers if (stored := turn.stores.get(relation)) is not None]
        if sum(len(stored) for stored, _ in stores) > turn.tuning.most_carriers * codes.size:
            return codes
        is_carried = np.zeros(len(turn.bare.dictionary) + 1, np.bool_)
        for stored, position in stores:
            for data in stored.parts():
                mark_lasting(is_carried, data.codes(position), data.lasts(), edge, data.axis.mask)
        carried[carriers, edge] = is_carried
    return compress(codes, carried[carriers, edge][codes])


def _is_beginning(turn: QueryTurn, number: int) -> bool:
    """Whether the start of the history, where complements begin, is so near that time may change them."""
    edge = turn.setting.stirring(number, turn.known.query_time)
    return edge is None or edge < turn.setting.windows.first


# ---------------------------------------------------------------- rows


def _changed(unit: Unit, relation: Relation, difference: Difference, after: int) -> Iterator[tuple[Codes, Ints]]:
    """The codes of what differs, each with the last time before that. Keys that come again at once are there once.

    after: of events, those after that time.
    """
    removed, added = difference.removed, difference.added
    axis = removed.axis
    if relation.kind != "event":
        before, rows = 1 + axis.tick - axis.origin, (removed.begins(), removed.lasts(), added.begins(), added.lasts())
        keys, until = touch_by_intervals(*rows, axis.time_bits, before)
        yield _codes_of_keys(removed, keys), until
        return
    for data in (removed, added):
        if not len(data):
            continue
        if _are_in_keys(unit, relation, data):
            keys, until = touch_by_points(data.begins(), after, axis.time_bits, 1 - axis.origin)
            yield _codes_of_keys(data, keys), until
        else:
            later = data.beyond(after)
            yield later.codes, (later.begins() & axis.mask) - 1 + axis.origin


def _are_in_keys(unit: Unit, relation: Relation, data: Data) -> bool:
    """Whether rows are sorted by all arguments at which tuples stand."""
    places = [*unit.about.get(relation, ()), unit.follows.get(relation, ())]
    return all(position in data.key for positions in places for position in positions)


def _codes_of_keys(data: Data, keys: Ints) -> Codes:
    """keys: of what rows are sorted by."""
    axis, positions = data.axis, data.key
    return lambda position: axis.code(keys, positions.index(position), len(positions))


def _touch(turn: QueryTurn, unit: Unit, relation: Relation, codes: Codes, until: Ints, touched: Touched) -> None:
    """until: of each, or one for all."""
    if not until.size:
        return
    if not unit.is_keyed or relation in unit.everywhere:
        touched.touch_all(int(until.min()))
        return
    for positions in unit.about.get(relation, ()):
        columns = [codes(position) for position in positions]
        keys = columns[0] if len(columns) == 1 else ordered_key(turn.bare.axis, columns)
        touched.touch(len(positions), keys, until)
    for position in unit.follows.get(relation, ()):
        touched.members.append((codes(position), until))


def _touch_followers(turn: QueryTurn, unit: Unit, touched: Touched) -> None:
    """All tuples that have one of the arguments that were touched, and of which something is known that counts then.

    Where the rows that told of a tuple are forgotten, what still holds of it does, defined here or in earlier stages.
    Where all of it was over so long before that nothing looks back at it, nothing can change for the tuple.
    """
    if not touched.members:
        return
    axis, wanted = turn.bare.axis, unit.wanted
    apart = axis.origin + axis.tick  # times are on the axis there, and up to a tick earlier: see `_before_tick`
    near = turn.known.query_time - apart
    first = int(np.concatenate([until for _, until in touched.members]).min()) - apart
    earliest: Ints | None = None
    for relation, positions in unit.of_several:
        stored, reach = turn.stores.get(relation), wanted[relation].reach if relation in wanted else None
        reach = axis.mask if reach is None else reach
        for data in () if stored is None else stored.parts():
            if not len(data) or data.latest() + reach <= min(first, near):
                continue
            if earliest is None:
                earliest = np.full(len(turn.bare.dictionary) + 1, AFTER_ALL)
                for codes, until in touched.members:
                    find_earliest_of_codes(earliest, codes, until - apart)
            columns = np.stack([data.codes(position) for position in positions])
            rows, times = find_followers(columns, data.lasts(), earliest, reach, near, axis.mask)
            keys = ordered_key(axis, list(columns[:, rows]))
            touched.touch(len(positions), keys, times + apart)


def _touch_deadlines(turn: QueryTurn, unit: Unit, step: DefinitionStep, touched: Touched) -> bool:
    """Touch the tuples with a deadline that is due by now; return whether there are any."""
    axis, near, some = turn.bare.axis, turn.known.query_time, False
    for due in step.deadlines:
        running = turn.running.get(due)
        if running is None or not len(running.keys):
            continue
        at = running.due + axis.origin
        rows = np.flatnonzero(
            (at > near - turn.setting.windows.tick) & (at <= turn.bare.now) & (running.dropped > near - axis.origin)
        )
        if len(rows):
            some = True
            s = running.keys[rows] << axis.time_bits
            keys = Intervals(axis, turn.bare.dictionary, due.source.arity, s, s)
            _touch(turn, unit, due.source, keys.codes, np.array([near]), touched)
    return some


# ---------------------------------------------------------------- blocks


def choose_block(turn: QueryTurn, touched: Touched) -> tuple[Tuples | None, int]:
    """Choose the tuples that are touched (None: all), and the time up to which nothing has changed for any of them.

    Times are relative to the origin of the axis, and the last before a tick.
    """
    tuples = {size: TouchedKeys(keys, _before_tick(turn, until)) for size, (keys, until) in touched.tuples().items()}
    chosen = Tuples(turn.bare.axis, len(turn.bare.dictionary) + 1, tuples)
    if touched.everything is not None:
        until = int(_before_tick(turn, np.array([touched.everything]))[0])
        return None, min(until, chosen.earliest)
    return chosen, chosen.earliest


def _before_tick(turn: QueryTurn, until: Ints) -> Ints:
    """Times that are the last before a tick, relative to the origin. What is in time has the same one."""
    tick, origin = turn.bare.axis.tick, turn.bare.axis.origin
    if tick == 1:
        return np.minimum(until, turn.known.query_time) - origin
    return (np.minimum(until, turn.known.query_time) + 1) // tick * tick - 1 - origin
