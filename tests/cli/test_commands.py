"""The commands, as a person calls them: what they print, write and return."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.cli.commands.options import spread
from holdsfor.cli.start.history import write_wide_parts
from holdsfor.cli.start.order import MOST_BYTES, Engine, choose_engine
from holdsfor.job.output import write_part

RULES = """\
initiatedAt(moving(V)=true, T) :- happensAt(go(V), T).
terminatedAt(moving(V)=true, T) :- happensAt(stop(V), T).
happensAt(fast(V), T) :- happensAt(speed(V, S), T), S > 10.
"""
FIRST = "go|10|10|v1\nstop|25|25|v1\nspeed|30|30|v1|12\n"
SECOND = "go|40|40|Two words\nspeed|41|41|v1|abc\ngo|90|5|v2\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.ec").write_text(RULES)
    Path("first.csv").write_text(FIRST)
    Path("second.csv").write_text(SECOND)
    return tmp_path


def call(*args: str) -> Any:
    return CliRunner().invoke(app, args)


def ran(*more: str) -> Any:
    return call("run", "rules.ec", "--events", "first.csv", "second.csv", "-o", "out", "--engine", "local", *more)


def counts(printed: str) -> dict[str, str]:
    """The lines of the table that ends a run: what, how many."""
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in printed.splitlines() if "│" in line]
    return {row[0]: row[1] for row in rows if len(row) == 2}


def test_version() -> None:
    assert call("--version").stdout == f"holdsfor {holdsfor.__version__}\n"


def test_run_writes_tables_and_ends_with_counts(here: Path) -> None:
    result = ran("--window", "1min", "--step", "30s", "--start", "0", "--end", "120")
    assert result.exit_code == 0, result.stderr
    assert pq.read_table("out/intervals.parquet").to_pylist() == [
        {"fluent": "moving", "args": ["v1"], "value": "true", "start": 11, "end": 26},
        {"fluent": "moving", "args": ["Two words"], "value": "true", "start": 41, "end": None},
    ]
    assert pq.read_table("out/occurrences.parquet").to_pylist() == [
        {"event": "fast", "args": ["v1"], "start": 30, "end": 30}
    ]
    assert [row["row"] for row in pq.read_table("out/rejects.parquet").to_pylist()] == [2]
    assert pq.read_table("out/late.parquet").num_rows == 1  # at the query time 90 the window begins after 30
    assert json.loads(Path("out/metrics.json").read_text())["window"] == 60
    assert counts(result.stdout) == {
        "events in": "6",
        "of these, read by no rule": "0",
        "rejected": "1",
        "late: older than the window when they arrived": "1",
        "groundings outside the declared domain, left out": "0",
        "intervals out": "2",
        "occurrences out": "1",
    }


def test_strict_run_fails_after_writing_what_was_rejected(here: Path) -> None:
    result = ran("--strict")
    assert result.exit_code == 1
    assert "--strict allows no rejected row, and 1 of them" in result.stderr
    assert "second.csv, row 2" in result.stderr
    assert pq.read_table("out/rejects.parquet").num_rows == 1


def test_run_writes_csv(here: Path) -> None:
    assert ran("--output-format", "csv").exit_code == 0
    lines = Path("out/intervals.csv").read_text().splitlines()
    assert [line.replace('"', "") for line in lines[:2]] == ["fluent,args,value,start,end", "moving,[v1],true,11,26"]
    refused = call("timeline", "out")
    assert refused.exit_code == 1
    assert "--output-format parquet" in refused.stderr


def test_check_tells_kinds_strata_and_stages(here: Path) -> None:
    result = call("check", "rules.ec")
    assert result.exit_code == 0, result.stderr
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.stdout.splitlines() if "│" in line]
    assert ["speed/2", "event", "yes"] in cells
    assert ["moving/1", "simple fluent", "1"] in [row[:3] for row in cells]
    assert ["fast/1", "event", "1"] in [row[:3] for row in cells]
    assert result.stdout.splitlines()[-1] == "3 rules, 0 warnings"


def test_check_prints_the_plan(here: Path) -> None:
    plain, planned = call("check", "rules.ec").stdout, call("check", "rules.ec", "--plan").stdout
    assert len(planned) > len(plain)
    assert "moving/1=true" in planned


def test_check_reports_every_error_with_its_place(here: Path) -> None:
    Path("bad.ec").write_text("happensAt(a(X), T) :- happensAt(b(Y), T).\nhappensAt(c(X), T) :- happensAt(d(Y), T).\n")
    result = call("check", "bad.ec")
    assert result.exit_code == 1
    assert "bad.ec:1:" in result.stderr
    assert "bad.ec:2:" in result.stderr
    assert "Traceback" not in result.stderr


def test_timeline_draws_the_results_of_a_run(here: Path) -> None:
    ran()
    result = call("timeline", "out", "-o", "page.html", "--title", "Two ships")
    assert result.exit_code == 0, result.stderr
    page = Path("page.html").read_text()
    assert "<title>Two ships</title>" in page
    assert "moving" in page


def test_page_that_cannot_be_written_is_told(here: Path) -> None:
    ran()
    result = call("timeline", "out", "-o", "rules.ec/page.html")
    assert result.exit_code == 1
    assert "cannot write rules.ec/page.html" in result.stderr


WINDOWS = ("--window", "1min", "--step", "30s", "--start", "0")  # v2 is late by them


def cells(printed: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]


def test_run_ends_with_what_was_found(here: Path) -> None:
    assert cells(ran(*WINDOWS).stdout)[-2:] == [
        ["moving", "2", "v1 for 15 ticks", "Two words from 41, open"],
        ["fast", "1", "", "v1 at 30"],
    ]


def test_run_takes_one_process_for_little_and_says_so(here: Path) -> None:
    result = call("run", "rules.ec", "--events", "first.csv", "second.csv", "-o", "out")
    assert result.exit_code == 0, result.stderr
    assert "In this process: 2 files, 93 bytes of events fit in one process" in result.stderr
    assert pq.read_table("out/intervals.parquet").num_rows == 3


@pytest.mark.parametrize(
    ("size", "wanted", "option", "on_spark"),
    [
        (MOST_BYTES, "auto", None, False),
        (MOST_BYTES + 1, "auto", None, True),
        (MOST_BYTES + 1, "local", None, False),
        (1, "spark", None, True),
        (1, "auto", "--master", True),
    ],
)
def test_the_engine_goes_by_the_size_of_events(
    size: int, wanted: Engine, option: str | None, on_spark: bool, tmp_path: Path
) -> None:
    with open(tmp_path / "events.csv", "wb") as file:
        file.write(b"go|1|1|v1\n")
        file.truncate(size)  # a file with a hole takes no space
    source = holdsfor.read_events(tmp_path / "events.csv", format="rtec")
    choice = choose_engine(wanted, source, option, None)
    assert choice.on_spark == on_spark
    assert option is None or choice.reason == option


def test_wide_tables(here: Path) -> None:
    assert ran("--wide", *WINDOWS).exit_code == 0
    assert pq.read_table("out/wide/moving.parquet").to_pylist() == [
        {"V": "v1", "value": True, "start": 11, "end": 26, "duration": 15},
        {"V": "Two words", "value": True, "start": 41, "end": None, "duration": None},
    ]
    assert pq.read_table("out/wide/fast.parquet").column_names == ["V", "start", "end", "duration"]
    assert ran("--wide", "--output-format", "csv", *WINDOWS).exit_code == 0
    assert Path("out/wide/moving.csv").read_text().splitlines()[2].replace('"', "") == "Two words,true,41,,"
    assert not Path("out/wide/moving.parquet").exists()
    assert ran().exit_code == 0
    assert not Path("out/wide").exists(), "the folder tells of one run"


def test_wide_tables_of_parts_are_those_of_one_table(tmp_path: Path) -> None:
    """As workers write them: several files a table."""
    description = holdsfor.parse(RULES + "happensAt(never(V), T) :- happensAt(speed(V, S), T), S > 1000.")
    events = [f"go(v{i}) @ {i}" for i in range(1, 9)] + [f"stop(v{i}) @ {i + 9}" for i in range(1, 6)]
    result = holdsfor.recognise(description, [*events, "speed(v1, 12) @ 5"], format="terms")
    for number in range(3):
        for name in ("intervals", "occurrences"):
            table = getattr(result, name)
            rows = pa.array([row % 3 == number for row in range(table.num_rows)], pa.bool_())
            write_part(tmp_path / f"{name}.parquet", f"part-0-{number}.parquet", table.filter(rows))
    write_wide_parts(tmp_path, result.metrics)
    for name in ("moving", "fast", "never"):
        found = pq.read_table(tmp_path / "wide" / f"{name}.parquet")
        known = result.table(name).to_arrow()
        assert found.schema.equals(known.schema)
        assert (
            found.sort_by([("start", "ascending"), ("V", "ascending")]).to_pylist()
            == known.sort_by([("start", "ascending"), ("V", "ascending")]).to_pylist()
        )
    assert pq.read_table(tmp_path / "wide" / "moving.parquet").num_rows == 8


def test_show_what_was_found(here: Path) -> None:
    ran(*WINDOWS)
    assert cells(call("show", "out").stdout)[0] == ["moving", "2", "v1 for 15 ticks", "Two words from 41, open"]
    assert cells(call("show", "out", "moving").stdout) == [
        ["v1", "true", "11", "26", "15 ticks"],
        ["Two words", "true", "41", "open", ""],
    ]
    assert cells(call("show", "out", "fast").stdout) == [["v1", "30", "30", "0 ticks"]]
    assert [row[0] for row in cells(call("show", "out", "moving", "--entity", "Two words").stdout)] == ["Two words"]
    assert [row[0] for row in cells(call("show", "out", "moving", "--since", "26").stdout)] == ["Two words"]
    assert [row[0] for row in cells(call("show", "out", "moving", "--until", "41").stdout)] == ["v1"]
    assert [row[0] for row in cells(call("show", "out", "fast", "--since", "30").stdout)] == ["v1"]
    assert "2 rows; the first 1 are shown" in call("show", "out", "moving", "--limit", "1").stdout


def test_show_everything(here: Path) -> None:
    ran(*WINDOWS)
    result = call("show", "out", "--all")
    assert result.exit_code == 0, result.stderr
    assert cells(result.stdout) == [
        ["moving", "v1", "true", "11", "26", "15 ticks"],
        ["moving", "Two words", "true", "41", "open", ""],
        ["fast", "v1", "30", "30", "0 ticks"],
    ]
    assert [row[:2] for row in cells(call("show", "out", "--all", "--entity", "v1").stdout)] == [
        ["moving", "v1"],
        ["fast", "v1"],
    ]


def test_show_times_as_they_came(here: Path) -> None:
    Path("times.csv").write_text("name,time,who\ngo,2026-03-01T08:00:00,M-1\nstop,2026-03-01T09:30:00,M-1\n")
    result = call("run", "rules.ec", "--events", "times.csv", "-o", "out", "--engine", "local")
    moving = ["moving", "1", "M-1 for 1:30:00", "M-1 from 2026-03-01 08:00:01 to 2026-03-01 09:30:01"]
    assert cells(result.stdout)[-2:] == [moving, ["fast", "0", "", "defined, found nothing"]]
    assert len(cells(call("show", "out", "moving", "--since", "2026-03-01T09:30").stdout)) == 1
    assert not cells(call("show", "out", "moving", "--since", "2026-03-01T09:31+00:00").stdout)
    refused = call("show", "out", "moving", "--since", "yesterday")
    assert refused.exit_code == 1
    assert "--since yesterday is not a time" in refused.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("show", "absent"), "is not there. Name a folder that `holdsfor run` wrote, or the tables of a stream."),
        (("show", "out", "movin"), "no rule defines 'movin'. Did you mean 'moving'?"),
        (("show", "out", "moving", "--entity", "vv1"), "nothing was recognised of 'vv1'. Did you mean 'v1'?"),
        (("show", "out", "moving", "--since", "2026-03-01"), "these results have ticks, not dates"),
    ],
)
def test_show_tells_what_is_wrong(args: tuple[str, ...], message: str, here: Path) -> None:
    ran()
    result = call(*args)
    assert result.exit_code == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("check", "absent.ec"), "absent.ec"),
        (("run", "rules.ec", "--events", "absent.csv", "-o", "out", "--engine", "local"), "absent.csv"),
        (("run", "rules.ec", "--events", "first.csv", "-o", "rules.ec", "--engine", "local"), "rules.ec"),
        (("run", "rules.ec", "--events", "first.csv", "-o", "out", "--engine", "local", "--window", "4x"), "'4x'"),
        (("timeline", "absent"), "absent"),
    ],
)
def test_mistake_is_told_in_a_sentence(here: Path, args: tuple[str, ...], word: str) -> None:
    result = call(*args)
    assert result.exit_code == 1
    assert word in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("run",),
        ("run", "rules.ec", "-o", "out"),
        ("run", "rules.ec", "--events", "first.csv"),
        ("run", "rules.ec", "--events", "first.csv", "-o", "out", "--engine", "flink"),
        ("run", "rules.ec", "--events", "first.csv", "-o", "out", "--conf", "spark.ui.enabled"),
        ("run", "rules.ec", "--events", "first.csv", "-o", "out", "--engine", "local", "--master", "local[2]"),
        ("run", "rules.ec", "--events", "first.csv", "-o", "out", "--changes", "--master", "local[2]"),
        ("show", "out", "fast", "--all"),
        ("no-such-command",),
    ],
)
def test_bad_usage_has_exit_code_2(here: Path, args: tuple[str, ...]) -> None:
    result = call(*args)
    assert result.exit_code == 2
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("r --events a b c -o out", "r --events a --events b --events c -o out"),
        ("r --events a --events b", "r --events a --events b"),
        ("r -o out --events a b", "r -o out --events a --events b"),
        ("r -o out", "r -o out"),
        ("r --events -o out", "r --events -o out"),
    ],
)
def test_event_files_may_follow_one_option(args: str, expected: str) -> None:
    assert spread(args.split(), "--events") == expected.split()


def test_start_and_end_may_be_dates(here: Path) -> None:
    assert ran("--start", "1970-01-01T00:00:20", "--end", "1970-01-01T00:01:00").exit_code == 0
    metrics = json.loads(Path("out/metrics.json").read_text())
    assert (metrics["start"], metrics["end"]) == (20, 60)
    wrong = ran("--start", "noon")
    assert wrong.exit_code == 1
    assert "the start 'noon' is not a time. Write 2026-03-01T08:00" in wrong.stderr.replace("\n", " ")
