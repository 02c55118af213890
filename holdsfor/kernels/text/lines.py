"""Kernels over the bytes of lines of text: where lines and fields end, what stands between, how deep brackets nest.

Bytes are UTF-8, and are only compared. Places are counted with 32 bits.
Bytes are looked up by unsigned numbers: those cannot count from the end, so that eight bytes are one access to memory.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy import uint64
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, kernel
from holdsfor.kernels.text.bytes64 import count_bits, lowest_bit, mark_bytes

Bytes: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.int32]

NEWLINE, RETURN, QUOTE = 10, 13, 34

ZERO, ONE, BLOCK, TOP_BIT = uint64(0), uint64(1), uint64(64), uint64(63)
ROOM = 8  # cuts that are written together


class LineCuts(NamedTuple):
    """The ends of fields and lines, and what else was seen on the way. For lines see `find_lines`."""

    cuts: Places
    first: Ints
    width: Ints
    empty: Mask
    blank: Mask
    quoted: bool  # whether there are quotes
    is_simple: bool  # whether they stand only around whole fields that are not empty: see `has_simple_quotes`
    returns: bool  # whether there are returns: then all but the cuts has to be looked for again


@kernel
def cut_lines(data: Bytes, separator: int) -> LineCuts:
    """Cuts at separators and ends of lines, 64 bytes at a time. The last byte must be an end of line."""
    size, rest = uint64(len(data)), _last_block(data)
    whole = size - size % BLOCK
    many, lines = _count_cuts(data, rest, separator)
    cuts = np.empty(many + ROOM, np.int32)
    first, count = np.empty(lines, np.int64), np.empty(lines, np.int64)
    empty, blank = np.empty(lines, np.bool_), np.empty(lines, np.bool_)
    cut, line, line_cut, line_begin, seen = ZERO, ZERO, ZERO, ZERO, ZERO
    after_cut, after_quote, inside = ONE, ZERO, ZERO  # what the block before leaves to this one
    all_quotes, edges, wrong, returns = ZERO, ZERO, ZERO, ZERO
    at = ZERO
    while at < size:
        if at < whole:
            ends, hits = mark_bytes(data, at, NEWLINE), mark_bytes(data, at, separator)
            quotes, turned = mark_bytes(data, at, QUOTE), mark_bytes(data, at, RETURN)
        else:
            ends, hits = mark_bytes(rest, ZERO, NEWLINE), mark_bytes(rest, ZERO, separator)
            quotes, turned = mark_bytes(rest, ZERO, QUOTE), mark_bytes(rest, ZERO, RETURN)
        hits |= ends
        begins = hits << ONE | after_cut
        after_cut = hits >> TOP_BIT
        returns |= turned
        if quotes | inside | after_quote:
            later = quotes << ONE | after_quote
            within = _within_quotes(quotes) ^ inside
            wrong |= (hits & within) | (quotes & later)
            all_quotes += count_bits(quotes)
            edges += count_bits(quotes & begins) + count_bits(hits & later)
            inside, after_quote = ZERO - (within >> TOP_BIT), quotes >> TOP_BIT
        empties, passed = hits & begins, ZERO
        while ends:
            before = (ends - ONE) & ~ends  # the bits below the lowest one
            here = before + ONE
            last = cut + count_bits(hits & before)
            end = at + count_bits(before)
            fields = last + ONE - line_cut
            first[line] = line_cut
            count[line] = fields - ((empties & here) != ZERO)
            empty[line] = (seen | (empties & before & ~passed)) != ZERO
            blank[line] = end + ONE - line_begin == fields  # each byte of it ends a field
            line, line_cut, line_begin, seen = line + ONE, last + ONE, end + ONE, ZERO
            passed = before | here
            ends &= ends - ONE
        seen |= empties & ~passed
        next_cut = cut + count_bits(hits)
        while cut < next_cut:  # some too many: how many there are is not to be foreseen, and each wrong guess costs
            for k in range(ROOM):
                cuts[cut + uint64(k)] = np.int32(at + lowest_bit(hits))
                hits &= hits - ONE
            cut += uint64(ROOM)
        cut = next_cut
        at += BLOCK
    is_simple = bool((wrong | inside) == ZERO and all_quotes == edges)
    return LineCuts(cuts[:many], first, count, empty, blank, bool(all_quotes), is_simple, bool(returns))


@kernel
def _last_block(data: Bytes) -> Bytes:
    """Return the bytes after the last whole block, filled up with bytes that no text has."""
    rest = np.full(64, 0xFF, np.uint8)
    left = len(data) % 64
    for k in range(left):
        rest[k] = data[len(data) - left + k]
    return rest


@kernel
def _count_cuts(data: Bytes, rest: Bytes, separator: int) -> tuple[np.int64, np.int64]:
    """How many fields and lines there are."""
    ends = count_bits(mark_bytes(rest, ZERO, NEWLINE))
    separators = count_bits(mark_bytes(rest, ZERO, separator))
    at, size = ZERO, uint64(len(data))
    while at + BLOCK <= size:
        ends += count_bits(mark_bytes(data, at, NEWLINE))
        separators += count_bits(mark_bytes(data, at, separator))
        at += BLOCK
    return np.int64(ends + separators), np.int64(ends)


@kernel
def _within_quotes(quotes: uint64) -> uint64:
    """Bits that have an odd number of quotes at or below them."""
    for power in range(6):
        quotes ^= quotes << (ONE << uint64(power))
    return quotes


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
    """Return where some fields begin and end, without the return before an end of line."""
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


_QUOTE, _ESCAPE = ord('"'), ord("\\")
# Square and curly brackets differ in one bit.
_BIT, _OPENING, _CLOSING = 0x20, ord("{"), ord("}")


@kernel
def nested_beyond(data: npt.NDArray[np.uint8], begin: Ints, end: Ints, limit: int) -> Mask:
    """Mark the pieces with more than `limit` open brackets somewhere; those in strings do not count.

    Piece i is data[begin[i]:end[i]]. A closing bracket too many is a mistake that every parser stops at.
    """
    deep = np.zeros(len(begin), np.bool_)
    for piece in range(len(begin)):
        brackets = 0
        for at in range(begin[piece], end[piece]):  # many bytes at once: most pieces have few brackets
            brackets += (data[at] | _BIT) == _OPENING
        if brackets > limit:
            deep[piece] = _is_deeper(data, begin[piece], end[piece], limit)
    return deep


@kernel
def _is_deeper(data: npt.NDArray[np.uint8], begin: int, end: int, limit: int) -> bool:
    depth = 0
    in_string = False
    at = begin
    while at < end:
        byte = data[at]
        if in_string:
            if byte == _ESCAPE:
                at += 1
            elif byte == _QUOTE:
                in_string = False
        elif byte == _QUOTE:
            in_string = True
        elif (byte | _BIT) == _OPENING:
            depth += 1
            if depth > limit:
                return True
        elif (byte | _BIT) == _CLOSING:
            depth = max(depth - 1, 0)
        at += 1
    return False
