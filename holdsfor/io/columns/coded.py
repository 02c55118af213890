"""Columns of codes, with the terms that they stand for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


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
