"""Memory that a process of ours keeps for its next column, instead of giving it back.

Columns are large and live for a moment. By default the C library returns each to the system when it is freed, and the
next one is made of fresh pages, which the system first fills with zeros: a third of the time of a job. It also gives
each thread memory of its own, so that none could use again what another has freed: here all share one.
"""

from __future__ import annotations

import ctypes
import os
import resource

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # as malloc.h numbers them
KEPT = 1 << 30  # bytes of free memory at most that a process keeps
LARGE = 1 << 28  # what is larger than that comes from the system, and goes back at once
#: The same for processes that are yet to start, but for the memory of threads: workers have one, Java has many.
ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": str(KEPT),
    "MALLOC_MMAP_THRESHOLD_": str(LARGE),
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


def most_memory() -> int:
    """The bytes that this process may take at most: those of the machine, or its own limit."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return machine if limit == resource.RLIM_INFINITY else min(machine, limit)


def keep_memory() -> None:
    """For processes of our own (commands, workers), not for those of users that import Holdsfor.

    Arrow then takes its memory from the C library, too. Elsewhere than on Linux with glibc nothing changes.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    if mallopt(_MMAP_THRESHOLD, LARGE) and mallopt(_TRIM_THRESHOLD, KEPT) and mallopt(_ARENA_MAX, 1):
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
