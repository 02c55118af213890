"""Overlapping starts of `holdsfor stream`: the first goes on to the right end, the second is refused (review A1)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import committed, read_current
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.io.storage.store import Store
from holdsfor.language import parse
from tests.attack.folder_stream import RULES, history, put
from tests.conformance.compare import differences
from tests.conformance.engines import answer
from tests.spark.live.files import Folder, live
from tests.spark.live.party import PAIRS
from tests.spark.live.test_live import ROWS, told, until
from tests.spark.live.test_live import history as party_history
from tests.spark.live.undisturbed import WINDOWS

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.spark, pytest.mark.slow]


def command(folder: Path, *more: str) -> list[str]:
    words = [sys.executable, "-m", "holdsfor", "stream", str(folder / "rules.ec"), "--from", str(folder / "in")]
    words += ["--window", "40", "--step", "20", "--start", "0", "--checkpoint", str(folder / "state")]
    return [*words, "--engine", "spark", "--max-files", "1", "--buckets", "2", *more]


def once(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(folder, "--once"), cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("after", [0, 2, 6])
def test_overlapping_starts(after: int, tmp_path: Path) -> None:
    """The second begins when the first has the checkpoint and has done so many batches."""
    (tmp_path / "rules.ec").write_text(RULES)
    for number in range(8):
        put(tmp_path / "in", number)
    tables, owners = Store(tmp_path / "state" / "tables"), tmp_path / "state" / "owner"
    pipe = subprocess.PIPE
    with subprocess.Popen(command(tmp_path), cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as first:
        while first.poll() is None and not (list(owners.glob("*.json")) and len(committed(tables)) >= after):
            time.sleep(0.05)
        second = once(tmp_path)
        while first.poll() is None and len(committed(tables)) < 8:
            time.sleep(0.05)
        first.terminate()
        _, errors = first.communicate(timeout=300)
    assert first.returncode == 0, errors[-3000:]
    assert second.returncode == 1
    assert f"is in use by process {first.pid} (holdsfor stream)" in second.stderr, second.stderr[-3000:]
    third = once(tmp_path)
    assert third.returncode == 0, third.stderr[-3000:]
    assert not differences(history(8), answer(*read_current(tables)))


def test_taken_over(spark: SparkSession, tmp_path: Path) -> None:
    """The first stops with who has taken over; the second goes on to the right end."""
    folder = Folder(tmp_path / "in")
    folder.add(ROWS[:40])
    first = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", once=False)
    until(lambda: first.lastProgress is not None, seconds=240)
    with pytest.raises(HoldsforError, match=r"in use by this very process.*stop\(\)"):
        live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint")
    assert first.isActive
    folder.add(ROWS[40:])
    second = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", take_over=True)
    with pytest.raises(LeaseLost, match="was taken over by process"):
        first.awaitTermination()
    second.awaitTermination()
    assert not differences(party_history(), told(second))
