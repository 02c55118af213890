"""Kernels over the bytes of text: where lines and fields end, what numbers strings are, which strings are equal.

String i is `data[begin[i]:end[i]]`. Bytes are UTF-8, and are only compared. Places are counted with 32 bits.
Bytes are looked up by unsigned numbers: those cannot count from the end, so that eight bytes are one access to memory.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy import uint64
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, kernel

Bytes: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Hashes: TypeAlias = NDArray[np.uint64]

NEWLINE, RETURN, QUOTE, MINUS, POINT, DIGIT_ZERO = 10, 13, 34, 45, 46, 48
MOST_DIGITS = 18  # of an integer that surely fits in 64 bits
EXACT_DIGITS = 15  # of a decimal that is the quotient of two exact floats, and so is rounded once
POWERS = 10.0 ** np.arange(EXACT_DIGITS + 1)

ZERO, ONE, EIGHT = uint64(0), uint64(1), uint64(8)
EACH = uint64(0x0101010101010101)  # one in each byte of a word
LOW = uint64(0x7F7F7F7F7F7F7F7F)  # all but the highest bit of each byte
TOP_BYTE = uint64(56)
FIRST_SLOTS = 1 << 10
MIX, START, SHIFT = uint64(0x9E3779B97F4A7C15), uint64(0xCBF29CE484222325), uint64(29)


@kernel
def find_cuts(data: Bytes, separator: int) -> Places:
    """The places of separators and ends of lines, eight bytes at a time."""
    count = 0
    for byte in data:
        count += (byte == np.uint8(separator)) | (byte == np.uint8(NEWLINE))
    cuts = np.empty(count, np.int32)
    cut, at, size = ZERO, ZERO, uint64(len(data))
    while at + EIGHT <= size:
        word = _word(data, at)
        hits = _find_byte(word, uint64(separator)) | _find_byte(word, uint64(NEWLINE))
        while hits:
            lowest = (hits & (~hits + ONE)) >> uint64(7)
            cuts[cut] = np.int32(at) + np.int32((((lowest - ONE) & EACH) * EACH) >> TOP_BYTE)
            cut += ONE
            hits &= hits - ONE
        at += EIGHT
    while at < size:
        if data[at] == separator or data[at] == NEWLINE:
            cuts[cut] = np.int32(at)
            cut += ONE
        at += ONE
    return cuts


@kernel
def _word(data: Bytes, at: uint64) -> uint64:
    """Eight bytes as one number, the first in its lowest byte."""
    low = uint64(data[at]) | uint64(data[at + uint64(1)]) << uint64(8)
    low |= uint64(data[at + uint64(2)]) << uint64(16) | uint64(data[at + uint64(3)]) << uint64(24)
    high = uint64(data[at + uint64(4)]) << uint64(32) | uint64(data[at + uint64(5)]) << uint64(40)
    high |= uint64(data[at + uint64(6)]) << uint64(48) | uint64(data[at + uint64(7)]) << uint64(56)
    return low | high


@kernel
def _find_byte(word: uint64, byte: uint64) -> uint64:
    """The highest bit of each byte of the word that is this one."""
    rest = word ^ (byte * EACH)
    return ~(((rest & LOW) + LOW) | rest | LOW)


@kernel
def find_lines(data: Bytes, cuts: Places) -> tuple[Ints, Ints, Mask]:
    """Per line its first field, how many it has, and whether one of them is empty.

    An empty field at the end does not count: it follows a trailing separator, or is all that a blank line has.
    """
    lines = 0
    for cut in cuts:
        lines += data[cut] == NEWLINE
    first, count, empty = np.zeros(lines, np.int64), np.zeros(lines, np.int64), np.zeros(lines, np.bool_)
    line, begin, fields, seen = 0, 0, 0, False
    for i in range(len(cuts)):
        end = cuts[i]
        fields += 1
        is_last = data[end] == NEWLINE
        if is_last and end > begin and data[end - 1] == RETURN:
            end -= 1
        if is_last:
            first[line], count[line], empty[line] = i + 1 - fields, fields - (end == begin), seen
            line, fields, seen = line + 1, 0, False
        else:
            seen |= end == begin
        begin = cuts[i] + 1
    return first, count, empty


@kernel
def find_fields(data: Bytes, cuts: Places, fields: Ints) -> tuple[Places, Places]:
    """Where some fields begin and end, without the return before an end of line."""
    begins, ends = np.empty(len(fields), np.int32), np.empty(len(fields), np.int32)
    for i in range(len(fields)):
        field = fields[i]
        begin, end = cuts[field - 1] + 1 if field else 0, cuts[field]
        if data[end] == NEWLINE and end > begin and data[end - 1] == RETURN:
            end -= 1
        begins[i], ends[i] = begin, end
    return begins, ends


@kernel
def has_simple_quotes(data: Bytes, cuts: Places) -> bool:
    """Whether quotes stand only around whole fields that are not empty: then no separator is inside of a field."""
    begin = uint64(0)
    for cut in cuts:
        end = uint64(cut)
        if end > begin and data[end] == NEWLINE and data[end - ONE] == RETURN:
            end -= ONE
        if end > begin and data[begin] == QUOTE:
            begin += ONE
            end -= ONE
            if end <= begin or data[end] != QUOTE:
                return False
        for k in range(begin, end):
            if data[k] == QUOTE:
                return False
        begin = uint64(cut) + ONE
    return True


@kernel
def trim_quotes(data: Bytes, begin: Places, end: Places) -> None:
    """Leaves out the quotes around strings."""
    for i in range(len(begin)):
        if end[i] > begin[i] and data[begin[i]] == QUOTE:
            begin[i] += 1
            end[i] -= 1


@kernel
def copy_strings(data: Bytes, begin: Places, end: Places, valid: Mask) -> tuple[Places, Bytes]:
    """The strings one after the other, as in Arrow: offsets and bytes."""
    offsets = np.zeros(len(begin) + 1, np.int32)
    for i in range(len(begin)):
        offsets[i + 1] = offsets[i] + (end[i] - begin[i] if valid[i] else 0)
    text = np.empty(offsets[-1], np.uint8)
    for i in range(len(begin)):
        low, source = offsets[i], begin[i]
        for k in range(offsets[i + 1] - low):
            text[low + k] = data[source + k]
    return offsets, text


@kernel
def parse_integers(data: Bytes, begin: Places, end: Places, valid: Mask, numbers: Ints, good: Mask) -> None:
    """Writes integers of up to 18 digits, and which strings are such; 0 where they are not."""
    for i in range(len(begin)):
        at, stop = begin[i], end[i]
        negative = stop > at and data[uint64(at)] == MINUS
        at += negative
        right = valid[i] and 0 < stop - at <= MOST_DIGITS
        number = np.int64(0)
        if right:
            for k in range(uint64(at), uint64(stop)):
                digit = np.int64(data[k]) - DIGIT_ZERO
                right &= 0 <= digit <= 9
                number = 10 * number + digit
        numbers[i] = (-number if negative else number) if right else 0
        good[i] = right


@kernel
def parse_decimals(data: Bytes, begin: Places, end: Places, valid: Mask, numbers: Floats) -> bool:
    """Writes floats such as -12.5; stops with False at a valid string that is none, or has more than 15 digits."""
    for i in range(len(begin)):
        numbers[i] = 0.0
        if not valid[i]:
            continue
        at, stop = uint64(begin[i]), uint64(end[i])
        negative = stop > at and data[at] == MINUS
        at += uint64(negative)
        number, point = np.int64(0), stop
        if stop - at > uint64(EXACT_DIGITS + 1):
            return False
        for k in range(at, stop):
            if data[k] == POINT and point == stop:
                point = uint64(k)
                continue
            digit = np.int64(data[k]) - DIGIT_ZERO
            if digit < 0 or digit > 9:
                return False
            number = 10 * number + digit
        if point == at or point + ONE >= stop:  # a digit on both sides
            return False
        value = number / POWERS[stop - ONE - point]
        numbers[i] = -value if negative else value
    return True


@kernel
def encode_strings(data: Bytes, begin: Places, end: Places, valid: Mask) -> tuple[Places, Ints]:
    """Per string the number of its text, by first occurrence, 0 where it is not valid; and where each occurs first."""
    size, known = len(begin), 0
    codes, firsts, hashes = np.zeros(size, np.int32), np.empty(size, np.int64), np.empty(size, np.uint64)
    slots = np.full(FIRST_SLOTS, -1, np.int32)  # of a hash table: numbers of texts
    for i in range(size):
        if not valid[i]:
            continue
        at, length = uint64(begin[i]), uint64(end[i] - begin[i])
        mixed, last = _hash(data, at, length), uint64(len(slots) - 1)
        slot = mixed & last
        code = slots[slot]
        while code >= 0:  # not a function of its own: passing so many columns on takes longer than all of this
            first = firsts[code]
            same = hashes[code] == mixed and uint64(end[first] - begin[first]) == length
            if same and _is_equal(data, at, uint64(begin[first]), length):
                break
            slot = (slot + ONE) & last
            code = slots[slot]
        if code < 0:
            slots[slot], firsts[known], hashes[known] = known, i, mixed
            code = known
            known += 1
            if 2 * known > len(slots):
                slots = _grow(slots, hashes[:known])
        codes[i] = code
    return codes, firsts[:known].copy()


@kernel
def _hash(data: Bytes, at: uint64, length: uint64) -> uint64:
    mixed = START ^ length
    while length >= EIGHT:
        mixed = (mixed ^ _word(data, at)) * MIX
        mixed ^= mixed >> SHIFT
        at += EIGHT
        length -= EIGHT
    mixed = (mixed ^ _short_word(data, at, length)) * MIX
    return mixed ^ (mixed >> SHIFT)


@kernel
def _short_word(data: Bytes, at: uint64, length: uint64) -> uint64:
    """Fewer than eight bytes as one number."""
    if at + EIGHT <= uint64(len(data)):
        return _word(data, at) & ((ONE << (EIGHT * length)) - ONE)
    word = ZERO
    for k in range(length):
        word |= uint64(data[at + k]) << (EIGHT * k)
    return word


@kernel
def _is_equal(data: Bytes, at: uint64, other: uint64, length: uint64) -> bool:
    while length >= EIGHT:
        if _word(data, at) != _word(data, other):
            return False
        at += EIGHT
        other += EIGHT
        length -= EIGHT
    return bool(_short_word(data, at, length) == _short_word(data, other, length))


@kernel
def _grow(slots: Places, hashes: Hashes) -> Places:
    grown = np.full(4 * len(slots), -1, np.int32)
    last = uint64(len(grown) - 1)
    for code in range(len(hashes)):
        slot = hashes[code] & last
        while grown[slot] >= 0:
            slot = (slot + ONE) & last
        grown[slot] = code
    return grown
