"""Interval algebra without rules: sorted, maximal intervals for each key, as Arrow columns.

    berths = holdsfor.Intervals({"ship": ["a", "b"], "start": [0, 5], "end": [10, None]})
    (berths & cranes).durations()

An interval is its first point and the point after its last one; one without an end is open. Every operation works on
all keys at once, by the kernels that evaluate rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.kernels.intervals.algebra import intersect2, minus2, normalise, union2

Ints: TypeAlias = npt.NDArray[np.int64]
Time: TypeAlias = int | datetime
Length: TypeAlias = int | timedelta

_START, _END = "start", "end"
_BITS = 62  # for a key and a time, side by side
_BETWEEN = "\x1f"  # between the texts of a list that is a key


class Intervals:
    """Maximal intervals of keys. No two intervals of a key overlap or touch; they are in the order of time.

    Args:
        data: a table with a row for each interval: Arrow, a data frame, a mapping of columns, or a list of rows.
            Intervals may overlap; those that are empty vanish.
        keys: names of the columns that say whose intervals they are; all others, if it is left out.
        start: name of the column of first points: whole numbers, or timestamps.
        end: name of the column of the points after the last ones; null where an interval is open.
    """

    def __init__(self, data: Any, keys: Sequence[str] | None = None, start: str = _START, end: str = _END) -> None:
        table = _as_table(data)
        names = [name for name in table.column_names if name not in (start, end)] if keys is None else list(keys)
        missing = [name for name in (*names, start, end) if name not in table.column_names]
        if missing:
            raise HoldsforError(f"there is no column {missing[0]!r}; the columns are {', '.join(table.column_names)}.")
        times = _times(table, start, end)
        whole = table.select(names).append_column(_START, times[0]).append_column(_END, times[1])
        axis = _Axis.of([whole])
        self._table = axis.unpack(*normalise(*_sorted(*axis.pack(0))))

    @property
    def table(self) -> pa.Table:
        """Return the intervals: the columns of the keys, start, and end, which is null where an interval is open."""
        return self._table

    @property
    def keys(self) -> list[str]:
        """Return the names of the columns of the keys."""
        return list(self._table.column_names[:-2])

    def union(self, *operands: Intervals) -> Intervals:
        """Return the intervals in which at least one of all holds."""
        return self._combined(operands, union2)

    def intersect(self, *operands: Intervals) -> Intervals:
        """Return the intervals in which all hold."""
        return self._combined(operands, intersect2)

    def difference(self, *operands: Intervals) -> Intervals:
        """Return the intervals in which this holds and none of the others does."""
        return self._combined(operands, minus2)

    def complement(self, start: Time, end: Time | None = None) -> Intervals:
        """Return, for each key that has intervals, those from start to end in which it has none."""
        first = _number_rows(self._table, self.keys)[1]
        kind = self._table.schema.field(_START).type
        columns = {name: self._table[name].take(pa.array(first)) for name in self.keys}
        times = {name: pa.array([time] * len(first), kind) for name, time in ((_START, start), (_END, end))}
        return _of(pa.table(columns | times)).difference(self)

    def durations(self) -> pa.Table:
        """Return how long the intervals of each key are together, in a column `duration`; null if one is open."""
        codes, first = _number_rows(self._table, self.keys)
        lengths, is_open = _lengths(self._table)
        totals = np.bincount(codes, minlength=len(first)) * 0
        np.add.at(totals, codes, lengths)
        unending = np.bincount(codes, weights=is_open, minlength=len(first)) > 0
        column = pa.array(totals, pa.int64(), mask=unending)
        kind = self._table.schema.field(_START).type
        if pa.types.is_timestamp(kind):
            column = column.cast(pa.duration(kind.unit))
        columns = {name: self._table[name].take(pa.array(first)) for name in self.keys}
        return pa.table({**columns, "duration": column})

    def lasting(self, at_least: Length | None = None, at_most: Length | None = None) -> Intervals:
        """Return the intervals that are so long; one that is open is longer than any other."""
        lengths, is_open = _lengths(self._table)
        chosen = np.ones(len(lengths), np.bool_)
        if at_least is not None:
            chosen &= is_open | (lengths >= self._count(at_least))
        if at_most is not None:
            chosen &= ~is_open & (lengths <= self._count(at_most))
        return _of(self._table.filter(pa.array(chosen)))

    def __or__(self, other: Intervals) -> Intervals:
        return self.union(other)

    def __and__(self, other: Intervals) -> Intervals:
        return self.intersect(other)

    def __sub__(self, other: Intervals) -> Intervals:
        return self.difference(other)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"Intervals({self._table.to_pylist()!r})" if len(self) <= 10 else f"Intervals of {len(self)} rows"

    def _combined(self, operands: Iterable[Intervals], kernel: Any) -> Intervals:
        tables = [self._table, *(self._alike(other) for other in operands)]
        axis = _Axis.of(tables)
        packed = (_sorted(*axis.pack(number)) for number in range(len(tables)))
        return _of_whole(axis.unpack(*reduce(lambda left, right: kernel(*left, *right), packed)))

    def _alike(self, other: Intervals) -> pa.Table:
        """Return the table of others with the columns and times of this one."""
        if other.keys != self.keys:
            mine, theirs = (", ".join(each.keys) or "none" for each in (self, other))
            raise HoldsforError(f"the intervals have different keys: {mine}; and {theirs}.")
        mine, theirs = self._table.schema.field(_START).type, other.table.schema.field(_START).type
        if pa.types.is_timestamp(mine) != pa.types.is_timestamp(theirs):
            raise HoldsforError(f"the times of one are {mine}, and of the other {theirs}: give both in one way.")
        try:
            return other.table.cast(self._table.schema)
        except pa.ArrowInvalid as error:
            raise HoldsforError(f"the columns cannot be put together: {error}.") from None

    def _count(self, length: Length) -> int:
        """Return a length in the unit of the times."""
        kind = self._table.schema.field(_START).type
        if isinstance(length, timedelta):
            if not pa.types.is_timestamp(kind):
                raise HoldsforError("the times are numbers: give lengths as numbers, too.")
            return int(pa.scalar(length, pa.duration(kind.unit)).value)
        return length


def _of(table: pa.Table) -> Intervals:
    """Return the intervals of a table that has keys, start and end in this order."""
    return Intervals(table, table.column_names[:-2])


def _of_whole(table: pa.Table) -> Intervals:
    """Return the intervals of a table of maximal ones."""
    whole = Intervals.__new__(Intervals)
    whole._table = table
    return whole


# ---------------------------------------------------------------- columns


def _as_table(data: Any) -> pa.Table:
    if isinstance(data, Intervals):
        return data.table
    if isinstance(data, pa.Table | pa.RecordBatch):
        return pa.table(data)
    if isinstance(data, Mapping):
        return pa.table(dict(data))
    if isinstance(data, Sequence) and not isinstance(data, str):
        return pa.Table.from_pylist(list(data))
    try:
        return pa.table(data)  # a frame that Arrow knows
    except (TypeError, ValueError, pa.ArrowException):
        pass
    try:
        return pa.Table.from_pandas(data, preserve_index=False)
    except (AttributeError, TypeError, ValueError, pa.ArrowException):
        raise HoldsforError(f"intervals cannot be made of {type(data).__name__}: give a table.") from None


def _times(table: pa.Table, start: str, end: str) -> tuple[pa.Array, pa.Array]:
    """Return the columns of times, of one type."""
    starts, ends = (table[name].combine_chunks() for name in (start, end))
    kind = starts.type if not pa.types.is_null(starts.type) else pa.int64()
    kind = pa.timestamp("s") if pa.types.is_date(kind) else kind
    kind = pa.int64() if pa.types.is_integer(kind) else kind
    if kind != pa.int64() and not pa.types.is_timestamp(kind):
        raise HoldsforError(f"the column {start!r} is {kind}: times are whole numbers or timestamps.")
    try:
        starts, ends = starts.cast(kind), ends.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise HoldsforError(f"the column {end!r} is {ends.type}, and {start!r} is {kind}: give both alike.") from None
    if starts.null_count:
        raise HoldsforError(f"row {_first(starts.is_null())} has no {start!r}.")
    backwards = pc.fill_null(pc.less(ends, starts), False)
    if pc.any(backwards, min_count=0).as_py():
        raise HoldsforError(f"row {_first(backwards)} ends before it starts.")
    return starts, ends


def _first(marks: pa.BooleanArray) -> int:
    return int(np.flatnonzero(marks.to_numpy(zero_copy_only=False))[0]) + 1


def _whole_numbers(column: pa.ChunkedArray) -> Ints:
    numbers: Ints = column.cast(pa.int64()).to_numpy()
    return numbers


def _lengths(table: pa.Table) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return how long intervals are, 0 for open ones, and which are open."""
    is_open = table[_END].is_null().to_numpy()
    start = _whole_numbers(table[_START])
    end = _whole_numbers(pc.coalesce(table[_END], table[_START]))
    return end - start, is_open


def _number_rows(table: pa.Table, names: Sequence[str]) -> tuple[Ints, Ints]:
    """Number rows by their key, in the order in which keys first appear, and return the first row of each."""
    codes = np.zeros(len(table), np.int64)
    for name in names:
        column = table[name].combine_chunks()
        if pa.types.is_nested(column.type):
            column = pa.array([_BETWEEN.join(map(str, each or ())) for each in column.to_pylist()], pa.string())
        encoded = column.dictionary_encode(null_encoding="encode")
        indices = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        codes = np.unique(codes * max(len(encoded.dictionary), 1) + indices, return_inverse=True)[1]
    first = np.full(int(codes.max(initial=-1)) + 1, len(codes), np.int64)
    np.minimum.at(first, codes, np.arange(len(codes)))
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[codes], np.sort(first)


# ---------------------------------------------------------------- the axis


class _Axis(NamedTuple):
    """Tables as one sorted line of integers: the number of a key, then the time in steps from the first one."""

    tables: list[pa.Table]
    codes: list[Ints]
    keys: dict[str, pa.ChunkedArray]  # one row for each number
    origin: int
    step: int
    bits: int

    @staticmethod
    def of(tables: list[pa.Table]) -> _Axis:
        names = tables[0].column_names[:-2]
        rows = pa.concat_tables(tables, promote_options="none")
        codes, first = _number_rows(rows, names)
        times = np.concatenate([_whole_numbers(rows[_START]), _whole_numbers(rows[_END].drop_null())])
        times = times if len(times) else np.zeros(1, np.int64)
        origin, last = int(times.min()), int(times.max())
        step = max(int(np.gcd.reduce(times - origin)), 1)
        bits = ((last - origin) // step + 1).bit_length()
        if bits + len(first).bit_length() > _BITS or last - origin >= 1 << _BITS:
            raise HoldsforError("the times are too fine for so many keys: cast them to a coarser unit, such as ms.")
        cuts = np.cumsum([len(table) for table in tables])[:-1]
        keys = {name: rows[name].take(pa.array(first)) for name in names}
        return _Axis(tables, np.split(codes, cuts), keys, origin, step, bits)

    def pack(self, number: int) -> tuple[Ints, Ints]:
        """Return the starts and ends of a table's intervals; an open one ends with its key."""
        table, codes = self.tables[number], self.codes[number] << self.bits
        start = (_whole_numbers(table[_START]) - self.origin) // self.step
        is_open = table[_END].is_null().to_numpy()
        end = (_whole_numbers(pc.coalesce(table[_END], table[_START])) - self.origin) // self.step
        return codes | start, codes | np.where(is_open, (1 << self.bits) - 1, end)

    def unpack(self, starts: Ints, ends: Ints) -> pa.Table:
        """Return intervals as a table."""
        mask = (1 << self.bits) - 1
        kind = self.tables[0].schema.field(_START).type
        start = pa.array((starts & mask) * self.step + self.origin).cast(kind)
        last = ends & mask
        end = pa.array(last * self.step + self.origin, mask=last == mask).cast(kind)
        rows = pa.array(starts >> self.bits)
        keys = {name: column.take(rows) for name, column in self.keys.items()}
        return pa.table({**keys, _START: start, _END: end})


def _sorted(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    if (starts[1:] >= starts[:-1]).all():
        return starts, ends
    order = np.argsort(starts, kind="stable")
    return starts[order], ends[order]
