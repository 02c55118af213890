"""Patterns: occurrences that take time, joined by how they stand to each other.

Each part of a pattern gives rows: its variables, and when each occurrence began and was over. They are not sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.argument_layout import shape
from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.structure import read_by_parts
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection, TimeColumn, concatenated
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.patterns.policies import SPAN, cheapest_pair, choose, distinct
from holdsfor.engine.patterns.sliding import slide
from holdsfor.kernels.patterns.spans import first_block, is_blocked, join_spans
from holdsfor.kernels.rows.joining import most_pairs
from holdsfor.kernels.rows.moving import time_span
from holdsfor.language.patterns import JoinKind
from holdsfor.plan.operators import Chain, Occurring
from holdsfor.plan.patterns import (
    Absent,
    Moment,
    OneOfSeveral,
    Pairs,
    Pattern,
    Scan,
    Selected,
    Sliding,
    sequence_parts,
)

#: Columns that no variable of a rule has the name of.
START, END, LEFT, RIGHT = "start~", "end~", "left~", "right~"
PLACES = frozenset({LEFT, RIGHT})
ANY_LENGTH = np.iinfo(np.int64).max >> 1


@dataclass(frozen=True, slots=True)
class Paired:
    """Both sides of a join and the pairs that are made; used: rows of left, then of right, that no other may take."""

    left: Rows
    right: Rows
    pairs: Rows
    used: Mask


def occurring(op: Occurring, world: World) -> Rows:
    rows = match_pattern(op.pattern, world)
    return rows.bind({op.start: rows.column(START), op.time: rows.column(END)})


def match_pattern(pattern: Pattern, world: World) -> Rows:
    """The occurrences of a pattern; one that several rules have is matched once."""
    if isinstance(pattern, Scan):
        return _match(pattern, world)
    return world.shared.find(pattern, lambda: _match(pattern, world))


def _match(pattern: Pattern, world: World) -> Rows:
    match pattern:
        case Scan():
            rows = _scan_events(pattern, world) if pattern.relation.kind == "event" else _scan_intervals(pattern, world)
            return _limited(rows, pattern.within)
        case Moment():
            times = np.full(int(world.frame.start < pattern.time <= world.now), pattern.time)
            return _with_span(Rows(world.axis, len(times), {}), times, times, world)
        case Pairs():
            return _pairs(pattern, world)
        case Absent():
            return _absent(pattern, world)
        case Selected():
            return _passing(match_pattern(pattern.pattern, world), pattern.conditions, world)
        case OneOfSeveral():
            return _together([match_pattern(one, world) for one in pattern.alternatives], pattern.variables, world)
        case Sliding():
            return _limited(slide(pattern, match_pattern(pattern.pattern, world), world), pattern.within)


# ---------------------------------------------------------------- leaves


def _scan_events(pattern: Scan, world: World) -> Rows:
    points, args = read_by_parts(world.points_of(pattern.relation), pattern.args)
    wanted = shape(args, frozenset(), world.dictionary)
    points = points.pick(wanted.picks, wanted.read)
    if time_span(points.packed, world.axis.mask)[1] > world.now_on_axis:
        points = points.where(points.packed & world.axis.mask <= world.now_on_axis)
    end = TimeColumn(world.dictionary, world.axis, points.packed)
    start = end if points.begun is None else Column(world.dictionary, numbers=points.starts())
    columns = {name: points.column(p) for p, name in wanted.new}
    rows = Rows(world.axis, len(points), {**columns, START: start, END: end})
    names = dict(wanted.new)
    if all(p in names for p in points.key):
        rows.sorted_by(tuple(names[p] for p in points.key), END, points.packed)
    return rows


def _scan_intervals(pattern: Scan, world: World) -> Rows:
    """Return the intervals that have ended by now; one that began before the history counts from its first tick."""
    held, args = read_by_parts(world.intervals_of(pattern.relation), pattern.args)
    wanted, axis = shape(args, frozenset(), world.dictionary), world.axis
    chosen = (held.e & axis.mask) <= world.now + 1 - axis.origin
    start, first = world.first_points
    begin = np.where(held.s & axis.mask > start, held.s & axis.mask, first)
    chosen &= held.e & axis.mask > begin
    mask = held.mask(wanted.picks)
    chosen = chosen if mask is None else chosen & mask
    held = held.where(chosen)
    rows = Rows(axis, len(held), {name: Column(world.dictionary, held.codes(p)) for p, name in wanted.new})
    return _with_span(rows, begin[chosen] + axis.origin, axis.time(held.e) - 1, world)


def _with_span(rows: Rows, start: Ints, end: Ints, world: World) -> Rows:
    """start and end may be the same array: then every occurrence is a point."""
    first = Column(world.dictionary, numbers=start)
    return rows.bind({START: first, END: first if end is start else Column(world.dictionary, numbers=end)})


def _limited(rows: Rows, within: int | None) -> Rows:
    if within is None or _are_points(rows):
        return rows
    lasting = rows.times(END) - rows.times(START)
    return rows if (lasting <= within).all() else rows.filter(lasting <= within)


def _are_points(rows: Rows) -> bool:
    return rows.column(START) is rows.column(END)


# ---------------------------------------------------------------- joins


def _pairs(pattern: Pairs, world: World) -> Rows:
    parts = sequence_parts(pattern)
    if len(parts) > 2 and pattern.left not in world.shared:
        rows = join_sequence([match_pattern(part, world) for part in parts], pattern.within, world)
        return _passing(rows, pattern.conditions, world)
    return pair_up(pattern, world).pairs


def join_sequence(
    parts: Sequence[Rows], within: int | None, world: World, choose: Callable[[Sequence[Rows]], int] = cheapest_pair
) -> Rows:
    """Occurrences that follow each other. choose: which two neighbours are joined next; any order gives the same."""
    left = list(parts)
    while len(left) > 1:
        place = choose(left)
        left[place : place + 2] = [_follow(left[place], left[place + 1], within, world)]
    return left[0]


def _follow(left: Rows, right: Rows, within: int | None, world: World) -> Rows:
    i, j = join_rows(left, right, "seq", within, world)
    return _put_together(left, i, right, j, _times_at(left, START, i), _times_at(right, END, j), world)


def join_rows(left: Rows, right: Rows, kind: JoinKind, within: int | None, world: World) -> tuple[Ints, Ints]:
    shared = sorted((left.names & right.names) - SPAN)
    one, other = _packed_span(left, shared, world), _packed_span(right, shared, world)
    longest = ANY_LENGTH if within is None else within
    return join_spans(kind, world.axis.time_bits, *one, *other, longest, most_pairs(left.size + right.size))


def pair_up(pattern: Pairs, world: World) -> Paired:
    left, right = _sides(pattern, (pattern.left, pattern.right), world)
    i, j = join_rows(left, right, pattern.kind, pattern.within, world)
    start, end = _joined_span(pattern, left, i, right, j)
    rows = _put_together(left, i, right, j, start, end, world)
    if pattern.choosing.policy != "unrestricted":
        rows = _with_places(rows, i, j, world)
    return _chosen(pattern, left, right, _passing(rows, pattern.conditions, world), world)


def _absent(pattern: Absent, world: World) -> Rows:
    if isinstance(pattern.last, int):
        return _absent_for(pattern, pattern.last, world)
    return pair_around(pattern, pattern.last, world).pairs


def pair_around(pattern: Absent, last_pattern: Pattern, world: World) -> Paired:
    """Pair what is around the absent."""
    first, last = _sides(pattern, (pattern.first, last_pattern), world)
    shared = sorted((first.names & last.names) - SPAN)
    one, other = _packed_span(first, shared, world), _packed_span(last, shared, world)
    alone, beside = _matched_absent(pattern, first, world)
    until = None
    if alone:  # what is about the first alone ends its wait, before any pair is made
        until = (one[1] & ~world.axis.mask) | _free_until(first, alone, world)
    within = ANY_LENGTH if pattern.within is None else pattern.within
    bits, most = world.axis.time_bits, most_pairs(first.size + last.size)
    i, j = join_spans("seq", bits, *one, *other, within, most, until)
    rows = _put_together(first, i, last, j, _times_at(first, START, i), _times_at(last, END, j), world)
    if beside or pattern.choosing.policy != "unrestricted":
        rows = _with_places(rows, i, j, world)
    rows = _passing(rows, pattern.conditions, world)
    for what in beside:
        common = sorted((what.names & rows.names) - SPAN)
        around = _times_at(first, END, rows.times(LEFT)), _times_at(last, START, rows.times(RIGHT))
        low, high = (_pack(rows, common, times, world) for times in around)
        rows = rows.filter(~is_blocked(bits, low, high, *_packed_span(what, common, world)))
    return _chosen(pattern, first, last, rows, world)


def _matched_absent(pattern: Absent, first: Rows, world: World) -> tuple[list[Rows], list[Rows]]:
    """Match what must be absent: what the first has all shared variables of, and the rest."""
    known = frozenset(pattern.binds())
    absent = [match_pattern(what, world) for what in pattern.what]
    alone = [what for what in absent if first.names.issuperset(what.names & known)]
    return alone, [what for what in absent if not first.names.issuperset(what.names & known)]


def _absent_for(pattern: Absent, duration: int, world: World) -> Rows:
    """For so long after the first nothing of the other ended that began after it."""
    first = first_of(pattern, world)
    alone, beside = _matched_absent(pattern, first, world)
    due = first.times(END) + duration
    fires = (_ticks_until(first, alone, world) > due) & (due <= world.now)
    rows = first.filter(fires)
    rows = _with_span(rows, rows.times(START), due[fires], world)
    rows = _passing(_limited(rows, pattern.within), pattern.conditions, world)
    if beside:  # about what the conditions have given a value
        begun = _with_span(rows, rows.times(START), rows.times(END) - duration, world)
        rows = rows.filter(_ticks_until(begun, beside, world) > rows.times(END))
    return rows


def first_of(pattern: Absent, world: World) -> Rows:
    """Match what comes before the absent."""
    return _sides(pattern, (pattern.first,), world)[0]


def blocked_at(pattern: Absent, first: Rows, world: World) -> Ints:
    """When, after each of the first, what must be absent has occurred for sure; after all time if it has not."""
    return _ticks_until(first, _matched_absent(pattern, first, world)[0], world)


def _ticks_until(first: Rows, absent: Sequence[Rows], world: World) -> Ints:
    time = _free_until(first, absent, world)
    return np.where(time == world.axis.mask, ANY_LENGTH, time + world.axis.origin)


def _free_until(first: Rows, absent: Sequence[Rows], world: World) -> Ints:
    """When, after each of the first, one of the absent has occurred for the first time; on the axis."""
    bits, times = world.axis.time_bits, np.full(first.size, world.axis.mask)
    for what in absent:
        names = sorted((what.names & first.names) - SPAN)
        end = _packed_end(first, names, world)
        blocked = first_block(bits, end, *_packed_span(what, names, world))
        times = np.minimum(times, blocked & world.axis.mask)
    return times


def _sides(pattern: Pairs | Absent, sides: Sequence[Pattern], world: World) -> list[Rows]:
    """Match both sides; where a policy uses occurrences up, each is there once."""
    rows = [match_pattern(side, world) for side in sides]
    is_choosing = pattern.choosing.policy != "unrestricted"
    if isinstance(pattern, Absent) and pattern.outside:
        bound = frozenset[str]().union(*(side.names for side in rows))
        varied = [_with_outside(pattern, side, bound, world) for side in (rows if is_choosing else rows[:1])]
        rows = [*varied, *rows[len(varied) :]]
    return [distinct(side) for side in rows] if is_choosing else rows


def _with_outside(pattern: Absent, side: Rows, bound: frozenset[str], world: World) -> Rows:
    """Return each row once for each value that the rest of the rule gives to variables of what must be absent."""
    absent = frozenset(name for what in pattern.what for name in what.binds())
    for source in pattern.outside:
        values = match_pattern(source, world)
        values = values.without(values.names - (absent - bound) - (side.names - SPAN))
        values = distinct(values.bind({END: Column(world.dictionary, numbers=np.full(values.size, world.now))}))
        i, j = join_rows(side, values.bind({START: values.column(END)}), "and", None, world)
        chosen = Selection(index=j)
        columns = {name: values.column(name).select(chosen) for name in values.names - side.names}
        side = side.reorder(i).bind(columns)
    return side


def _packed_span(rows: Rows, names: Sequence[str], world: World) -> tuple[Ints, Ints]:
    end = _packed_end(rows, names, world)
    return (end if _are_points(rows) else _pack(rows, names, rows.times(START), world)), end


def _packed_end(rows: Rows, names: Sequence[str], world: World) -> Ints:
    if rows.packed is not None and rows.order == tuple(names) and rows.clock == END:
        return rows.packed
    return _pack(rows, names, rows.times(END), world)


def _pack(rows: Rows, names: Sequence[str], time: Ints, world: World) -> Ints:
    return world.axis.pack([rows.codes(name) for name in names], time)


def _joined_span(pattern: Pairs, left: Rows, i: Ints, right: Rows, j: Ints) -> tuple[Ints, Ints]:
    match pattern.kind:
        case "seq" | "meets":
            return _times_at(left, START, i), _times_at(right, END, j)
        case "and" | "par":
            start = np.minimum(_times_at(left, START, i), _times_at(right, START, j))
            return start, np.maximum(_times_at(left, END, i), _times_at(right, END, j))
        case _:  # equals, during, starts, finishes: the right one is not shorter
            return _times_at(right, START, j), _times_at(right, END, j)


def _times_at(rows: Rows, name: str, places: Ints) -> Ints:
    return rows.column(name).select(Selection(index=places)).integers()


def _put_together(left: Rows, i: Ints, right: Rows, j: Ints, start: Ints, end: Ints, world: World) -> Rows:
    chosen = Selection(index=j)
    columns = {name: right.column(name).select(chosen) for name in right.names - left.names}
    return _with_span(left.reorder(i).bind(columns), start, end, world)


def _with_places(rows: Rows, i: Ints, j: Ints, world: World) -> Rows:
    """Name the row of each side that a pair is made of."""
    return rows.bind({LEFT: Column(world.dictionary, numbers=i), RIGHT: Column(world.dictionary, numbers=j)})


def _chosen(pattern: Pairs | Absent, left: Rows, right: Rows, rows: Rows, world: World) -> Paired:
    """Make the pairs that the policy chooses among those that pass."""
    used = np.zeros(left.size + right.size, np.bool_)
    if pattern.choosing.policy != "unrestricted":
        kind = "seq" if isinstance(pattern, Absent) else pattern.kind
        kept, used = choose(pattern.choosing, kind, left, right, rows.times(LEFT), rows.times(RIGHT), world)
        rows = rows.filter(kept)
    return Paired(left, right, rows.without(PLACES) if LEFT in rows.names else rows, used)


# ---------------------------------------------------------------- rows


def _passing(rows: Rows, conditions: tuple[Chain, ...], world: World) -> Rows:
    """The rows that pass one of the alternatives; where a row passes several and gets no new values, once."""
    if len(conditions) == 1:
        return run(conditions[0], world, rows) if conditions[0] else rows
    passed = [run(chain, world, rows) for chain in conditions]
    names = set(passed[0].names).intersection(*(each.names for each in passed))
    return distinct(_together(passed, sorted(names - SPAN), world))


def _together(parts: Sequence[Rows], names: Sequence[str], world: World) -> Rows:
    """One after the other, with the columns of these names."""
    columns = {
        name: concatenated([part.column(name) for part in parts], world.dictionary) for name in (*names, START, END)
    }
    if all(map(_are_points, parts)):
        columns[START] = columns[END]
    return Rows(world.axis, sum(part.size for part in parts), columns)
