"""What is internal, or not among `only`, is in no table, log, sink, figure or page, wherever rules are run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.duration import GivenTimes
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.sinks import JsonLinesSink
from holdsfor.io.storage.store import Store
from holdsfor.job.live.input.feeds import Folder
from holdsfor.job.live.input.files import FileReader
from holdsfor.job.live.start.checks import check_early
from holdsfor.local.stream import LocalQuery, stream_feed

RULES = """
late(O) <- departure(O, _D) WHERE _D >= 60.
lateCount(O, N) <- late(O) AGGREGATE N = count OVER LAST 100 ticks.
initiatedAt(busy(O)=true, T) :- happensAt(departure(O, _), T).
terminatedAt(busy(O)=true, T) :- happensAt(calm(O), T).
initiatedAt(disrupted(O)=true, T) :- happensAt(lateCount(O, N), T), N >= 2, holdsAt(busy(O)=true, T).
terminatedAt(disrupted(O)=true, T) :- happensAt(calm(O), T).
"""
INTERNAL = "internal late/1, lateCount/2, busy/1.\n" + RULES
ROWS = ["departure|3|3|a|70", "departure|8|8|a|90", "departure|12|12|b|80", "departure|25|25|a|10", "calm|31|31|a"]
DISRUPTED = [("disrupted", ["a"], 9, 32)]


def told(table: pa.Table) -> list[tuple[Any, ...]]:
    return [(row["fluent"], row["args"], row["start"], row["end"]) for row in table.to_pylist()]


@pytest.mark.parametrize(("rules", "only"), [(INTERNAL, None), (RULES, ["disrupted"]), (INTERNAL, "disrupted/1")])
@pytest.mark.parametrize("how", [{}, {"changes": True}, {"threads": 2}])
def test_a_history_is_without_them(rules: str, only: Any, how: dict[str, Any]) -> None:
    times: dict[str, Any] = {"start": 0, "end": 40, "window": 20, "step": 10}
    result = holdsfor.recognise(holdsfor.parse(rules), ROWS, format="rtec", only=only, **times, **how)
    assert told(result.intervals) == DISRUPTED
    assert result.occurrences.num_rows == 0
    assert set(result.changes["fluent"].to_pylist()) <= {"disrupted"}
    assert [table["name"] for table in result.metrics["tables"]] == ["disrupted"]
    assert (result.metrics["intervals_out"], result.metrics["occurrences_out"]) == (1, 0)
    with pytest.raises(HoldsforError, match="no rule defines 'busy'"):
        result.table("busy")


@pytest.mark.parametrize(("rules", "only"), [(INTERNAL, None), (RULES, ["disrupted"])])
def test_a_session_tells_nothing_of_them(rules: str, only: Any, tmp_path: Path) -> None:
    description = holdsfor.parse(rules)
    live = holdsfor.session(description, window=20, step=10, start=0, only=only)
    live.add(ROWS, format="rtec")
    first = live.advance(20)
    assert (told(first.intervals), first.occurrences.num_rows) == ([("disrupted", ["a"], 9, None)], 0)
    assert live.progress().num_rows == 0
    live.save(tmp_path)
    again = holdsfor.resume(description, tmp_path, only=only)
    again.advance(40)
    assert (told(again.current().intervals), again.current().occurrences.num_rows) == (DISRUPTED, 0)
    with pytest.raises(HoldsforError, match=r"was begun with no results of busy/1, which are asked for now\. Go on"):
        holdsfor.resume(holdsfor.parse(RULES), tmp_path, only=["busy", "disrupted"])


def run_stream(folder: Path, rules: str, **more: Any) -> LocalQuery:
    files = Folder.of(str(folder / "in"), folder / "state")
    options: dict[str, Any] = {"window": 20, "step": 10, "start": 0, "checkpoint": folder / "state", "buckets": 3}
    reader = FileReader(Mapping(), f"{folder / 'in'}/*")
    live = stream_feed(holdsfor.parse(rules), files.feed(None, 1), reader, once=True, **options | more)
    assert live.awaitTermination(60)
    return live


@pytest.mark.parametrize(("rules", "only"), [(INTERNAL, None), (RULES, ["disrupted"])])
def test_a_stream_tells_nothing_of_them(rules: str, only: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.csv").write_text("\n".join(ROWS) + "\n")
    sink = JsonLinesSink(Store(tmp_path / "told"))
    live = run_stream(tmp_path, rules, only=only, sinks=[sink])
    intervals, occurrences = live.current()
    assert (told(intervals), occurrences.num_rows) == (DISRUPTED, 0)
    assert {row["fluent"] for row in live.changes()[0].to_pylist()} == {"disrupted"}
    assert live.changes()[1].num_rows == 0
    lines = [line for file in (tmp_path / "told").rglob("*.jsonl") for line in file.read_text().splitlines()]
    assert {json.loads(line).get("fluent") for line in lines} == {"disrupted"}
    message = "was begun with no results of busy/1, late/1, lateCount/2, which are asked for now. Go on as it was begun"
    with pytest.raises(HoldsforError, match=message):
        run_stream(tmp_path, RULES)
    times = GivenTimes(window=20, step=10, start=0)
    with pytest.raises(HoldsforError, match=message):
        check_early(holdsfor.parse(RULES), tmp_path / "state", times, "eager")


def test_the_command_line_takes_names(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "rows.csv").write_text("\n".join(ROWS) + "\n")
    rules, out = str(tmp_path / "rules.ec"), str(tmp_path / "out")
    run = ["run", rules, "--events", str(tmp_path / "rows.csv"), "-o", out, "--engine", "local"]
    done = CliRunner().invoke(app, [*run, "--only", "disrupted", "--only", "late/1"])
    assert done.exit_code == 0, done.output
    assert "disrupted" in done.output
    assert "busy" not in done.output
    assert "lateCount" not in done.output
    done = CliRunner().invoke(app, [*run, "--only", "disruptd"])
    assert done.exit_code == 1
    assert "no rule defines 'disruptd'. Did you mean disrupted/1?" in done.output.replace("\n", " ")
