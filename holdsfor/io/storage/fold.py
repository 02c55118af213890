"""Change logs, folded to the current table: the last word on an id counts, and what is withdrawn is not there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.kernels.kernel import Ints, Mask
from holdsfor.printable import count_text

ARGS = pa.list_(pa.string())
INTERVAL_LOG = pa.schema(
    [
        ("query_time", pa.int64()),
        ("op", pa.string()),  # insert, end, extend, shorten, withdraw
        ("id", pa.string()),
        ("fluent", pa.string()),
        ("args", ARGS),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),  # null: open
    ]
)
OCCURRENCE_LOG = pa.schema(
    [
        ("query_time", pa.int64()),
        ("op", pa.string()),  # insert, withdraw
        ("id", pa.string()),
        ("event", pa.string()),
        ("args", ARGS),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)
LOG_ONLY = ("query_time", "op", "id")


class Current(NamedTuple):
    """Intervals and occurrences as they are known, with the columns of `holdsfor.recognise`."""

    intervals: pa.Table
    occurrences: pa.Table

    def __repr__(self) -> str:
        counts = f"{count_text(len(self.intervals), 'interval')}, {count_text(len(self.occurrences), 'occurrence')}"
        return f"<Current: {counts}>"


class Changes(NamedTuple):
    """Logs of what changes: a row for each interval and each occurrence that does."""

    intervals: pa.Table
    occurrences: pa.Table

    def __repr__(self) -> str:
        return f"<Changes: {len(self.intervals):,} of intervals, {len(self.occurrences):,} of occurrences>"


def fold_intervals(log: pa.Table) -> pa.Table:
    """Return the current intervals: `fluent`, `args`, `value`, `start`, `end`, in the order of their last change."""
    return _current(log, INTERVAL_LOG)


def fold_occurrences(log: pa.Table) -> pa.Table:
    """Return the current occurrences: `event`, `args`, `start`, `end`."""
    return _current(log, OCCURRENCE_LOG)


def last_words(log: pa.Table) -> pa.Table:
    """Return the log without words that a later one on the same id has replaced: it folds to the same table.

    A withdrawal stays only if what it withdraws was inserted before this log begins, so that a part of a log can be
    shortened by itself and still be put after what came before it.
    """
    order = _in_order(log)
    codes = _codes(log["id"])[order]
    last = _last(codes)
    withdrawn = _is(log, "withdraw")[order]
    inserted_here = _is(log, "insert")[order][_first(codes)][codes]
    places = last[~(withdrawn & inserted_here)[last]]
    return log.take(pa.array(order[places]))


def _current(log: pa.Table, schema: pa.Schema) -> pa.Table:
    order = _in_order(log)
    last = order[_last(_codes(log["id"])[order])]
    places = last[~_is(log, "withdraw")[last]]
    return log.select([name for name in schema.names if name not in LOG_ONLY]).take(pa.array(places))


def _in_order(log: pa.Table) -> Ints:
    """Sort rows by query time; those of one query time stay as they stand."""
    times = log["query_time"].to_numpy()
    if (times[1:] >= times[:-1]).all():
        return np.arange(len(times))
    return np.argsort(times, kind="stable")


def _codes(ids: pa.ChunkedArray) -> Ints:
    """Return a dense number for each id."""
    encoded = ids.combine_chunks().dictionary_encode()
    return np.array(encoded.indices, dtype=np.int64)


def _last(codes: Ints) -> Ints:
    """Return the last places of the codes, in ascending order."""
    place = np.empty(codes.max(initial=-1) + 1, np.int64)
    place[codes] = np.arange(len(codes))  # of several assignments to one place NumPy keeps the last
    place.sort()
    return place


def _first(codes: Ints) -> Ints:
    """Return the first place of each code."""
    place = np.empty(codes.max(initial=-1) + 1, np.int64)
    place[codes[::-1]] = np.arange(len(codes))[::-1]
    return place


def _is(log: pa.Table, op: str) -> Mask:
    return np.asarray(pc.equal(log["op"], op).combine_chunks())
