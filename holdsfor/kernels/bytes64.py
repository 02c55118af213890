"""Sixty-four bytes at a time, as the bits of one number: bit i is of byte i.

A compiler of loops does not find these instructions. What is here is what they do; kernels are compiled with the
instructions themselves (`vectors.py`), which are the same for all processors, and as wide as each of them has.
"""

from __future__ import annotations

import numpy as np
from numpy import uint64
from numpy.typing import NDArray


def mark_bytes(data: NDArray[np.uint8], at: uint64, byte: int) -> uint64:
    """Which of the 64 bytes from `at` on are this one. All of them must be there."""
    return uint64(sum(1 << k for k in range(64) if data[int(at) + k] == byte))


def count_bits(word: uint64) -> uint64:
    """How many bits are set."""
    return uint64(int(word).bit_count())


def lowest_bit(word: uint64) -> uint64:
    """The place of the lowest bit that is set; 64 if there is none."""
    return uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)
