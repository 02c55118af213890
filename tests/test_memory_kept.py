"""Processes of our own keep the memory of columns for the next ones."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from holdsfor.memory import ENVIRONMENT

HAS_GLIBC = hasattr(ctypes.CDLL(None), "mallopt")
#: How many fresh pages it takes to make a large column again and again.
FAULTS = """
import resource
import numpy as np
{first}
for turn in range(6):
    column = np.zeros(1 << 23) + turn
    del column
    if turn == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def count_faults(first: str = "", program: str = FAULTS, **environment: str) -> int:
    known = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    known |= {"NUMPY_MADVISE_HUGEPAGE": "0"} | environment
    command = [sys.executable, "-c", program.format(first=first)]
    return int(subprocess.run(command, env=known, capture_output=True, text=True, check=True).stdout)


#: The same for columns that another thread makes first.
BY_A_THREAD = """
import resource
from threading import Thread
import numpy as np
{first}
thread = Thread(target=lambda: np.zeros(1 << 22) + 1)
thread.start()
thread.join()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
column = np.zeros(1 << 21) + 1
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not HAS_GLIBC, reason="only glibc can be told to keep memory")
def test_columns_are_made_of_memory_that_was_used_before() -> None:
    fresh = count_faults()
    assert fresh > 5 * 16_000  # pages of a column each turn, if none is kept
    assert count_faults("from holdsfor.memory import keep_memory; keep_memory()") < fresh / 10
    assert count_faults(**ENVIRONMENT) < fresh / 10


@pytest.mark.skipif(not HAS_GLIBC, reason="only glibc can be told to keep memory")
def test_threads_use_the_memory_of_each_other() -> None:
    fresh = count_faults(program=BY_A_THREAD)
    assert fresh > 4_000  # pages of a column
    assert count_faults("from holdsfor.memory import keep_memory; keep_memory()", BY_A_THREAD) < fresh / 10
