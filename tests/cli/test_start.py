"""A command imports only what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdsfor.cli.start.watching import WHY, tell_of_compiling
from holdsfor.kernels.kernel import LOGGER

RULES = "initiatedAt(open(D)=true, T) :- happensAt(opens(D), T).\n"
RUN = """
import sys
sys.argv = ["holdsfor", *COMMAND.split(), "--engine", "local"]
import holdsfor.__main__
holdsfor.__main__.start_worker_for = lambda arguments: None  # all in this process, whose modules we see
try:
    holdsfor.__main__.main()
except SystemExit as end:
    assert not end.code
print({"pyspark"} & set(sys.modules))
"""


def python(code: str, folder: Path) -> str:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_that_the_command_line_itself_needs_no_library_of_data(tmp_path: Path) -> None:
    told = python("import sys, holdsfor.cli; print({'numpy', 'pyarrow', 'lark', 'numba'} & set(sys.modules))", tmp_path)
    assert told == "set()\n"


STREAM = "stream rules.ec --from in --once --start 0 --window 4 --step 2 --checkpoint state"


@pytest.mark.parametrize(
    ("command", "made"),
    [("run rules.ec --events in/events.csv -o out", "out/intervals.parquet"), (STREAM, "state/tables/stream.json")],
)
def test_that_what_is_done_in_process_leaves_out_what_it_does_not_need(command: str, made: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "in" / "events.csv").write_text("opens|3|3|front\n")
    assert python(f"COMMAND = {command!r}\n{RUN}", tmp_path).splitlines()[-1] == "set()"
    assert (tmp_path / made).exists()


@pytest.mark.parametrize(
    ("events", "told"),
    [("in/events.csv", "rejected"), ("nowhere.csv", "nowhere.csv"), ("in/events.csv --step 0", "step")],
)
def test_that_a_run_in_two_processes_tells_what_one_tells(events: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "in" / "events.csv").write_text("opens|3|3|front\nopens|x|3|front\n")
    arguments = f"run rules.ec --events {events} -o out --engine local".split()
    two = subprocess.run([sys.executable, "-m", "holdsfor", *arguments], cwd=tmp_path, capture_output=True, text=True)
    code = f"COMMAND = {' '.join(arguments[:-2])!r}\n{RUN.replace('assert not end.code', 'sys.exit(end.code)')}"
    one = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (two.returncode, two.stderr) == (one.returncode, one.stderr)
    assert two.stdout == one.stdout.removesuffix("set()\n")
    assert told in two.stdout + two.stderr
    assert "Traceback" not in two.stderr


def test_the_first_run_says_why_it_takes_longer(capsys: pytest.CaptureFixture[str]) -> None:
    """Once, and only if something is compiled: which is what a kernel logs that is not on disk."""
    with tell_of_compiling():
        pass
    assert not capsys.readouterr().err
    with tell_of_compiling():
        LOGGER.info("compiling %s", "union2")
        LOGGER.info("compiling %s", "minus2")
    LOGGER.info("compiling %s", "later")
    assert " ".join(capsys.readouterr().err.split()) == WHY
