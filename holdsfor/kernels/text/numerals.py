"""Kernels over the bytes of strings: what numbers they are. See `strings`."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy import uint64
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, kernel
from holdsfor.kernels.text.lines import Bytes, Places
from holdsfor.kernels.text.strings import DIGIT_ZERO, EIGHT, ONE, ZERO

Floats: TypeAlias = NDArray[np.float64]

MINUS, POINT = 45, 46
MOST_DIGITS = 18  # of an integer that surely fits in 64 bits
EXACT_DIGITS = 15  # of a decimal that is the quotient of two exact floats, and so is rounded once
POWERS = 10.0 ** np.arange(EXACT_DIGITS + 1)
EACH = uint64(0x0101010101010101)  # one in each byte of a word
LOW_BITS = uint64(0x7F7F7F7F7F7F7F7F)  # all but the highest bit of each byte
POINTS = EACH * uint64(POINT)
ZEROS = uint64(0x3030303030303030)  # eight digits 0
SIXES = uint64(0x0606060606060606)
HIGH_HALVES, LOW_HALVES = uint64(0xF0F0F0F0F0F0F0F0), uint64(0x0F0F0F0F0F0F0F0F)

#: What the fields of a column are. ANY: not known before the first; UNREAD: one of them is not as the first was.
INTEGER, DECIMAL, TEXT, ANY, UNREAD = range(5)


@kernel
def find_kind(data: Bytes, at: uint64, stop: uint64) -> int:
    if read_decimal(data, at, stop)[0]:
        return DECIMAL
    return INTEGER if read_integer(data, at, stop)[0] else TEXT


@kernel
def read_integer(data: Bytes, at: uint64, stop: uint64) -> tuple[bool, np.int64]:
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
def read_decimal(data: Bytes, at: uint64, stop: uint64) -> tuple[bool, float]:
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
def has_leading_zero(data: Bytes, at: uint64, stop: uint64) -> bool:
    """Whether a number is written as 007 or -00.5: many names are, and no number need be."""
    at += uint64(data[at] == MINUS)
    return bool(data[at] == DIGIT_ZERO and at + ONE < stop and data[at + ONE] != POINT)


@kernel
def read_eight_or_less(word: uint64, length: uint64) -> tuple[bool, np.int64]:
    """Read the one to eight digits that a word begins with."""
    digits = _last_digits(word, length)
    return _are_digits(digits), np.int64(_eight_digits(digits))


@kernel
def read_nine_to_sixteen(first: uint64, last: uint64, length: uint64) -> tuple[bool, np.int64]:
    """Digits. first: the word that they begin with; last: the one that they end with."""
    word = _last_digits(first, length - EIGHT)
    number = _eight_digits(word) * uint64(10**8) + _eight_digits(last)
    return _are_digits(word) and _are_digits(last), np.int64(number)


@kernel
def read_short_decimal(word: uint64, length: uint64) -> tuple[bool, float]:
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
        elif (
            (negative and data[at] == DIGIT_ZERO and data[stop - ONE] == DIGIT_ZERO)
            or decimals == ONE
            or decimals > uint64(5)
            or (data[stop - ONE] == DIGIT_ZERO and decimals > uint64(2))
        ):  # -0.0 is 0.0
            return False
    return True


@kernel
def parse_integers(data: Bytes, begin: Places, end: Places, valid: Mask, numbers: Ints, good: Mask) -> None:
    """Writes integers of up to 18 digits, and which strings are such; 0 where they are not."""
    for i in range(len(begin)):
        good[i], numbers[i] = False, 0
        if valid[i]:
            good[i], numbers[i] = read_integer(data, uint64(begin[i]), uint64(end[i]))


@kernel
def parse_decimals(data: Bytes, begin: Places, end: Places, valid: Mask, numbers: Floats) -> bool:
    """Writes floats such as -12.5; stops with False at a valid string that is none, or has more than 15 digits."""
    for i in range(len(begin)):
        numbers[i] = 0.0
        if valid[i]:
            good, numbers[i] = read_decimal(data, uint64(begin[i]), uint64(end[i]))
            if not good:
                return False
    return True
