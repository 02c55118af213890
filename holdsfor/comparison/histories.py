"""Tell how two histories of the same events differ: which intervals and occurrences appear, vanish, grow and shrink."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
_NEVER = np.iinfo(np.int64).max
_BETWEEN = "\x1f"

#: Columns of differences: what changed, of whom, and from when to when before and after (null: it was not there).
SCHEMA = pa.schema(
    [
        ("change", pa.string()),
        ("name", pa.string()),
        ("args", pa.list_(pa.string())),
        ("value", pa.string()),
        ("start_before", pa.int64()),
        ("end_before", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)
CHANGES = ("appear", "vanish", "grow", "shrink", "move")


@dataclass(frozen=True, slots=True)
class Spans:
    """Intervals or occurrences of both histories together. key: a number for each grounding with its value."""

    table: pa.Table
    key: Ints
    start: Ints
    end: Ints
    is_new: npt.NDArray[np.bool_]

    def take(self, rows: npt.NDArray[np.bool_] | Ints) -> Spans:
        indices = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Spans(
            self.table.take(indices), self.key[indices], self.start[indices], self.end[indices], self.is_new[indices]
        )


def compare_histories(old_history: pa.Table, new_history: pa.Table) -> pa.Table:
    """Return the differences between intervals (or occurrences) of two histories, in the order of their names.

    An interval that overlaps one of the other history grew, shrank or moved; one that is alone appeared or vanished, as
    each occurrence that only one of the histories has.
    """
    spans = _without_equal(_spans(old_history, new_history))
    old, new = spans.take(~spans.is_new), spans.take(spans.is_new)
    nothing = np.empty(0, np.int64)
    pairs = _overlapping(old, new) if "fluent" in old_history.column_names else (nothing, nothing)
    alone_old = np.setdiff1d(np.arange(len(old.key)), pairs[0])
    alone_new = np.setdiff1d(np.arange(len(new.key)), pairs[1])
    parts = [
        _rows(_changes(old, new, pairs), old.take(pairs[0]), new.take(pairs[1])),
        _rows("vanish", old.take(alone_old), None),
        _rows("appear", None, new.take(alone_new)),
    ]
    table = pa.concat_tables(parts)
    order = pc.sort_indices(
        table.append_column("order", pc.coalesce(table["start"], table["start_before"])),
        sort_keys=[("name", "ascending"), ("order", "ascending")],
    )
    return table.take(order)


def _spans(old_history: pa.Table, new_history: pa.Table) -> Spans:
    """Put both histories together, with one number for each name with arguments and value."""
    name = "fluent" if "fluent" in old_history.column_names else "event"
    whole = pa.concat_tables([old_history, new_history]).combine_chunks()
    values = whole["value"] if "value" in whole.column_names else pa.nulls(len(whole), pa.string())
    written = pc.binary_join_element_wise(
        whole[name], pc.binary_join(whole["args"], _BETWEEN), pc.fill_null(values, ""), _BETWEEN * 2
    )
    key = pc.dictionary_encode(written).combine_chunks()
    codes = (key.indices if isinstance(key, pa.DictionaryArray) else key).to_numpy(zero_copy_only=False)
    table = pa.table({"name": whole[name], "args": whole["args"], "value": values})
    end = pc.fill_null(whole["end"], _NEVER).to_numpy()
    is_new = np.arange(len(whole)) >= len(old_history)
    return Spans(table, codes.astype(np.int64), whole["start"].to_numpy(), end, is_new)


def _without_equal(spans: Spans) -> Spans:
    """Leave out what is the same in both histories."""
    order = np.lexsort((spans.is_new, spans.end, spans.start, spans.key))
    key, start, end = spans.key[order], spans.start[order], spans.end[order]
    same = (key[1:] == key[:-1]) & (start[1:] == start[:-1]) & (end[1:] == end[:-1])
    lonely = np.ones(len(order), np.bool_)
    lonely[1:] &= ~same
    lonely[:-1] &= ~same
    return spans.take(order[lonely])


def _overlapping(old: Spans, new: Spans) -> tuple[Ints, Ints]:
    """Return all pairs of rows that overlap and are about the same; intervals of a key are in order and disjoint."""
    times = np.unique(np.concatenate([old.start, old.end, new.start, new.end]))
    width = len(times) + 1
    packed = [each.key * width + np.searchsorted(times, each.end) for each in (old, new)]
    begins = new.key * width + np.searchsorted(times, new.start)
    first = np.searchsorted(packed[1], old.key * width + np.searchsorted(times, old.start), "right")
    beyond = np.searchsorted(begins, packed[0], "left")
    counts = np.maximum(beyond - first, 0)
    rows = np.repeat(np.arange(len(old.key)), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    others = np.repeat(first, counts) + offsets
    return rows, others


def _changes(old: Spans, new: Spans, pairs: tuple[Ints, Ints]) -> pa.Array:
    before, after = pairs
    covers = (new.start[after] <= old.start[before]) & (new.end[after] >= old.end[before])
    inside = (new.start[after] >= old.start[before]) & (new.end[after] <= old.end[before])
    return pa.array(np.where(covers, "grow", np.where(inside, "shrink", "move")), pa.string())


def _rows(kind_of_change: str | pa.Array, old: Spans | None, new: Spans | None) -> pa.Table:
    """Return rows of the table of differences."""
    about = new or old
    assert about is not None
    size = len(about.key)
    kinds = [kind_of_change] * size if isinstance(kind_of_change, str) else kind_of_change
    columns = [
        pa.array(kinds, pa.string()),
        *(about.table[name] for name in ("name", "args", "value")),
        *_times(old, size),
        *_times(new, size),
    ]
    return pa.table(columns, schema=SCHEMA)


def _times(spans: Spans | None, size: int) -> tuple[pa.Array, pa.Array]:
    if spans is None:
        return pa.nulls(size, pa.int64()), pa.nulls(size, pa.int64())
    return pa.array(spans.start), pa.array(spans.end, mask=spans.end == _NEVER)
