"""The state machine: fluents that depend on each other, or have deadlines, in the order of time.

Actions come as lists, each sorted by `order` = component << bits | time. A component is a set of slots that may depend
on each other; slots are numbered within it, and its state is forgotten when the next one begins. A slot is a
fluent-value of a grounding; the slots of one group exclude each other. A condition asks whether a slot holds at a time
not after that of the action. What happens at a point takes effect at the next grid point; at one grid point termination
wins, and two values that are initiated there cancel each other.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel

OPEN = np.int64(1) << 62
NEVER = np.int64(-1)
FAR = (np.int64(1) << 62) + 1


class Actions(NamedTuple):
    """Lists of actions: `order` of all lists behind each other, `begin` their offsets (one more than there are lists).

    spec: for each row which specification below it has. slot, action (as in `exclusive`): of each specification;
    conditions low..high: slot, wanted truth (1 or 0), distance in time (at most 0).
    """

    order: Ints
    begin: Ints
    spec: Ints
    slot: Ints
    action: Ints
    low: Ints
    high: Ints
    condition_slot: Ints
    condition_wanted: Ints
    condition_shift: Ints


class Deadlines(NamedTuple):
    """Deadlines of slots: those of slot s are first[s]..first[s+1]."""

    first: Ints
    source: Ints
    target: Ints
    after: Ints
    extensible: Ints


class Carried(NamedTuple):
    """What is known at the start: intervals (end OPEN: still holding) and running deadlines, by component."""

    component: Ints
    slot: Ints
    start: Ints
    end: Ints
    running_component: Ints
    running: Ints
    running_time: Ints


class Outcome(NamedTuple):
    """Intervals (end OPEN: still holding), and deadlines: when made, when due, when dropped (FAR: never)."""

    component: Ints
    slot: Ints
    start: Ints
    end: Ints
    deadline_component: Ints
    deadline: Ints
    made: Ints
    due: Ints
    dropped: Ints


@kernel
def _holds(slot: np.int64, time: np.int64, last: Ints, starts: Ints, ends: Ints, before: Ints) -> bool:
    """Whether the slot holds then: its intervals are looked at from the latest back."""
    j = last[slot]
    while j >= 0 and starts[j] > time:
        j = before[j]
    return bool(j >= 0 and time < ends[j])


@kernel
def _larger(column: Ints) -> Ints:
    larger = np.empty(2 * column.size + 16, np.int64)
    larger[: column.size] = column
    return larger


@kernel
def machine(
    actions: Actions,
    group_of: Ints,
    groups: int,
    deadlines: Deadlines,
    carried: Carried,
    bits: int,
    tick: int,
    now: int,
) -> Outcome:
    order, begin, spec = actions.order, actions.begin, actions.spec
    lists, slots = begin.size - 1, group_of.size
    mask = (np.int64(1) << bits) - 1
    at = begin[:lists].copy()

    # the state of a component
    last = np.full(slots, NEVER)
    current = np.full(groups, NEVER)
    running = np.full(deadlines.source.size, NEVER)  # when each deadline is due
    entry = np.full(deadlines.source.size, NEVER)  # where it stands in the log
    # a later initiation whose deadline falls between the same two grid points: the target is initiated there, too
    running_on, entry_on = np.full(deadlines.source.size, NEVER), np.full(deadlines.source.size, NEVER)
    # what is known of the grid point at hand; a stamp saves clearing
    stamp = np.int64(0)
    begun, ended, ended_any = np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(groups, np.int64)
    touched_at, count, the_one = np.zeros(groups, np.int64), np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    first_time, last_time = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    touched, perhaps, perhaps_time = np.empty(groups, np.int64), np.empty(16, np.int64), np.empty(16, np.int64)
    # what comes out
    capacity = order.size + carried.slot.size + 16
    comps, which = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    starts, ends, before = np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    k = 0
    log_comp, log_which = np.empty(16, np.int64), np.empty(16, np.int64)
    log_made, log_due, log_dropped = np.empty(16, np.int64), np.empty(16, np.int64), np.empty(16, np.int64)
    logged = 0
    c, r = 0, 0  # how much of what is carried has been taken up
    heap = [(np.int64(0), np.int64(0))]
    heap.pop()

    while True:
        component = FAR
        for n in range(lists):
            if at[n] < begin[n + 1]:
                component = min(component, order[at[n]] >> bits)
        if c < carried.component.size:
            component = min(component, carried.component[c])
        if r < carried.running_component.size:
            component = min(component, carried.running_component[r])
        if component == FAR:
            break
        first_row = k
        while c < carried.component.size and carried.component[c] == component:
            if k + 2 >= starts.size:
                comps, which, starts, ends, before = (
                    _larger(comps),
                    _larger(which),
                    _larger(starts),
                    _larger(ends),
                    _larger(before),
                )
            s = carried.slot[c]
            comps[k], which[k], starts[k], ends[k], before[k] = component, s, carried.start[c], carried.end[c], last[s]
            last[s] = k
            if carried.end[c] == OPEN:
                current[group_of[s]] = s
            k += 1
            c += 1
        while r < carried.running_component.size and carried.running_component[r] == component:
            d = carried.running[r]
            due = carried.running_time[r]
            if logged == log_made.size:
                log_comp, log_which, log_made = _larger(log_comp), _larger(log_which), _larger(log_made)
                log_due, log_dropped = _larger(log_due), _larger(log_dropped)
            log_comp[logged], log_which[logged], log_made[logged] = component, d, -FAR
            log_due[logged], log_dropped[logged] = due, FAR
            if running[d] >= 0 and running[d] <= due:
                running_on[d], entry_on[d] = due, logged
            else:
                running_on[d], entry_on[d] = running[d], entry[d]
                running[d], entry[d] = due, logged
                heappush(heap, (due, np.int64(d)))
            logged += 1
            r += 1

        while True:
            time = FAR
            for n in range(lists):
                if at[n] < begin[n + 1] and order[at[n]] >> bits == component:
                    time = min(time, order[at[n]] & mask)
            while len(heap) > 0 and running[heap[0][1]] != heap[0][0]:
                heappop(heap)  # dropped or made anew since
            if len(heap) > 0 and heap[0][0] <= now:
                time = min(time, heap[0][0])
            if time == FAR:
                break
            cell = time + tick - time % tick
            stamp += 1
            n_touched, n_perhaps = 0, 0

            for n in range(lists):
                while at[n] < begin[n + 1] and order[at[n]] >> bits == component:
                    t = order[at[n]] & mask
                    if t >= cell:
                        break
                    x = spec[at[n]]
                    at[n] += 1
                    true = True
                    for q in range(actions.low[x], actions.high[x]):
                        held = _holds(
                            actions.condition_slot[q], t + actions.condition_shift[q], last, starts, ends, before
                        )
                        if held != (actions.condition_wanted[q] == 1):
                            true = False
                            break
                    if not true:
                        continue
                    s, action = actions.slot[x], actions.action[x]
                    g = group_of[s]
                    if touched_at[g] != stamp:
                        touched_at[g], count[g] = stamp, 0
                        touched[n_touched] = g
                        n_touched += 1
                    if action == 1:
                        if begun[s] != stamp:
                            begun[s], first_time[s], last_time[s] = stamp, t, t
                            count[g] += 1
                            the_one[g] = s
                        first_time[s], last_time[s] = min(first_time[s], t), max(last_time[s], t)
                    elif action == -1:
                        ended[s] = stamp
                    elif action == -2:
                        ended_any[g] = stamp
                    else:
                        if n_perhaps == perhaps.size:
                            perhaps, perhaps_time = _larger(perhaps), _larger(perhaps_time)
                        perhaps[n_perhaps], perhaps_time[n_perhaps] = s, t
                        n_perhaps += 1

            for p in range(n_perhaps):  # only where some value holds, or is initiated here by name
                g = group_of[perhaps[p]]
                if current[g] < 0 and count[g] == 0:
                    perhaps[p] = NEVER
            for p in range(n_perhaps):
                s, t = perhaps[p], perhaps_time[p]
                if s < 0:
                    continue
                if begun[s] != stamp:
                    begun[s], first_time[s], last_time[s] = stamp, t, t
                    count[group_of[s]] += 1
                    the_one[group_of[s]] = s
                first_time[s], last_time[s] = min(first_time[s], t), max(last_time[s], t)

            while len(heap) > 0 and heap[0][0] < cell and heap[0][0] <= now:
                due, d = heappop(heap)
                if running[d] != due:
                    continue
                latest = max(due, min(running_on[d], now))
                running[d] = running_on[d] = NEVER
                source = deadlines.source[d]
                again = begun[source] == stamp and first_time[source] <= due
                cancelled = ended[source] == stamp or ended_any[group_of[source]] == stamp
                if deadlines.extensible[d] == 1 and again and not cancelled:
                    log_dropped[entry[d]] = due
                    continue  # initiated anew in time
                if not _holds(source, due, last, starts, ends, before):
                    log_dropped[entry[d]] = due
                    continue
                s = deadlines.target[d]
                g = group_of[s]
                if touched_at[g] != stamp:
                    touched_at[g], count[g] = stamp, 0
                    touched[n_touched] = g
                    n_touched += 1
                if begun[s] != stamp:
                    begun[s], first_time[s], last_time[s] = stamp, due, due
                    count[g] += 1
                    the_one[g] = s
                first_time[s], last_time[s] = min(first_time[s], due), max(last_time[s], latest)

            for i in range(n_touched):
                g = touched[i]
                old, new = current[g], current[g]
                effective = NEVER
                if count[g] >= 2:
                    new = NEVER
                elif count[g] == 1:
                    u = the_one[g]
                    if ended[u] == stamp or ended_any[g] == stamp:
                        new = NEVER
                    else:
                        new = u
                        effective = u
                elif old >= 0 and (ended[old] == stamp or ended_any[g] == stamp):
                    new = NEVER
                if old != new and old >= 0:
                    ends[last[old]] = cell
                    current[g] = NEVER
                    for d in range(deadlines.first[old], deadlines.first[old + 1]):
                        if running[d] >= 0:
                            log_dropped[entry[d]] = time
                            running[d] = NEVER
                        if running_on[d] >= 0:
                            log_dropped[entry_on[d]] = time
                            running_on[d] = NEVER
                if old != new and new >= 0:
                    if k + 2 >= starts.size:
                        comps, which, starts, ends, before = (
                            _larger(comps),
                            _larger(which),
                            _larger(starts),
                            _larger(ends),
                            _larger(before),
                        )
                    comps[k], which[k], starts[k], ends[k], before[k] = component, new, cell, OPEN, last[new]
                    last[new] = k
                    current[g] = new
                    k += 1
                if effective >= 0:
                    for d in range(deadlines.first[effective], deadlines.first[effective + 1]):
                        extend = deadlines.extensible[d] == 1
                        if logged + 1 >= log_made.size:
                            log_comp, log_which, log_made = _larger(log_comp), _larger(log_which), _larger(log_made)
                            log_due, log_dropped = _larger(log_due), _larger(log_dropped)
                        if running[d] < 0 or extend:
                            if running[d] >= 0:
                                log_dropped[entry[d]] = time
                            made = last_time[effective] if extend else first_time[effective]
                            running[d] = made + deadlines.after[d]
                            heappush(heap, (running[d], np.int64(d)))
                            log_comp[logged], log_which[logged], log_made[logged] = component, d, made
                            log_due[logged], log_dropped[logged], entry[d] = running[d], FAR, logged
                            logged += 1
                        due = last_time[effective] + deadlines.after[d]
                        if due > running[d] and due < running[d] + tick - running[d] % tick:
                            if running_on[d] >= 0:
                                log_dropped[entry_on[d]] = time
                            running_on[d] = due
                            log_comp[logged], log_which[logged], log_made[logged] = component, d, last_time[effective]
                            log_due[logged], log_dropped[logged], entry_on[d] = due, FAR, logged
                            logged += 1

        for j in range(first_row, k):  # forget the component
            last[which[j]] = NEVER
            current[group_of[which[j]]] = NEVER
        for d in range(running.size):
            running[d] = running_on[d] = NEVER
        while len(heap) > 0:
            heappop(heap)
    return Outcome(
        comps[:k],
        which[:k],
        starts[:k],
        ends[:k],
        log_comp[:logged],
        log_which[:logged],
        log_made[:logged],
        log_due[:logged],
        log_dropped[:logged],
    )
