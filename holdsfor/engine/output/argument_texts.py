"""Argument lists: one list of texts per row, made from one column per argument."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.dictionary import Ints


def arguments(columns: list[pa.Array], size: int) -> pa.Array:
    arity = len(columns)
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * arity)
    if not arity:
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    if arity == 1:
        return pa.ListArray.from_arrays(offsets, columns[0])
    order = np.arange(arity * size).reshape(arity, size).T.ravel()
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(columns).take(pa.array(order)))


def coded_arguments(codes: Sequence[Ints], texts: pa.Array, size: int) -> pa.Array:
    """Return lists of argument texts for columns of codes, with each text copied once."""
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * len(codes))
    in_order = codes[0] if len(codes) == 1 else np.stack(codes, axis=1).ravel() if codes else np.empty(0, np.int64)
    return pa.ListArray.from_arrays(offsets, texts.take(pa.array(in_order)))
