"""A point in time in a pattern that the history never comes to is told, on each host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import holdsfor
from holdsfor.io.readers.mapping import Mapping
from holdsfor.job.live.input.feeds import Folder
from holdsfor.job.live.input.files import FileReader
from holdsfor.local.stream import stream_feed

RULES = "out <- a SEQ 70.\n"
ROWS = ["a @ 15", "a @ 20"]


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [text for record in caplog.records if "is not in the history" in (text := record.getMessage())]


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        (0, 69, "which begins after 0 and ends at 69"),
        (70, 99, "which begins after 70 and ends at 99"),
        (0, 70, None),
    ],
)
def test_a_run(caplog: pytest.LogCaptureFixture, start: int, end: int, told: str | None) -> None:
    holdsfor.recognise(holdsfor.parse(RULES), ROWS, format="terms", start=start, end=end)
    told_times = [message.partition(": nothing")[0] for message in messages(caplog)]
    assert told_times == ([] if told is None else [f"the time 70 (<text>:1:14) is not in the history, {told}"])


def test_a_duration_is_no_point_in_time(caplog: pytest.LogCaptureFixture) -> None:
    holdsfor.recognise(holdsfor.parse("out <- NOT(b).[a, 5 ticks]."), ROWS, format="terms", start=10, end=30)
    assert messages(caplog) == []


@pytest.mark.parametrize(("start", "count"), [(69, 0), (70, 1)])
def test_a_session_as_soon_as_it_knows_its_start(caplog: pytest.LogCaptureFixture, start: int, count: int) -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=20, step=10)
    assert messages(caplog) == []
    live.add([f"a @ {start + 1}"], format="terms")
    assert len(messages(caplog)) == count


def test_a_stream(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    files = Folder.of(str(tmp_path / "in"), tmp_path / "state")
    times: dict[str, Any] = {"window": 20, "step": 10, "start": 90, "checkpoint": tmp_path / "state", "once": True}
    live = stream_feed(holdsfor.parse(RULES), files.feed(None, 1), FileReader(Mapping(), "in/*"), **times)
    assert live.awaitTermination(60)
    (told,) = messages(caplog)
    assert "which begins after 90: nothing can occur then" in told
