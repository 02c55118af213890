"""Kernels over the bytes of lines of text: where lines and fields end, and what stands between.

Bytes are UTF-8, and are only compared. Places are counted with 32 bits.
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

NEWLINE, RETURN, QUOTE = 10, 13, 34

ZERO, ONE, EIGHT = uint64(0), uint64(1), uint64(8)
EACH = uint64(0x0101010101010101)  # one in each byte of a word
LOW = uint64(0x7F7F7F7F7F7F7F7F)  # all but the highest bit of each byte
TOP_BYTE = uint64(56)


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
    """Eight bytes as one number, the first in its lowest byte. As in `texts`: a kernel calls only its own file's."""
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
def find_lines(data: Bytes, cuts: Places) -> tuple[Ints, Ints, Mask, Mask]:
    """Per line its first field, how many it has, whether one of them is empty, and whether all are.

    An empty field at the end does not count: it follows a trailing separator, or is all that a blank line has.
    """
    lines = 0
    for cut in cuts:
        lines += data[cut] == NEWLINE
    first, count = np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    empty, blank = np.zeros(lines, np.bool_), np.zeros(lines, np.bool_)
    line, begin, fields, seen, has_text = 0, 0, 0, False, False
    for i in range(len(cuts)):
        end = cuts[i]
        fields += 1
        is_last = data[end] == NEWLINE
        if is_last and end > begin and data[end - 1] == RETURN:
            end -= 1
        has_text |= end > begin
        if is_last:
            first[line], count[line], empty[line] = i + 1 - fields, fields - (end == begin), seen
            blank[line] = not has_text
            line, fields, seen, has_text = line + 1, 0, False, False
        else:
            seen |= end == begin
        begin = cuts[i] + 1
    return first, count, empty, blank


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
    others = 0  # quotes that do not stand there
    for byte in data:
        others += byte == np.uint8(QUOTE)
    begin = uint64(0)
    for cut in cuts:
        end = uint64(cut)
        if end > begin and data[end] == NEWLINE and data[end - ONE] == RETURN:
            end -= ONE
        if end > begin + ONE and data[begin] == QUOTE and data[end - ONE] == QUOTE:
            if end == begin + uint64(2):
                return False
            others -= 2
        begin = uint64(cut) + ONE
    return others == 0


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
