"""How a stream goes, on a terminal and elsewhere."""

from __future__ import annotations

import io
import logging
from dataclasses import replace

import pytest
from rich.console import Console

from holdsfor.io.metrics import BatchCounts, BatchMetrics
from holdsfor.io.metrics.neighbours import SinkMetrics
from holdsfor.view import live
from holdsfor.view.live import LiveProgress, duration, line, size

BUSY = BatchMetrics(
    batch=1200,
    counts=BatchCounts(events_in=50_000, late=3, rejected=2, changes=25),
    state_bytes=4_200_000,
    latency_ms=500.0,
    stream_time=10_500,
    open_intervals=1_234,
)
LINE = (
    "batch 1,200: 50,000 events in 500 ms (100,000/s), stream time 02:55:00, 25 changes, 1,234 open, "
    "3 late, 2 rejected, state 4.2 MB"
)


def test_a_line_a_batch_for_who_wants_to_know(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "holdsfor.stream"), LiveProgress("s", io.StringIO()) as progress:
        progress.show(BUSY)
    first, second = caplog.records
    assert (first.levelname, first.getMessage()) == ("DEBUG", LINE)
    assert vars(first)["figures"] == BUSY.to_json()
    assert second.levelname == "INFO"


def test_a_line_a_minute_and_one_at_the_end(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    behind = SinkMetrics("mqtt-2", undelivered=1_007)
    caplog.set_level(logging.INFO, "holdsfor.stream")
    with LiveProgress("s", io.StringIO(), sinks=lambda: [behind, SinkMetrics("console")]) as progress:
        for number in range(150):
            latency = 900.0 if number == 30 else 500.0
            progress.show(replace(BUSY, batch=number, latency_ms=latency))
            now[0] += 1.0
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "61 batches up to batch 60",
        "60 batches up to batch 120",
        "29 batches up to batch 149",
    ]
    assert caplog.records[0].getMessage() == (
        "61 batches up to batch 60: 3,050,000 events, stream time 02:55:00, 1,525 changes, 1,234 open, 183 late, "
        "122 rejected, 1,007 undelivered to mqtt-2, state 4.2 MB, slowest batch 900 ms"
    )
    figures = vars(caplog.records[0])["figures"]
    assert (figures["batches"], figures["events"], figures["slowestBatchMs"]) == (61, 3_050_000, 900.0)
    assert figures["undelivered"] == {"mqtt-2": 1_007, "console": 0}


def test_a_stream_without_batches_has_no_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "holdsfor.stream"), LiveProgress("s", io.StringIO()):
        pass
    assert not caplog.records


def test_dropped_rows_are_told_where_there_are_any() -> None:
    assert "2 rejected, 7 dropped, state 4.2 MB" in line(replace(BUSY, counts=replace(BUSY.counts, dropped=7)), "s")


def test_what_is_not_known_is_a_dash() -> None:
    assert line(BatchMetrics(3), "ticks") == (
        "batch 3: 0 events in 0 ms (0/s), stream time -, 0 changes, - open, 0 late, 0 rejected, state 0 B"
    )


def test_a_table_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    progress = LiveProgress("s", out)
    progress._draws = True
    progress._console = Console(file=out, force_terminal=True, width=110, color_system=None)
    progress._live.console = progress._console
    with progress:
        progress._live.refresh()
        assert "waiting for events" in out.getvalue()
        for batch in range(20):
            progress.show(
                BatchMetrics(
                    batch, counts=BatchCounts(events_in=10, late=1, rejected=2), latency_ms=1000.0, stream_time=60
                )
            )
    shown = out.getvalue().rpartition("events/s")[2]
    rows = [text.split() for text in shown.splitlines()[1:9]]
    assert [row[0] for row in rows] == [str(batch) for batch in range(12, 20)]
    assert rows[0] == ["12", "10", "10", "00:01:00", "1", "2", "0", "-", "0", "B", "1.00", "s"]
    assert "200 events in 20 batches" in shown
    assert "20 late, 40 rejected" in shown


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_960, "1.0 MB"),
        (4.2e9, "4.2 GB"),
        (2.5e15, "2,500.0 TB"),
    ],
)
def test_sizes(count: float, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(("ms", "text"), [(0.4, "0 ms"), (999.4, "999 ms"), (999.6, "1.00 s"), (61_500.0, "61.50 s")])
def test_durations(ms: float, text: str) -> None:
    assert duration(ms) == text
