"""Ids come out of every door as they came in: without quotes that the tables of the user do not have."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

RULES = """
initiatedAt(hot(Machine)=true, T) :- happensAt(reading(Machine, Degrees), T), Degrees > 90.
terminatedAt(hot(Machine)=true, T) :- happensAt(reading(Machine, Degrees), T), Degrees =< 90.
"""
EVENTS = "event,time,machine,degrees\nreading,10,M-004,95\nreading,20,Line 1,99\nreading,40,M-004,80\n"
IDS = {"M-004", "Line 1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.ec").write_text(RULES, encoding="utf-8")
    Path("in").mkdir()
    Path("in/events.csv").write_text(EVENTS, encoding="utf-8")


def call(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_stream() -> None:
    options = "--engine local --window 100 --step 10 --start 0 --checkpoint state --once --to console --to changes"
    told = call("stream", "rules.ec", "--from", "in", *options.split())
    assert "hot(M-004) = true" in told
    assert "hot(Line 1) = true" in told
    files = [path for path in Path("changes").rglob("*.jsonl") if path.is_file()]
    lines = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
    assert {line["args"][0] for line in lines} == IDS


def test_csv_and_the_page() -> None:
    call("run", "rules.ec", "--events", "in/events.csv", "--format", "columns", "-o", "text", "--output-format", "csv")
    with open("text/intervals.csv", newline="", encoding="utf-8") as file:
        assert {row["args"] for row in csv.DictReader(file)} == {f"[{name}]" for name in IDS}
    call("run", "rules.ec", "--events", "in/events.csv", "--format", "columns", "-o", "found")
    call("timeline", "found")
    page = Path("found/timeline.html").read_text("utf-8")
    assert '"M-004"' in page
    assert "'M-004'" not in page
