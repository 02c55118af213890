"""Sharing out the rows of blocks by bucket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.events import Block
from holdsfor.io.ids import hashes_of
from holdsfor.io.text import as_text
from holdsfor.kernels import order_by_key

Ints = npt.NDArray[np.int64]


def hashes(column: pa.Array) -> Ints:
    """A number for each row that depends only on the term there, the same in every process."""
    encoded = as_text(column)
    of_text = (hashes_of(encoded.dictionary) & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return of_text[encoded.indices.to_numpy(zero_copy_only=False)] if len(encoded) else np.empty(0, np.int64)


def buckets_of(block: Block, positions: tuple[int, ...], count: int) -> Ints:
    """The bucket of each row: of one argument, of an unordered pair, or of nothing (all in bucket 0)."""
    if not positions:
        return np.zeros(len(block), np.int64)
    if len(positions) == 1:
        return _bucket_of_terms(block.column(positions[0]), count)
    return bucket(sum((hashes(block.column(p)) for p in positions), start=np.zeros(len(block), np.int64)), count)


def _bucket_of_terms(column: pa.Array, count: int) -> Ints:
    """Of each row by its term: worked out once a term."""
    encoded = as_text(column)
    if not len(encoded):
        return np.empty(0, np.int64)
    hashed = (hashes_of(encoded.dictionary) & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return cast(Ints, bucket(hashed, count)[encoded.indices.to_numpy(zero_copy_only=False)])


def bucket(hashed: Ints, count: int) -> Ints:
    mixed = (hashed * 0x9E3779B1) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 15)) % count


def shared_out(block: Block, bucket: Ints, count: int) -> Iterator[tuple[int, Block]]:
    """The rows of each bucket that has any, in their order."""
    if not len(block):
        return
    ordered = block.take(order_by_key(bucket, count))
    ends = np.cumsum(np.bincount(bucket, minlength=count))
    low = 0
    for number, high in enumerate(ends.tolist()):
        if high > low:
            yield number, ordered.slice(low, high)
        low = high
