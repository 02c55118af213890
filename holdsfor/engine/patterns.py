"""Patterns: occurrences that take time, joined by how they stand to each other.

Each part of a pattern gives rows: its variables, and when each occurrence began and was over. They are not sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import run
from holdsfor.engine.choosing import choose
from holdsfor.engine.column import Column, Selection, TimeColumn, concatenated
from holdsfor.engine.distinct import distinct
from holdsfor.engine.join_order import SPAN, cheapest_pair
from holdsfor.engine.literals import shape
from holdsfor.engine.rows import Rows
from holdsfor.engine.sliding import slide
from holdsfor.engine.structure import read_by_parts
from holdsfor.engine.world import World
from holdsfor.kernels import first_block, is_blocked, join_spans, time_span
from holdsfor.kernels.joining import most_pairs
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
ANY_LENGTH = np.iinfo(np.int64).max >> 1


def occurring(op: Occurring, world: World) -> Rows:
    rows = match_pattern(op.pattern, world)
    return rows.bind({op.start: rows.column(START), op.time: rows.column(END)})


def match_pattern(pattern: Pattern, world: World) -> Rows:
    """The occurrences of a pattern; one that several rules have is matched once."""
    rows = world.shared.get(pattern)
    if not isinstance(rows, Rows):
        rows = _match(pattern, world)
        if not isinstance(pattern, Scan):
            world.shared[pattern] = rows
    return rows


def _match(pattern: Pattern, world: World) -> Rows:
    match pattern:
        case Scan():
            rows = _scan_events(pattern, world) if pattern.relation.kind == "event" else _scan_intervals(pattern, world)
            return _limited(rows, pattern.within)
        case Moment():
            times = np.full(int(world.start < pattern.time <= world.now), pattern.time)
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
    if time_span(points.packed, world.axis.mask)[1] > world.now - world.axis.origin:
        points = points.where(points.packed & world.axis.mask <= world.now - world.axis.origin)
    end = TimeColumn(world.dictionary, world.axis, points.packed)
    start = end if points.begun is None else Column(world.dictionary, numbers=points.starts())
    columns = {name: points.column(p) for p, name in wanted.new}
    rows = Rows(world.axis, len(points), {**columns, START: start, END: end})
    names = dict(wanted.new)
    if all(p in names for p in points.key):
        rows.sorted_by(tuple(names[p] for p in points.key), END, points.packed)
    return rows


def _scan_intervals(pattern: Scan, world: World) -> Rows:
    """What has ended by now; what began by the start of the history counts from its first tick."""
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
    return _without_rows(pair_up(pattern, world)[-1])


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
    i, j = _join(left, right, "seq", within, world)
    return _put_together(left, i, right, j, _times_at(left, START, i), _times_at(right, END, j), world)


def _join(left: Rows, right: Rows, kind: JoinKind, within: int | None, world: World) -> tuple[Ints, Ints]:
    shared = sorted((left.names & right.names) - SPAN)
    one, other = _packed_span(left, shared, world), _packed_span(right, shared, world)
    longest = ANY_LENGTH if within is None else within
    return join_spans(kind, world.axis.time_bits, *one, *other, longest, most_pairs(left.size + right.size))


def pair_up(pattern: Pairs, world: World) -> tuple[Rows, Rows, Rows]:
    """Both sides, and the pairs: under a policy with the rows of each side that they are made of."""
    left, right = _sides(pattern, (pattern.left, pattern.right), world)
    i, j = _join(left, right, pattern.kind, pattern.within, world)
    start, end = _joined_span(pattern, left, i, right, j)
    rows = _put_together(left, i, right, j, start, end, world)
    return left, right, _chosen(pattern, left, i, right, j, rows, world)


def _absent(pattern: Absent, world: World) -> Rows:
    if isinstance(pattern.last, int):
        return _absent_for(pattern, pattern.last, world)
    return _without_rows(pair_around(pattern, pattern.last, world)[-1])


def pair_around(pattern: Absent, last_pattern: Pattern, world: World) -> tuple[Rows, Rows, Rows]:
    """What is around the absent: both sides, and the pairs, as `pair_up` gives them."""
    first, last = _sides(pattern, (pattern.first, last_pattern), world)
    shared = sorted((first.names & last.names) - SPAN)
    one, other = _packed_span(first, shared, world), _packed_span(last, shared, world)
    absent = [match_pattern(what, world) for what in pattern.what]
    beside = [what for what in absent if not _is_about(first, what, last)]
    until = None
    if len(beside) < len(absent):  # what is about the first alone ends its wait, before any pair is made
        times = _free_until(first, [what for what in absent if what not in beside], world)
        until = (one[1] & ~world.axis.mask) | times
    within = ANY_LENGTH if pattern.within is None else pattern.within
    bits, most = world.axis.time_bits, most_pairs(first.size + last.size)
    i, j = join_spans("seq", bits, *one, *other, within, most, until)
    rows = _put_together(first, i, last, j, _times_at(first, START, i), _times_at(last, END, j), world)
    for what in beside:
        common = sorted((what.names & rows.names) - SPAN)
        around = _times_at(first, END, i), _times_at(last, START, j)
        low, high = (_pack(rows, common, times, world) for times in around)
        free = ~is_blocked(bits, low, high, *_packed_span(what, common, world))
        rows, i, j = rows.filter(free), i[free], j[free]
    return first, last, _chosen(pattern, first, i, last, j, rows, world)


def _is_about(first: Rows, what: Rows, last: Rows) -> bool:
    """Whether the first has all variables that the absent shares with what is around it."""
    return first.names.issuperset((what.names & last.names) - SPAN)


def _absent_for(pattern: Absent, duration: int, world: World) -> Rows:
    """For so long after the first nothing of the other ended that began after it."""
    (first,) = _sides(pattern, (pattern.first,), world)
    due = first.times(END) + duration
    fires = (blocked_at(pattern, first, world) > due) & (due <= world.now)
    rows = first.filter(fires)
    rows = _with_span(rows, rows.times(START), due[fires], world)
    return _passing(_limited(rows, pattern.within), pattern.conditions, world)


def blocked_at(pattern: Absent, first: Rows, world: World) -> Ints:
    """When, after each of the first, what must be absent has occurred; after all time if it has not."""
    time = _free_until(first, [match_pattern(what, world) for what in pattern.what], world)
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
    """Where a policy uses occurrences up, each is there once."""
    rows = [match_pattern(side, world) for side in sides]
    return rows if pattern.choosing.policy == "unrestricted" else [distinct(side) for side in rows]


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


def _chosen(pattern: Pairs | Absent, left: Rows, i: Ints, right: Rows, j: Ints, rows: Rows, world: World) -> Rows:
    """The pairs that pass the conditions, and of these the ones that the policy makes."""
    if pattern.choosing.policy == "unrestricted":
        return _passing(rows, pattern.conditions, world)
    named = {LEFT: Column(world.dictionary, numbers=i), RIGHT: Column(world.dictionary, numbers=j)}
    passing = _passing(rows.bind(named), pattern.conditions, world)
    kind = "seq" if isinstance(pattern, Absent) else pattern.kind
    kept = choose(pattern.choosing, kind, left, right, passing.times(LEFT), passing.times(RIGHT), world)
    return passing.filter(kept)


def _without_rows(pairs: Rows) -> Rows:
    return pairs.without(frozenset({LEFT, RIGHT})) if LEFT in pairs.names else pairs


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
