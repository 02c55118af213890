"""Input and output of the state machine, and the names for the rows of its tables.

A table of the machine is one array of int64 with a row for each thing that is known, such as `slots[LAST, slot]`: a
record of several arrays costs Numba several times as much as the work itself whenever it is passed on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdsfor.kernels.kernel import Ints

OPEN = np.int64(1) << 62
#: In the place of an interval, a slot or a deadline, where there is none.
ABSENT = np.int64(-1)


class Actions(NamedTuple):
    """Lists of actions: `order` of all lists behind each other, `begin` their offsets (one more than there are lists).

    spec: for each row which specification below it has. slot, action (INITIATE, ...): of each specification;
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


class MachineStart(NamedTuple):
    """The state at the start: intervals (end OPEN: still holding) and running deadlines, by component."""

    component: Ints
    slot: Ints
    start: Ints
    end: Ints
    running_component: Ints
    running: Ints
    running_time: Ints


class MachineResult(NamedTuple):
    """Intervals (end OPEN: still holding), and deadlines: when made, when due, when dropped (AFTER_ALL: never)."""

    component: Ints
    slot: Ints
    start: Ints
    end: Ints
    deadline_component: Ints
    deadline: Ints
    made: Ints
    due: Ints
    dropped: Ints


# ---------------------------------------------------------------- the tables of the machine: which row has what

# by list of actions: the next row, and where the list ends
NEXT, STOP = range(2)

# by slot: the group it is in, the place of its latest interval; in the cell at hand, by its stamp, whether it is
# initiated or terminated, and when it is initiated first and last
GROUP, LAST, INITIATED, TERMINATED, FIRST, LATEST = range(6)

# by group: the slot that holds; in the cell at hand whether all are terminated, whether anything happens to it, how
# many slots are initiated and the last of these; TOUCHED lists the groups to which something happens
CURRENT, ALL_TERMINATED, TOUCHED_AT, COUNT, ONLY, TOUCHED = range(6)

# by deadline: when it is due and its place in the log; ON: of a later initiation whose deadline falls between the same
# two grid points, where the target is initiated, too
DUE, PLACE, DUE_ON, PLACE_ON = range(4)

# by deadline: what is declared
SOURCE, TARGET, AFTER, EXTENSIBLE = range(4)

# by specification of an action
SPEC_SLOT, SPEC_ACTION, SPEC_LOW, SPEC_HIGH = range(4)

# by condition
ASKED_SLOT, ASKED_WANTED, ASKED_SHIFT = range(3)

# intervals that have been written; BEFORE: the place of the slot's interval before
COMPONENT, SLOT, START, END, BEFORE = range(5)

# deadlines that have been made, by component too; DROPPED: when, or AFTER_ALL
DEADLINE, MADE, DUE_AT, DROPPED = range(1, 5)

# initiations that count only where some value holds, or is initiated by name
WAITS_SLOT, WAITS_TIME = range(2)

# how much of each table is in use, the stamp of the cell at hand, and how much of what is carried has been taken up
STAMP, GROUPS_TOUCHED, WAITING, WRITTEN, LOGGED, INTERVALS_TAKEN, DEADLINES_TAKEN = range(7)
