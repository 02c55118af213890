"""A number for each row that depends on its content alone: the same in every process and on every machine.

FNV-1a over the bytes of the row's fields, 64 bits, with an end after each field so that moving a byte from one field
to the next is seen; then mixed, because FNV leaves the last bytes in the low bits.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, kernel

Hashes: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.uint8]

BASIS = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
END_OF_TEXT = np.uint64(0xFF)  # no byte of UTF-8, so no text has it
END_OF_LIST = np.uint64(0xFE)
FIRST = np.uint64(0xFF51AFD7ED558CCD)  # the constants of MurmurHash3's last step
SECOND = np.uint64(0xC4CEB9FE1A85EC53)
HALF = np.uint64(33)


def no_hashes(rows: int) -> Hashes:
    """Where every row begins."""
    return np.full(rows, BASIS)


@kernel
def add_texts(hashes: Hashes, offsets: Ints, data: Bytes) -> None:
    """Adds a text to each row: text i is data[offsets[i]:offsets[i+1]]."""
    for i in range(hashes.size):
        h = hashes[i]
        for j in range(offsets[i], offsets[i + 1]):
            h = (h ^ np.uint64(data[j])) * PRIME
        hashes[i] = (h ^ END_OF_TEXT) * PRIME


@kernel
def add_lists(hashes: Hashes, lists: Ints, offsets: Ints, data: Bytes) -> None:
    """Adds a list of texts to each row: list i has the texts lists[i] to lists[i+1]."""
    for i in range(hashes.size):
        h = hashes[i]
        for k in range(lists[i], lists[i + 1]):
            for j in range(offsets[k], offsets[k + 1]):
                h = (h ^ np.uint64(data[j])) * PRIME
            h = (h ^ END_OF_TEXT) * PRIME
        hashes[i] = (h ^ END_OF_LIST) * PRIME


@kernel
def add_numbers(hashes: Hashes, numbers: Ints) -> None:
    """Adds a number to each row, as its eight bytes, the lowest first."""
    for i in range(hashes.size):
        h = hashes[i]
        rest = np.uint64(numbers[i])
        for _ in range(8):
            h = (h ^ (rest & np.uint64(0xFF))) * PRIME
            rest >>= np.uint64(8)
        hashes[i] = h


@kernel
def mixed(hashes: Hashes) -> Hashes:
    """The hashes with every bit depending on every other."""
    result = np.empty_like(hashes)
    for i in range(hashes.size):
        h = hashes[i]
        h = (h ^ (h >> HALF)) * FIRST
        h = (h ^ (h >> HALF)) * SECOND
        result[i] = h ^ (h >> HALF)
    return result


@kernel
def hex_digits(hashes: Hashes) -> Bytes:
    """Sixteen characters a row."""
    digits = np.empty(hashes.size * 16, np.uint8)
    for i in range(hashes.size):
        rest = hashes[i]
        for k in range(15, -1, -1):
            digit = np.uint8(rest & np.uint64(15))
            digits[i * 16 + k] = digit + (48 if digit < 10 else 87)
            rest >>= np.uint64(4)
    return digits
