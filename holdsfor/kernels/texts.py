"""Kernels over the bytes of strings: what numbers they are, which of them are equal.

String i is `data[begin[i]:end[i]]`. Bytes are UTF-8, and are only compared. Places are counted with 32 bits.
Bytes are looked up by unsigned numbers: those cannot count from the end, so that eight bytes are one access to memory.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy import uint64
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, inlined, kernel
from holdsfor.kernels.lines import Bytes, Places

Floats: TypeAlias = NDArray[np.float64]
Hashes: TypeAlias = NDArray[np.uint64]

NEWLINE, RETURN, QUOTE, MINUS, POINT, DIGIT_ZERO = 10, 13, 34, 45, 46, 48
UNDERSCORE, LOWER_A, LOWER_Z = 95, 97, 122
MOST_DIGITS = 18  # of an integer that surely fits in 64 bits
EXACT_DIGITS = 15  # of a decimal that is the quotient of two exact floats, and so is rounded once
POWERS = 10.0 ** np.arange(EXACT_DIGITS + 1)
EACH = uint64(0x0101010101010101)  # one in each byte of a word
LOW_BITS = uint64(0x7F7F7F7F7F7F7F7F)  # all but the highest bit of each byte
POINTS = EACH * uint64(POINT)
ZEROS = uint64(0x3030303030303030)  # eight digits 0
SIXES = uint64(0x0606060606060606)
HIGH_HALVES, LOW_HALVES = uint64(0xF0F0F0F0F0F0F0F0), uint64(0x0F0F0F0F0F0F0F0F)

ZERO, ONE, EIGHT, SIXTEEN = uint64(0), uint64(1), uint64(8), uint64(16)
SIXTY_FOUR, LAST_BIT = uint64(64), uint64(63)
FIRST_SLOTS = 1 << 10
SOME_ROWS = 256  # that are read column by column: their bytes stay in the cache
AHEAD = 512  # strings whose hashes are worked out together
LOW_WORD = uint64(0xFFFFFFFF)
MIX, START, SHIFT = uint64(0x9E3779B97F4A7C15), uint64(0xCBF29CE484222325), uint64(29)
TAIL_MIX = uint64(0xC2B2AE3D27D4EB4F)

#: What the fields of a column are. ANY: not known before the first; UNREAD: one of them is not as the first was.
INTEGER, DECIMAL, TEXT, ANY, UNREAD = range(5)


class FieldLayout(NamedTuple):
    """Which fields of rows are read, and to where. A group is of rows that have the same fields.

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
    """Where fields are read to: the same memory, for each kind of them."""

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
                    kind[c] = _kind(data, at[r], at[r] + length[r])
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
    """Where one field of each of some rows begins, and how long it is."""
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
    """Writes integers, 0 where there is no text; stops with False at a field that is none."""
    size = uint64(len(data))
    for r in range(len(integers)):
        at, long, good, number = begin[r], length[r], False, np.int64(0)
        if long == ZERO:
            integers[r] = 0
            continue
        if long <= EIGHT and at + EIGHT <= size:
            good, number = _eight_or_less(_word(data, at), long)
        elif long <= SIXTEEN and at + SIXTEEN <= size:
            good, number = _nine_to_sixteen(_word(data, at), _word(data, at + long - EIGHT), long)
        if not good:
            good, number = _integer(data, at, at + long)
            if not good:
                return False
        integers[r] = number
    return True


@kernel
def _read_decimals(data: Bytes, begin: Hashes, length: Hashes, floats: Floats) -> bool:
    """Writes decimals, 0 where there is no text; stops with False at a field that is none."""
    size = uint64(len(data))
    for r in range(len(floats)):
        at, long, good, number = begin[r], length[r], False, 0.0
        if long == ZERO:
            floats[r] = 0.0
            continue
        if long - uint64(3) < uint64(6) and at + EIGHT <= size:
            good, number = _short_decimal(_word(data, at), long)
        if not good:
            good, number = _decimal(data, at, at + long)
            if not good:
                return False
        floats[r] = number
    return True


@kernel
def _find_keys(data: Bytes, begin: Hashes, length: Hashes, key: Hashes) -> None:
    """What tells texts of one length apart: their first and last eight bytes; if they are longer than that, a hash.

    In two goes, so that the first has nothing in it but what most texts need.
    """
    size, others = uint64(len(data)), False
    for r in range(len(key)):
        at, long = begin[r], length[r]
        if at + SIXTEEN > size or at < EIGHT or long > SIXTEEN:
            others = True
            continue
        spare = (SIXTY_FOUR - EIGHT * min(long, EIGHT)) & LAST_BIT  # bits that are no part of it
        key[r, 0] = _word(data, at) << spare >> spare
        key[r, 1] = _word(data, at + long - EIGHT) >> spare
    if others:
        for r in range(len(key)):
            at, long = begin[r], length[r]
            if long > SIXTEEN:
                key[r, 0], key[r, 1] = _hash(data, at, long), _word(data, at + long - EIGHT)
            elif at + SIXTEEN > size or at < EIGHT:
                key[r, 0] = _short_word(data, at, min(long, EIGHT))
                key[r, 1] = key[r, 0] if long <= EIGHT else _word(data, at + long - EIGHT)


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
                if _is_equal(data, begin[r], data, entries[entry, 3] >> uint64(32), long):
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
def _mix(key: uint64, label: uint64) -> uint64:
    mixed = (key ^ (label * START)) * MIX
    return mixed ^ (mixed >> SHIFT)


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


@kernel
def _kind(data: Bytes, at: uint64, stop: uint64) -> int:
    if _decimal(data, at, stop)[0]:
        return DECIMAL
    return INTEGER if _integer(data, at, stop)[0] else TEXT


@kernel
def _integer(data: Bytes, at: uint64, stop: uint64) -> tuple[bool, np.int64]:
    """An integer of up to 18 digits; False and 0 if it is none."""
    negative = stop > at and data[at] == MINUS
    at += uint64(negative)
    number = np.int64(0)
    if stop <= at or stop - at > uint64(MOST_DIGITS):
        return False, np.int64(0)
    for k in range(at, stop):
        digit = np.int64(data[k]) - DIGIT_ZERO
        if digit < 0 or digit > 9:
            return False, np.int64(0)
        number = 10 * number + digit
    return True, -number if negative else number


@kernel
def _decimal(data: Bytes, at: uint64, stop: uint64) -> tuple[bool, float]:
    """A float such as -12.5 of up to 15 digits; False and 0 if it is none."""
    negative = stop > at and data[at] == MINUS
    at += uint64(negative)
    number, point = np.int64(0), stop
    if stop - at > uint64(EXACT_DIGITS + 1):
        return False, 0.0
    for k in range(at, stop):
        if data[k] == POINT and point == stop:
            point = uint64(k)
            continue
        digit = np.int64(data[k]) - DIGIT_ZERO
        if digit < 0 or digit > 9:
            return False, 0.0
        number = 10 * number + digit
    if point == at or point + ONE >= stop:  # a digit on both sides
        return False, 0.0
    value = number / POWERS[stop - ONE - point]
    return True, -value if negative else value


@kernel
def _eight_or_less(word: uint64, length: uint64) -> tuple[bool, np.int64]:
    """One to eight digits that a word begins with."""
    digits = _last_digits(word, length)
    return _are_digits(digits), np.int64(_eight_digits(digits))


@kernel
def _nine_to_sixteen(first: uint64, last: uint64, length: uint64) -> tuple[bool, np.int64]:
    """Digits. first: the word that they begin with; last: the one that they end with."""
    word = _last_digits(first, length - EIGHT)
    number = _eight_digits(word) * uint64(10**8) + _eight_digits(last)
    return _are_digits(word) and _are_digits(last), np.int64(number)


@kernel
def _short_decimal(word: uint64, length: uint64) -> tuple[bool, float]:
    """Three to eight bytes of digits with a point among them."""
    others = word ^ POINTS
    hits = ~(((others & LOW_BITS) + LOW_BITS) | others | LOW_BITS)  # the highest bit of each byte that is a point
    before = (hits & (~hits + ONE)) - ONE >> uint64(7)  # all bits of the bytes before the first point
    digits = (word & before) | ((word >> EIGHT) & ~before)
    digits = _last_digits(digits, length - ONE)
    whole = ((before & EACH) * EACH) >> uint64(56)  # how many stand before it
    if hits == ZERO or whole == ZERO or whole + ONE >= length or not _are_digits(digits):
        return False, 0.0
    return True, np.int64(_eight_digits(digits)) / POWERS[length - ONE - whole]


@kernel
def _last_digits(word: uint64, length: uint64) -> uint64:
    """The first one to eight bytes of a word at its end, after zeros."""
    return (word << (EIGHT * (EIGHT - length))) | (ZEROS >> (EIGHT * (length - ONE)) >> EIGHT)


@kernel
def _are_digits(word: uint64) -> bool:
    return bool((word & HIGH_HALVES) == ZEROS and ((word + SIXES) & HIGH_HALVES) == ZEROS)


@kernel
def _eight_digits(word: uint64) -> uint64:
    """The number that eight digits are: neighbours are put together, then pairs, then fours."""
    word = (word & LOW_HALVES) * uint64(2561) >> uint64(8)
    word = (word & uint64(0x00FF00FF00FF00FF)) * uint64(6553601) >> uint64(16)
    return (word & uint64(0x0000FFFF0000FFFF)) * uint64(42949672960001) >> uint64(32)


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
def mark_numbers(data: Bytes, begin: Places, end: Places, is_integer: Mask) -> bool:
    """Whether all strings are numbers that are written as Python writes them, in few digits; and which are integers."""
    for i in range(len(begin)):
        at, stop = uint64(begin[i]), uint64(end[i])
        negative = stop > at and data[at] == MINUS
        at += uint64(negative)
        point = stop
        for k in range(at, stop):
            if data[k] == POINT and point == stop:
                point = uint64(k)
            elif data[k] < DIGIT_ZERO or data[k] > DIGIT_ZERO + 9:
                return False
        whole, decimals = point - at, stop - point  # of which one is the point
        if point == at or whole > uint64(10) or (data[at] == DIGIT_ZERO and whole > ONE):
            return False
        is_integer[i] = decimals == ZERO
        if is_integer[i]:
            if negative and data[at] == DIGIT_ZERO:
                return False
        elif decimals == ONE or decimals > uint64(5) or (data[stop - ONE] == DIGIT_ZERO and decimals > uint64(2)):
            return False
    return True


@kernel
def parse_integers(data: Bytes, begin: Places, end: Places, valid: Mask, numbers: Ints, good: Mask) -> None:
    """Writes integers of up to 18 digits, and which strings are such; 0 where they are not."""
    for i in range(len(begin)):
        good[i], numbers[i] = False, 0
        if valid[i]:
            good[i], numbers[i] = _integer(data, uint64(begin[i]), uint64(end[i]))


@kernel
def parse_decimals(data: Bytes, begin: Places, end: Places, valid: Mask, numbers: Floats) -> bool:
    """Writes floats such as -12.5; stops with False at a valid string that is none, or has more than 15 digits."""
    for i in range(len(begin)):
        numbers[i] = 0.0
        if valid[i]:
            good, numbers[i] = _decimal(data, uint64(begin[i]), uint64(end[i]))
            if not good:
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
                if same and (length <= EIGHT or _is_equal(data, at, data, places[code] >> uint64(32), length)):
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
            if same and (length <= EIGHT or _is_equal(data, at, data, uint64(begin[k]), length)):
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
            if same and (length <= EIGHT or _is_equal(data, at, others, uint64(other_begin[k]), length)):
                break
            slot = (slot + ONE) & last
            k = slots[slot]
        numbers[i] = k
    return numbers


@kernel
def _hash_any(data: Bytes, at: uint64, length: uint64) -> uint64:
    """Short strings are told apart by it and their length."""
    return _hash(data, at, length) if length > EIGHT else _mix(_short_word(data, at, length), length)


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
    """Up to eight bytes as one number."""
    if at + EIGHT <= uint64(len(data)):
        word = _word(data, at)
        return word if length == EIGHT else word & ((ONE << (EIGHT * length)) - ONE)
    word = ZERO
    for k in range(length):
        word |= uint64(data[at + k]) << (EIGHT * k)
    return word


@kernel
def _is_equal(data: Bytes, at: uint64, others: Bytes, other: uint64, length: uint64) -> bool:
    while length >= EIGHT:
        if _word(data, at) != _word(others, other):
            return False
        at += EIGHT
        other += EIGHT
        length -= EIGHT
    return bool(_short_word(data, at, length) == _short_word(others, other, length))


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
def _word(data: Bytes, at: uint64) -> uint64:
    """Eight bytes as one number, the first in its lowest byte."""
    low = uint64(data[at]) | uint64(data[at + uint64(1)]) << uint64(8)
    low |= uint64(data[at + uint64(2)]) << uint64(16) | uint64(data[at + uint64(3)]) << uint64(24)
    high = uint64(data[at + uint64(4)]) << uint64(32) | uint64(data[at + uint64(5)]) << uint64(40)
    high |= uint64(data[at + uint64(6)]) << uint64(48) | uint64(data[at + uint64(7)]) << uint64(56)
    return low | high
