"""The rules of a fluent in one call: a script says, line by line, what to do with the rows that rules begin with.

With few rows a query time costs what Python does around kernels, and a rule is some ten calls of them. A script does
what these would do, for all rules of a fluent: it scans rows, keeps those that pass each test, and writes the points of
the head. It does so for a block of rows at a time, which stays in the processor's cache from line to line.

Each line is a row of integers: what to do, and with what. Arrays are given by their place in a tuple. A code (of a
term) and a number each come from one of several places, and are told by three integers: which place, and where there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, Mask, kernel

Floats = NDArray[np.float64]
Arrays = tuple[Ints, ...]
Selected = tuple[Ints, Ints, Floats]
"""The rows of a block that are left, and for each of them the facts that were found and the numbers worked out."""

#: How many arrays a script is given.
SLOTS = 32
#: How many rows are looked at together.
BLOCK = 1024
#: How many arguments a head or a condition may have.
MOST_PARTS = 4
#: How many facts and numbers rows may have, how many selections are kept to come back to, how deep a calculation is.
MOST_FOUND, MOST_SAVED, MOST_STACKED = 3, 3, 6
#: How many integers a line has.
WIDTH = 5 + 3 * MOST_PARTS

#: What a line does. Those from CARRY on are about points that are there; SCAN begins all that is about its rows.
PICK, TEST, LOOK_UP, HOLD, WORK_OUT, CONCLUDE, AGAIN, SAVE, RESTORE, SCAN, CARRY, MERGE = range(12)
#: Where a code comes from: the key of the row, a column, the line itself, or a column of facts.
IN_KEY, IN_COLUMN, AS_IT_IS, OF_FACT = range(4)
#: Where a number comes from: a column, a constant, a column of facts, or what was worked out.
INTEGERS, FLOATS, CONSTANT, FACT_INTEGERS, FACT_FLOATS, WORKED_OUT = range(6)
#: How two numbers compare.
LESS, GREATER, AT_MOST, AT_LEAST, EQUAL, UNEQUAL = range(6)
#: What is done with the numbers on top of the stack, after what puts one there.
ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, MOST, NEGATE, MAGNITUDE, FLOOR = range(10, 19)

#: Up to here floats tell integers apart.
EXACT = 9007199254740992.0
#: Later than all times on an axis.
AFTER_ALL = 1 << 62


# ---------------------------------------------------------------- codes and numbers


@kernel
def _read_codes(line: Ints, place: int, arrays: Arrays, packed: Ints, offset: int, kept: Selected, codes: Ints) -> None:
    """The codes that three integers of a line tell of."""
    kind, x, y = line[place], line[place + 1], line[place + 2]
    rows, facts, _ = kept
    if kind == IN_KEY:
        for i in range(codes.size):
            codes[i] = ((packed[rows[i]] + offset) >> x) & y
    elif kind == IN_COLUMN:
        column = arrays[x]
        for i in range(codes.size):
            codes[i] = column[rows[i]]
    elif kind == AS_IT_IS:
        codes[:] = x
    else:
        column = arrays[x]
        for i in range(codes.size):
            codes[i] = column[facts[y, i]]


@kernel
def _read_numbers(
    kind: int, x: int, y: int, arrays: Arrays, constants: Floats, kept: Selected, numbers: Floats
) -> bool:
    """The numbers that three integers tell of, and whether they are exact: some integers floats do not tell apart."""
    rows, facts, worked_out = kept
    count, is_exact = numbers.size, True
    if kind == CONSTANT:
        numbers[:] = constants[x]
    elif kind == WORKED_OUT:
        numbers[:] = worked_out[x, :count]
    elif kind == FLOATS:
        floats = arrays[x].view(np.float64)
        for i in range(count):
            numbers[i] = floats[rows[i]]
    elif kind == FACT_FLOATS:
        floats = arrays[x].view(np.float64)
        for i in range(count):
            numbers[i] = floats[facts[y, i]]
    else:
        column = arrays[x]
        for i in range(count):
            numbers[i] = column[facts[y, i] if kind == FACT_INTEGERS else rows[i]]
            is_exact &= abs(numbers[i]) < EXACT
    return is_exact


@kernel
def _apply(kind: int, a: Floats, b: Floats) -> None:
    """What a step does with the top of the stack, and with what was above it; the outcome is in the place of the top."""
    if kind == ADD:
        for i in range(a.size):
            a[i] += b[i]
    elif kind == SUBTRACT:
        for i in range(a.size):
            a[i] -= b[i]
    elif kind == MULTIPLY:
        for i in range(a.size):
            a[i] *= b[i]
    elif kind == DIVIDE:  # by zero there is no value
        for i in range(a.size):
            a[i] = a[i] / (b[i] if b[i] != 0.0 else np.nan)
    elif kind == LEAST:
        for i in range(a.size):
            a[i] = a[i] if a[i] < b[i] or a[i] != a[i] else b[i]
    elif kind == MOST:
        for i in range(a.size):
            a[i] = a[i] if a[i] > b[i] or a[i] != a[i] else b[i]
    elif kind == NEGATE:
        for i in range(a.size):
            a[i] = -a[i]
    elif kind == MAGNITUDE:
        for i in range(a.size):
            a[i] = abs(a[i])
    else:
        for i in range(a.size):
            a[i] = np.floor(a[i])


@kernel
def _work_out(steps: Ints, arrays: Arrays, constants: Floats, kept: Selected, count: int, stack: Floats) -> bool:
    """The value of an expression for each row, at the bottom of the stack, and whether it is exact.

    steps: three integers each, in the order in which a stack is worked on. Of a function the second says whether its
    values may be integers: these are exact up to what floats tell apart.
    """
    depth, is_exact = 0, True
    for step in range(0, steps.size, 3):
        kind = steps[step]
        if kind < ADD:
            numbers = stack[depth, :count]
            is_exact &= _read_numbers(kind, steps[step + 1], steps[step + 2], arrays, constants, kept, numbers)
            depth += 1
        else:
            depth -= kind < NEGATE
            _apply(kind, stack[depth - 1, :count], stack[min(depth, MOST_STACKED - 1), :count])
        if kind >= ADD and steps[step + 1]:
            for i in range(count):
                is_exact &= not abs(stack[depth - 1, i]) >= EXACT
    return is_exact


# ---------------------------------------------------------------- tests


@kernel
def _compare(comparison: int, a: Floats, b: Floats, passed: Mask) -> None:
    """What has no value compares with nothing."""
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
def _keep(kept: Selected, passed: Mask, facts_found: int, numbers_found: int) -> int:
    """Only the rows that have passed, at the front of what they were in; gives how many."""
    rows, facts, worked_out = kept
    k = 0
    for i in range(passed.size):
        rows[k] = rows[i]
        k += passed[i]
    if k == passed.size:
        return k
    for register in range(facts_found):
        k = 0
        for i in range(passed.size):
            facts[register, k] = facts[register, i]
            k += passed[i]
    for register in range(numbers_found):
        k = 0
        for i in range(passed.size):
            worked_out[register, k] = worked_out[register, i]
            k += passed[i]
    return k


@kernel
def _pack(
    line: Ints,
    arrays: Arrays,
    packed: Ints,
    offset: int,
    kept: Selected,
    bits: int,
    code_bits: int,
    points: Ints,
    codes: Ints,
) -> None:
    """On the axis of the arguments that a line tells of, at the times of the rows. No parts: of all in their keys."""
    rows, mask, parts = kept[0], (np.int64(1) << bits) - 1, line[4]
    if parts == 0:
        for i in range(points.size):
            points[i] = packed[rows[i]] + offset
        return
    _read_codes(line, 5, arrays, packed, offset, kept, points)
    for part in range(1, parts):
        _read_codes(line, 5 + 3 * part, arrays, packed, offset, kept, codes)
        for i in range(points.size):
            points[i] = (points[i] << code_bits) | codes[i]
    for i in range(points.size):
        points[i] = (points[i] << bits) | ((packed[rows[i]] + offset) & mask)


@kernel
def _mark_holding(points: Ints, s: Ints, e: Ints, is_at: bool, negated: bool, begin: int, passed: Mask) -> int:
    """Which points lie in one of the intervals, or (is_at) are among the starts: sought from the last place on.

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
    return k, last if ascends else -1


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
    """As `_write`, of rows as they are packed, and so sorted. first: see `_keep_compared`."""
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
    """What holds at the cuts, as if it were initiated there."""
    last, ascends = np.int64(0), True
    for i in range(keys.size):
        point = keys[i] << bits
        point |= _cut_of(point, edges, cuts[0], cuts[1], cuts[2])
        ascends &= last <= point
        out[used + i] = last = point
    return used + keys.size, last if ascends else -1


@kernel
def _next_of(out: Ints, runs: Ints, chosen: Ints, places: Ints, since: int) -> int:
    """The first point of some sorted runs that is not before a point; AFTER_ALL if there is none."""
    least = np.int64(AFTER_ALL)
    for each in range(chosen.size):
        run = chosen[each]
        place, end = places[each], runs[run, 2]
        while place < end and out[place] < since:
            place += 1
        places[each] = place
        if place < end:
            least = min(least, out[place])
    return least


@kernel
def _hold_between(
    out: Ints, runs: Ints, initiating: Ints, terminating: Ints, mask: int, starts: Ints, ends: Ints, k: int
) -> int:
    """Intervals from what some runs of points initiate to what others terminate, as `make_intervals` has them.

    They are written from a place on; gives where they end.
    """
    i, j = runs[:, 1][initiating], runs[:, 1][terminating]
    p = _next_of(out, runs, initiating, i, 0)
    while p != AFTER_ALL:
        limit, stop = p | mask, _next_of(out, runs, terminating, j, p)
        if stop == p:
            stop = p + 1  # at one point termination wins
        else:
            stop = min(stop, limit)
            starts[k], ends[k] = p + 1, stop + 1 if stop < limit else limit
            k += p + 1 < limit
        p = _next_of(out, runs, initiating, i, stop)
    return k


@kernel
def _make_values(out: Ints, runs: Ints, values: int, mask: int) -> tuple[Ints, Ints, Ints]:
    """Each value holds from its initiations to its terminations, or to the initiation of another value."""
    ends, room = np.zeros(values, np.int64), 1
    for run in range(runs.shape[0]):
        room += (runs[run, 2] - runs[run, 1]) * (1 - runs[run, 0] % 2)
    starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
    some = np.arange(runs.shape[0])
    some = some[runs[:, 1] < runs[:, 2]]
    tables = runs[:, 0][some]
    k = 0
    for value in range(values):
        initiating = some[tables == 2 * value]
        terminating = some[(tables == 2 * value + 1) | ((tables % 2 == 0) & (tables != 2 * value))]
        k = _hold_between(out, runs, initiating, terminating, mask, starts, stops, k)
        ends[value] = k
    return starts[:k], stops[:k], ends


# ---------------------------------------------------------------- scripts


@kernel
def _count_points(script: Ints, arrays: Arrays) -> int:
    """How many points there may be, and one more for each line that writes them."""
    total, size = 0, 0
    for place in range(script.shape[0]):
        op = script[place, 0]
        if op >= SCAN:
            size = arrays[script[place, 1]].size
        if op == CONCLUDE or op >= CARRY:
            total += size + 1
    return total


@kernel
def _scan_edges(packed: Ints, first: int, count: int, offset: int, times: Ints, mask: int, rows: Ints) -> int:
    """Of starts and ends of a fluent, a block of rows, those that have happened; gives how many."""
    k = 0
    for row in range(first, first + count):
        time = (packed[row] & mask) + offset
        rows[k] = row
        k += (packed[row] & mask) != mask and times[2] <= time <= times[3]
    return k


@kernel
def _list_rows(rows: Ints, first: int, count: int) -> int:
    """Rows that are all there become those that are listed."""
    if first >= 0:
        for i in range(count):
            rows[i] = first + i
    return -1


@kernel
def follow_script(
    script: Ints,
    arrays: Arrays,
    constants: Floats,
    steps: Ints,
    values: int,
    times: Ints,
    edges: Ints,
    cuts: Ints,
    bits: int,
    code_bits: int,
) -> tuple[Ints, Ints, Ints, bool]:
    """The intervals of each value of a fluent, one value after the other, where each ends, and whether all is exact.

    Of each value there are two tables of points, of its initiations and its terminations.
    times: the first and the last for which conclusions are drawn, and between what fluents have starts and ends.
    cuts: by how many bits the leading code of a point is before the rest, how long before the edge of the code its cut
    is at most, and the earliest cut; the first is -1 where all have that one.
    """
    mask, lines = (np.int64(1) << bits) - 1, script.shape[0]
    out, runs = np.empty(_count_points(script, arrays), np.int64), np.empty((lines, 3), np.int64)
    state = np.zeros((lines, 2), np.int64)  # of a condition, how far it has sought; of a conclusion, its last point
    kept = np.empty(BLOCK + 1, np.int64), np.empty((MOST_FOUND, BLOCK), np.int64), np.empty((MOST_FOUND, BLOCK))
    saved = np.empty((MOST_SAVED, BLOCK), np.int64), np.empty((MOST_SAVED, 4), np.int64)
    saved_facts = np.empty((MOST_SAVED, MOST_FOUND, BLOCK), np.int64)
    saved_numbers = np.empty((MOST_SAVED, MOST_FOUND, BLOCK))
    points, codes, passed = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64), np.empty(BLOCK, np.bool_)
    stack = np.empty((MOST_STACKED, BLOCK))
    used, ended, place, is_exact = 0, 0, 0, True
    while place < lines:
        begun = script[place]
        source = arrays[begun[1]]
        if begun[0] >= CARRY:
            if begun[0] == CARRY:
                end, last = _write_carried(source, out, used, bits, edges, cuts)
            else:
                end, last = _write(source, out, used, 0, times, edges, cuts, mask)
            if last < 0:
                out[used:end] = np.sort(out[used:end])
            runs[ended, 0], runs[ended, 1], runs[ended, 2] = begun[2], used, end
            ended += 1
            used += source.size + 1
            place += 1
            continue
        stop = place + 1
        while stop < lines and script[stop, 0] < SCAN:
            if script[stop, 0] == CONCLUDE:
                runs[ended, 0], runs[ended, 1], runs[ended, 2] = script[stop, 2], used, used
                state[stop, 0] = ended
                ended += 1
                used += source.size + 1
            stop += 1
        offset = begun[2]
        for block in range(0, source.size, BLOCK):
            facts_found, numbers_found, first, count = 0, 0, block, min(BLOCK, source.size - block)
            if begun[3]:
                count = _scan_edges(source, block, count, offset, times, mask, kept[0])
                first = -1
            for number in range(place + 1, stop):
                line = script[number]
                op = line[0]
                if op == RESTORE:
                    level = line[1]
                    count, facts_found, numbers_found = saved[1][level, 0], saved[1][level, 1], saved[1][level, 2]
                    first = saved[1][level, 3]
                    if first < 0:
                        kept[0][:count] = saved[0][level, :count]
                    kept[1][:facts_found, :count] = saved_facts[level, :facts_found, :count]
                    kept[2][:numbers_found, :count] = saved_numbers[level, :numbers_found, :count]
                elif op == SAVE:
                    level = line[1]
                    saved[1][level, 0], saved[1][level, 1], saved[1][level, 2] = count, facts_found, numbers_found
                    saved[1][level, 3] = first
                    if first < 0:
                        saved[0][level, :count] = kept[0][:count]
                    saved_facts[level, :facts_found, :count] = kept[1][:facts_found, :count]
                    saved_numbers[level, :numbers_found, :count] = kept[2][:numbers_found, :count]
                elif count == 0 or op == AGAIN:
                    continue
                elif op == CONCLUDE and line[4] == 0:
                    run = state[number, 0]
                    runs[run, 2] = _write_rows(
                        source, offset, kept[0], first, count, out, runs[run, 2], times, edges, cuts, mask
                    )
                elif op == TEST and line[2] == FLOATS and line[5] == CONSTANT and facts_found + numbers_found == 0:
                    floats = arrays[line[3]].view(np.float64)
                    count = _keep_compared(line[1], floats, constants[line[6]], kept[0], count, first)
                    first = -1
                elif op == CONCLUDE:
                    first = _list_rows(kept[0], first, count)
                    _pack(line, arrays, source, offset, kept, bits, code_bits, points[:count], codes[:count])
                    run, last = state[number, 0], state[number, 1]
                    end, last = _write(points[:count], out, runs[run, 2], last, times, edges, cuts, mask)
                    runs[run, 2], state[number, 1] = end, last
                else:
                    first = _list_rows(kept[0], first, count)
                    some = passed[:count]
                    if op == TEST:
                        a, b = stack[0, :count], stack[1, :count]
                        is_exact &= _read_numbers(line[2], line[3], line[4], arrays, constants, kept, a)
                        is_exact &= _read_numbers(line[5], line[6], line[7], arrays, constants, kept, b)
                        _compare(line[1], a, b, some)
                    elif op == HOLD:
                        _pack(line, arrays, source, offset, kept, bits, code_bits, points[:count], codes[:count])
                        s, e, negated = arrays[line[1]], arrays[line[2]], line[3] != 0
                        begin = state[number, 0]
                        state[number, 0] = _mark_holding(
                            points[:count], s, e, line[1] == line[2], negated, begin, some
                        )
                    elif op == LOOK_UP:
                        _read_codes(line, 4, arrays, source, offset, kept, codes[:count])
                        table, register = arrays[line[1]], line[2]
                        for i in range(count):
                            fact = table[codes[i]] if codes[i] < table.size else -1
                            some[i] = (fact >= 0) != (line[3] != 0)
                            points[i] = fact
                        if register >= 0:
                            kept[1][register, :count] = points[:count]
                            facts_found = register + 1
                    elif op == WORK_OUT:
                        is_exact &= _work_out(steps[line[2] : line[3]], arrays, constants, kept, count, stack)
                        numbers_found = line[1] + 1
                        for i in range(count):
                            some[i] = stack[0, i] == stack[0, i]
                            kept[2][line[1], i] = stack[0, i]
                    else:  # PICK
                        _read_codes(line, 2, arrays, source, offset, kept, codes[:count])
                        _read_codes(line, 5, arrays, source, offset, kept, points[:count])
                        for i in range(count):
                            some[i] = (codes[i] == points[i]) != (line[1] != 0)
                    count = _keep(kept, some, facts_found, numbers_found)
        for number in range(place + 1, stop):
            if script[number, 0] == CONCLUDE:
                run = state[number, 0]
                if state[number, 1] < 0:
                    out[runs[run, 1] : runs[run, 2]] = np.sort(out[runs[run, 1] : runs[run, 2]])
            elif script[number, 0] == AGAIN:
                runs[ended, 0], runs[ended, 1], runs[ended, 2] = script[number, 1], runs[run, 1], runs[run, 2]
                ended += 1
        place = stop
    s, e, ends = _make_values(out, runs[:ended], values, mask)
    return s, e, ends, is_exact
