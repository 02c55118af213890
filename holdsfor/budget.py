"""Bound the work that rules ask for, counted before memory or time is taken, and the memory of this process."""

from __future__ import annotations

import os
import resource

#: Combinations of alternatives in the body of a rule; each becomes a rule of its own.
MOST_VARIANTS = 2_000
#: Conditions of a rule when all that it calls has been put in its place: in one body, and in all its variants.
MOST_CONDITIONS = 1_000
MOST_CONDITIONS_OF_VARIANTS = 10_000
#: Conditions that unfolding adds to a description, all rules together.
MOST_ADDED_CONDITIONS = 30_000
#: Parts of one term, or of one expression of intervals.
MOST_PARTS = 2_000
#: Rows that a join may give, unless so many went into it.
MOST_ROWS = int(os.environ.get("HOLDSFOR_MOST_ROWS", "50_000_000"))


def most_memory() -> int:
    """Return the bytes that this process may take at most: those of the machine, or its own limit."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return machine if limit == resource.RLIM_INFINITY else min(machine, limit)
