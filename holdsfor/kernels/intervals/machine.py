"""The state machine: fluents that depend on each other, or have deadlines, in the order of time.

Actions come as lists, each sorted by `order` = component << bits | time. A component is a set of slots that may depend
on each other; slots are numbered within it, and its state is forgotten when the next one begins. A slot is a
fluent-value of a grounding; the slots of one group exclude each other. A condition asks whether a slot holds at a time
not after that of the action. What happens at a point takes effect at the next grid point; at one grid point termination
wins, and two values that are initiated there cancel each other.

The machine goes from component to component, and in each from cell to cell: the points up to the next grid point. In a
cell it collects what happens, then decides for each group that something happens to.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.intervals.inertia import INITIATE, INITIATE_IF_ALIVE, TERMINATE, TERMINATE_ANY
from holdsfor.kernels.intervals.machine_state import (
    ABSENT,
    AFTER,
    ALL_TERMINATED,
    ASKED_SHIFT,
    ASKED_SLOT,
    ASKED_WANTED,
    BEFORE,
    COMPONENT,
    COUNT,
    CURRENT,
    DEADLINE,
    DEADLINES_TAKEN,
    DROPPED,
    DUE,
    DUE_AT,
    DUE_ON,
    END,
    EXTENSIBLE,
    FIRST,
    GROUP,
    GROUPS_TOUCHED,
    INITIATED,
    INTERVALS_TAKEN,
    LAST,
    LATEST,
    LOGGED,
    MADE,
    NEXT,
    ONLY,
    OPEN,
    PLACE,
    PLACE_ON,
    SLOT,
    SOURCE,
    SPEC_ACTION,
    SPEC_HIGH,
    SPEC_LOW,
    SPEC_SLOT,
    STAMP,
    START,
    STOP,
    TARGET,
    TERMINATED,
    TOUCHED,
    TOUCHED_AT,
    WAITING,
    WAITS_SLOT,
    WAITS_TIME,
    WRITTEN,
    Actions,
    Deadlines,
    MachineResult,
    MachineStart,
)
from holdsfor.kernels.kernel import AFTER_ALL, Ints, inlined, kernel

__all__ = ["OPEN", "Actions", "Deadlines", "MachineResult", "MachineStart", "machine"]

Table = NDArray[np.int64]
Heap = list[tuple[np.int64, np.int64]]  # deadlines by when they are due; those that runs no longer has are stale


@kernel
def machine(
    actions: Actions,
    group_of: Ints,
    groups: int,
    deadlines: Deadlines,
    carried: MachineStart,
    bits: int,
    tick: int,
    now: int,
) -> MachineResult:
    order, begin, spec = actions.order, actions.begin, actions.spec
    specs, conditions = _specifications(actions)
    first_of, timers = deadlines.first, _timers(deadlines)
    lists = np.stack((begin[:-1], begin[1:]))
    slots, by_group, runs = _new_state(group_of, groups, timers.shape[1])
    used = np.zeros(7, np.int64)
    # Parts write into tables that have room for all they may write: only here does a table grow.
    written = np.empty((5, order.size + carried.slot.size + groups), np.int64)
    log = np.empty((5, 2 * timers.shape[1] + carried.running.size), np.int64)
    waiting = np.empty((2, _count_waiting(spec, specs)), np.int64)
    heap = [(np.int64(0), np.int64(0))]
    heap.pop()

    while True:
        component = _next_component(order, lists, carried, used, bits)
        if component == AFTER_ALL:
            break
        written_before = used[WRITTEN]
        written = _with_room(written, used[WRITTEN], carried.slot.size)
        _take_up_intervals(component, carried, slots, by_group, written, used)
        log = _with_room(log, used[LOGGED], carried.running.size)
        _take_up_deadlines(component, carried, runs, heap, log, used)
        while True:
            time = _next_time(component, order, lists, runs, heap, bits, now)
            if time == AFTER_ALL:
                break
            end = time + tick - time % tick
            used[STAMP] += 1
            used[GROUPS_TOUCHED] = used[WAITING] = 0
            base = component << bits
            limit = base + min(end, np.int64(1) << bits)
            _collect_actions(
                base, limit, order, lists, spec, specs, conditions, slots, by_group, waiting, written, used
            )
            if used[WAITING] > 0:
                _admit_waiting(slots, by_group, waiting, used)
            if len(heap) > 0 and heap[0][0] < end:
                _fire_deadlines(end, now, timers, slots, by_group, runs, heap, written, log, used)
            if used[WRITTEN] + used[GROUPS_TOUCHED] > written.shape[1]:
                written = _with_room(written, used[WRITTEN], used[GROUPS_TOUCHED])
            if used[LOGGED] + 2 * timers.shape[1] > log.shape[1]:
                log = _with_room(log, used[LOGGED], 2 * timers.shape[1])
            for i in range(used[GROUPS_TOUCHED]):
                group = by_group[TOUCHED, i]
                old, new, effective = _decide(group, slots, by_group, used)
                if old != new and old >= 0:
                    _end_value(old, group, time, end, first_of, slots, by_group, runs, written, log)
                if old != new and new >= 0:
                    by_group[CURRENT, group] = new
                    _add_interval(component, new, end, OPEN, slots, written, used)
                if effective >= 0:
                    _start_deadlines(component, effective, time, tick, first_of, timers, slots, runs, heap, log, used)
        _forget(written_before, slots, by_group, runs, heap, written, used)
    return _outcome(written[:, : used[WRITTEN]], log[:, : used[LOGGED]])


# ---------------------------------------------------------------- tables


@kernel
def _specifications(actions: Actions) -> tuple[Table, Table]:
    specs, conditions = np.empty((4, actions.slot.size), np.int64), np.empty((3, actions.condition_slot.size), np.int64)
    specs[SPEC_SLOT], specs[SPEC_ACTION] = actions.slot, actions.action
    specs[SPEC_LOW], specs[SPEC_HIGH] = actions.low, actions.high
    conditions[ASKED_SLOT], conditions[ASKED_WANTED] = actions.condition_slot, actions.condition_wanted
    conditions[ASKED_SHIFT] = actions.condition_shift
    return specs, conditions


@kernel
def _timers(deadlines: Deadlines) -> Table:
    timers = np.empty((4, deadlines.source.size), np.int64)
    timers[SOURCE], timers[TARGET] = deadlines.source, deadlines.target
    timers[AFTER], timers[EXTENSIBLE] = deadlines.after, deadlines.extensible
    return timers


@kernel
def _new_state(group_of: Ints, groups: int, deadlines: int) -> tuple[Table, Table, Table]:
    """By slot, by group and by deadline."""
    slots, by_group = np.zeros((6, group_of.size), np.int64), np.zeros((6, groups), np.int64)
    slots[GROUP], slots[LAST], by_group[CURRENT] = group_of, ABSENT, ABSENT
    return slots, by_group, np.full((4, deadlines), ABSENT)


@kernel
def _with_room(table: Table, used: np.int64, more: int) -> Table:
    """The table, or a larger one with the same content, with room for so much more."""
    if used + more <= table.shape[1]:
        return table
    larger = np.empty((table.shape[0], 2 * used + more), np.int64)
    larger[:, :used] = table[:, :used]
    return larger


@kernel
def _count_waiting(spec: Ints, specs: Table) -> int:
    """How many actions may have to wait until all others of their cell are known."""
    count = 0
    for x in spec:
        count += specs[SPEC_ACTION, x] == INITIATE_IF_ALIVE
    return count


@inlined
def _add_interval(
    component: np.int64, slot: np.int64, start: np.int64, end: np.int64, slots: Table, written: Table, used: Ints
) -> None:
    k = used[WRITTEN]
    written[COMPONENT, k], written[SLOT, k], written[START, k], written[END, k] = component, slot, start, end
    written[BEFORE, k] = slots[LAST, slot]
    slots[LAST, slot] = k
    used[WRITTEN] = k + 1


@inlined
def _add_deadline(
    component: np.int64, deadline: np.int64, made: np.int64, due: np.int64, log: Table, used: Ints
) -> None:
    n = used[LOGGED]
    log[COMPONENT, n], log[DEADLINE, n], log[MADE, n], log[DUE_AT, n] = component, deadline, made, due
    log[DROPPED, n] = AFTER_ALL
    used[LOGGED] = n + 1


@kernel
def _outcome(written: Table, log: Table) -> MachineResult:
    return MachineResult(
        written[COMPONENT].copy(),
        written[SLOT].copy(),
        written[START].copy(),
        written[END].copy(),
        log[COMPONENT].copy(),
        log[DEADLINE].copy(),
        log[MADE].copy(),
        log[DUE_AT].copy(),
        log[DROPPED].copy(),
    )


# ---------------------------------------------------------------- where the machine goes next


@inlined
def _next_component(order: Ints, lists: Table, carried: MachineStart, used: Ints, bits: int) -> np.int64:
    component = np.int64(AFTER_ALL)
    for n in range(lists.shape[1]):
        if lists[NEXT, n] < lists[STOP, n]:
            component = min(component, order[lists[NEXT, n]] >> bits)
    if used[INTERVALS_TAKEN] < carried.component.size:
        component = min(component, carried.component[used[INTERVALS_TAKEN]])
    if used[DEADLINES_TAKEN] < carried.running_component.size:
        component = min(component, carried.running_component[used[DEADLINES_TAKEN]])
    return component


@inlined
def _next_time(
    component: np.int64, order: Ints, lists: Table, runs: Table, heap: Heap, bits: int, now: int
) -> np.int64:
    """When the next action or deadline of the component is due; AFTER_ALL: none."""
    time = np.int64(AFTER_ALL)
    mask = (np.int64(1) << bits) - 1
    for n in range(lists.shape[1]):
        if lists[NEXT, n] < lists[STOP, n] and order[lists[NEXT, n]] >> bits == component:
            time = min(time, order[lists[NEXT, n]] & mask)
    while len(heap) > 0 and runs[DUE, heap[0][1]] != heap[0][0]:
        heappop(heap)  # dropped or made anew since
    if len(heap) > 0 and heap[0][0] <= now:
        time = min(time, heap[0][0])
    return time


@inlined
def _take_up_intervals(
    component: np.int64, carried: MachineStart, slots: Table, by_group: Table, written: Table, used: Ints
) -> None:
    c = used[INTERVALS_TAKEN]
    while c < carried.component.size and carried.component[c] == component:
        slot = carried.slot[c]
        _add_interval(component, slot, carried.start[c], carried.end[c], slots, written, used)
        if carried.end[c] == OPEN:
            by_group[CURRENT, slots[GROUP, slot]] = slot
        c += 1
    used[INTERVALS_TAKEN] = c


@inlined
def _take_up_deadlines(
    component: np.int64, carried: MachineStart, runs: Table, heap: Heap, log: Table, used: Ints
) -> None:
    r = used[DEADLINES_TAKEN]
    while r < carried.running_component.size and carried.running_component[r] == component:
        d, due, place = carried.running[r], carried.running_time[r], used[LOGGED]
        _add_deadline(component, np.int64(d), np.int64(-AFTER_ALL), due, log, used)
        if runs[DUE, d] >= 0 and runs[DUE, d] <= due:
            runs[DUE_ON, d], runs[PLACE_ON, d] = due, place
        else:
            runs[DUE_ON, d], runs[PLACE_ON, d] = runs[DUE, d], runs[PLACE, d]
            runs[DUE, d], runs[PLACE, d] = due, place
            heappush(heap, (due, np.int64(d)))
        r += 1
    used[DEADLINES_TAKEN] = r


@inlined
def _forget(
    written_before: np.int64, slots: Table, by_group: Table, runs: Table, heap: Heap, written: Table, used: Ints
) -> None:
    """The state of a component. written_before: how many intervals there were when it began."""
    for j in range(written_before, used[WRITTEN]):
        slots[LAST, written[SLOT, j]] = ABSENT
        by_group[CURRENT, slots[GROUP, written[SLOT, j]]] = ABSENT
    for d in range(runs.shape[1]):
        runs[DUE, d] = runs[DUE_ON, d] = ABSENT
    while len(heap) > 0:
        heappop(heap)


# ---------------------------------------------------------------- what happens in a cell


@inlined
def _holds(slot: np.int64, time: np.int64, slots: Table, written: Table) -> bool:
    """Whether the slot holds then: its intervals are looked at from the latest back."""
    j = slots[LAST, slot]
    while j >= 0 and written[START, j] > time:
        j = written[BEFORE, j]
    return bool(j >= 0 and time < written[END, j])


@inlined
def _is_true(spec: np.int64, time: np.int64, specs: Table, conditions: Table, slots: Table, written: Table) -> bool:
    """Whether the conditions of an action are."""
    for q in range(specs[SPEC_LOW, spec], specs[SPEC_HIGH, spec]):
        held = _holds(conditions[ASKED_SLOT, q], time + conditions[ASKED_SHIFT, q], slots, written)
        if held != (conditions[ASKED_WANTED, q] == 1):
            return False
    return True


@inlined
def _touch(group: np.int64, by_group: Table, used: Ints) -> None:
    if by_group[TOUCHED_AT, group] != used[STAMP]:
        by_group[TOUCHED_AT, group], by_group[COUNT, group] = used[STAMP], 0
        by_group[TOUCHED, used[GROUPS_TOUCHED]] = group
        used[GROUPS_TOUCHED] += 1


@inlined
def _initiate(slot: np.int64, first: np.int64, latest: np.int64, slots: Table, by_group: Table, used: Ints) -> None:
    if slots[INITIATED, slot] != used[STAMP]:
        slots[INITIATED, slot], slots[FIRST, slot], slots[LATEST, slot] = used[STAMP], first, latest
        by_group[COUNT, slots[GROUP, slot]] += 1
        by_group[ONLY, slots[GROUP, slot]] = slot
    slots[FIRST, slot] = min(slots[FIRST, slot], first)
    slots[LATEST, slot] = max(slots[LATEST, slot], latest)


@inlined
def _collect_actions(
    base: np.int64,
    limit: np.int64,
    order: Ints,
    lists: Table,
    spec: Ints,
    specs: Table,
    conditions: Table,
    slots: Table,
    by_group: Table,
    waiting: Table,
    written: Table,
    used: Ints,
) -> None:
    """Collect the actions of the cell whose conditions are true. base, limit: time 0 and the cell's end, packed."""
    for n in range(lists.shape[1]):
        while lists[NEXT, n] < lists[STOP, n] and order[lists[NEXT, n]] < limit:
            time, x = order[lists[NEXT, n]] - base, spec[lists[NEXT, n]]
            lists[NEXT, n] += 1
            if not _is_true(x, time, specs, conditions, slots, written):
                continue
            slot, action = specs[SPEC_SLOT, x], specs[SPEC_ACTION, x]
            _touch(slots[GROUP, slot], by_group, used)
            if action == INITIATE:
                _initiate(slot, time, time, slots, by_group, used)
            elif action == TERMINATE:
                slots[TERMINATED, slot] = used[STAMP]
            elif action == TERMINATE_ANY:
                by_group[ALL_TERMINATED, slots[GROUP, slot]] = used[STAMP]
            else:
                waiting[WAITS_SLOT, used[WAITING]], waiting[WAITS_TIME, used[WAITING]] = slot, time
                used[WAITING] += 1


@inlined
def _admit_waiting(slots: Table, by_group: Table, waiting: Table, used: Ints) -> None:
    """Only where some value holds, or is initiated here by name: so all are looked at before one is initiated."""
    for p in range(used[WAITING]):
        group = slots[GROUP, waiting[WAITS_SLOT, p]]
        if by_group[CURRENT, group] < 0 and by_group[COUNT, group] == 0:
            waiting[WAITS_SLOT, p] = ABSENT
    for p in range(used[WAITING]):
        if waiting[WAITS_SLOT, p] >= 0:
            _initiate(waiting[WAITS_SLOT, p], waiting[WAITS_TIME, p], waiting[WAITS_TIME, p], slots, by_group, used)


@inlined
def _fire_deadlines(
    end: np.int64,
    now: int,
    timers: Table,
    slots: Table,
    by_group: Table,
    runs: Table,
    heap: Heap,
    written: Table,
    log: Table,
    used: Ints,
) -> None:
    """Initiates the targets of deadlines that are due before the end of the cell."""
    while len(heap) > 0 and heap[0][0] < end and heap[0][0] <= now:
        due, d = heappop(heap)
        if runs[DUE, d] != due:
            continue
        latest = max(due, min(runs[DUE_ON, d], now))
        runs[DUE, d] = runs[DUE_ON, d] = ABSENT
        source, target = timers[SOURCE, d], timers[TARGET, d]
        again = slots[INITIATED, source] == used[STAMP] and slots[FIRST, source] <= due
        if timers[EXTENSIBLE, d] == 1 and again and not _is_terminated(source, slots, by_group, used):
            log[DROPPED, runs[PLACE, d]] = due
            continue  # initiated anew in time
        if not _holds(source, due, slots, written):
            log[DROPPED, runs[PLACE, d]] = due
        else:
            _touch(slots[GROUP, target], by_group, used)
            _initiate(target, due, latest, slots, by_group, used)


@inlined
def _is_terminated(slot: np.int64, slots: Table, by_group: Table, used: Ints) -> bool:
    return bool(slots[TERMINATED, slot] == used[STAMP] or by_group[ALL_TERMINATED, slots[GROUP, slot]] == used[STAMP])


# ---------------------------------------------------------------- what becomes of it


@inlined
def _decide(group: np.int64, slots: Table, by_group: Table, used: Ints) -> tuple[np.int64, np.int64, np.int64]:
    """The slot of the group that held, the one that holds from the end of the cell on, and the one whose initiation
    takes effect; ABSENT: none."""
    old = by_group[CURRENT, group]
    if by_group[COUNT, group] >= 2:
        return old, ABSENT, ABSENT
    if by_group[COUNT, group] == 1:
        only = by_group[ONLY, group]
        return (old, ABSENT, ABSENT) if _is_terminated(only, slots, by_group, used) else (old, only, only)
    if old >= 0 and _is_terminated(old, slots, by_group, used):
        return old, ABSENT, ABSENT
    return old, old, ABSENT


@inlined
def _end_value(
    slot: np.int64,
    group: np.int64,
    time: np.int64,
    end: np.int64,
    first_of: Ints,
    slots: Table,
    by_group: Table,
    runs: Table,
    written: Table,
    log: Table,
) -> None:
    """The slot holds no longer; its deadlines are dropped."""
    written[END, slots[LAST, slot]] = end
    by_group[CURRENT, group] = ABSENT
    for d in range(first_of[slot], first_of[slot + 1]):
        if runs[DUE, d] >= 0:
            log[DROPPED, runs[PLACE, d]] = time
            runs[DUE, d] = ABSENT
        if runs[DUE_ON, d] >= 0:
            log[DROPPED, runs[PLACE_ON, d]] = time
            runs[DUE_ON, d] = ABSENT


@inlined
def _start_deadlines(
    component: np.int64,
    slot: np.int64,
    time: np.int64,
    tick: int,
    first_of: Ints,
    timers: Table,
    slots: Table,
    runs: Table,
    heap: Heap,
    log: Table,
    used: Ints,
) -> None:
    """An initiation has taken effect: its deadlines run, or those that run are put off."""
    for d in range(first_of[slot], first_of[slot + 1]):
        extensible = timers[EXTENSIBLE, d] == 1
        if runs[DUE, d] < 0 or extensible:
            if runs[DUE, d] >= 0:
                log[DROPPED, runs[PLACE, d]] = time
            made = slots[LATEST, slot] if extensible else slots[FIRST, slot]
            runs[DUE, d], runs[PLACE, d] = made + timers[AFTER, d], used[LOGGED]
            heappush(heap, (runs[DUE, d], np.int64(d)))
            _add_deadline(component, np.int64(d), made, runs[DUE, d], log, used)
        due = slots[LATEST, slot] + timers[AFTER, d]
        if due > runs[DUE, d] and due < runs[DUE, d] + tick - runs[DUE, d] % tick:
            if runs[DUE_ON, d] >= 0:
                log[DROPPED, runs[PLACE_ON, d]] = time
            runs[DUE_ON, d], runs[PLACE_ON, d] = due, used[LOGGED]
            _add_deadline(component, np.int64(d), slots[LATEST, slot], due, log, used)
