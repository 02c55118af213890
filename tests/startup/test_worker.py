"""A worker does a piece of work for a command in a process of its own, and ends with it whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or os.cpu_count() == 1, reason="there are no workers here")

#: What the work of these tests is: a module that both processes can import.
WORK = """
import os, signal, time
PAUSE = 0
from holdsfor.errors import HoldsforError

def prepare():
    time.sleep(PAUSE)
    return 1 / 0  # is no reason to give up

def add(one, other):
    return one + other, os.getpid()

def refuse():
    raise HoldsforError("the user can put this right")

def fail():
    return 1 / 0

class Stubborn(Exception):
    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")

def fail_stubbornly():
    raise Stubborn("this", "that")

def vanish():
    os.kill(os.getpid(), signal.SIGKILL)

def take_long(name):
    with open(name, "w") as file:
        file.write(str(os.getpid()))
    os.replace(name, "at_work")
    try:
        time.sleep(60)
    finally:
        os.unlink("at_work")
"""
PROGRAM = """
import os, sys
from holdsfor.startup.worker import start_worker
worker = start_worker("work", "prepare")
try:
    {statement}
finally:
    worker.stop()
"""


def run(statement: str, folder: Path, work: str = WORK) -> subprocess.CompletedProcess[str]:
    return subprocess.run(program(statement, folder, work), cwd=folder, capture_output=True, text=True, timeout=50)


def program(statement: str, folder: Path, work: str = WORK) -> list[str]:
    (folder / "work.py").write_text(work)
    return [sys.executable, "-c", PROGRAM.format(statement=statement)]


def test_that_it_gives_what_the_function_gives_from_another_process(tmp_path: Path) -> None:
    done = run("total, process = worker.call('work', 'add', 2, 3); print(total, process != os.getpid())", tmp_path)
    assert (done.stdout, done.stderr) == ("5 True\n", "")


def test_that_errors_travel(tmp_path: Path) -> None:
    told = run("worker.call('work', 'refuse')", tmp_path).stderr.splitlines()[-1]
    assert told == "holdsfor.errors.HoldsforError: the user can put this right"


def test_that_a_bug_shows_where_it_is(tmp_path: Path) -> None:
    told = run("worker.call('work', 'fail')", tmp_path).stderr
    assert "ZeroDivisionError" in told
    assert "return 1 / 0" in told


def test_that_an_error_that_cannot_travel_is_told(tmp_path: Path) -> None:
    told = run("worker.call('work', 'fail_stubbornly')", tmp_path).stderr
    assert "RuntimeError" in told
    assert "this and that" in told


def test_that_an_end_from_outside_is_told(tmp_path: Path) -> None:
    told = run("worker.call('work', 'vanish')", tmp_path).stderr.splitlines()[-1]
    assert "was ended from outside" in told


def test_that_one_without_work_does_not_hold_up_the_command(tmp_path: Path) -> None:
    begun = time.monotonic()
    assert run("pass", tmp_path, WORK.replace("PAUSE = 0", "PAUSE = 60")).returncode == 0
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_that_it_cleans_up_and_ends_when_the_command_ends(how: signal.Signals, tmp_path: Path) -> None:
    command = subprocess.Popen(
        program("worker.call('work', 'take_long', 'begun')", tmp_path), cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: (tmp_path / "at_work").exists())
    process = int((tmp_path / "at_work").read_text())
    command.send_signal(how)
    assert command.wait(30) != 0
    wait_until(lambda: not (tmp_path / "at_work").exists() and not is_running(process))


def is_running(process: int) -> bool:
    """A process that nobody has waited for yet is not running any more."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout
    return bool(state.strip()) and not state.startswith("Z")


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that within 30 seconds")
