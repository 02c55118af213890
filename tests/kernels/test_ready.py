"""Compiled kernels are found on disk, and load without what only compiling needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
import numpy as np
from holdsfor.kernels import unique_sorted
assert unique_sorted(np.array([1, 1, 2])).tolist() == [1, 2]
print(sum(unique_sorted.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
"""


def test_a_kernel_is_compiled_once_and_then_loaded_without_the_compiler(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM]
    told = [
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout for _ in range(2)
    ]
    assert told == ["0 True\n", "1 False\n"]
