"""Columns of times as ticks."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.events import MOST_TIME, OPEN, OUT_OF_RANGE, Ints
from holdsfor.io.readers.mapping import UNITS
from holdsfor.io.readers.sieve import closed
from holdsfor.io.strings import TextColumn
from holdsfor.io.taking import lend_numbers
from holdsfor.io.text import Mask, cast_to, integers, mask
from holdsfor.kernels.numerals import INTEGER

_PIECE = 1 << 16  # one bad time stamp slows down only its own piece


def times(column: pa.Array | TextColumn, unit: str, name: str, zone: str | None = None) -> tuple[Ints, Mask, Mask]:
    """Ticks, which rows have a right time, and which have none at all (null).

    Integers are ticks. Dates and time stamps, typed or as ISO 8601 text, count in `unit` from 1970. They are of the
    zone, or UTC, unless they say otherwise.
    """
    if isinstance(column, TextColumn):
        if column.kind == INTEGER:
            ticks, good = column.integers()
            return ticks, good, ~good
        column = column.array()
    if pa.types.is_dictionary(column.type):
        ticks, good, missing = times(column.dictionary, unit, name, zone)
        at = pc.fill_null(column.indices, len(ticks)).to_numpy(zero_copy_only=False)
        return np.append(ticks, 0)[at], np.append(good, False)[at], np.append(missing, True)[at]
    kind = column.type
    may_lack = column.null_count or pa.types.is_floating(kind)
    missing = mask(column.is_null(nan_is_null=True)) if may_lack else np.zeros(len(column), np.bool_)
    if pa.types.is_integer(kind):
        ticks, good = _whole(column)
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        ticks, good = _integral(column)
    elif pa.types.is_temporal(kind):
        ticks, good = _dated(in_zone(column, zone), unit), np.ones(len(column), np.bool_)
    elif pa.types.is_string(kind):
        missing |= mask(pc.equal(column, ""))
        ticks, good = _written(column, unit, zone)
    elif pa.types.is_null(kind):
        ticks, good = np.zeros(len(column), np.int64), ~missing
    else:
        raise HoldsforError(f"column {name!r} of type {kind} cannot be a time. Use integers, dates or ISO 8601 text.")
    return ticks, good & ~missing, missing


def ends(column: pa.Array, unit: str, name: str, zone: str | None = None) -> tuple[Ints, Mask]:
    """Ends of intervals, and which are right; null and inf are open."""
    still = mask(column.is_null(nan_is_null=True))
    if pa.types.is_floating(column.type):
        still |= mask(pc.equal(column, float("inf")))
    elif pa.types.is_string(column.type) or pa.types.is_dictionary(column.type):
        still |= mask(pc.is_in(column.cast(pa.string()), pa.array(["inf", ""])))
    ticks, good, _ = times(column, unit, name, zone)
    return np.where(still, OPEN, closed(ticks)), good | still


def has_time_stamps(column: pa.Array) -> bool:
    """Whether a column of times has time stamps or dates, typed or as text; judged by its first time."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary
    if not pa.types.is_string(column.type):
        return bool(pa.types.is_temporal(column.type))
    present = column.drop_null()
    return len(present) > 0 and is_time_stamp(present[0].as_py())


def is_time_stamp(text: str) -> bool:
    """Whether a time is no number of ticks."""
    return "-" in text[1:]


def in_zone(column: pa.Array, zone: str | None) -> pa.Array:
    """Time stamps that name no zone, as those of one. Of an hour that comes twice the first is meant; a time that a
    clock skips is the moment after."""
    kind = column.type
    if zone is None or (pa.types.is_timestamp(kind) and kind.tz is not None):
        return column
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s" if pa.types.is_date32(kind) else "ms"))
    return pc.assume_timezone(column, zone, ambiguous="earliest", nonexistent="latest")


def ticks_of_dates(column: pa.Array, unit: str, zone: str | None = None) -> pa.Array:
    """Dates in an argument column, as the integers that times are; null where they are out of range."""
    ticks = _dated(in_zone(column, zone), unit)
    return pa.array(ticks, mask=mask(column.is_null()) | (ticks == OUT_OF_RANGE))


def _whole(column: pa.Array) -> tuple[Ints, Mask]:
    if pa.types.is_uint64(column.type):
        column = pc.if_else(pc.less(column, pa.scalar(OPEN, pa.uint64())), column, pa.scalar(OUT_OF_RANGE, pa.uint64()))
    whole = pc.fill_null(column, 0) if column.null_count else column
    return np.asarray(lend_numbers(cast_to(whole, pa.int64())), np.int64), np.ones(len(column), np.bool_)


def _integral(column: pa.Array) -> tuple[Ints, Mask]:
    """pandas turns integers with a null among them into floats, so 30.0 is 30 here; 30.5 is no time."""
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


def _written(column: pa.Array, unit: str, zone: str | None) -> tuple[Ints, Mask]:
    ticks, good = integers(column)
    rest = np.flatnonzero(~good & mask(column.is_valid()))
    for start in range(0, len(rest), _PIECE):
        rows = rest[start : start + _PIECE]
        ticks = ticks if ticks.flags.writeable else ticks.copy()
        ticks[rows], good[rows] = _iso(column.take(pa.array(rows)), unit, zone)
    return ticks, good


def _iso(texts: pa.Array, unit: str, zone: str | None) -> tuple[Ints, Mask]:
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return _dated(in_zone(texts.cast(kind), zone), unit), np.ones(len(texts), np.bool_)
        except pa.ArrowInvalid:
            continue
    encoded = texts.dictionary_encode()
    stamps = [_stamp(text) for text in encoded.dictionary.to_pylist()]
    with_zone = pa.array([stamp if stamp and stamp.tzinfo else None for stamp in stamps], pa.timestamp("us", "UTC"))
    without = pa.array([None if stamp and stamp.tzinfo else stamp for stamp in stamps], pa.timestamp("us"))
    ticks = _dated(pc.coalesce(with_zone, in_zone(without, zone or "UTC").cast(with_zone.type)), unit)
    at = encoded.indices.to_numpy()
    return ticks[at], np.array([stamp is not None for stamp in stamps], np.bool_)[at]


def _stamp(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _numpy(column: pa.Array) -> Ints:
    values: npt.NDArray[np.int64] = column.to_numpy(zero_copy_only=False)
    return values
