"""Share out the rows of blocks by bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.columns.taking import hashes_of
from holdsfor.io.columns.text import as_text
from holdsfor.io.events import Block
from holdsfor.kernels.rows.moving import order_by_key, take

Ints = npt.NDArray[np.int64]
FEW = 4  # buckets


def hashes(column: pa.Array) -> Ints:
    """Return a number for each row that depends only on its term, the same in every process."""
    encoded = as_text(column)
    if not len(encoded):
        return np.empty(0, np.int64)
    return cast(Ints, hash_terms(encoded.dictionary)[encoded.indices.to_numpy(zero_copy_only=False)])


def hash_terms(texts: pa.Array) -> Ints:
    return (hashes_of(texts) & np.uint64(0xFFFFFFFF)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Buckets:
    """How keys are shared out. count: of all buckets. hubs: the hashes of terms that have many of the rows; each has
    one of the first buckets to itself where keys are single terms, so that the largest tasks begin first.
    """

    count: int
    hubs: tuple[int, ...] = ()

    def of_rows(self, block: Block, positions: tuple[int, ...]) -> Ints:
        """Return the bucket of each row, by one argument, an unordered pair, or nothing (all in bucket 0)."""
        if not positions:
            return np.zeros(len(block), np.int64)
        if len(positions) == 1:
            return self._of_column(block.column(positions[0]))
        return self.of_keys([hashes(block.column(position)) for position in positions])

    def _of_column(self, column: pa.Array) -> Ints:
        """Return the bucket of each row by its term; each term is hashed once."""
        encoded = as_text(column)
        if not len(encoded):
            return np.empty(0, np.int64)
        of_term = self.of_keys([hash_terms(encoded.dictionary)])
        return take(of_term, encoded.indices.to_numpy(zero_copy_only=False))

    def of_keys(self, columns: Sequence[Ints]) -> Ints:
        """Return the bucket of each key, by the hashes of its terms."""
        if len(columns) > 1:
            return _spread(sum(columns, start=np.zeros(len(columns[0]), np.int64)), self.count)
        own = len(self.hubs)
        buckets = own + _spread(columns[0], self.count - own)
        for number, hub in enumerate(self.hubs):
            buckets[columns[0] == hub] = number
        return buckets


def _spread(hashed: Ints, count: int) -> Ints:
    mixed = (hashed * 0x9E3779B1) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 15)) % count


def shared_out(block: Block, bucket: Ints, count: int) -> Iterator[tuple[int, Block]]:
    """Yield each bucket that has rows, with its rows in their order."""
    if not len(block):
        return
    if count <= FEW:  # where it is quicker to look for the rows of each than to put all in order
        rows_of = ((number, np.flatnonzero(bucket == number)) for number in range(count))
        yield from ((number, block.take(rows)) for number, rows in rows_of if len(rows))
        return
    ordered = block.take(order_by_key(bucket, count))
    ends = np.cumsum(np.bincount(bucket, minlength=count))
    low = 0
    for number, high in enumerate(ends.tolist()):
        if high > low:
            yield number, ordered.slice(low, high)
        low = high
