"""Choice of the rows of a page: all, or where they are too many, some of each kind, with notes on the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

EVERYBODY = "(all)"  # the lane of what has no arguments


class Kind(NamedTuple):
    """A kind of rows. In this order: fluents, events, and then what the rules read, likewise."""

    is_input: bool
    is_event: bool
    name: str


@dataclass(slots=True)
class LaneRow:
    kind: Kind
    args: list[str]
    value: str | None
    start: int
    end: int | None


def count_names(intervals: pa.Table) -> list[tuple[str, int]]:
    """Count the intervals of each fluent."""
    return [(row["values"], row["counts"]) for row in intervals["fluent"].value_counts().to_pylist()]


def thin_out(rows: list[LaneRow], limit: int) -> list[LaneRow]:
    """Take the same share of each kind, and at least one row: some here and there, always the same ones."""
    if len(rows) <= limit:
        return rows
    by_kind: dict[Kind, list[LaneRow]] = {}
    for row in rows:
        by_kind.setdefault(row.kind, []).append(row)
    chance = Random(0)  # every third row might be every row of some entities
    return [row for same in by_kind.values() for row in chance.sample(same, max(1, len(same) * limit // len(rows)))]


def name_missing(rows: list[LaneRow], totals: Counter[Kind]) -> Iterator[str]:
    """Note what is not shown at all, and where the rest is."""
    shown = Counter(row.kind for row in rows)
    missing = sorted({kind.name for kind in totals if kind not in shown})
    if missing:
        yield f"Nothing is shown of {', '.join(missing)}."
    if shown.total() < totals.total():
        yield "The tables have them all."


def _first_args(table: pa.Table) -> pa.DictionaryArray:
    """Return the first argument of each row; `EVERYBODY` where there is none."""
    args = table["args"].combine_chunks()
    if isinstance(args, pa.ChunkedArray):
        args = pa.concat_arrays(args.chunks) if args.num_chunks else pa.array([], args.type)
    lengths = pc.list_value_length(args).to_numpy(zero_copy_only=False).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    indices = pa.array(starts, mask=lengths == 0)
    return args.flatten().take(indices).fill_null(EVERYBODY).dictionary_encode()


def take_busiest(intervals: pa.Table, limit: int) -> tuple[pa.Table, frozenset[str] | None, int]:
    """Take the rows of the busiest entities, as many as fit.

    Return also these entities (None: all), and how many there were.
    """
    if intervals.num_rows <= limit:
        return intervals, None, 0
    first = _first_args(intervals)
    codes = first.indices.to_numpy(zero_copy_only=False)
    counts = np.bincount(codes)
    ranked: npt.NDArray[np.int64] = np.argsort(-counts, kind="stable")
    room = max(1, int(np.searchsorted(np.cumsum(counts[ranked]), limit, "right")))
    chosen = ranked[:room]
    rows = np.flatnonzero(np.isin(codes, chosen))[:limit]
    return intervals.take(pa.array(rows)), frozenset(first.dictionary.take(pa.array(chosen)).to_pylist()), len(counts)
