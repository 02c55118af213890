"""A daemon that stands by takes over from the one that Spark starts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from holdsfor.spark.sharing import is_connect
from holdsfor.startup.standby import STANDBY, hand_over

pytestmark = pytest.mark.skipif(not hasattr(socket, "send_fds"), reason="this system cannot hand over open files")

STAND_BY = """
import os, socket, sys
from holdsfor.startup.standby import take_over
if take_over(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])):
    print(os.environ["GIVEN"], sys.argv[1:], os.getcwd(), sys.stdin.readline().strip(), flush=True)
else:
    print("nobody came", file=open(os.environ["TOLD"], "w"))
"""
HAND_OVER = "import sys; from holdsfor.startup.standby import hand_over; sys.exit(0 if hand_over() else 7)"


def listen(folder: Path) -> socket.socket:
    (folder / "socket").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket" / "s"))
    listener.listen(1)
    return listener


def test_it_speaks_through_the_pipes_of_the_other_with_what_that_was_given(tmp_path: Path) -> None:
    with listen(tmp_path) as listener:
        standing_by = subprocess.Popen(
            [sys.executable, "-c", STAND_BY, str(listener.fileno()), str(os.getpid())],
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        path = listener.getsockname()
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", HAND_OVER, "pyspark.worker"],
        env=os.environ | {STANDBY: path, "GIVEN": "a word"},
        cwd=work,
        input="what Spark says\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"a word ['pyspark.worker'] {work} what Spark says\n"
    assert standing_by.wait(60) == 0
    assert not (tmp_path / "socket").exists()


def test_one_that_finds_nobody_does_the_work_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STANDBY, raising=False)
    assert not hand_over()
    monkeypatch.setenv(STANDBY, str(tmp_path / "gone"))
    assert not hand_over()


def test_it_ends_when_the_driver_is_gone(tmp_path: Path) -> None:
    told = tmp_path / "told"
    with listen(tmp_path) as listener:
        start = (
            f"import os, subprocess, sys; subprocess.Popen([sys.executable, '-c', {STAND_BY!r}, "
            f"'{listener.fileno()}', str(os.getpid())], pass_fds=[{listener.fileno()}])"
        )
        environment = os.environ | {"TOLD": str(told)}
        subprocess.run([sys.executable, "-c", start], pass_fds=[listener.fileno()], env=environment, check=True)
    deadline = time.monotonic() + 60
    while not (told.exists() and told.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert told.read_text() == "nobody came\n"
    assert not (tmp_path / "socket").exists()


@pytest.mark.spark
def test_workers_are_forked_by_it(spark: SparkSession) -> None:
    if is_connect(spark) or not Path("/proc/self/cmdline").exists():
        pytest.skip("needs Spark in this process, and /proc")

    def tell(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        list(batches)
        command = Path(f"/proc/{os.getppid()}/cmdline").read_bytes().decode().replace("\0", " ")
        yield pa.RecordBatch.from_pylist([{"command": command, "seed": os.environ["PYTHONHASHSEED"]}])

    (row,) = spark.range(0, 1, 1, 1).mapInArrow(tell, "command string, seed string").collect()
    assert "holdsfor.startup.daemon standby" in row["command"]
    assert row["seed"] == os.environ.get("PYTHONHASHSEED", "0")
