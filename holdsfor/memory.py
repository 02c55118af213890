"""How much memory this process may take."""

from __future__ import annotations

import os
import resource


def most_memory() -> int:
    """Return the bytes that this process may take at most: those of the machine, or its own limit."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return machine if limit == resource.RLIM_INFINITY else min(machine, limit)
