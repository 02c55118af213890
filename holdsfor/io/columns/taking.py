"""Some rows of an Arrow column, its memory for kernels, numbers for its texts, and codes with their terms."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.kernels.kernel import Ints
from holdsfor.kernels.text.identify import Bytes, Hashes, add_texts, mixed, no_hashes

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


def take_rows(column: pa.Array, rows: Ints) -> pa.Array:
    """Return the rows at these places. NumPy takes numbers three times as fast as Arrow, where none of them is null."""
    if pa.types.is_dictionary(column.type) and not column.null_count:
        codes = column.indices.to_numpy(zero_copy_only=False)
        return pa.DictionaryArray.from_arrays(pa.array(codes[rows]), column.dictionary, safe=False)
    is_number = pa.types.is_int64(column.type) or pa.types.is_float64(column.type)
    if not is_number or (column.null_count and not has_all(column, rows)):
        return column.take(pa.array(rows))
    return pa.array(numbers_of(column)[rows])


def has_all(column: pa.Array, rows: Ints) -> bool:
    """Return whether none of these rows is null."""
    return bool(column.is_valid().to_numpy(zero_copy_only=False)[rows].all())


def numbers_of(column: pa.Array) -> Numbers:
    """Return the numbers of a column of 64 bits each, as they lie; where it is null, any number."""
    kind = np.int64 if pa.types.is_int64(column.type) else np.float64
    return cast(Numbers, np.frombuffer(column.buffers()[1], kind)[column.offset : column.offset + len(column)])


class _Lent:
    """Memory of an Arrow array, as NumPy asks for it; the array stays as long as somebody has the memory."""

    def __init__(self, owner: pa.Array, address: int, kind: str, size: int) -> None:
        self._owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, False), "typestr": kind, "shape": (size,)}


def lend_numbers(column: pa.Array) -> Numbers:
    """Return the numbers of a column, where they lie, for kernels: those are compiled for arrays that may be
    written to, and again for others. Nobody may write to this one: it is the memory of the column.
    """
    kind = "<i8" if pa.types.is_int64(column.type) else "<f8"
    start = column.buffers()[1].address + 8 * column.offset if len(column) else 0
    if start % 8 or not len(column) or column.null_count:
        return cast(Numbers, np.array(column))
    return cast(Numbers, np.asarray(_Lent(column, start, kind, len(column))))


def lend_texts(texts: pa.Array) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Return the offsets of a column's texts, and their bytes, in the same way. There are no nulls."""
    if not len(texts):
        return np.zeros(1, np.int32), np.empty(0, np.uint8)
    _, offsets, data = texts.buffers()
    start = offsets.address + 4 * texts.offset
    if start % 4:
        return lend_texts(pa.array(texts.to_pylist(), pa.string()))
    places = np.asarray(_Lent(texts, start, "<i4", len(texts) + 1))
    return places, np.asarray(_Lent(texts, data.address, "|u1", data.size)) if data.size else np.empty(0, np.uint8)


def coded(codes: pa.Array, terms: pa.Array) -> pa.DictionaryArray:
    """Put codes and terms together; Arrow takes ten times as long to see that no code is outside."""
    return pa.DictionaryArray.from_arrays(codes, terms, safe=not are_inside(codes, len(terms)))


def are_inside(codes: pa.Array, size: int) -> bool:
    """Return whether all codes are below a size, also those under a null, where anything may be."""
    if not len(codes):
        return True
    width = codes.type.bit_width // 8
    unsigned = np.dtype(f"u{width}")  # a negative code is a large one
    return bool(np.frombuffer(codes.buffers()[1], unsigned, len(codes), width * codes.offset).max() < size)


def hashes_of(texts: pa.Array) -> Hashes:
    """Return a number for each text."""
    hashes = no_hashes(len(texts))
    add_texts(hashes, *_pieces(texts))
    return mixed(hashes)


def _pieces(texts: pa.Array) -> tuple[Ints, Bytes]:
    """Return offsets and bytes of texts; only their part of the buffer, in case they are a slice of more."""
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
