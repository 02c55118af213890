"""Windows: the query times, and which rows count under them.

A row that happened at t and arrived at a is first seen at the first query time Q >= a, and counts if t > Q - window.
By the law of windows nothing else about windows matters for the history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.duration import GivenTimes, ticks_at, ticks_of
from holdsfor.engine.input.fence import EVERYTHING, Fence, fence_for, span_of
from holdsfor.engine.output.argument_types import arguments
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import as_text, plain_text
from holdsfor.io.events import MOST_TIME, OPEN, Block
from holdsfor.kernels.rows.moving import are_in_time, value_span
from holdsfor.language.description import AS_INPUT, ENDINGS

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The end of a history that goes on.
NEVER = 1 << 62

LATE_SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("args", pa.list_(pa.string())),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("arrival", pa.int64()),
        ("query_time", pa.int64()),
        ("late_by", pa.int64()),
    ]
)


@cache
def nothing_late() -> pa.Table:
    """Made at first use: Arrow looks for pandas at its first table, which the command line does without."""
    return LATE_SCHEMA.empty_table()


@dataclass(frozen=True, slots=True)
class Windows:
    """Query times start+step, start+2*step, ..., the last one being the first at or after end."""

    window: int
    step: int
    start: int
    end: int
    tick: int = 1
    fence: Fence = EVERYTHING

    @property
    def last(self) -> int:
        return self.start + max(1, -(-(self.end - self.start) // self.step)) * self.step

    @property
    def grid_start(self) -> int:
        """The last tick at or before the start: as if the history began there, without rows up to the start."""
        return self.start - self.start % self.tick

    @property
    def first(self) -> int:
        """The first point of the history."""
        return self.grid_start + self.tick

    def query_times(self) -> range:
        return range(self.start + self.step, self.last + 1, self.step)

    def first_seen(self, arrival: Ints) -> Ints:
        """The first query time at which a row that arrived then is there."""
        if arrival.size:
            first, last = map(self.first_seen_of, value_span(arrival))
            if first == last:  # as in a stream: from query time to query time
                return np.full(arrival.shape, first)
        steps = np.maximum(-((self.start - arrival) // self.step), 1)
        return self.start + steps * self.step

    def first_seen_of(self, arrival: int) -> int:
        return self.start + max(-((self.start - arrival) // self.step), 1) * self.step

    def following(self, time: Ints) -> Ints:
        return time + self.tick - time % self.tick


def find_windows(
    blocks: Sequence[Block],
    window: int | None,
    step: int | None,
    start: int | None,
    end: int | None,
    tick: int,
    fence: Fence | None = None,
) -> Windows:
    """The windows asked for; what is not given is taken from the stream."""
    return find_windows_over(lambda fence: span_of(blocks, fence) or (1, 1), window, step, start, end, tick, fence)


def find_windows_over(
    span: Callable[[Fence], tuple[int, int]] | None,
    window: int | None,
    step: int | None,
    start: int | None,
    end: int | None,
    tick: int,
    fence: Fence | None = None,
) -> Windows:
    """The windows asked for; `span` finds the first and last time of the stream, and is asked only if it must be."""
    window, step, start, end, tick = check_ticks(GivenTimes(window, step, start, end, tick))
    fence = fence_for(window) if fence is None else fence
    if start is None or end is None:
        assert span is not None
        low, high = span(fence)
        start = (low - 1) // tick * tick if start is None else start
        end = max(high, start + 1) if end is None else end
    if end < start:
        raise HoldsforError(f"the end ({end}) is before the start ({start})")
    step = step or window or max(end - start, 1)
    window = window or min(max(step, end - start + step), 2 * MOST_TIME)
    return Windows(window, step, start, end, tick, fence)


class Ticks(NamedTuple):
    """The times that a user gives, as plain integers; None where one is not given."""

    window: int | None
    step: int | None
    start: int | None
    end: int | None
    tick: int


def check_ticks(times: GivenTimes, unit: str = "s") -> Ticks:
    """Count times that a user gives in ticks of a unit; refuse those that cannot be used."""
    optional = {"window": times.window, "step": times.step, "start": times.start, "end": times.end}
    ticks = {name: None if amount is None else _ticks(name, amount, unit) for name, amount in optional.items()}
    sample_every = _ticks("sample_every", times.sample_every, unit)
    for name, amount in (*ticks.items(), ("sample_every", sample_every)):
        if name not in ("start", "end") and amount is not None and amount <= 0:
            raise HoldsforError(f"the {name} must be above 0, not {amount}")
    return Ticks(ticks["window"], ticks["step"], ticks["start"], ticks["end"], sample_every)


def _ticks(name: str, amount: object, unit: str) -> int:
    return check_range(name, (ticks_at if name in ("start", "end") else ticks_of)(name, amount, unit))


def check_range(name: str, ticks: int) -> int:
    """Return the time that a user gives, if it is not too far off. name: of the parameter, for the message."""
    if abs(ticks) > MOST_TIME:
        raise HoldsforError(f"the {name} ({ticks}) is out of range: times are at most 2^61 ticks from 0")
    return ticks


@dataclass(frozen=True, slots=True)
class Counted:
    """The rows of a block that count (retractions too), and those that came too late.

    outside: how many are not of the history at all: before its start or after its end.
    """

    block: Block
    late: pa.Table
    outside: int


def counted(block: Block, windows: Windows, fired: int | None = None) -> Counted:
    """fired: the last query time that is over; what comes only now has not arrived before it, whatever it says."""
    told = block.arrival
    if fired is None and _all_count(block, windows):
        return Counted(block, nothing_late(), 0)
    if fired is not None:
        block = replace(block, arrival=np.maximum(told, fired + 1))
    seen = windows.first_seen(block.arrival)
    edge = seen - windows.window
    read = (told <= windows.end) & (block.start <= windows.end)
    if block.end is None:
        within = read & (block.start > windows.start)
        in_time = block.start > edge
    else:
        within = read & (block.end > _inside(block.start, windows))
        in_time = block.end > counts_from(block.start, seen, windows)
        if is_ending(block) and block.op is not None:
            in_time &= (block.op > 0) | (block.start > edge)  # what it ended before may be forgotten
    chosen = within & in_time
    outside = len(block) - int(np.count_nonzero(within))
    if chosen.all():
        return Counted(block, nothing_late(), outside)
    late_by = edge - block.start + 1 if block.end is None else edge - block.end + 2
    late = _late(replace(block, arrival=told), within & ~in_time, seen, late_by)
    return Counted(block.filter(chosen), late, outside)


def is_ending(block: Block) -> bool:
    """Whether rows say from when on facts are not valid any more."""
    return block.name.rpartition(" ")[2] in ENDINGS and " " in block.name


def _all_count(block: Block, windows: Windows) -> bool:
    """Whether all rows lie in the history and came in time: the usual case, told without making more columns."""
    if not len(block):
        return False
    if block.end is None:
        times = np.require(block.start, np.int64, ["C", "W"])
        arrivals = times if block.arrival is block.start else np.require(block.arrival, np.int64, ["C", "W"])
        return are_in_time(times, arrivals, windows.start, windows.end, windows.window, windows.step)
    query_time = min(windows.start + windows.step, windows.end)
    first, last = value_span(block.start)
    inside = first > max(windows.start, windows.start + windows.step - windows.window) and last <= windows.end
    in_time = inside and int(block.arrival.max()) <= query_time
    return in_time and (block.end is None or bool((block.end > block.start).all()))


def counts_from(start: Ints, seen: Ints, windows: Windows) -> Ints:
    """Return from when on durative rows count: not before the history, nor before the window that sees them first."""
    edge = seen - windows.window
    within, in_window = _inside(start, windows), start > edge
    return within if in_window.all() else np.where(in_window, within, np.maximum(within, windows.following(edge)))


def _begins_in_window(block: Block, windows: Windows) -> bool:
    """Whether the words are about all of each row: the usual case, told by the span of times."""
    if not len(block):
        return True
    first, _, _, arrival = block.span()
    return first > max(windows.start, windows.first_seen_of(arrival) - windows.window)


def _inside(start: Ints, windows: Windows) -> Ints:
    inside = start > windows.start
    return start if inside.all() else np.where(inside, start, windows.first)


def standing(block: Block, windows: Windows) -> Block:
    """Return the rows that retractions leave: at each point the last word on a row counts.

    A word on a durative row that began before the window in which it is first seen is about the window only.
    """
    if block.op is None and (block.end is None or _begins_in_window(block, windows)):
        return block
    begun = block.start if block.end is None else counts_from(block.start, windows.first_seen(block.arrival), windows)
    if block.op is None or (block.op > 0).all():
        return replace(block, start=begun, op=None)
    earlier, later = find_followed(block)
    keep = block.op > 0
    if block.end is None:
        keep[earlier] = False
        return replace(block.filter(keep), op=None)
    end = block.end.copy()
    end[earlier] = np.minimum(end[earlier], begun[later])
    return replace(replace(block, start=begun, end=end).filter(keep & (begun < end)), op=None)


def find_followed(block: Block) -> tuple[Ints, Ints]:
    """Find superseded messages: the index of each, and of the next one about the same row."""
    columns = [encode_column(column) for column in (*block.args, *([block.value] if block.value is not None else []))]
    columns += [times for times in (block.start, block.end, block.onset) if times is not None]
    columns += [] if block.op is None else [np.abs(block.op)]  # who speaks: see `Words`
    order = np.lexsort([block.arrival, *columns])
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        sorted_column = column[order]
        same &= sorted_column[1:] == sorted_column[:-1]
    followed = np.flatnonzero(same)
    return order[followed], order[followed + 1]


def encode_column(column: pa.Array) -> Ints:
    """Return a code for each row, the same for equal terms."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)


def _late(block: Block, mask: Mask, seen: Ints, by: Ints) -> pa.Table:
    if not mask.any():
        return nothing_late()
    rows = block.filter(mask)
    end = rows.start if rows.end is None else rows.end
    texts = [_texts(arg) for arg in rows.args]
    is_fact = rows.value is not None and pa.types.is_integer(rows.value.type)  # which has its beginning as its value
    value = pa.nulls(len(rows), pa.string()) if rows.value is None or is_fact else _texts(rows.value)
    columns = [
        pa.array([_written_name(rows)] * len(rows), pa.string()),
        arguments(texts, len(rows)),
        value,
        pa.array(rows.start),
        pa.array(end, mask=end == OPEN),
        pa.array(rows.arrival),
        pa.array(seen[mask]),
        pa.array(by[mask]),
    ]
    return pa.table(columns, schema=LATE_SCHEMA)


def _written_name(block: Block) -> str:
    """Return the name that rows came with."""
    name = block.name.rpartition(" ")[0]
    return name if is_ending(block) else block.name.removesuffix(f" {AS_INPUT}")


def _texts(column: pa.Array) -> pa.Array:
    return plain_text(as_text(column).cast(pa.string()))  # 7.0 is not 7
