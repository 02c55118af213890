"""Fields of many rows, read into columns of numbers and of texts: see `strings` for what is done with bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint64

from holdsfor.kernels.kernel import Ints, Mask, inlined, kernel
from holdsfor.kernels.text.lines import Bytes, Places
from holdsfor.kernels.text.numerals import (
    ANY,
    DECIMAL,
    INTEGER,
    TEXT,
    UNREAD,
    Floats,
    find_kind,
    has_leading_zero,
    read_decimal,
    read_eight_or_less,
    read_integer,
    read_nine_to_sixteen,
    read_short_decimal,
)
from holdsfor.kernels.text.strings import (
    EIGHT,
    FIRST_SLOTS,
    LOW_WORD,
    MIX,
    ONE,
    SHIFT,
    START,
    ZERO,
    Hashes,
    are_equal,
    hash_bytes,
    short_word,
    word_at,
)

NEWLINE, RETURN, QUOTE = 10, 13, 34
SIXTEEN, SIXTY_FOUR, LAST_BIT = uint64(16), uint64(64), uint64(63)
SOME_ROWS = 256  # that are read column by column: their bytes stay in the cache
TAIL_MIX = uint64(0xC2B2AE3D27D4EB4F)


class FieldLayout(NamedTuple):
    """The fields of rows to read, and where to write them. A group is of rows that have the same fields.

    Columns `first_column[g] .. first_column[g+1]-1` are of group g; column c is the field `offset[c]` of its rows, and
    its values go to `values[place[c]:]`, and its texts are in list `text_list[c]`, perhaps with those of other columns.
    The numbers of the rows of group g go to `rows[first_row[g]:]`.
    """

    first_column: Ints
    offset: Ints
    place: Ints
    first_row: Ints
    text_list: Ints


class Texts(NamedTuple):
    """The different texts of lists, by first occurrence: each list counts its own from 0."""

    text_list: Places
    begin: Places
    end: Places


class Values(NamedTuple):
    """The arrays that fields are read to: the same memory, for each kind of them."""

    integers: Ints
    floats: Floats
    codes: Places  # of texts; those of a column are in the first half of its room


@kernel
def read_rows(
    data: Bytes,
    cuts: Places,
    begin: Ints,
    group: Places,
    quoted: bool,
    returns: bool,
    layout: FieldLayout,
    kind: Ints,
    values: Values,
    rows: Ints,
    valid: Mask,
    missing: Ints,
) -> Texts:
    """Writes the fields of rows of several groups, in one go through the rows: of some rows, column by column.

    Row i begins with field `begin[i]`; with `group[i] < 0` it is left out. kind: of each column, what is known of it,
    and then what it came to. Fields without text are counted in missing, are 0 and, if there is room, not valid. If
    quoted, quotes around a field are no part of it; with returns, one before an end of line is not either.
    """
    first_column, offset, place, first_row, text_list = layout
    filled, counts = first_row.copy(), np.zeros(text_list.max() + 1 if len(text_list) else 0, np.int64)
    slots, known = np.full(FIRST_SLOTS, -1, np.int32), 0
    entries = np.empty((FIRST_SLOTS, 4), np.uint64)  # of a text: head, tail, list and length, place and number
    first_field, at, length = np.empty((3, SOME_ROWS), np.uint64)  # of some rows
    key = np.empty((SOME_ROWS, 2), np.uint64)
    for low in range(0, len(group), SOME_ROWS):
        before = filled.copy()
        for i in range(low, min(low + SOME_ROWS, len(group))):
            if group[i] >= 0:
                rows[filled[group[i]]] = i
                filled[group[i]] += 1
        for g in range(len(first_row) - 1):
            some = filled[g] - before[g]
            for r in range(some):
                first_field[r] = uint64(begin[rows[before[g] + r]])
            for c in range(first_column[g], first_column[g + 1]):
                if kind[c] == UNREAD or not some:
                    continue
                _locate(data, cuts, first_field[:some], uint64(offset[c]), quoted, returns, at, length)
                shortest, longest = _least_and_most(length[:some])
                done = before[g] - first_row[g]
                to, code_to = place[c] + done, 2 * place[c] + done
                if not shortest:
                    missing[c] += _mark_missing(length[:some], valid, to)
                if kind[c] == ANY and longest:
                    r = _first_present(length)
                    kind[c] = find_kind(data, at[r], at[r] + length[r])
                if kind[c] == INTEGER:
                    if not _read_integers(data, at, length, values.integers[to : to + some]):
                        kind[c] = UNREAD
                elif kind[c] == DECIMAL:
                    if not _read_decimals(data, at, length, values.floats[to : to + some]):
                        kind[c] = UNREAD
                elif kind[c] == TEXT:
                    if 4 * (known + SOME_ROWS) > len(slots):
                        slots, entries = _grow_entries(slots, entries, known)
                    _find_keys(data, at, length, key[:some])
                    codes, of, count = values.codes[code_to : code_to + some], text_list[c], counts[text_list[c]]
                    if longest <= SIXTEEN:
                        new = _number_texts(data, at, length, key, of, count, slots, entries, known, codes)
                    else:
                        new = _number_long_texts(data, at, length, key, of, count, slots, entries, known, codes)
                    known, counts[of] = known + new, count + new
                else:
                    values.integers[to : to + some] = 0
    return _texts(entries[:known])


@kernel
def _locate(
    data: Bytes,
    cuts: Places,
    first_field: Hashes,
    offset: uint64,
    quoted: bool,
    returns: bool,
    begin: Hashes,
    length: Hashes,
) -> None:
    """Find where one field of each of some rows begins, and how long it is."""
    for r in range(len(first_field)):
        field = first_field[r] + offset
        at, stop = uint64(cuts[field - ONE] + 1) if field else ZERO, uint64(cuts[field])
        if returns and stop > at and data[stop] == NEWLINE and data[stop - ONE] == RETURN:
            stop -= ONE
        if quoted:
            mark = uint64(stop > at and data[at] == QUOTE)
            at, stop = at + mark, stop - mark
        begin[r], length[r] = at, stop - at


@kernel
def _least_and_most(numbers: Hashes) -> tuple[uint64, uint64]:
    least, most = ~ZERO, ZERO
    for number in numbers:
        least, most = min(least, number), max(most, number)
    return least, most


@kernel
def _mark_missing(length: Hashes, valid: Mask, to: int) -> int:
    """How many fields have no text. They are not valid, if there is room."""
    missing = 0
    for r in range(len(length)):
        missing += length[r] == ZERO
    if len(valid):
        for r in range(len(length)):
            valid[to + r] = length[r] != ZERO
    return missing


@kernel
def _first_present(length: Hashes) -> int:
    r = 0
    while length[r] == ZERO:
        r += 1
    return r


@kernel
def _read_integers(data: Bytes, begin: Hashes, length: Hashes, integers: Ints) -> bool:
    """Writes integers, 0 where there is no text; stops with False at one that is none, or has a leading zero."""
    size = uint64(len(data))
    for r in range(len(integers)):
        at, long, good, number = begin[r], length[r], False, np.int64(0)
        if long == ZERO:
            integers[r] = 0
            continue
        if long <= EIGHT and at + EIGHT <= size:
            good, number = read_eight_or_less(word_at(data, at), long)
        elif long <= SIXTEEN and at + SIXTEEN <= size:
            good, number = read_nine_to_sixteen(word_at(data, at), word_at(data, at + long - EIGHT), long)
        if not good:
            good, number = read_integer(data, at, at + long)
        if not good or has_leading_zero(data, at, at + long):
            return False
        integers[r] = number
    return True


@kernel
def _read_decimals(data: Bytes, begin: Hashes, length: Hashes, floats: Floats) -> bool:
    """Writes decimals, 0 where there is no text; stops with False at one that is none, or has a leading zero."""
    size = uint64(len(data))
    for r in range(len(floats)):
        at, long, good, number = begin[r], length[r], False, 0.0
        if long == ZERO:
            floats[r] = 0.0
            continue
        if long - uint64(3) < uint64(6) and at + EIGHT <= size:
            good, number = read_short_decimal(word_at(data, at), long)
        if not good:
            good, number = read_decimal(data, at, at + long)
        if not good or has_leading_zero(data, at, at + long):
            return False
        floats[r] = number
    return True


@kernel
def _find_keys(data: Bytes, begin: Hashes, length: Hashes, key: Hashes) -> None:
    """Make keys that tell texts of one length apart: their first and last eight bytes, or a hash of longer ones.

    In two goes, so that the first has nothing in it but what most texts need.
    """
    size, others = uint64(len(data)), False
    for r in range(len(key)):
        at, long = begin[r], length[r]
        if at + SIXTEEN > size or at < EIGHT or long > SIXTEEN:
            others = True
            continue
        spare = (SIXTY_FOUR - EIGHT * min(long, EIGHT)) & LAST_BIT  # bits that are no part of it
        key[r, 0] = word_at(data, at) << spare >> spare
        key[r, 1] = word_at(data, at + long - EIGHT) >> spare
    if others:
        for r in range(len(key)):
            at, long = begin[r], length[r]
            if long > SIXTEEN:
                key[r, 0], key[r, 1] = hash_bytes(data, at, long), word_at(data, at + long - EIGHT)
            elif at + SIXTEEN > size or at < EIGHT:
                key[r, 0] = short_word(data, at, min(long, EIGHT))
                key[r, 1] = key[r, 0] if long <= EIGHT else word_at(data, at + long - EIGHT)


@inlined
def _number(
    data: Bytes,
    begin: Hashes,
    length: Hashes,
    key: Hashes,
    text_list: int,
    count: int,
    slots: Places,
    entries: Hashes,
    known: int,
    codes: Places,
    compares: bool,
) -> int:
    """Writes the number of each text, 0 where there is none, and adds those that are new; how many those are.

    compares: also the bytes, where there are more than the keys have.
    """
    last, label_of_list, new = uint64(len(slots) - 1), uint64(text_list) << uint64(32), 0
    for r in range(len(codes)):
        head, tail, long = key[r, 0], key[r, 1], length[r]
        if long == ZERO:
            codes[r] = 0
            continue
        label = label_of_list | long
        slot = _mix_all(head, tail, label) & last
        k = np.int64(slots[slot])
        while k >= 0:
            entry = uint64(k)
            if ((entries[entry, 0] ^ head) | (entries[entry, 1] ^ tail) | (entries[entry, 2] ^ label)) == ZERO:
                if not compares or long <= SIXTEEN:
                    break
                if are_equal(data, begin[r], data, entries[entry, 3] >> uint64(32), long):
                    break
            slot = (slot + ONE) & last
            k = np.int64(slots[slot])
        if k < 0:
            k = np.int64(known + new)
            slots[slot] = k
            entries[k, 0], entries[k, 1], entries[k, 2] = head, tail, label
            entries[k, 3] = begin[r] << uint64(32) | uint64(count + new)
            new += 1
        codes[r] = np.int32(entries[uint64(k), 3] & LOW_WORD)
    return new


@kernel
def _number_texts(
    data: Bytes,
    begin: Hashes,
    length: Hashes,
    key: Hashes,
    text_list: int,
    count: int,
    slots: Places,
    entries: Hashes,
    known: int,
    codes: Places,
) -> int:
    """Texts of up to 16 bytes."""
    return _number(data, begin, length, key, text_list, count, slots, entries, known, codes, False)


@kernel
def _number_long_texts(
    data: Bytes,
    begin: Hashes,
    length: Hashes,
    key: Hashes,
    text_list: int,
    count: int,
    slots: Places,
    entries: Hashes,
    known: int,
    codes: Places,
) -> int:
    """Texts of any length."""
    return _number(data, begin, length, key, text_list, count, slots, entries, known, codes, True)


@kernel
def _texts(entries: Hashes) -> Texts:
    text_list, begin, end = np.empty((3, len(entries)), np.int32)
    for k in range(len(entries)):
        text_list[k], begin[k] = np.int32(entries[k, 2] >> uint64(32)), np.int32(entries[k, 3] >> uint64(32))
        end[k] = begin[k] + np.int32(entries[k, 2] & LOW_WORD)
    return Texts(text_list, begin, end)


@kernel
def _mix_all(head: uint64, tail: uint64, label: uint64) -> uint64:
    mixed = (head ^ (tail * TAIL_MIX) ^ (label * START)) * MIX
    return mixed ^ (mixed >> SHIFT)


@kernel
def _grow_entries(slots: Places, entries: Hashes, known: int) -> tuple[Places, Hashes]:
    grown = np.full(4 * len(slots), -1, np.int32)
    larger = np.empty((len(grown) // 2 + 1, 4), np.uint64)
    last = uint64(len(grown) - 1)
    for k in range(known):
        larger[k] = entries[k]
        slot = _mix_all(entries[k, 0], entries[k, 1], entries[k, 2]) & last
        while grown[slot] >= 0:
            slot = (slot + ONE) & last
        grown[slot] = k
    return grown, larger
