"""Ids of intervals and occurrences: 16 hexadecimal digits that follow from what they are, the same in every process."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from holdsfor.kernels.identify import Bytes, Hashes, add_lists, add_numbers, add_texts, hex_digits, mixed, no_hashes
from holdsfor.kernels.kernel import Ints


def ids_of(table: pa.Table) -> pa.Array:
    """The id of each row: of an interval by fluent, args, value and start, of an occurrence by event, args, start, end.

    An interval keeps its id when its end becomes known or changes. Two different ones have the same id with a
    probability of one in 37 million among a million.
    """
    hashes = no_hashes(table.num_rows)
    if "fluent" in table.column_names:
        _add_text(hashes, table["fluent"])
        _add_list(hashes, table["args"])
        _add_text(hashes, table["value"])
    else:
        _add_text(hashes, table["event"])
        _add_list(hashes, table["args"])
        add_numbers(hashes, _numbers(table["end"]))
    add_numbers(hashes, _numbers(table["start"]))
    return _text(mixed(hashes))


def hashes_of(texts: pa.Array) -> Hashes:
    """A number for each text, the same in every process."""
    hashes = no_hashes(len(texts))
    add_texts(hashes, *_pieces(texts))
    return mixed(hashes)


def with_ids(log: pa.Table) -> pa.Table:
    """A change log with its ids, after the operation."""
    return log.add_column(log.column_names.index("op") + 1, "id", ids_of(log))


def _text(hashes: Hashes) -> pa.Array:
    offsets = np.arange(0, 16 * len(hashes) + 1, 16, dtype=np.int64)
    long = pa.LargeStringArray.from_buffers(len(hashes), pa.py_buffer(offsets), pa.py_buffer(hex_digits(hashes)))
    return long.cast(pa.string())


def _add_text(hashes: Hashes, column: pa.ChunkedArray) -> None:
    add_texts(hashes, *_pieces(_one_chunk(column)))


def _add_list(hashes: Hashes, column: pa.ChunkedArray) -> None:
    lists = _one_chunk(column)
    add_lists(hashes, np.array(lists.offsets, np.int64), *_pieces(lists.values))


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _pieces(texts: pa.Array) -> tuple[Ints, Bytes]:
    """Offsets and bytes of texts; only the part of the buffer that is theirs, in case they are a slice of more."""
    if not len(texts):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    if not pa.types.is_string(texts.type):
        texts = texts.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    kind = np.dtype(np.int64 if pa.types.is_large_string(texts.type) else np.int32)
    ends = np.frombuffer(offsets, kind, len(texts) + 1, texts.offset * kind.itemsize).astype(np.int64)
    size = int(ends[-1] - ends[0])
    own = np.frombuffer(data, np.uint8, size, int(ends[0])).copy() if size else np.empty(0, np.uint8)
    return ends - ends[0], own


def _numbers(column: pa.ChunkedArray) -> Ints:
    numbers = _one_chunk(column)
    return np.array(numbers.fill_null(0) if numbers.null_count else numbers, np.int64)
