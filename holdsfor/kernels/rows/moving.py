"""Rows from one place to another: choosing, merging, re-keying, ordering."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, kernel

Scalar = TypeVar("Scalar", bound=np.generic)
Codes = NDArray[np.int32]


@kernel
def compress(values: NDArray[Scalar], mask: Mask) -> NDArray[Scalar]:
    """values[mask] without a branch; for any numeric dtype."""
    total = 0
    for i in range(mask.size):
        total += mask[i]
    result = np.empty(total + 1, values.dtype)
    k = 0
    for i in range(mask.size):
        result[k] = values[i]
        k += mask[i]
    return result[:total]


@kernel
def take(values: NDArray[Scalar], index: NDArray[np.signedinteger[Any]]) -> NDArray[Scalar]:
    """values[index] without a check; for any numeric dtype."""
    result = np.empty(index.size, values.dtype)
    for i in range(index.size):
        result[i] = values[index[i]]
    return result


@kernel
def renumber(codes: Codes, numbers: Codes, order: Codes, count: int, result: Codes) -> int:
    """Numbers codes in the order in which they occur; gives how many are numbered, `count` of them before.

    numbers: of each code, or -1; order: the codes by their numbers. Both are filled in, as is the result.
    """
    for i in range(codes.size):
        code = codes[i]
        if numbers[code] < 0:
            numbers[code] = count
            order[count] = code
            count += 1
        result[i] = numbers[code]
    return count


@kernel
def is_one_of(values: Ints, wanted: Ints) -> Mask:
    """Mark the values that are among a few."""
    result = np.zeros(values.size, np.bool_)
    for w in range(wanted.size):
        for i in range(values.size):
            result[i] |= values[i] == wanted[w]
    return result


@kernel
def look_up(table: Ints, low: int, numbers: Ints) -> tuple[Ints, np.int64]:
    """Look each number up in a table that begins with the number `low`; also return the least value, or 0."""
    result = np.empty(numbers.size, np.int64)
    least = np.int64(0)
    for i in range(numbers.size):
        result[i] = table[numbers[i] - low]
        least = min(least, result[i])
    return result, least


@kernel
def look_up_answers(table: NDArray[np.int8], codes: Ints, yes: int, unknown: int) -> tuple[Mask, np.int64]:
    """For which codes the table says yes, and for how many it does not know."""
    result = np.empty(codes.size, np.bool_)
    missing = np.int64(0)
    for i in range(codes.size):
        answer = table[codes[i]]
        result[i] = answer == yes
        missing += answer == unknown
    return result, missing


def value_span(values: Ints) -> tuple[int, int]:
    """The least and the greatest value; there must be one."""
    if not values.flags.carray:  # for which the kernel would be compiled anew
        return int(values.min()), int(values.max())
    return _value_span(values)


@kernel
def _value_span(values: Ints) -> tuple[int, int]:
    low = high = values[0]
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@kernel
def are_in_time(times: Ints, arrivals: Ints, start: int, end: int, window: int, step: int) -> bool:
    """Whether all events lie in the history, and in the window of the query time at which each is first seen."""
    for i in range(times.size):
        time, arrival = times[i], arrivals[i]
        if time <= start or time > end or arrival > end:
            return False
        if time <= arrival + step - window:  # else it is in time whenever within the step it is first seen
            seen = start + max(-((start - arrival) // step), 1) * step
            if time <= seen - window:
                return False
        elif time <= start + step - window:
            return False
    return True


@kernel
def time_span(points: Ints, mask: int) -> tuple[np.int64, np.int64]:
    """The least and the greatest time of the points; 0 and 0 if there is none."""
    if points.size == 0:
        return np.int64(0), np.int64(0)
    low = high = points[0] & mask
    for i in range(points.size):
        time = points[i] & mask
        low, high = min(low, time), max(high, time)
    return low, high


@kernel
def merge_sorted(a: Ints, b: Ints) -> Ints:
    """All of a and b in order, duplicates kept."""
    n, m = a.size, b.size
    result = np.empty(n + m, np.int64)
    i, j = 0, 0
    while i < n and j < m:
        first = a[i] <= b[j]
        result[i + j] = min(a[i], b[j])
        i += first
        j += not first
    for r in range(i, n):
        result[r + j] = a[r]
    for r in range(j, m):
        result[n + r] = b[r]
    return result


@kernel
def cut_last_code(points: Ints, bits: int, code_bits: int) -> tuple[Ints, Ints]:
    """The points on the axis of all codes but the last, and the last code of each."""
    mask, code_mask = (np.int64(1) << bits) - 1, (np.int64(1) << code_bits) - 1
    rest, last = np.empty(points.size, np.int64), np.empty(points.size, np.int64)
    for i in range(points.size):
        key = points[i] >> bits
        rest[i], last[i] = (key >> code_bits << bits) | (points[i] & mask), key & code_mask
    return rest, last


@kernel
def add_last_code(points: Ints, last: Ints, bits: int, code_bits: int) -> Ints:
    """The points on the axis that has one more code."""
    mask = (np.int64(1) << bits) - 1
    result = np.empty(points.size, np.int64)
    for i in range(points.size):
        result[i] = ((points[i] >> bits << code_bits) | last[i]) << bits | (points[i] & mask)
    return result


@kernel
def order_by_key(key: NDArray[np.signedinteger[Any]], n: int) -> Ints:
    """The stable order of rows by dense key 0..n-1: rows in time order come out in (key, time) order."""
    place = np.zeros(n + 1, np.int64)
    for i in range(key.size):
        place[key[i] + 1] += 1
    for k in range(n):
        place[k + 1] += place[k]
    order = np.empty(key.size, np.int64)
    for i in range(key.size):
        order[place[key[i]]] = i
        place[key[i]] += 1
    return order


@kernel
def number_sorted(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, and which of them each key is; nothing at all if the keys are not sorted."""
    distinct, numbers = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    k = -1
    for i in range(keys.size):
        if i == 0 or keys[i] > keys[i - 1]:
            k += 1
            distinct[k] = keys[i]
        elif keys[i] < keys[i - 1]:
            return distinct[:0], numbers[:0]
        numbers[i] = k
    return distinct[: k + 1], numbers


@kernel
def ascends(values: Ints) -> bool:
    """Whether each value is greater than the one before."""
    falls = 0
    for i in range(1, values.size):
        falls += values[i] <= values[i - 1]
    return falls == 0


def distinct(values: Ints) -> Ints:
    """The different values in order; most often they come so."""
    return values if ascends(values) else unique_sorted(np.sort(values))


@kernel
def unique_sorted(points: Ints) -> Ints:
    """Sorted points without duplicates."""
    n = points.size
    result = np.empty(n, np.int64)
    if n == 0:
        return result
    k = 0
    for i in range(n - 1):
        result[k] = points[i]
        k += points[i] != points[i + 1]
    result[k] = points[n - 1]
    return result[: k + 1]
