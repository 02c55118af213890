"""Rows of a group that are used, and reasons why the others are not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import Mask, mask
from holdsfor.io.columns.utf8 import escape_text
from holdsfor.io.events import MOST_TIME, OPEN, OUT_OF_RANGE, REJECTS_SCHEMA, Block, Events, Ints

#: Characters of a row that the table of rejects keeps at most.
SHOWN = 1000

_DROPPED = -1
_DECIMAL_COMMA = r"^'?[+-]?[0-9]+,[0-9]+'?$"  # as a field, or as a term
_PIECE = 1 << 18  # strings that are taken at once
Readable = tuple[Ints, Mask]  # times, and which of them could be read


class Sieve:
    """Collects what is wrong with rows; the first reason found for a row is the one reported."""

    def __init__(self, rows: Ints) -> None:
        self.rows = rows
        self.reasons: list[str] = []
        self._code = np.zeros(len(rows), np.int16)
        self._notes: dict[str, Mask] = {}

    def refuse(self, bad: Mask, reason: str) -> None:
        if bad.any():
            self.reasons.append(reason)
            self._code[bad & (self._code == 0)] = len(self.reasons)

    def refuse_numbers(self, bad: Mask, texts: pa.DictionaryArray, what: str) -> None:
        """Refuse texts that should be numbers and are none."""
        if bad.any():
            commas = mask(pc.match_substring_regex(texts.dictionary, _DECIMAL_COMMA))
            codes = pc.fill_null(texts.indices, 0).to_numpy()
            self.refuse(bad & commas[codes], f"bad number: {what} has a decimal comma; write a point")
            self.refuse(bad, f"bad number: {what} is not a number")

    def drop(self, idle: Mask) -> None:
        """Leave out rows that are right and mean nothing."""
        if idle.any():
            self._code[idle & (self._code == 0)] = _DROPPED

    def note(self, name: str, rows: Mask | None) -> None:
        """Mark rows that are used, and that are counted under a name."""
        if rows is not None and rows.any():
            self._notes[name] = self._notes[name] | rows if name in self._notes else rows

    @property
    def counts(self) -> dict[str, int]:
        """Count the rows that are used and marked, by name."""
        return {name: int((rows & self.keep).sum()) for name, rows in self._notes.items()}

    @property
    def keep(self) -> Mask:
        is_kept: Mask = self._code == 0
        return is_kept

    @property
    def is_refused(self) -> Mask:
        refused: Mask = self._code > 0
        return refused

    def refused(self) -> tuple[Ints, pa.Array]:
        """Return the refused rows and the reason of each."""
        bad = np.flatnonzero(self.is_refused)
        return self.rows[bad], pa.array(self.reasons, pa.string()).take(pa.array(self._code[bad] - 1))

    def block(self, block: Block) -> Block | None:
        """Return the block without the rows that are not used; None if nothing is left."""
        check_range(self, block)
        keep = self.keep
        if not keep.any():
            return None
        return block.filter(keep)


def time_blocks(times: Readable, arrivals: Readable | None, ends: Readable | None = None) -> tuple[Block, ...]:
    """Return when rows happened and arrived of which nothing else is read, where both can be read.

    A row that does not tell its arrival (OPEN) arrives when it is over; one whose end cannot be read counts as open.
    """
    start, good = times
    good = good & ~_far(start)
    if arrivals is not None:
        good &= arrivals[1] & (~_far(arrivals[0]) | (arrivals[0] == OPEN))
    if not good.any():
        return ()
    start, end = start[good], None
    if ends is not None:
        last, is_right = ends[0][good], ends[1][good]
        end = np.where(is_right & (last > start) & ~_far(last), last, OPEN)
    arrival = default_arrival(start, end)
    if arrivals is not None:
        own = arrivals[0][good]
        arrival = np.where(own == OPEN, arrival, own)
    return (Block("", "event" if end is None else "interval", (), None, start, end, arrival),)


def out_of_range(what: str) -> str:
    return f"{what} is out of range: more than 2^61 ticks from 0. Is it in the right unit?"


def check_range(sieve: Sieve, block: Block) -> None:
    """Refuse times that are so far off that sums of them would not fit in 64 bits."""
    _check_interval_range(sieve, block.start, block.end)
    if block.arrival is not block.start:
        sieve.refuse(_far(block.arrival), out_of_range("arrival"))
    if block.onset is not None:
        sieve.refuse(_far(block.onset), out_of_range("start"))


def _check_interval_range(sieve: Sieve, start: Ints, end: Ints | None) -> None:
    sieve.refuse(_far(start), out_of_range("time"))
    if end is not None:
        sieve.refuse(_far(end) & (end != OPEN), out_of_range("end"))


def _far(times: Ints) -> Mask:
    if not len(times) or (times.min() >= -MOST_TIME and times.max() <= MOST_TIME):
        return np.zeros(len(times), np.bool_)
    return (times < -MOST_TIME) | (times > MOST_TIME)


def check_interval(sieve: Sieve, start: Ints, end: Ints) -> None:
    """Refuse what ends before it starts; an empty interval is legal and means nothing."""
    _check_interval_range(sieve, start, end)
    sieve.refuse(end < start, "end before start")
    sieve.drop(end == start)


def closed(end: Ints) -> Ints:
    """Return ends that were numbers: no number means an open end."""
    return np.where(end == OPEN, OUT_OF_RANGE, end)


def default_arrival(start: Ints, end: Ints | None) -> Ints:
    """Return arrivals of rows without one: when they are over, or, if they are not yet, when they begin."""
    return start if end is None else np.where(end == OPEN, start, end)


def constant_text(text: str, length: int) -> pa.Array:
    indices = pa.array(np.zeros(length, np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array([text], pa.string()))


def rejects_table(source: str, rows: Ints, text: pa.Array | pa.ChunkedArray, reasons: pa.Array) -> pa.Table:
    """Make a table of rejected rows of one source, in its order."""
    order = np.argsort(rows, kind="stable")
    shown = text if isinstance(text, pa.ChunkedArray) else shorten(text.cast(pa.string()))
    columns = [
        pa.repeat(pa.scalar(escape_text(source), pa.string()), len(rows)),
        pa.array(rows[order], pa.int64()),
        take_text(shown, order),
        reasons.take(pa.array(order)),
    ]
    return pa.Table.from_arrays(columns, schema=REJECTS_SCHEMA)


def take_text(text: pa.Array | pa.ChunkedArray, rows: Ints, use: Mask | None = None) -> pa.ChunkedArray:
    """Take strings, null where not `use`; piece by piece, for Arrow counts bytes with 32 bits."""
    chunked = text if isinstance(text, pa.ChunkedArray) else pa.chunked_array([text])
    unused = np.zeros(len(rows), np.bool_) if use is None else ~use
    pieces = [slice(first, first + _PIECE) for first in range(0, len(rows), _PIECE)]
    taken = [chunked.take(pa.array(rows[piece], mask=unused[piece])) for piece in pieces]
    return pa.chunked_array([chunk for piece in taken for chunk in piece.chunks], pa.string())


def shorten(text: pa.Array, most: int = SHOWN) -> pa.Array:
    """Cut strings to so many characters; what is longer ends with a mark."""
    long = pc.fill_null(pc.greater(pc.binary_length(text), most), False)  # bytes: there are no fewer than characters
    if not pc.any(long, min_count=0).as_py():
        return text
    some = text.filter(long)
    cut = pc.binary_join_element_wise(pc.utf8_slice_codeunits(some, 0, most - 1), "\u2026", "")
    fits = pc.less_equal(pc.utf8_length(some), most)
    return pc.replace_with_mask(text, long, pc.if_else(fits, some, cut))


def unreadable(source: str, reason: str) -> Events:
    """Return one reject, as a row before the first, for a source that cannot be read at all."""
    columns = [[escape_text(source)], [0], [""], [escape_text(reason)]]
    return Events((), pa.table(columns, schema=REJECTS_SCHEMA), 1, 0)


def ops(retracts: Mask) -> npt.NDArray[np.int8] | None:
    """Return 1 and -1, or None if all rows are inserts."""
    return np.where(retracts, -1, 1).astype(np.int8) if retracts.any() else None
