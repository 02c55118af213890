"""Numbers that follow from texts, the same in every process."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from holdsfor.kernels.kernel import Ints
from holdsfor.kernels.text.identify import Bytes, Hashes, add_texts, mixed, no_hashes


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
