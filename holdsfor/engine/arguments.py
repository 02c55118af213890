"""Argument lists: one list of texts per row, made from one column per argument."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def arguments(columns: list[pa.Array], size: int) -> pa.Array:
    arity = len(columns)
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * arity)
    if not arity:
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    order = np.arange(arity * size).reshape(arity, size).T.ravel()
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(columns).take(pa.array(order)))
