"""Progress and messages, where there is no terminal and where there is one."""

from __future__ import annotations

import io
import sys
import threading
from time import sleep
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.cli.output import console
from holdsfor.cli.start.watching import WatchedSource, share_of_tasks


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PATIENCE", 0.05)
    monkeypatch.setattr(console, "REPEAT", 0.05)


def test_quick_step_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress("Reading"):
        pass
    assert capsys.readouterr() == ("", "")


def test_long_step_tells_in_plain_lines_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress("Reading"):
        sleep(0.3)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0] == "Reading ..."
    assert lines[1].startswith("Reading ... ")
    assert lines[1].endswith(" s")


def test_long_step_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress("Reading"):
        sleep(0.3)
    assert "Reading" in terminal.getvalue()
    assert "\x1b[2K" in terminal.getvalue()  # and wiped away at the end


def test_a_bar_says_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "REDRAW", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with console.progress("Reading", lambda: 0.5) as step:
        sleep(0.3)
        step.move("Recognising")
        sleep(0.3)
    assert "Recognising" in terminal.getvalue()
    assert "\u2501" * 19 in terminal.getvalue(), "half of a bar of forty"


def test_the_share_of_parts_that_are_read() -> None:
    shares: list[tuple[str, float | None]] = []

    class Recorder(console.ProgressStep):
        def move(self, doing: str, share: float | None = None) -> None:
            shares.append((doing, share))

    parts = holdsfor.read_events([pa.table({"event": ["e"], "time": [n], "x": ["a"]}) for n in range(4)]).parts
    source = WatchedSource(parts, Recorder("Reading"))
    holdsfor.recognise(holdsfor.parse("happensAt(seen(X), T) :- happensAt(e(X), T)."), source)
    assert shares == [*(("Reading", share) for share in (0.25, 0.5, 0.75, 1.0)), ("Recognising", None)]


def test_the_share_of_tasks_that_are_done() -> None:
    stages = {1: SimpleNamespace(numTasks=8, numCompletedTasks=8), 2: SimpleNamespace(numTasks=8, numCompletedTasks=2)}
    jobs = {7: SimpleNamespace(stageIds=[1, 2, 3])}
    tracker = SimpleNamespace(getActiveJobsIds=lambda: list(jobs), getJobInfo=jobs.get, getStageInfo=stages.get)
    spark: Any = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))
    assert share_of_tasks(spark) == 10 / 16
    jobs.clear()
    assert share_of_tasks(spark) is None
    gone: Any = SimpleNamespace()
    assert share_of_tasks(gone) is None


def test_error_in_a_step_passes_and_ends_its_progress() -> None:
    with pytest.raises(KeyError), console.progress("Failing"):
        raise KeyError
    assert "Failing" not in [thread.name for thread in threading.enumerate()]


def test_messages_are_not_markup_and_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    text = "rules.ec:1:1: error: [bold] " + "x" * 300
    console.complain(text)
    assert capsys.readouterr().err == text + "\n"


def test_table_keeps_brackets_and_groups_digits(capsys: pytest.CaptureFixture[str]) -> None:
    console.show("counts", ("what", "how many"), [("[red]", 1_234_567)])
    printed = capsys.readouterr().out
    assert "[red]" in printed
    assert "1,234,567" in printed
