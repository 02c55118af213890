"""Compiled kernels are found on disk, and load without what only compiling needs."""

from __future__ import annotations

import os
import pickle
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
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


def test_what_names_types_that_are_gone_is_compiled_anew(tmp_path: Path) -> None:
    run_program(tmp_path)
    (index,) = tmp_path.rglob("*unique_sorted*.nbi")
    version = pickle.loads(index.read_bytes())
    index.write_bytes(pickle.dumps(version) + b"choldsfor.kernels.machine_state\nCarriedLongAgo\n.")
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


def run_program(cache: Path) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=environment)
    return done.stdout
