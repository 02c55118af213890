"""The rules of a fluent in one call: a script says, line by line, what to do with the rows that rules begin with.

With few rows a query time costs what Python does around kernels, and a rule is some ten calls of them. A script does
what these would do, for all rules of a fluent: it scans rows, keeps those that pass each test, and writes the points of
the head. It does so for a block of rows at a time, which stays in the processor's cache from line to line.

A line is a row of integers: what to do; the places of up to two arrays, in a tuple of all that a script is given; and
what else is to be known. Many arrays take long to compile, so that one function alone has them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import AFTER_ALL, Ints, Mask, kernel

Floats = NDArray[np.float64]
Arrays = tuple[Ints, ...]

#: How many arrays a script is given, and how many integers a line has.
SLOTS, WIDTH = 32, 7
#: How many rows are looked at together.
BLOCK = 1024
#: How many facts and numbers rows may have, how many selections are kept to come back to, how deep a calculation is.
MOST_FOUND, MOST_SAVED, MOST_STACKED = 3, 3, 6

#: What a line does, and after the two arrays has to know. Those from SCAN on begin something.
KEY = 0  # adds codes from somewhere to the keys of rows: where from, two numbers for that, whether it is the first
PICK = 1  # keeps the rows whose key is a code from somewhere: where from, two numbers for that, whether all others
PUSH = 2  # puts numbers from somewhere on the stack: where from, a number for that, how many are on it
APPLY = 3  # works something out: what, which number is on top of the stack, whether the outcome may be integers
STORE = 4  # what was worked out is a number that rows have: which
TEST = 5  # keeps the rows whose two numbers on the stack compare so: how
COMPARE = 6  # keeps the rows whose float in the array compares so with a constant: how, which
LOOK_UP = 7  # finds the fact about the key, by a table of all codes: as which of those that rows have, whether none is
HOLD = (
    8  # keeps the rows at whose time it holds (starts, ends), or happens (the same array twice): whether not, see below
)
CONCLUDE = 9  # writes points: their table, whether they have the key that was put together, or that of the row
AGAIN = 10  # the same points for another table: which
SAVE = 11  # keeps what is selected: as which
RESTORE = 12  # comes back to what was selected: which
SCAN = 13  # goes through rows: how much is added to their times, whether they are starts or ends of a fluent
CARRY = 14  # writes what holds at the cuts, by its keys: its table
MERGE = 15  # writes points that are there: their table

#: Where codes come from: the key of the row, a column, the line itself, or a column of facts.
IN_KEY, IN_COLUMN, AS_IT_IS, OF_FACT = range(4)
#: Where numbers come from: a column, a constant, a column of facts, or what was worked out.
INTEGERS, FLOATS, CONSTANT, FACT_INTEGERS, FACT_FLOATS, WORKED_OUT = range(6)
#: How two numbers compare.
LESS, GREATER, AT_MOST, AT_LEAST, EQUAL, UNEQUAL = range(6)
#: What is worked out, of two numbers or (from NEGATE on) of one.
ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, MOST, NEGATE, MAGNITUDE, FLOOR = range(9)

#: What is known of the rows that are left: how many, how many facts and numbers each has; and where they start if all
#: rows of a block are left, else -1.
COUNT, FACTS, NUMBERS, START = range(4)

#: Up to here floats tell integers apart.
EXACT = 9007199254740992.0


# ---------------------------------------------------------------- codes and numbers


@kernel
def _read_codes(
    kind: int, x: int, y: int, column: Ints, packed: Ints, offset: int, rows: Ints, facts: Ints, codes: Ints
) -> None:
    if kind == IN_KEY:
        for i in range(codes.size):
            codes[i] = ((packed[rows[i]] + offset) >> x) & y
    elif kind == IN_COLUMN:
        for i in range(codes.size):
            codes[i] = column[rows[i]]
    elif kind == AS_IT_IS:
        for i in range(codes.size):
            codes[i] = x
    else:
        for i in range(codes.size):
            codes[i] = column[facts[x, i]]


@kernel
def _read_numbers(
    kind: int, x: int, column: Ints, constants: Floats, rows: Ints, facts: Ints, worked_out: Floats, numbers: Floats
) -> bool:
    """Gives whether they are exact: some integers floats do not tell apart."""
    is_exact, floats = True, column.view(np.float64)
    for i in range(numbers.size):
        if kind == FLOATS:
            numbers[i] = floats[rows[i]]
        elif kind == CONSTANT:
            numbers[i] = constants[x]
        elif kind == WORKED_OUT:
            numbers[i] = worked_out[x, i]
        elif kind == FACT_FLOATS:
            numbers[i] = floats[facts[x, i]]
        else:
            numbers[i] = column[facts[x, i] if kind == FACT_INTEGERS else rows[i]]
            is_exact &= abs(numbers[i]) < EXACT
    return is_exact


@kernel
def _apply(kind: int, a: Floats, b: Floats, may_be_whole: bool) -> bool:
    """Compute a function in place of its first argument; return whether it is exact, if it may be integers."""
    is_exact = True
    for i in range(a.size):
        if kind == ADD:
            a[i] += b[i]
        elif kind == SUBTRACT:
            a[i] -= b[i]
        elif kind == MULTIPLY:
            a[i] *= b[i]
        elif kind == DIVIDE:  # by zero there is no value
            a[i] = a[i] / (b[i] if b[i] != 0.0 else np.nan)
        elif kind == LEAST:
            a[i] = a[i] if a[i] < b[i] or a[i] != a[i] else b[i]
        elif kind == MOST:
            a[i] = a[i] if a[i] > b[i] or a[i] != a[i] else b[i]
        elif kind == NEGATE:
            a[i] = -a[i]
        elif kind == MAGNITUDE:
            a[i] = abs(a[i])
        else:
            a[i] = np.floor(a[i])
    if may_be_whole:
        for i in range(a.size):
            is_exact &= not abs(a[i]) >= EXACT
    return is_exact


# ---------------------------------------------------------------- tests


@kernel
def _compare(comparison: int, a: Floats, b: Floats, passed: Mask) -> None:
    """Mark the rows for which a comparison holds; what has no value compares with nothing."""
    below, above = comparison in (LESS, AT_MOST, UNEQUAL), comparison in (GREATER, AT_LEAST, UNEQUAL)
    at = comparison in (AT_MOST, AT_LEAST, EQUAL)
    for i in range(passed.size):
        passed[i] = (below & (a[i] < b[i])) | (above & (a[i] > b[i])) | (at & (a[i] == b[i]))


@kernel
def _keep_compared(comparison: int, floats: Floats, constant: float, rows: Ints, count: int, first: int) -> int:
    """The rows whose float compares so with a constant, as most tests are; gives how many.

    first: of rows that are all there, one after the other; -1: `rows` says which are.
    """
    k = 0
    if comparison in (EQUAL, UNEQUAL):
        wanted = comparison == EQUAL
        for i in range(count):
            row = rows[i] if first < 0 else first + i
            number = floats[row]
            rows[k] = row
            k += (number == constant) if wanted else (number < constant) | (number > constant)
        return k
    sign = 1.0 if comparison in (LESS, AT_MOST) else -1.0
    limit = sign * constant
    if comparison in (AT_MOST, AT_LEAST):
        limit = np.nextafter(limit, np.inf)
    if first < 0:
        for i in range(count):
            row = rows[i]
            rows[k] = row
            k += sign * floats[row] < limit
    else:
        for row in range(first, first + count):
            rows[k] = row
            k += sign * floats[row] < limit
    return k


@kernel
def _keep(passed: Mask, selection: Ints, rows: Ints, facts: Ints, worked_out: Floats) -> None:
    """Move the rows that have passed to the front of their array."""
    k = 0
    for i in range(passed.size):
        rows[k] = rows[i]
        k += passed[i]
    selection[COUNT] = k
    if k == passed.size:
        return
    for register in range(selection[FACTS]):
        k = 0
        for i in range(passed.size):
            facts[register, k] = facts[register, i]
            k += passed[i]
    for register in range(selection[NUMBERS]):
        k = 0
        for i in range(passed.size):
            worked_out[register, k] = worked_out[register, i]
            k += passed[i]


@kernel
def _list_rows(rows: Ints, selection: Ints) -> None:
    """Rows that are all there become those that are listed."""
    if selection[START] >= 0:
        for i in range(selection[COUNT]):
            rows[i] = selection[START] + i
        selection[START] = -1


@kernel
def _copy_rows(
    selection: Ints,
    rows: Ints,
    facts: Ints,
    numbers: Floats,
    to: Ints,
    to_rows: Ints,
    to_facts: Ints,
    to_numbers: Floats,
) -> None:
    """A selection as it is: to be kept, or where one was kept."""
    for i in range(4):
        to[i] = selection[i]
    for i in range(selection[COUNT] if selection[START] < 0 else 0):
        to_rows[i] = rows[i]
    for register in range(selection[FACTS]):
        for i in range(selection[COUNT]):
            to_facts[register, i] = facts[register, i]
    for register in range(selection[NUMBERS]):
        for i in range(selection[COUNT]):
            to_numbers[register, i] = numbers[register, i]


@kernel
def _look_up(table: Ints, codes: Ints, negated: bool, facts: Ints, passed: Mask) -> None:
    """The one fact about each code, and which have one."""
    for i in range(codes.size):
        facts[i] = table[codes[i]] if codes[i] < table.size else -1
        passed[i] = (facts[i] >= 0) != negated


@kernel
def _add_time(keys: Ints, packed: Ints, offset: int, rows: Ints, bits: int, has_keys: bool, points: Ints) -> None:
    """Keys at the times of rows; or rows as they are packed."""
    mask = (1 << bits) - 1
    for i in range(points.size):
        point = packed[rows[i]] + offset
        points[i] = (keys[i] << bits) | (point & mask) if has_keys else point


@kernel
def _mark_holding(points: Ints, s: Ints, e: Ints, is_at: bool, negated: bool, begin: int, passed: Mask) -> int:
    """Mark the points in one of the intervals, or (is_at) among the starts, seeking from the last place on.

    begin: how many starts were not after the last point; gives that for the next.
    """
    m, j = s.size, begin
    for i in range(points.size):
        p = points[i]
        low, high = 0, j
        if j == 0 or s[j - 1] <= p:
            low, step = j, 1
            while low + step <= m and s[low + step - 1] <= p:
                low += step
                step *= 2
            high = min(low + step, m)
        while low < high:
            middle = (low + high) >> 1
            if s[middle] <= p:
                low = middle + 1
            else:
                high = middle
        j = low
        holds = j > 0 and (s[j - 1] == p if is_at else p < e[j - 1])
        passed[i] = holds != negated
    return j


# ---------------------------------------------------------------- points


@kernel
def _cut_of(point: int, edges: Ints, shift: int, delay: int, floor: int) -> int:
    """After what time conclusions about the leading code of a point are drawn. shift: -1 where it is one for all."""
    if shift < 0:
        return floor
    code = point >> shift
    return max(edges[code] - delay, floor) if code < edges.size else AFTER_ALL


@kernel
def _write(
    points: Ints, out: Ints, used: int, last: int, times: Ints, edges: Ints, cuts: Ints, mask: int
) -> tuple[int, int]:
    """The points that conclusions are drawn for, behind those that are written; gives where they end, and the last.

    times: the first and the last of them. cuts: see `_cut_of`. last: of the points before; -1 as soon as one is less
    than the one before it.
    """
    low, high, shift, delay, floor = times[0], times[1], cuts[0], cuts[1], cuts[2]
    k, ascends = used, last >= 0
    for i in range(points.size):
        point = points[i]
        time = point & mask
        ascends &= last <= point
        last = point
        out[k] = point
        k += low <= time <= high and time > _cut_of(point, edges, shift, delay, floor)
    return k, int(last) if ascends else -1


@kernel
def _write_rows(
    packed: Ints,
    offset: int,
    rows: Ints,
    first: int,
    count: int,
    out: Ints,
    used: int,
    times: Ints,
    edges: Ints,
    cuts: Ints,
    mask: int,
) -> int:
    """Write rows as they are packed, and so sorted. first: see `_keep_compared`."""
    low, high, shift, delay, floor = times[0], times[1], cuts[0], cuts[1], cuts[2]
    k, code, cut = used, np.int64(-1), max(low - 1, floor)
    for i in range(count):
        point = packed[rows[i] if first < 0 else first + i] + offset
        if shift >= 0 and point >> shift != code:
            code = point >> shift
            cut = max(low - 1, _cut_of(point, edges, shift, delay, floor))
        time = point & mask
        out[k] = point
        k += (time > cut) & (time <= high)
    return k


@kernel
def _write_carried(keys: Ints, out: Ints, used: int, bits: int, edges: Ints, cuts: Ints) -> tuple[int, int]:
    """Write the keys that hold at the cuts, as if they were initiated there."""
    last, ascends = np.int64(0), True
    for i in range(keys.size):
        point = keys[i] << bits
        point |= _cut_of(point, edges, cuts[0], cuts[1], cuts[2])
        ascends &= last <= point
        out[used + i] = last = point
    return used + keys.size, int(last) if ascends else -1


# ---------------------------------------------------------------- scripts


@kernel
def _scan_edges(packed: Ints, offset: int, times: Ints, mask: int, rows: Ints, selection: Ints) -> None:
    """Select the starts or ends of a fluent, in a block of rows, that have happened."""
    k = 0
    for row in range(selection[START], selection[START] + selection[COUNT]):
        time = (packed[row] & mask) + offset
        rows[k] = row
        k += (packed[row] & mask) != mask and times[2] <= time <= times[3]
    selection[COUNT], selection[START] = k, -1


@kernel
def _add_run(runs: Ints, ended: int, table: int, begin: int, end: int) -> int:
    runs[ended, 0], runs[ended, 1], runs[ended, 2] = table, begin, end
    return ended + 1


@kernel
def _end_runs(script: Ints, begin: int, stop: int, state: Ints, out: Ints, runs: Ints, ended: int) -> int:
    """Sort what the lines after a scan have concluded, and add it as runs."""
    last = 0
    for number in range(begin + 1, stop):
        if script[number, 0] == CONCLUDE:
            last = state[number, 0]
            if state[number, 1] < 0:
                out[runs[last, 1] : runs[last, 2]].sort()
        elif script[number, 0] == AGAIN:
            ended = _add_run(runs, ended, script[number, 3], runs[last, 1], runs[last, 2])
    return ended


@kernel
def follow_script(
    script: Ints,
    arrays: Arrays,
    constants: Floats,
    times: Ints,
    edges: Ints,
    cuts: Ints,
    bits: int,
    code_bits: int,
) -> tuple[Ints, Ints, bool]:
    """Points, and the sorted runs that they are in: of each its table, and where it begins and ends. And whether all is
    exact.

    times: the first and the last for which conclusions are drawn, and between what fluents have starts and ends.
    cuts: by how many bits the leading code of a point is before the rest, how long before the edge of the code its cut
    is at most, and the earliest cut; the first is -1 where all have that one.
    """
    mask, lines, total, size = (1 << bits) - 1, script.shape[0], 0, 0
    for number in range(lines):
        op = script[number, 0]
        if op >= SCAN:
            size = arrays[script[number, 1]].size
        if op == CONCLUDE or op >= CARRY:
            total += size + 1
    out, runs = np.empty(total, np.int64), np.empty((lines, 3), np.int64)
    state = np.zeros((lines, 2), np.int64)  # of a condition, how far it has sought; of a conclusion, run and last point
    selection, rows = np.zeros(4, np.int64), np.empty(BLOCK + 1, np.int64)
    facts, worked_out = np.empty((MOST_FOUND, BLOCK), np.int64), np.empty((MOST_FOUND, BLOCK))
    saved, saved_rows = np.empty((MOST_SAVED, 4), np.int64), np.empty((MOST_SAVED, BLOCK), np.int64)
    saved_facts = np.empty((MOST_SAVED, MOST_FOUND, BLOCK), np.int64)
    saved_numbers = np.empty((MOST_SAVED, MOST_FOUND, BLOCK))
    key_room, code_room, pass_room = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64), np.empty(BLOCK, np.bool_)
    stack = np.empty((MOST_STACKED + 1, BLOCK))
    used, ended, begin, stop, is_exact = 0, 0, 0, 0, True
    while begin < lines:
        begun, source = script[begin], arrays[script[begin, 1]]
        stop = begin + 1
        if begun[0] != SCAN:
            if begun[0] == CARRY:
                end, last = _write_carried(source, out, used, bits, edges, cuts)
            else:
                end, last = _write(source, out, used, 0, times, edges, cuts, mask)
            if last < 0:
                out[used:end].sort()
            ended = _add_run(runs, ended, begun[3], used, end)
            used += source.size + 1
            begin = stop
            continue
        while stop < lines and script[stop, 0] < SCAN:
            if script[stop, 0] == CONCLUDE:
                state[stop, 0] = ended
                ended = _add_run(runs, ended, script[stop, 3], used, used)
                used += source.size + 1
            stop += 1
        offset = begun[3]
        for start in range(0, source.size, BLOCK):
            selection[COUNT], selection[FACTS], selection[NUMBERS], selection[START] = (
                min(BLOCK, source.size - start),
                0,
                0,
                start,
            )
            if begun[4]:
                _scan_edges(source, offset, times, mask, rows, selection)
            for number in range(begin + 1, stop):
                line = script[number]
                op, a, b, c, d = line[0], line[3], line[4], line[5], line[6]
                if op == RESTORE:
                    _copy_rows(
                        saved[a], saved_rows[a], saved_facts[a], saved_numbers[a], selection, rows, facts, worked_out
                    )
                    continue
                if op == SAVE:
                    _copy_rows(
                        selection, rows, facts, worked_out, saved[a], saved_rows[a], saved_facts[a], saved_numbers[a]
                    )
                    continue
                count = selection[COUNT]
                if count == 0 or op == AGAIN:
                    continue
                run = state[number, 0]
                if op == CONCLUDE and not b:
                    runs[run, 2] = _write_rows(
                        source, offset, rows, selection[START], count, out, runs[run, 2], times, edges, cuts, mask
                    )
                    continue
                array = arrays[line[1]]
                if op == COMPARE:
                    floats = array.view(np.float64)
                    selection[COUNT] = _keep_compared(a, floats, constants[b], rows, count, selection[START])
                    selection[START] = -1
                    continue
                _list_rows(rows, selection)
                keys, codes, passed = key_room[:count], code_room[:count], pass_room[:count]
                if op in (KEY, PICK):
                    _read_codes(a, b, c, array, source, offset, rows, facts, codes)
                    for i in range(count):
                        passed[i] = (keys[i] == codes[i]) != (d != 0)
                        if op == KEY:
                            keys[i] = codes[i] if d else (keys[i] << code_bits) | codes[i]
                            passed[i] = True
                elif op == PUSH:
                    is_exact &= _read_numbers(a, b, array, constants, rows, facts, worked_out, stack[c, :count])
                elif op == APPLY:
                    is_exact &= _apply(a, stack[b, :count], stack[b + 1, :count], c != 0)
                elif op == TEST:
                    _compare(a, stack[0, :count], stack[1, :count], passed)
                elif op == STORE:
                    for i in range(count):
                        worked_out[a, i] = stack[0, i]
                        passed[i] = stack[0, i] == stack[0, i]
                    selection[NUMBERS] = a + 1
                elif op == LOOK_UP:
                    _look_up(array, keys, b != 0, codes, passed)
                    if a >= 0:
                        for i in range(count):
                            facts[a, i] = codes[i]
                        selection[FACTS] = a + 1
                else:  # HOLD or CONCLUDE
                    _add_time(keys, source, offset, rows, bits, b != 0, codes)
                    if op == HOLD:
                        is_at = line[1] == line[2]
                        state[number, 0] = _mark_holding(codes, array, arrays[line[2]], is_at, a != 0, run, passed)
                    else:
                        end, last = _write(codes, out, runs[run, 2], state[number, 1], times, edges, cuts, mask)
                        runs[run, 2], state[number, 1] = end, last
                if op in (PICK, TEST, STORE, LOOK_UP, HOLD):
                    _keep(passed, selection, rows, facts, worked_out)
        ended = _end_runs(script, begin, stop, state, out, runs, ended)
        begin = stop
    return out, runs[:ended], is_exact
