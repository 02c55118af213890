"""Sixty-four bytes at a time, as the bits of one number: bit i is of byte i.

Kernels are compiled with the processor's own instructions in the place of the last two (`vectors.py`).
"""

from __future__ import annotations

import numpy as np
from numpy import uint64
from numpy.typing import NDArray

from holdsfor.kernels.kernel import inlined


@inlined
def mark_bytes(data: NDArray[np.uint8], at: uint64, byte: int) -> uint64:
    """Return a bit for each of the 64 bytes from `at` on that is this one. All of them must be there."""
    marks = uint64(0)
    for k in range(64):
        marks |= uint64(data[at + uint64(k)] == byte) << uint64(k)
    return marks


def count_bits(word: uint64) -> uint64:
    """How many bits are set."""
    return uint64(int(word).bit_count())


def lowest_bit(word: uint64) -> uint64:
    """The place of the lowest bit that is set; 64 if there is none."""
    return uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)
