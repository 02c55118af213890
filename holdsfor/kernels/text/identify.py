"""A number for each row that depends on its content alone: the same in every process and on every machine.

FNV-1a over the bytes of the row's fields, 64 bits, with an end after each field so that moving a byte from one field
to the next is seen; then mixed, because FNV leaves the last bytes in the low bits.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, inlined, kernel

Hashes: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int32]

BASIS = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
END_OF_TEXT = np.uint64(0xFF)  # no byte of UTF-8, so no text has it
END_OF_LIST = np.uint64(0xFE)
FIRST = np.uint64(0xFF51AFD7ED558CCD)  # the constants of MurmurHash3's last step
SECOND = np.uint64(0xC4CEB9FE1A85EC53)
HALF = np.uint64(33)


def no_hashes(rows: int) -> Hashes:
    """Return the hashes that every row begins with."""
    return np.full(rows, BASIS)


@kernel
def add_texts(hashes: Hashes, offsets: Ints, data: Bytes) -> None:
    """Adds a text to each row: text i is data[offsets[i]:offsets[i+1]]."""
    for i in range(hashes.size):
        h = hashes[i]
        for j in range(offsets[i], offsets[i + 1]):
            h = (h ^ np.uint64(data[j])) * PRIME
        hashes[i] = (h ^ END_OF_TEXT) * PRIME


@inlined
def _add_number(h: np.uint64, number: int) -> np.uint64:
    """Add a number to a hash by its eight bytes, the lowest first."""
    rest = np.uint64(number)
    for _ in range(8):
        h = (h ^ (rest & np.uint64(0xFF))) * PRIME
        rest >>= np.uint64(8)
    return h


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


@inlined
def _add_coded(
    h: np.uint64, code: int, offsets: Offsets, data: Bytes, more_offsets: Offsets, more_data: Bytes
) -> np.uint64:
    """The text of a code: see `write_texts`."""
    if code >= 0:
        for j in range(offsets[code], offsets[code + 1]):
            h = (h ^ np.uint64(data[j])) * PRIME
    else:
        for j in range(more_offsets[-1 - code], more_offsets[-code]):
            h = (h ^ np.uint64(more_data[j])) * PRIME
    return (h ^ END_OF_TEXT) * PRIME


@kernel
def identify_rows(
    names: Ints,
    begins: Offsets,
    codes: Ints,
    values: Ints,
    start: Ints,
    end: Ints,
    offsets: Offsets,
    data: Bytes,
    more_offsets: Offsets,
    more_data: Bytes,
) -> Bytes:
    """The ids of rows, sixteen characters each: of an interval by name, arguments, value and start; of an occurrence,
    which has no value, by name, arguments, end and start.

    An interval keeps its id when its end becomes known or changes. Two different ones have the same id with a
    probability of one in 37 million among a million. Names, arguments and values are codes of texts: see
    `write_texts`. begins: where the arguments of each row begin.
    """
    hashes, named, is_valued = np.empty(names.size, np.uint64), BASIS, values.size > 0
    for i in range(names.size):
        if i == 0 or names[i] != names[i - 1]:  # rows of the same name come together
            named = _add_coded(BASIS, names[i], offsets, data, more_offsets, more_data)
        h, value = named, begins[i + 1]
        for k in range(begins[i], value + is_valued):  # as `_add_coded`, which counts who has its arrays at each call
            code = values[i] if k == value else codes[k]
            h = (h ^ END_OF_LIST) * PRIME if k == value else h
            if code >= 0:
                for j in range(offsets[code], offsets[code + 1]):
                    h = (h ^ np.uint64(data[j])) * PRIME
            else:
                for j in range(more_offsets[-1 - code], more_offsets[-code]):
                    h = (h ^ np.uint64(more_data[j])) * PRIME
            h = (h ^ END_OF_TEXT) * PRIME
        hashes[i] = _add_number(h if is_valued else _add_number((h ^ END_OF_LIST) * PRIME, end[i]), start[i])
    return hex_digits(mixed(hashes))
