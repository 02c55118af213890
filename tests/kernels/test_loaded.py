"""A process for one run calls compiled kernels without importing Numba, and with the same results."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = """
import numpy as np
from holdsfor.kernels import intersect2, unique_sorted, value_span
from holdsfor.kernels.lines import copy_strings, cut_lines

def integers(*values): return np.array(values, np.int64)

def results():
    yield unique_sorted(integers(1, 1, 2))
    yield unique_sorted(np.array([1, 1, 2], np.int32))
    yield intersect2(integers(1, 20), integers(10, 30), integers(5), integers(25))
    yield value_span(integers(7, -3, 9))
    yield cut_lines(np.frombuffer(b"a|bcd|efghij\\n", np.uint8), ord("|")).cuts
    one = np.ones(1, np.int32)
    try:
        copy_strings(np.zeros(9, np.uint8), 5 * one, one, np.ones(1, np.bool_))
    except ValueError as error:
        yield str(error)

def shown(): return repr([(type(each).__name__, each) for each in results()])
"""
LOADED = "import sys; from holdsfor.one_run import mark_for_one_run; mark_for_one_run()"
SHOW = "print(shown()); print('numba' in sys.modules)"
#: Numba itself in a process that has called kernels without it.
NUMBA_AFTERWARDS = """
first = shown()
assert "numba" not in sys.modules
import numba
assert numba.njit(lambda x: np.arange(x).sum())(5) == 10
assert shown() == first
assert unique_sorted(np.array([1, 1, 2], np.uint8)).tolist() == [1, 2]  # of a kind that is not on disk
"""


def run(cache: Path, *parts: str, **settings: str) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | settings
    command = [sys.executable, "-c", "\n".join(parts)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With all kernels of the calls, as an ordinary process leaves them."""
    folder = tmp_path_factory.mktemp("kernels")
    run(folder, CALLS, "list(results())")
    return folder


def test_that_results_are_those_of_compiled_kernels(cache: Path) -> None:
    compiled = run(cache, CALLS, "import sys", SHOW)
    loaded = run(cache, LOADED, CALLS, SHOW)
    assert loaded == compiled.replace("True", "False")
    assert "negative dimensions" in loaded


def test_that_numba_works_in_the_same_process(cache: Path) -> None:
    run(cache, LOADED, CALLS, NUMBA_AFTERWARDS)


def test_that_what_is_not_on_disk_is_compiled_and_then_is(tmp_path: Path) -> None:
    """The kernels of one file see each other compiled: `cut_lines` is in parts."""
    told = [run(tmp_path, LOADED, CALLS, SHOW) for _ in range(2)]
    assert [each.splitlines()[1] for each in told] == ["True", "False"]
    assert told[0].splitlines()[0] == told[1].splitlines()[0]


@pytest.mark.parametrize("damage", ["cut short", "of another source"])
def test_that_code_that_does_not_fit_is_not_taken(damage: str, tmp_path: Path) -> None:
    run(tmp_path, LOADED, CALLS, "unique_sorted(integers(1))")
    (path,) = tmp_path.rglob("*unique_sorted*.code")
    stamp, codes = pickle.loads(path.read_bytes())
    damaged = pickle.dumps((("other", *stamp[1:]), codes))
    path.write_bytes(damaged[:-100] if damage == "cut short" else damaged)
    program = "print(unique_sorted(integers(1, 1)), 'numba' in sys.modules)"
    assert [run(tmp_path, LOADED, CALLS, program) for _ in range(2)] == ["[1] True\n", "[1] False\n"]


def test_that_numba_does_it_where_it_is_told_how(cache: Path) -> None:
    program = "print(unique_sorted(integers(1, 1)), 'numba' in sys.modules)"
    assert run(cache, LOADED, CALLS, program, NUMBA_DISABLE_JIT="1") == "[1] True\n"
