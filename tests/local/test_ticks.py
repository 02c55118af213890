"""One unit for rules, mapping and run; parts of a tick, and times that no clock shows, are told."""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.errors import HoldsforError
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.local.stream import stream_feed

RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C > 90.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C =< 90.
"""
DEADLINE = "fi(hot(M)=true, hot(M)=false, 3 s)."
ROWS = ["event,time,machine,degrees", "reading,2026-01-01T00:00:00.100,m,95", "reading,2026-01-01T00:00:00.900,m,70"]
ZERO = 1767225600


def run(rules: str, rows: list[str], **options: Any) -> list[tuple[int, int | None]]:
    result = holdsfor.recognise(holdsfor.parse(rules), rows, format="columns", **options)
    return [(row["start"], row["end"]) for row in result.intervals.to_pylist()]


def test_parts_of_a_second_are_told(caplog: pytest.LogCaptureFixture) -> None:
    """The advice, followed, tells the two apart."""
    assert run(RULES, ROWS) == []
    (warning,) = [record.message for record in caplog.records if "parts of a tick" in record.message]
    assert warning.startswith("2 rows have parts of a tick, which is 1 s here: they are cut")
    assert 'tick_unit = "ms" in the mapping' in warning
    caplog.clear()
    assert run(RULES, ROWS, mapping={"tick_unit": "ms"}) == [(1000 * ZERO + 101, 1000 * ZERO + 901)]
    assert not caplog.records


@pytest.mark.parametrize("host", ["frame", "text", "parquet"])
def test_parts_are_counted_wherever_times_come_from(host: str, tmp_path: Path) -> None:
    stamps = pd.to_datetime(["2026-01-01T00:00:00.100", "2026-01-01T00:00:01.000", "2026-01-01T00:00:02.500"])
    frame = pd.DataFrame({"event": "reading", "time": stamps, "machine": "m", "degrees": 95})
    events: Any = frame
    if host == "text":
        frame.to_csv(tmp_path / "e.csv", index=False)
        events = tmp_path / "e.csv"
    if host == "parquet":
        frame.to_parquet(tmp_path / "e.parquet")
        events = tmp_path / "e.parquet"
    assert holdsfor.recognise(holdsfor.parse(RULES), events).metrics["times_cut"] == 2


@pytest.mark.parametrize(
    ("directive", "options"),
    [
        (":- tick(ms).", {}),
        (":- tick(ms).", {"mapping": {"tick_unit": "ms"}}),
        (":- tick(ms).", {"tick_unit": "ms"}),
        (":- tick(ms).", {"tick_unit": "ms", "mapping": {"tick_unit": "ms"}, "end": "2026-01-01T00:01:00"}),
        (":- tick(ms).", {"end": "2026-01-01T00:01:00"}),
    ],
)
def test_one_place_decides(directive: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    rules = f"{directive}\n{RULES}\n{DEADLINE}"
    rows = [*ROWS[:2], "reading,2026-01-01T00:00:09,m,70"]
    assert run(rules, rows, **options)[0] == (1000 * ZERO + 101, 1000 * ZERO + 3101)
    assert not caplog.records


@pytest.mark.parametrize("options", [{"mapping": {"tick_unit": "ms"}}, {"tick_unit": "ms"}])
def test_mapping_or_command_line_alone_decide(options: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    assert run(RULES, ROWS, end="2026-01-01T00:01:00", **options) == [(1000 * ZERO + 101, 1000 * ZERO + 901)]
    assert not caplog.records


def test_the_advice_on_durations_ends_the_matter(caplog: pytest.LogCaptureFixture) -> None:
    """Each of the two ways that the message names works."""
    rules, mapping = f"{RULES}\n{DEADLINE}", {"tick_unit": "ms"}
    with pytest.raises(HoldsforError) as refused:
        run(rules, ROWS, mapping=mapping)
    assert 'write `:- tick(ms).` before this rule, or tick_unit = "s" in the mapping' in str(refused.value)
    assert run(f":- tick(ms).\n{rules}", ROWS, mapping=mapping)
    run(rules, ROWS[:2], mapping={"tick_unit": "s"})
    assert all("parts of a tick" in record.message for record in caplog.records)


def test_a_run_and_a_mapping_that_differ() -> None:
    with pytest.raises(HoldsforError, match=r"tick_unit is 's', and the mapping counts dates in ticks of 1 ms"):
        run(RULES, ROWS, tick_unit="s", mapping={"tick_unit": "ms"})


def test_times_of_milliseconds_name_the_way_that_works(caplog: pytest.LogCaptureFixture) -> None:
    rows = ["event,time,machine,degrees", f"reading,{ZERO}100,m,95"]
    rules = f"{RULES}\n{DEADLINE}"
    run(rules, rows)
    assert "then write `:- tick(ms).` above the rules" in caplog.text
    caplog.clear()
    run(f":- tick(ms).\n{rules}", rows)
    assert not caplog.records
    run(RULES, rows)
    assert "then give tick_unit='ms'" in caplog.text
    caplog.clear()
    run(RULES, rows, tick_unit="ms")
    assert not caplog.records


@pytest.mark.parametrize("typed", [False, True])
def test_a_time_that_a_clock_skips_is_rejected(typed: bool) -> None:
    times = ["2026-03-29T01:59:59", "2026-03-29T02:30:00", "2026-03-29T03:00:00"]
    stamps: Any = [datetime.fromisoformat(text) for text in times] if typed else times
    frame = pd.DataFrame({"event": "reading", "time": stamps, "machine": "m", "degrees": 95})
    result = holdsfor.recognise(holdsfor.parse(RULES), frame, mapping={"zone": "Europe/Zurich"})
    assert [(row["row"], row["reason"]) for row in result.rejects.to_pylist()] == [
        (2, "time does not exist: the clock in Europe/Zurich skips it")
    ]


def test_sessions_and_streams_warn_once_of_parts_of_a_tick(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    session = holdsfor.session(holdsfor.parse(RULES), window=10, step=1, start=ZERO - 10)
    session.add(ROWS, format="columns")
    session.add(ROWS, format="columns")
    (tmp_path / "in").mkdir()
    for number in range(2):
        (tmp_path / "in" / f"{number}.csv").write_text("\n".join(ROWS) + "\n")
    with open_feed(str(tmp_path / "in"), tmp_path / "state", max_files=1) as (feed, reader):
        query = stream_feed(
            holdsfor.parse(RULES), feed, reader, checkpoint=tmp_path / "state", window=10, step=1, once=True
        )
        query.awaitTermination()
    cut = [record.message for record in caplog.records if "parts of a tick" in record.message]
    assert [text[:29] for text in cut] == ["2 rows have parts of a tick, "] * 2


def test_sessions_and_streams_count_in_the_unit_of_the_rules(tmp_path: Path) -> None:
    session = holdsfor.session(holdsfor.parse(f":- tick(ms).\n{RULES}\n{DEADLINE}"), window="10s", step="1s", start=0)
    session.add(ROWS, format="columns")
    assert session.metrics["times_cut"] == 0
    session = holdsfor.session(holdsfor.parse(RULES), window=10, step=1, start=ZERO - 10)
    session.add(ROWS, format="columns")
    assert session.metrics["times_cut"] == 2


def test_the_summary_tells(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "events.csv").write_text("\n".join(ROWS) + "\n")
    (tmp_path / "mapping.toml").write_text('tick_unit = "ms"\n')
    command = [
        "run",
        str(tmp_path / "rules.ec"),
        "--events",
        str(tmp_path / "events.csv"),
        "--out",
        str(tmp_path / "o"),
    ]
    logging.getLogger("holdsfor").handlers.clear()
    outcome = CliRunner().invoke(app, command)
    assert "with parts of a tick, which are cut" in outcome.output
    more = ["--mapping", str(tmp_path / "mapping.toml"), "--end", "2026-01-01T00:01:00"]
    outcome = CliRunner().invoke(app, [*command, *more])
    assert outcome.exit_code == 0
    assert "with parts of a tick" not in outcome.output
