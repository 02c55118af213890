"""Running a chain: each operator turns rows into rows, whole columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import takewhile
from typing import cast

import numpy as np

from holdsfor.engine.bodies.aggregate import Solutions, aggregate
from holdsfor.engine.bodies.argument_layout import Arguments, read_literal
from holdsfor.engine.bodies.calculate import calculate, compare
from holdsfor.engine.bodies.functions import call_function
from holdsfor.engine.bodies.lookups import is_fact, lookup
from holdsfor.engine.bodies.structure import read_by_forms, take_apart, term_codes
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.io.events import MOST_TIME
from holdsfor.kernels.rows.holding import holds_mask, holds_search, member_mask, member_search
from holdsfor.kernels.rows.joining import expand, interval_join, merge_join
from holdsfor.kernels.rows.moving import compress
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.language.literals import EdgeKind
from holdsfor.language.terms import Compound, Int, Term, Var
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import (
    At,
    Chain,
    Holding,
    Leaf,
    Let,
    Lookup,
    Match,
    Occurring,
    Op,
    Tally,
    TimesOf,
    Where,
    Without,
)
from holdsfor.plan.structures import flat, forms_of, is_open

ROW = "row"
#: The times of the occurrences of a pattern.
START, END = "start~", "end~"


def run(chain: Chain, world: World, rows: Rows | None = None, stops: bool = False) -> Rows:
    """The rows that the chain gives, from one row without columns, or from the rows given.

    stops: as soon as there is no row left; what there is then has not all of the columns.
    """
    place = 0
    while place < len(chain):
        if stops and rows is not None and not rows.size:
            return rows
        op = chain[place]
        if rows is not None and isinstance(op, Holding):
            own = _own_tests(op, chain[place + 1 :], rows.names)
            rows = holding(op, rows.timely(op.time), world, own)
            place += len(own)
        else:
            rows = step(op, rows, world)
        place += 1
    return rows if rows is not None else Rows(world.axis, 1, {})


def _own_tests(op: Holding, following: Chain, bound: frozenset[str]) -> list[Where]:
    """The first comparisons after an operator that shares no argument with the rows, as far as they are about its own.

    So that they are done for what holds, and not for each combination of it with a row.
    """
    names = frozenset(names_in(op.args))
    if names & bound:
        return []
    tests = takewhile(lambda test: isinstance(test, Where) and names.issuperset(test.mentions()), following)
    return cast(list[Where], list(tests))


def step(op: Op, rows: Rows | None, world: World) -> Rows:
    if rows is None:
        if isinstance(op, At):
            return scan(op, world)
        rows = Rows(world.axis, 1, {})
    match op:
        case Occurring():
            raise AssertionError("a pattern begins a rule, and is matched there")
        case At():
            return at(op, rows.timely(op.time) if op.time in rows.names else rows, world)
        case Holding():
            return holding(op, rows.timely(op.time), world)
        case Lookup():
            return lookup(op, rows, world)
        case Where():
            return rows.filter(compare(op.op, op.left, op.right, rows, world))
        case Let():
            return let(op, rows, world)
        case Match():
            return match(op, rows, world)
        case Without():
            return rows.filter(~matched(op.chain, rows, world))
        case TimesOf():
            times = {op.start: rows.column(START), op.end: rows.column(END)}
            return rows.bind({name: column for name, column in times.items() if name is not None})
        case Tally():
            return tally(op, rows, world)


# ---------------------------------------------------------------- points


def points(op: At, world: World) -> Points:
    if op.what == "occurrence":
        return world.points_of(op.relation)
    return _happened(world.intervals_of(op.relation).edges(op.what), op.what, world)


def _happened(edges: Points, what: EdgeKind, world: World) -> Points:
    """Only what happens after the start of the history and until now.

    What has no start because it holds from the first point of the history on has no startI either.
    """
    low, high = world.start_on_axis, world.now_on_axis
    if what in ("startI", "endI"):
        low += 1
    first, last = edges.span()
    if len(edges) == 0 or (first >= low and last <= high):
        return edges
    time = edges.packed & edges.axis.mask
    return edges.select(Selection((time >= low) & (time <= high)))


def scan(op: At, world: World) -> Rows:
    forms, args, wanted = read_literal(op, frozenset(), world.dictionary)
    occurrences = read_by_forms(points(op, world), forms).pick(wanted.picks, wanted.read)
    columns = {name: occurrences.column(p) for p, name in wanted.new if name != op.time}
    rows = Rows(
        world.axis, len(occurrences), columns | {op.time: _time(occurrences, None)} | _start(op, occurrences, None)
    )
    order = _find_order(args, occurrences.key)
    if order is not None:
        packed = occurrences.packed if order or not occurrences.key else occurrences.packed & world.axis.mask
        rows.sorted_by(order, op.time, packed, occurrences.span())
    return rows


@lru_cache(maxsize=4096)
def _find_order(args: tuple[Leaf, ...], key: tuple[int, ...]) -> tuple[str, ...] | None:
    """The variables that rows are sorted by, if they are sorted by these arguments; None: they are not sorted.

    By none where the arguments are constants: one of each is left.
    """
    leading = tuple(args[position] for position in key)
    names = tuple(arg for arg in leading if isinstance(arg, str))
    if len(set(names)) == len(leading):
        return names
    return () if not names and None not in leading else None


def at(op: At, rows: Rows, world: World) -> Rows:
    forms, _, wanted = read_literal(op, rows.names, world.dictionary)
    occurrences = read_by_forms(points(op, world), forms).pick(wanted.picks, wanted.read)
    if op.time not in rows.names:
        return _meet(op, wanted, occurrences, rows)
    if not wanted.new and op.start is None:
        return rows.filter(_member(wanted, occurrences, op.time, rows))
    right, back = occurrences.ordered(wanted.positions)
    left, in_order = rows.pack(wanted.names, op.time)
    if not in_order:
        left, order = sort_packed(left, world.axis.time_bits)
        rows = rows.reorder(order).sorted_by(wanted.names, op.time, left)
    i, j = merge_join(left, right)
    j = j if back is None else back[j]
    return _joined(rows, i, occurrences, j, wanted).bind(_start(op, occurrences, j))


def _member(wanted: Arguments, occurrences: Points, time: str, rows: Rows) -> Mask:
    right, _ = occurrences.ordered(wanted.positions)
    left, in_order = rows.pack(wanted.names, time)
    merge = in_order and len(left) * occurrences.dictionary.tuning.merge_rows > len(right)
    return member_mask(left, right) if merge else member_search(left, right)


def _meet(op: At, wanted: Arguments, occurrences: Points, rows: Rows) -> Rows:
    """A second time variable: every occurrence with the bound arguments, whenever it happened."""
    right, back = occurrences.ordered(wanted.positions)
    if wanted.positions:
        axis = rows.axis
        key = axis.key([rows.codes(name) for name in wanted.names])
        keys = right >> axis.time_bits
        low, high = np.searchsorted(keys, key, "left"), np.searchsorted(keys, key, "right")
    else:
        low, high = np.zeros(rows.size, np.int64), np.full(rows.size, len(right), np.int64)
    i, j = expand(low, high)
    j = j if back is None else back[j]
    joined = _joined(rows, i, occurrences, j, wanted)
    return joined.bind({op.time: _time(occurrences, j)} | _start(op, occurrences, j))


def _joined(rows: Rows, i: Ints, occurrences: Points, j: Ints, wanted: Arguments) -> Rows:
    chosen = Selection(index=j)
    return rows.take(i).bind({name: occurrences.column(p).select(chosen) for p, name in wanted.new})


def _time(occurrences: Points, index: Ints | None) -> Column:
    packed, axis = occurrences.packed, occurrences.axis
    if index is None:
        return Column.later(occurrences.dictionary, lambda: axis.time(packed))
    return Column(occurrences.dictionary, numbers=axis.time(packed[index]))


def _start(op: At, occurrences: Points, index: Ints | None) -> dict[str, Column]:
    """When the occurrences began, if the rule asks for it."""
    if op.start is None:
        return {}
    starts = occurrences.starts()
    return {op.start: Column(occurrences.dictionary, numbers=starts if index is None else starts[index])}


# ---------------------------------------------------------------- holding


def holding(op: Holding, rows: Rows, world: World, own: Sequence[Where] = ()) -> Rows:
    """own: comparisons of what the operator binds."""
    forms, _, wanted = read_literal(op, rows.names, world.dictionary)
    intervals = read_by_forms(world.intervals_of(op.relation), forms)
    if not wanted.new:
        return rows.filter(_holds(intervals, wanted, op.time, rows))
    s, e, source = intervals.spread(wanted.picks, wanted.positions)
    if own:
        columns = {name: Column(world.dictionary, intervals.codes(p)[source]) for p, name in wanted.new}
        rows_of_own = Rows(world.axis, len(source), columns)
        masks = [compare(test.op, test.left, test.right, rows_of_own, world) for test in own]
        mask = np.logical_and.reduce(masks)
        s, e, source = compress(s, mask), compress(e, mask), compress(source, mask)
    left, in_order = rows.pack(wanted.names, op.time)
    if not in_order:
        left, order = sort_packed(left, world.axis.time_bits)
        rows = rows.reorder(order).sorted_by(wanted.names, op.time, left)
    i, j = interval_join(left, s, e)
    j = source[j]
    columns = {name: Column(world.dictionary, intervals.codes(p)[j]) for p, name in wanted.new}
    return rows.take(i).bind(columns)


def _holds(intervals: Intervals, wanted: Arguments, time: str, rows: Rows) -> Mask:
    s, e = intervals.project(wanted.picks, wanted.positions)
    left, in_order = rows.pack(wanted.names, time)
    merge = in_order and len(left) * intervals.dictionary.tuning.merge_rows > len(s)
    return holds_mask(left, s, e) if merge else holds_search(left, s, e)


# ---------------------------------------------------------------- arithmetic, negation


def let(op: Let, rows: Rows, world: World) -> Rows:
    if op.same:
        if isinstance(op.expression, Var):
            return rows.bind({op.variable: rows.column(op.expression.name)})
        return rows.bind({op.variable: Column(world.dictionary, term_codes(op.expression, rows, world.dictionary))})
    if op.function is not None:
        rows, column = call_function(op.function, op.expression.args, rows, world, op.place)
        return rows.bind({op.variable: column})
    rows, column = calculate(op.expression, rows, world)
    bound = rows.bind({op.variable: column})
    distance = _distance(op.expression, rows)
    if distance is not None:
        bound.shifts = {**rows.shifts, op.variable: distance}
    return bound


def match(op: Match, rows: Rows, world: World) -> Rows:
    """The rows whose term has the form, with its parts as columns or equal to the columns that are there."""
    dictionary = world.dictionary
    codes = term_codes(op.term, rows, dictionary)
    kept, parts = take_apart([codes], forms_of((op.form,)) or (), dictionary)
    rows, mask = rows.take(kept), np.ones(len(kept), np.bool_)
    for arg, part in zip(flat((op.form,)), parts, strict=True):
        if isinstance(arg, str) and arg not in rows.names:
            rows = rows.bind({arg: Column(dictionary, part)})
        elif arg is not None:
            mask &= part == term_codes(arg, rows, dictionary)
    return rows.filter(mask)


def _distance(expression: Term, rows: Rows) -> int | None:
    """How far a time is from the clock, if that is constant."""
    match expression:
        case Compound(functor="+" | "-" as sign, args=(Var(name=name), Int(value=k))) if name in rows.shifts:
            distance = rows.shifts[name] + (k if sign == "+" else -k)
        case Compound(functor="+", args=(Int(value=k), Var(name=name))) if name in rows.shifts:
            distance = rows.shifts[name] + k
        case _:
            return None
    return distance if abs(distance) <= MOST_TIME else None


def tally(op: Tally, rows: Rows, world: World) -> Rows:
    """Counts or sums up the distinct solutions of a chain for each row."""
    numbered = rows.bind({ROW: Column(world.dictionary, numbers=np.arange(rows.size))})
    solutions = run(op.chain, world, numbered)
    if op.function == "count" and all(map(_gives_each_once, op.chain)):
        count = np.bincount(solutions.times(ROW), minlength=rows.size)
        return rows.bind({op.variable: Column(world.dictionary, numbers=count.astype(np.int64))})
    own = sorted(solutions.names - rows.names - {ROW})
    columns = [solutions.times(ROW), *(_comparable(solutions.column(name)) for name in own)]
    order = np.lexsort(columns[::-1])
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[order][1:] != column[order][:-1]
    chosen = order[fresh]
    row = solutions.times(ROW)[chosen]
    count = np.bincount(row, minlength=rows.size)
    if op.function == "count":
        return rows.bind({op.variable: Column(world.dictionary, numbers=count.astype(np.int64))})
    return aggregate(op.function, op.term, Solutions(solutions, chosen, row, count), rows, op.variable, world)


def _gives_each_once(op: Op) -> bool:
    """Whether an operator gives a row no binding twice: the intervals of a grounding have no point in common."""
    return isinstance(op, Where) or (isinstance(op, Holding) and not any(map(is_open, op.args)))


def _comparable(column: Column) -> Numbers:
    return column.numbers() if column.is_number else column.codes()


def matched(chain: Chain, rows: Rows, world: World) -> Mask:
    """For which rows the chain gives something."""
    quick = _quick(chain, rows, world)
    if quick is not None:
        return quick()
    numbered = rows.bind({ROW: Column(world.dictionary, numbers=np.arange(rows.size))})
    solutions = run(chain, world, numbered)
    mask = np.zeros(rows.size, np.bool_)
    mask[solutions.times(ROW)] = True
    return mask


def _quick(chain: Chain, rows: Rows, world: World) -> Callable[[], Mask] | None:
    """A single literal whose variables are all bound needs no join, only a test."""
    if len(chain) != 1:
        return None
    op = chain[0]
    if isinstance(op, Where):
        return lambda: compare(op.op, op.left, op.right, rows, world)
    if isinstance(op, Lookup):
        return partial(is_fact, op, rows, world) if rows.names.issuperset(names_in(op.args)) else None
    if isinstance(op, At | Holding) and op.time in rows.names:
        if isinstance(op, At) and op.start is not None:
            return None
        if not rows.names.issuperset(names_in(op.args)) or rows.timely(op.time) is not rows:
            return None
        return partial(_tested, op, rows, world)
    return None


def _tested(op: At | Holding, rows: Rows, world: World) -> Mask:
    """For which rows something happens or holds, all variables being bound."""
    forms, _, wanted = read_literal(op, rows.names, world.dictionary)
    if isinstance(op, Holding):
        return _holds(read_by_forms(world.intervals_of(op.relation), forms), wanted, op.time, rows)
    occurrences = read_by_forms(points(op, world), forms)
    return _member(wanted, occurrences.pick(wanted.picks, wanted.read), op.time, rows)
