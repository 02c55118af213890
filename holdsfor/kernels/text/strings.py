"""Kernels over the bytes of strings: which of them are equal.

String i is `data[begin[i]:end[i]]`. Bytes are UTF-8, and are only compared. Places are counted with 32 bits.
Bytes are looked up by unsigned numbers: those cannot count from the end, so that eight bytes are one access to memory.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy import uint64
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, kernel
from holdsfor.kernels.text.lines import Bytes, Places

Hashes: TypeAlias = NDArray[np.uint64]

DIGIT_ZERO, UNDERSCORE, LOWER_A, LOWER_Z = 48, 95, 97, 122
ZERO, ONE, EIGHT = uint64(0), uint64(1), uint64(8)
FIRST_SLOTS = 1 << 10
AHEAD = 512  # strings whose hashes are worked out together
LOW_WORD = uint64(0xFFFFFFFF)
MIX, START, SHIFT = uint64(0x9E3779B97F4A7C15), uint64(0xCBF29CE484222325), uint64(29)


@kernel
def are_words(data: Bytes, begin: Places, end: Places) -> bool:
    """Whether all strings are a lower-case letter and then letters, digits and underscores, of ASCII."""
    for i in range(len(begin)):
        at, stop = uint64(begin[i]), uint64(end[i])
        if at == stop or data[at] < LOWER_A or data[at] > LOWER_Z:
            return False
        for k in range(at + ONE, stop):
            byte = data[k]
            is_letter = LOWER_A <= (byte | np.uint8(32)) <= LOWER_Z
            if not is_letter and not DIGIT_ZERO <= byte <= DIGIT_ZERO + 9 and byte != UNDERSCORE:
                return False
    return True


@kernel
def encode_strings(data: Bytes, begin: Places, end: Places, valid: Mask) -> tuple[Places, Ints]:
    """Per string the number of its text, by first occurrence, 0 where it is not valid; and where each occurs first."""
    size, known = len(begin), 0
    codes, firsts, ahead = np.zeros(size, np.int32), np.empty(size, np.int64), np.empty(AHEAD, np.uint64)
    hashes, places = np.empty(size, np.uint64), np.empty(size, np.uint64)  # of texts; a place is begin and length
    slots = np.full(FIRST_SLOTS, -1, np.int32)  # of a hash table: numbers of texts
    for low in range(0, size, AHEAD):
        high = min(low + AHEAD, size)
        if 2 * (known + high - low) > len(
            slots
        ):  # not in the loop over strings: there each would ask who has the slots
            most_differ = 2 * known > low  # then for all of them at once
            slots = _grow(slots, hashes[:known], 2 * size if most_differ else 4 * len(slots))
        last = uint64(len(slots) - 1)
        _hash_ahead(data, begin, end, low, ahead)
        for i in range(low, high):
            if not valid[i]:
                continue
            at, length, mixed = uint64(begin[i]), uint64(end[i] - begin[i]), ahead[i - low]
            slot = mixed & last
            code = slots[slot]
            while code >= 0:  # not a function of its own: passing so many columns on takes longer than all of this
                same = hashes[code] == mixed and places[code] & LOW_WORD == length
                if same and (length <= EIGHT or are_equal(data, at, data, places[code] >> uint64(32), length)):
                    break
                slot = (slot + ONE) & last
                code = slots[slot]
            if code < 0:
                slots[slot], firsts[known], hashes[known], places[known] = known, i, mixed, at << uint64(32) | length
                code = known
                known += 1
            codes[i] = code
    return codes, firsts if known == size else firsts[:known].copy()


@kernel
def _hash_ahead(data: Bytes, begin: Places, end: Places, first: int, hashes: Hashes) -> None:
    """The hashes of strings from the first on, as many as there is room for.

    With these at hand, a string is looked up while what the one before asked for is still on its way from memory.
    """
    for i in range(first, min(first + len(hashes), len(begin))):
        hashes[i - first] = _hash_any(data, uint64(begin[i]), uint64(end[i] - begin[i]))


class KnownStrings(NamedTuple):
    """Strings, each once, with a hash table: at each slot the number of a string, or -1, and the hashes of strings."""

    data: Bytes
    begin: Places
    end: Places
    slots: Places
    hashes: Hashes


@kernel
def index_strings(data: Bytes, begin: Places, end: Places) -> tuple[Places, Hashes, bool]:
    """Slots and hashes of `KnownStrings`, and whether all strings differ; else they are of no use."""
    size, count = len(begin), FIRST_SLOTS
    while count < 2 * size:
        count *= 2
    slots, hashes, last = np.full(count, -1, np.int32), np.empty(size, np.uint64), uint64(count - 1)
    _hash_ahead(data, begin, end, 0, hashes)
    for i in range(size):
        at, length, slot = uint64(begin[i]), uint64(end[i] - begin[i]), hashes[i] & last
        while slots[slot] >= 0:
            k = slots[slot]
            same = hashes[k] == hashes[i] and uint64(end[k] - begin[k]) == length
            if same and (length <= EIGHT or are_equal(data, at, data, uint64(begin[k]), length)):
                return slots, hashes, False
            slot = (slot + ONE) & last
        slots[slot] = i
    return slots, hashes, True


@kernel
def find_strings(data: Bytes, begin: Places, end: Places, known: KnownStrings) -> Ints:
    """The number that each string has among known ones, or -1."""
    others, other_begin, other_end, slots, hashes = known
    numbers, last = np.empty(len(begin), np.int64), uint64(len(slots) - 1)
    ahead = np.empty(AHEAD, np.uint64)
    for i in range(len(begin)):
        if i % AHEAD == 0:
            _hash_ahead(data, begin, end, i, ahead)
        at, length, mixed = uint64(begin[i]), uint64(end[i] - begin[i]), ahead[i % AHEAD]
        slot = mixed & last
        k = slots[slot]
        while k >= 0:
            same = hashes[k] == mixed and uint64(other_end[k] - other_begin[k]) == length
            if same and (length <= EIGHT or are_equal(data, at, others, uint64(other_begin[k]), length)):
                break
            slot = (slot + ONE) & last
            k = slots[slot]
        numbers[i] = k
    return numbers


@kernel
def _hash_any(data: Bytes, at: uint64, length: uint64) -> uint64:
    """Short strings are told apart by it and their length."""
    return hash_bytes(data, at, length) if length > EIGHT else _mix(short_word(data, at, length), length)


@kernel
def hash_bytes(data: Bytes, at: uint64, length: uint64) -> uint64:
    mixed = START ^ length
    while length >= EIGHT:
        mixed = (mixed ^ word_at(data, at)) * MIX
        mixed ^= mixed >> SHIFT
        at += EIGHT
        length -= EIGHT
    mixed = (mixed ^ short_word(data, at, length)) * MIX
    return mixed ^ (mixed >> SHIFT)


@kernel
def _mix(key: uint64, label: uint64) -> uint64:
    mixed = (key ^ (label * START)) * MIX
    return mixed ^ (mixed >> SHIFT)


@kernel
def short_word(data: Bytes, at: uint64, length: uint64) -> uint64:
    """Up to eight bytes as one number."""
    if at + EIGHT <= uint64(len(data)):
        word = word_at(data, at)
        return word if length == EIGHT else word & ((ONE << (EIGHT * length)) - ONE)
    word = ZERO
    for k in range(length):
        word |= uint64(data[at + k]) << (EIGHT * k)
    return word


@kernel
def are_equal(data: Bytes, at: uint64, others: Bytes, other: uint64, length: uint64) -> bool:
    while length >= EIGHT:
        if word_at(data, at) != word_at(others, other):
            return False
        at += EIGHT
        other += EIGHT
        length -= EIGHT
    return bool(short_word(data, at, length) == short_word(others, other, length))


@kernel
def _grow(slots: Places, hashes: Hashes, least: int) -> Places:
    count = 4 * len(slots)
    while count < least:
        count *= 2
    grown = np.full(count, -1, np.int32)
    last = uint64(len(grown) - 1)
    for code in range(len(hashes)):
        slot = hashes[code] & last
        while grown[slot] >= 0:
            slot = (slot + ONE) & last
        grown[slot] = code
    return grown


@kernel
def word_at(data: Bytes, at: uint64) -> uint64:
    """Eight bytes as one number, the first in its lowest byte."""
    low = uint64(data[at]) | uint64(data[at + uint64(1)]) << uint64(8)
    low |= uint64(data[at + uint64(2)]) << uint64(16) | uint64(data[at + uint64(3)]) << uint64(24)
    high = uint64(data[at + uint64(4)]) << uint64(32) | uint64(data[at + uint64(5)]) << uint64(40)
    high |= uint64(data[at + uint64(6)]) << uint64(48) | uint64(data[at + uint64(7)]) << uint64(56)
    return low | high
