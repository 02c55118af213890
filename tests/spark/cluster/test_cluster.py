"""The streaming job on a real cluster, one worker of which is killed while it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.io.storage.changelog import read_current
from holdsfor.io.storage.store import Store
from tests.spark.cluster.job import RULES
from tests.spark.cluster.standalone import standalone

ROOT = Path(__file__).resolve().parents[3]


def lines(count: int) -> list[str]:
    """Vessels that are slow now and then, and near each other, in the order of arrival."""
    random = Random(7)
    vessels = [f"v{n}" for n in range(12)]
    found = []
    for time in range(1, count):
        one, other = random.sample(vessels, 2)
        found.append(f"velocity|{time}|{time}|{one}|{random.uniform(0, 10):.1f}")
        if time % 5 == 0:
            found.append(f"near|{time}|{time - 5}|{time + random.randint(0, 20)}|true|{one}|{other}")
    return found


@pytest.mark.slow
def test_a_worker_killed_while_the_stream_runs(tmp_path: Path) -> None:
    rows = lines(1500)
    size = len(rows) // 10 + 1
    (tmp_path / "in").mkdir()
    for number in range(0, len(rows), size):
        file = tmp_path / "in" / f"{number:05d}.csv"
        file.write_text("\n".join(rows[number : number + size]) + "\n")
        os.utime(file, (number, number))  # Spark reads files in the order of their time
    with standalone(tmp_path / "cluster") as cluster:
        command = [sys.executable, "-m", "tests.spark.cluster.job", cluster.address, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as job:
            assert job.stdout is not None
            assert job.stderr is not None
            said = []
            for line in job.stdout:
                said.append(line.strip())
                if line.startswith("batch 2"):
                    cluster.kill_worker()
            errors = job.stderr.read()
    assert said[:1] == ["warm 2"], errors
    assert said[-1] == "done", errors
    expected = holdsfor.recognise(
        holdsfor.parse(RULES), holdsfor.read_events(rows, format="rtec"), window=200, step=50, start=0
    )
    intervals, _ = read_current(Store(tmp_path / "tables"))
    assert _rows(intervals) == _rows(expected.intervals)
    assert {row["fluent"] for row in expected.intervals.to_pylist()} == {"slow", "meeting"}


def _rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))
