"""Aggregates over windows that slide along rows: from first[r] to last[r], of which neither ever moves back.

A sum is a function of the numbers in its window alone, never of what has left it: the same in whatever order rows come
and wherever a history begins. So numbers are added and taken away exactly, in whole units of the least bit that any of
them has, and the sum is rounded once (as `math.fsum` does). The least and the greatest wait in a queue, in order.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, Pairs, kernel

Floats = NDArray[np.float64]
Number = TypeVar("Number", np.int64, np.float64)

#: A float is a whole number of this many bits times a power of two.
MANTISSA = 53
#: Bits of a limb; what is above them has room for 2^31 numbers before it must be carried on.
LIMB = 32
LOW = np.int64((1 << LIMB) - 1)
#: Limbs from the lowest that a number touches on: its own three, and one for the sum of 2^31 of them.
ABOVE = 4
#: Limbs below the least number, so that the first 64 bits of any sum are there.
PADDING = 2


@kernel
def last_events(bits: int, end: Ints, events: int) -> Pairs:
    """The window of each row: it and the rows before it of its key, at most so many. Rows are sorted by packed end."""
    first, begin = np.empty(end.size, np.int64), 0
    for r in range(end.size):
        if end[r] >> bits != end[begin] >> bits:
            begin = r
        first[r] = max(begin, r - events + 1)
    return first, np.arange(end.size)


@kernel
def last_time(bits: int, end: Ints, duration: int) -> Pairs:
    """The window of each row: the rows of its key that end less than `duration` before it, or together with it."""
    first, last = np.empty(end.size, np.int64), np.empty(end.size, np.int64)
    begin, beyond = 0, 0
    for r in range(end.size):
        while end[begin] >> bits != end[r] >> bits or end[begin] <= end[r] - duration:
            begin += 1
        while beyond < end.size and end[beyond] <= end[r]:
            beyond += 1
        first[r], last[r] = begin, beyond - 1
    return first, last


@kernel
def slide_extremes(values: NDArray[Number], first: Ints, last: Ints, greatest: bool) -> NDArray[Number]:
    """The greatest or the least value of each window."""
    result = np.empty(first.size, values.dtype)
    queue = np.empty(values.size, np.int64)  # rows that may still be the extreme of a window, the best in front
    head, tail, row = 0, 0, 0
    for r in range(first.size):
        while row <= last[r]:
            while tail > head and (values[queue[tail - 1]] <= values[row]) == greatest:
                tail -= 1
            queue[tail] = row
            tail += 1
            row += 1
        while queue[head] < first[r]:
            head += 1
        result[r] = values[queue[head]]
    return result


@kernel
def slide_sums(values: Ints, first: Ints, last: Ints) -> tuple[Ints, Mask]:
    """The sum of each window, and whether it is an integer of 64 bits; what is not is meaningless."""
    result, fits = np.empty(first.size, np.int64), np.empty(first.size, np.bool_)
    low, high, begin, row = np.int64(0), np.int64(0), 0, 0
    for r in range(first.size):
        while row <= last[r]:
            low, high = low + (values[row] & LOW), high + (values[row] >> LIMB)
            row += 1
        while begin < first[r]:
            low, high = low - (values[begin] & LOW), high - (values[begin] >> LIMB)
            begin += 1
        top = high + (low >> LIMB)
        fits[r] = -(1 << 31) <= top < 1 << 31
        result[r] = (top << LIMB) | (low & LOW)
    return result, fits


def slide_float_sums(values: Floats, first: Ints, last: Ints) -> Floats:
    """The sum of each window, rounded once; infinite or no number where the window has such a value."""
    is_plain = np.isfinite(values) & (values != 0.0)
    exponents = np.frexp(values[is_plain])[1] if is_plain.any() else np.zeros(1, np.int32)
    least = int(exponents.min())
    limbs = np.zeros((int(exponents.max()) - least) // LIMB + PADDING + ABOVE, np.int64)
    return _slide_exactly(values, is_plain, first, last, least - MANTISSA - PADDING * LIMB, limbs)


@kernel
def _slide_exactly(values: Floats, is_plain: Mask, first: Ints, last: Ints, base: int, limbs: Ints) -> Floats:
    """Limb k counts units of 2^(base + 32 k); what is no finite number is counted apart."""
    result, digits = np.empty(first.size), np.empty(limbs.size, np.int64)
    begin, row, positive, negative, invalid = 0, 0, 0, 0, 0
    for r in range(first.size):
        while begin < first[r] or row <= last[r]:
            sign, at = (1, row) if row <= last[r] else (-1, begin)
            row, begin = row + (sign == 1), begin + (sign == -1)
            if is_plain[at]:
                _add(limbs, values[at], base, sign)
            else:
                positive += sign * (values[at] == np.inf)
                negative += sign * (values[at] == -np.inf)
                invalid += sign * np.isnan(values[at])
        if invalid or (positive and negative):
            result[r] = np.nan
        elif positive or negative:
            result[r] = np.inf if positive else -np.inf
        else:
            result[r] = _carry(limbs, digits) * _round(digits, base)
    return result


@kernel
def _add(limbs: Ints, value: float, base: int, sign: int) -> None:
    fraction, exponent = math.frexp(abs(value))
    whole = np.int64(math.ldexp(fraction, MANTISSA))
    signed = -sign if value < 0.0 else sign
    place = exponent - MANTISSA - base
    k, shift = place // LIMB, place % LIMB
    upper = whole >> (LIMB - shift)
    limbs[k] += signed * ((whole & ((np.int64(1) << (LIMB - shift)) - 1)) << shift)
    limbs[k + 1] += signed * (upper & LOW)
    limbs[k + 2] += signed * (upper >> LIMB)


@kernel
def _carry(limbs: Ints, digits: Ints) -> int:
    """The sign of the number; `digits` gets its magnitude, 32 bits in each."""
    sign = 1
    while True:
        carry = np.int64(0)
        for k in range(limbs.size):
            x = sign * limbs[k] + carry
            digits[k], carry = x & LOW, x >> LIMB
        if carry == 0:
            return sign
        sign = -1


@kernel
def _round(digits: Ints, base: int) -> float:
    """The float nearest to the digits: their first 64 bits, the last of them set if any bit after it is.

    The lowest limbs are padding, so there are always two below the first digit.
    """
    top = digits.size - 1
    while top > 0 and digits[top] == 0:
        top -= 1
    if digits[top] == 0:
        return 0.0
    shift = 0
    while (digits[top] << shift) >> (LIMB - 1) == 0:
        shift += 1
    below = digits[top - 2] << shift
    bits = (np.uint64(digits[top]) << np.uint64(LIMB)) | np.uint64(digits[top - 1])
    bits = (bits << np.uint64(shift)) | np.uint64(below >> LIMB)
    rest = below & LOW
    for k in range(top - 2):
        rest |= digits[k]
    half = np.int64(bits >> np.uint64(1)) | np.int64(bits & np.uint64(1)) | np.int64(rest != 0)
    return math.ldexp(float(half), base + LIMB * (top - 1) - shift + 1)
