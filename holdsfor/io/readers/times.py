"""Columns of times as ticks."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.strings import TextColumn
from holdsfor.io.columns.taking import lend_numbers
from holdsfor.io.columns.text import Mask, cast_to, integers, mask
from holdsfor.io.events import MOST_TIME, OPEN, OUT_OF_RANGE, Ints
from holdsfor.io.readers.mapping import UNITS
from holdsfor.io.readers.sieve import closed
from holdsfor.kernels.text.numerals import INTEGER

_PIECE = 1 << 16  # one bad time stamp slows down only its own piece


class ReadTimes(NamedTuple):
    """Ticks, which rows have a right time, which have none at all (null), and which have parts of a tick that are cut.

    cut: None if none have. skipped: rows with a time that the clock of their zone skips; None if there are none.
    """

    ticks: Ints
    good: Mask
    missing: Mask
    cut: Mask | None = None
    skipped: Mask | None = None

    def at(self, rows: npt.NDArray[np.signedinteger]) -> ReadTimes:
        """Return the times at some places; after the last one there is none."""
        cut, skipped = (None if mark is None else np.append(mark, False)[rows] for mark in (self.cut, self.skipped))
        good, missing = np.append(self.good, False)[rows], np.append(self.missing, True)[rows]
        return ReadTimes(np.append(self.ticks, 0)[rows], good, missing, cut, skipped)


def times(column: pa.Array | TextColumn, unit: str, name: str, zone: str | None = None) -> ReadTimes:
    """Read a column of times.

    Integers are ticks. Dates and time stamps, typed or as ISO 8601 text, count in `unit` from 1970. They are of the
    zone, or UTC, unless they say otherwise.
    """
    if isinstance(column, TextColumn):
        if column.kind == INTEGER:
            ticks, good = column.integers()
            return ReadTimes(ticks, good, ~good)
        column = column.array()
    if pa.types.is_dictionary(column.type):
        words = times(column.dictionary, unit, name, zone)
        return words.at(pc.fill_null(column.indices, len(words.ticks)).to_numpy(zero_copy_only=False))
    kind = column.type
    may_lack = column.null_count or pa.types.is_floating(kind)
    missing = mask(column.is_null(nan_is_null=True)) if may_lack else np.zeros(len(column), np.bool_)
    cut = skipped = None
    if pa.types.is_integer(kind):
        ticks, good = _whole(column)
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        ticks, good = _integral(column)
    elif pa.types.is_temporal(kind):
        ticks, good, cut, skipped = _stamped(column, unit, zone)
    elif pa.types.is_string(kind):
        missing |= mask(pc.equal(column, ""))
        ticks, good, cut, skipped = _written(column, unit, zone)
    elif pa.types.is_null(kind):
        ticks, good = np.zeros(len(column), np.int64), ~missing
    else:
        raise HoldsforError(f"column {name!r} of type {kind} cannot be a time. Use integers, dates or ISO 8601 text.")
    return ReadTimes(ticks, good & ~missing, missing, cut, skipped)


def ends(column: pa.Array, unit: str, name: str, zone: str | None = None) -> ReadTimes:
    """Read ends of intervals; null and inf are open."""
    still = mask(column.is_null(nan_is_null=True))
    if pa.types.is_floating(column.type):
        still |= mask(pc.equal(column, float("inf")))
    elif pa.types.is_string(column.type) or pa.types.is_dictionary(column.type):
        still |= mask(pc.is_in(column.cast(pa.string()), pa.array(["inf", ""])))
    read = times(column, unit, name, zone)
    return read._replace(ticks=np.where(still, OPEN, closed(read.ticks)), good=read.good | still)


def first_told(one: ReadTimes, other: ReadTimes) -> ReadTimes:
    """Return the times of one column, or of another where it has none."""
    lacks = one.missing
    marks = [
        None if mine is None and its is None else np.where(lacks, _marked(its, lacks), _marked(mine, lacks))
        for mine, its in ((one.cut, other.cut), (one.skipped, other.skipped))
    ]
    ticks, good = np.where(lacks, other.ticks, one.ticks), np.where(lacks, other.good, one.good)
    return ReadTimes(ticks, good, lacks & other.missing, *marks)


def _marked(marks: Mask | None, like: Mask) -> Mask:
    return np.zeros_like(like) if marks is None else marks


def has_time_stamps(column: pa.Array) -> bool:
    """Return whether a column of times has time stamps or dates, typed or as text; judged by its first time."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary
    if not pa.types.is_string(column.type):
        return bool(pa.types.is_temporal(column.type))
    present = column.drop_null()
    return len(present) > 0 and is_time_stamp(present[0].as_py())


def is_time_stamp(text: str) -> bool:
    """Return whether a time is no number of ticks."""
    return "-" in text[1:]


def in_zone(column: pa.Array, zone: str | None) -> pa.Array:
    """Place time stamps that name no zone in one. Of an hour that comes twice the first is meant; a time that the
    clock skips is the moment after, see `_skipped`."""
    kind = column.type
    if zone is None or (pa.types.is_timestamp(kind) and kind.tz is not None):
        return column
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s" if pa.types.is_date32(kind) else "ms"))
    return pc.assume_timezone(column, zone, ambiguous="earliest", nonexistent="latest")


def _skipped(column: pa.Array, zone: str | None) -> Mask | None:
    """Mark time stamps that the clock of a zone skips; None: none of them."""
    kind = column.type
    if zone is None or not pa.types.is_timestamp(kind) or kind.tz is not None:
        return None
    before = pc.assume_timezone(column, zone, ambiguous="earliest", nonexistent="earliest")
    skipped = mask(pc.not_equal(before, in_zone(column, zone)))
    return skipped if skipped.any() else None


def _stamped(column: pa.Array, unit: str, zone: str | None) -> tuple[Ints, Mask, Mask | None, Mask | None]:
    """Return ticks of dates and time stamps, and masks: right ones, cut ones, those that the clock skips."""
    placed, skipped = in_zone(column, zone), _skipped(column, zone)
    good = np.ones(len(column), np.bool_) if skipped is None else ~skipped
    return _dated(placed, unit), good, _cut(placed, unit), skipped


def _cut(column: pa.Array, unit: str) -> Mask | None:
    """Mark time stamps that have parts of a tick; None: none of them."""
    if not pa.types.is_timestamp(column.type) or UNITS[column.type.unit] >= UNITS[unit]:
        return None
    count = _numpy(pc.fill_null(column.cast(pa.int64()), 0))
    cut: Mask = count % (UNITS[unit] // UNITS[column.type.unit]) != 0
    return cut if cut.any() else None


def ticks_of_dates(column: pa.Array, unit: str, zone: str | None = None) -> pa.Array:
    """Turn dates in an argument column into the integers that times are; null if out of range."""
    ticks = _dated(in_zone(column, zone), unit)
    return pa.array(ticks, mask=mask(column.is_null()) | (ticks == OUT_OF_RANGE))


def _whole(column: pa.Array) -> tuple[Ints, Mask]:
    if pa.types.is_uint64(column.type):
        column = pc.if_else(pc.less(column, pa.scalar(OPEN, pa.uint64())), column, pa.scalar(OUT_OF_RANGE, pa.uint64()))
    whole = pc.fill_null(column, 0) if column.null_count else column
    return np.asarray(lend_numbers(cast_to(whole, pa.int64())), np.int64), np.ones(len(column), np.bool_)


def _integral(column: pa.Array) -> tuple[Ints, Mask]:
    """Read floats that are whole: pandas makes 30.0 of 30 if a null is among them; 30.5 is no time."""
    if pa.types.is_decimal(column.type):
        try:
            return _whole(column.cast(pa.int64()))
        except pa.ArrowInvalid:  # not all of them are whole, or fit
            pass
    floats = pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
    good: Mask = np.isfinite(floats) & (np.floor(floats) == floats)
    fits = good & (np.abs(floats) < 2.0**62)
    return np.where(good & ~fits, OUT_OF_RANGE, np.where(fits, floats, 0).astype(np.int64)), good


def _dated(column: pa.Array, unit: str) -> Ints:
    kind = column.type
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s" if pa.types.is_date32(kind) else "ms"))
    elif not pa.types.is_timestamp(kind):
        raise HoldsforError(f"a column of type {kind} cannot be a time. Use integers, time stamps or ISO 8601 text.")
    have = UNITS[column.type.unit]
    count = _numpy(pc.fill_null(column.cast(pa.int64()), 0))
    want = UNITS[unit]
    if have < want:
        return count // (want // have)
    factor = have // want
    return np.where(np.abs(count // 2) > MOST_TIME // factor, OUT_OF_RANGE, count * factor)


def _written(column: pa.Array, unit: str, zone: str | None) -> tuple[Ints, Mask, Mask | None, Mask | None]:
    ticks, good = integers(column)
    marks = np.zeros((2, len(column)), np.bool_)  # cut, skipped
    rest = np.flatnonzero(~good & mask(column.is_valid()))
    for start in range(0, len(rest), _PIECE):
        rows = rest[start : start + _PIECE]
        ticks = ticks if ticks.flags.writeable else ticks.copy()
        ticks[rows], good[rows], cut, skipped = _iso(column.take(pa.array(rows)), unit, zone)
        for mark, some in zip(marks, (cut, skipped), strict=True):
            mark[rows] = False if some is None else some
    cut, skipped = (mark if mark.any() else None for mark in marks)
    return ticks, good, cut, skipped


def _iso(texts: pa.Array, unit: str, zone: str | None) -> tuple[Ints, Mask, Mask | None, Mask | None]:
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return _stamped(texts.cast(kind), unit, zone)
        except pa.ArrowInvalid:
            continue
    encoded = texts.dictionary_encode()
    stamps = [_stamp(text) for text in encoded.dictionary.to_pylist()]
    with_zone = pa.array([stamp if stamp and stamp.tzinfo else None for stamp in stamps], pa.timestamp("us", "UTC"))
    without = pa.array([None if stamp and stamp.tzinfo else stamp for stamp in stamps], pa.timestamp("us"))
    placed = pc.coalesce(with_zone, in_zone(without, zone or "UTC").cast(with_zone.type))
    skipped, missing = _skipped(without, zone), np.array([stamp is None for stamp in stamps], np.bool_)
    good = ~missing if skipped is None else ~missing & ~skipped
    words = ReadTimes(_dated(placed, unit), good, missing, _cut(placed, unit), skipped).at(encoded.indices.to_numpy())
    return words.ticks, words.good, words.cut, words.skipped


def _stamp(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _numpy(column: pa.Array) -> Ints:
    values: npt.NDArray[np.int64] = column.to_numpy(zero_copy_only=False)
    return values
