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
assert unique_sorted(np.array([1, 1, 2], sys.argv[1])).tolist() == [1, 2]
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


def test_code_of_another_process_under_the_same_name_is_not_taken(tmp_path: Path) -> None:
    """As two processes leave it that have compiled different signatures at the same time."""
    run_program(tmp_path / "here")
    run_program(tmp_path / "there", "int32")
    (mine,) = (tmp_path / "here").rglob("*unique_sorted*.nbc")
    (other,) = (tmp_path / "there").rglob("*unique_sorted*.nbc")
    mine.write_bytes(other.read_bytes())
    assert [run_program(tmp_path / "here") for _ in range(2)] == ["0 True\n", "1 False\n"]


def run_program(cache: Path, kind: str = "int64") -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", PROGRAM, kind]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
