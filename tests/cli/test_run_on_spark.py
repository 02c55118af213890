"""`holdsfor run` on local Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from holdsfor.cli import app
from tests.cli.test_commands import FIRST, RULES, SECOND, counts

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parent.parent.parent


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    (folder / "rules.ec").write_text(RULES)
    (folder / "first.csv").write_text(FIRST)
    (folder / "second.csv").write_text(SECOND)
    return subprocess.run(
        [sys.executable, "-m", "holdsfor", "run", "rules.ec", "-o", "out", "--master", "local[2]", *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_run_replaces_an_earlier_one(tmp_path: Path) -> None:
    old = tmp_path / "out" / "intervals.parquet"
    old.mkdir(parents=True)
    (old / "part-old.parquet").write_text("from an earlier run")
    (tmp_path / "out" / "late.csv").write_text("from an earlier run")
    windows = ("--window", "1min", "--step", "30s")
    done = run(tmp_path, "--events", "first.csv", "second.csv", *windows, "--strict", "--wide")
    assert done.returncode == 1, done.stderr
    assert "--strict allows no rejected row, and 1 of them" in done.stderr
    assert "Traceback" not in done.stderr
    found = pq.read_table(tmp_path / "out" / "intervals.parquet").sort_by("start").to_pylist()
    assert [(row["args"], row["start"], row["end"]) for row in found] == [(["v1"], 11, 26), (["Two words"], 41, None)]
    assert pq.read_table(tmp_path / "out" / "occurrences.parquet").to_pylist() == [
        {"event": "fast", "args": ["v1"], "start": 30, "end": 30}
    ]
    assert counts(done.stdout)["intervals out"] == "2"
    assert counts(done.stdout)["rejected"] == "1"
    assert "Two words from 41, open" in done.stdout
    wide = pq.read_table(tmp_path / "out" / "wide" / "moving.parquet").sort_by("start").to_pylist()
    assert wide[0] == {"V": "v1", "value": True, "start": 11, "end": 26, "duration": 15}
    tables = [f"{name}.parquet" for name in ("intervals", "late", "occurrences", "rejects")]
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == sorted([*tables, "inputs.json", "metrics.json", "wide"])


def test_failing_run_tells_the_mistake_and_keeps_an_earlier_one(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)  # other tests go on with this session
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "table.csv").write_text("name,time,who\ngo,10,v1\n")
    (tmp_path / "mapping.toml").write_text('time = "when"\n')
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "intervals.csv").write_text("from an earlier run")
    rules, out, events, mapping = (str(tmp_path / name) for name in ("rules.ec", "out", "table.csv", "mapping.toml"))
    command = ["run", rules, "-o", out, "--engine", "spark", "--events", events, "--format", "columns"]
    done = CliRunner().invoke(app, [*command, "--mapping", mapping])
    assert done.exit_code == 1
    assert "no such column for the time: 'when'" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["intervals.csv"]
