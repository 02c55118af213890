"""Reported intervals, how they change from one query time to the next, and the texts of the changes.

A log has few rows of each of many relations: they lie one after the other, and a kernel sees all of them.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, kernel

Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int32]

WITHDRAW, INSERT, EXTEND, SHORTEN, END = range(5)
OPS = 5
#: What has begun before the history, or with it, is told from its first time on. Intervals begin no later than the last
#: start, and end between two times.
BEFORE, FIRST, LAST_START, LEAST_END, LAST_END = range(5)
BOUNDS = 5
UNTOLD = -1  # in the place of where an interval begins
IN_KEY = 0  # in the place of the code of a value
BITS = 63
QUOTE = ord("'")


@kernel
def find_told_starts(s: Ints, e: Ints, ends: Ints, bounds: Ints, mask: int) -> Ints:
    """Return the starts of reported intervals, from the first time on; UNTOLD for others.

    ends: where the intervals of each relation end; bounds: between what times those that are told lie, a row for each
    relation, relative to the origin.
    """
    starts = np.empty(s.size, np.int64)
    i = 0
    for relation in range(ends.size):
        before, first, last_start = bounds[relation, BEFORE], bounds[relation, FIRST], bounds[relation, LAST_START]
        least_end, last_end = bounds[relation, LEAST_END], bounds[relation, LAST_END]
        while i < ends[relation]:
            start, end = s[i] & mask, e[i] & mask
            begin = start if start > before else first
            is_told = (start <= last_start) & (end > begin) & (end >= least_end) & (end <= last_end)
            starts[i] = s[i] - start + begin if is_told else UNTOLD
            i += 1
    return starts


@kernel
def log_changes(
    old_s: Ints, old_e: Ints, old_ends: Ints, new_s: Ints, new_e: Ints, new_ends: Ints, mask: int, last_told: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the operations that turn old intervals into new ones, in order, with the intervals that they are about.

    An interval is known by its start; those that begin at UNTOLD do not count. ends: where the intervals of each
    relation end; the last column that is given: where its operations end. mask: of times; an end of this time is open.
    last_told: the query time before, relative to the origin. What was open ends in the course of time if it ends after
    it; otherwise what was told is corrected.
    """
    before, now = np.full(old_s.size, OPS, np.int8), np.full(new_s.size, OPS, np.int8)
    count = np.zeros((old_ends.size, OPS), np.int64)
    i, j = 0, 0
    for relation in range(old_ends.size):
        n, m = old_ends[relation], new_ends[relation]
        while i < n or j < m:
            if i < n and old_s[i] == UNTOLD:
                i += 1
            elif j < m and new_s[j] == UNTOLD:
                j += 1
            elif j == m or (i < n and old_s[i] < new_s[j]):
                before[i] = WITHDRAW
                count[relation, WITHDRAW] += 1
                i += 1
            else:
                op = INSERT
                if i < n and old_s[i] == new_s[j]:
                    op = EXTEND if new_e[j] > old_e[i] else SHORTEN if new_e[j] < old_e[i] else OPS
                    if op == SHORTEN and (old_e[i] & mask) == mask and (new_e[j] & mask) > last_told:
                        op = END
                    i += 1
                now[j] = op
                if op < OPS:
                    count[relation, op] += 1
                j += 1
    ends = np.cumsum(count)  # of each operation on each relation
    ops, s, e = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.int64), np.empty(ends[-1], np.int64)
    place = ends.reshape(count.shape) - count
    for relation in range(old_ends.size):
        for i in range(0 if relation == 0 else old_ends[relation - 1], old_ends[relation]):
            if before[i] == WITHDRAW:
                k = place[relation, WITHDRAW]
                ops[k], s[k], e[k] = WITHDRAW, old_s[i], old_e[i]
                place[relation, WITHDRAW] += 1
        for j in range(0 if relation == 0 else new_ends[relation - 1], new_ends[relation]):
            op = now[j]
            if op < OPS:
                k = place[relation, op]
                ops[k], s[k], e[k] = op, new_s[j], new_e[j]
                place[relation, op] += 1
    return ops, s, e, ends[OPS - 1 :: OPS].copy()


@kernel
def cut_keys(
    s: Ints, ends: Ints, arities: Ints, names: Ints, values: Ints, code_bits: int, time_bits: int
) -> tuple[Ints, Offsets, Ints, Ints]:
    """The code of the name of each row, where its arguments begin, their codes, row by row, and the code of its value.

    ends: where the rows of each relation end; arities: how many codes a key of it has; names, values: codes of its
    name and value, IN_KEY where the value is the last of the key. Keys that are numbers out of a table are left out.
    """
    rows, total = 0, 0
    for relation in range(ends.size):
        total += (ends[relation] - rows) * (arities[relation] - (values[relation] == IN_KEY))
        rows = ends[relation]
    name_of, value_of = np.empty(rows, np.int64), np.empty(rows, np.int64)
    begins, codes = np.zeros(rows + 1, np.int32), np.zeros(total, np.int64)
    mask = (np.int64(1) << code_bits) - 1
    i, k = 0, 0
    for relation in range(ends.size):
        arity, is_valued = arities[relation], values[relation] == IN_KEY
        fits = arity * code_bits + time_bits <= BITS
        while i < ends[relation]:
            key = s[i] >> time_bits
            name_of[i], value_of[i] = names[relation], key & mask if is_valued else values[relation]
            for position in range(arity - is_valued):
                codes[k] = (key >> (arity - 1 - position) * code_bits) & mask if fits else 0
                k += 1
            i += 1
            begins[i] = k
    return name_of, begins, codes, value_of


@kernel
def write_texts(
    codes: Ints, offsets: Offsets, data: Bytes, more_offsets: Offsets, more_data: Bytes
) -> tuple[Offsets, Bytes, bool]:
    """The texts of codes, one after the other: where each begins, their bytes, and whether one begins with a quote.

    Text i is data[offsets[i]:offsets[i+1]]; that of a code below 0 is number -1 - code of more texts.
    """
    size = 0
    for i in range(codes.size):
        code = codes[i]
        size += offsets[code + 1] - offsets[code] if code >= 0 else more_offsets[-code] - more_offsets[-1 - code]
    begins, written = np.zeros(codes.size + 1, np.int32), np.empty(size, np.uint8)
    has_quote, k = False, 0
    for i in range(codes.size):
        code, begin = codes[i], k
        if code >= 0:
            for j in range(offsets[code], offsets[code + 1]):
                written[k] = data[j]
                k += 1
        else:
            for j in range(more_offsets[-1 - code], more_offsets[-code]):
                written[k] = more_data[j]
                k += 1
        has_quote |= k > begin and written[begin] == QUOTE
        begins[i + 1] = k
    return begins, written, has_quote
