"""Compiled kernels are found on disk, and load without what only compiling needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holdsfor

PROGRAM = """
import sys
import numpy as np
from holdsfor.kernels.rows.moving import unique_sorted
assert unique_sorted(np.array([1, 1, 2], sys.argv[1])).tolist() == [1, 2]
print(sum(unique_sorted.stats.cache_hits.values()), "numba.np.arrayobj" in sys.modules)
"""


def test_a_kernel_is_compiled_once_and_then_loaded_without_the_compiler(tmp_path: Path) -> None:
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


def kernel_file(cache: Path) -> Path:
    (path,) = cache.rglob("*unique_sorted*.kernel")
    return path


@pytest.mark.parametrize("share", [0, 0.5])
def test_a_damaged_file_is_as_if_it_were_absent_and_is_written_anew(share: float, tmp_path: Path) -> None:
    run_program(tmp_path)
    content = bytearray(kernel_file(tmp_path).read_bytes())
    content[int(share * len(content))] ^= 1
    kernel_file(tmp_path).write_bytes(content)
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


@pytest.mark.parametrize("content", [b"", bytes(1000)])
def test_what_is_no_kernel_is_written_anew(content: bytes, tmp_path: Path) -> None:
    run_program(tmp_path)
    kernel_file(tmp_path).write_bytes(content)
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


def test_a_kernel_of_another_signature_under_the_same_name_is_not_taken(tmp_path: Path) -> None:
    run_program(tmp_path / "mine")
    run_program(tmp_path / "other", PROGRAM, "int32")
    kernel_file(tmp_path / "mine").write_bytes(kernel_file(tmp_path / "other").read_bytes())
    assert [run_program(tmp_path / "mine") for _ in range(2)] == ["0 True\n", "1 False\n"]


def test_a_file_that_others_can_write_is_not_taken(tmp_path: Path) -> None:
    run_program(tmp_path)
    kernel_file(tmp_path).chmod(0o666)
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_not_taken(tmp_path: Path) -> None:
    run_program(tmp_path)
    os.chown(kernel_file(tmp_path), 12345, 12345)
    assert [run_program(tmp_path) for _ in range(2)] == ["0 True\n", "1 False\n"]


@pytest.mark.parametrize("reason", ["import numba; numba.__version__ = '0.99.0'", "{WITHOUT}"])
def test_other_versions_of_numba_keep_their_own_cache(reason: str, tmp_path: Path) -> None:
    """Nothing private of theirs is imported, which they may not have."""
    without = "import os; os.environ['HOLDSFOR_WITHOUT'] = 'worker,numba_cache'"
    program = reason.format(WITHOUT=without) + PROGRAM + "assert 'holdsfor.startup.numba_cache' not in sys.modules\n"
    assert [run_program(tmp_path, program).split()[0] for _ in range(2)] == ["0", "1"]


def test_what_calls_a_kernel_in_a_file_that_has_changed_is_compiled_anew(tmp_path: Path) -> None:
    """Of a copy of the package, in which the file of the kernel itself stays as it is."""
    package = Path(holdsfor.__file__).parent
    shutil.copytree(package, tmp_path / "holdsfor", ignore=shutil.ignore_patterns("__pycache__"))
    program = CALLER.replace("FOLDER", str(tmp_path))
    assert run_program(tmp_path / "cache", program) == "[3] True\n"
    assert run_program(tmp_path / "cache", program) == "[3] False\n"
    called = tmp_path / "holdsfor" / "kernels" / "rows" / "searching.py"
    text = called.read_text()
    search = "    return seek_between(values, wanted, low, min(low + step, values.size))\n"
    assert search in text
    called.write_text(text.replace(search, search.replace("wanted", "wanted - 8")))
    assert run_program(tmp_path / "cache", program) == "[] True\n"


#: Which keys do not agree, by a search in a list, and whether Numba's compiler was at work.
CALLER = """
import sys
sys.path.insert(0, "FOLDER")
import numpy as np
from holdsfor.kernels.changes.touching import find_contradictions
none, bits = np.empty(0, np.int64), 8
starts = np.array([(3 << bits) + 5, (3 << bits) + 9])
runs = np.array([[1, 0, 1]])
found = find_contradictions(starts[:1] + 1, runs, 0, 0, starts, starts + 3, none, none, none, bits, 0)
print(found[0].tolist(), "numba.np.arrayobj" in sys.modules)
"""


def test_compiling_is_logged(tmp_path: Path) -> None:
    program = "import logging, sys; logging.basicConfig(level=logging.INFO, stream=sys.stdout)" + PROGRAM
    assert [run_program(tmp_path, program).count("compiling unique_sorted") for _ in range(2)] == [1, 0]


#: A part of the kernel takes no array, so that it is the same for bytes that may be written and for those that may not.
LINES_PROGRAM = """
import sys
import numpy as np
from holdsfor.kernels.text.lines import _within_quotes, cut_lines
data = np.frombuffer(b"a|bcd|efghij\\n", np.uint8)
data = data.copy() if sys.argv[1] == "writeable" else data
print(cut_lines(data, ord("|")).cuts.tolist(), sum(_within_quotes.stats.cache_hits.values()))
"""


def test_a_kernel_from_disk_is_put_into_one_that_is_compiled(tmp_path: Path) -> None:
    assert run_program(tmp_path, LINES_PROGRAM, "read-only") == "[1, 5, 12] 0\n"
    assert run_program(tmp_path, LINES_PROGRAM, "writeable") == "[1, 5, 12] 1\n"


#: An error in a part of Numba itself, whose module is not imported for a kernel from disk.
FAILING_PROGRAM = """
import sys
import numpy as np
from holdsfor.kernels.text.lines import copy_strings
one = np.ones(1, np.int32)
try:
    copy_strings(np.zeros(9, np.uint8), 5 * one, one, np.ones(1, np.bool_))
except ValueError as error:
    print(error, sum(copy_strings.stats.cache_hits.values()))
"""


def test_a_kernel_from_disk_fails_as_one_that_was_compiled(tmp_path: Path) -> None:
    told = [run_program(tmp_path, FAILING_PROGRAM) for _ in range(2)]
    assert told == [f"negative dimensions not allowed {hits}\n" for hits in range(2)]


def run_program(cache: Path, program: str = PROGRAM, argument: str = "int64") -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", program, argument]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout
