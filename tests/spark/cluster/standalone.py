"""A standalone Spark cluster on loopback, started from the pip package: a master and workers of one core each."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from holdsfor.spark.java import java_home
from holdsfor.spark.session import cache_dir

SPARK = Path(pyspark.__file__).parent
PATIENCE = 60.0


@dataclass
class Cluster:
    address: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_worker(self) -> None:
        """With all executors of it: as if the machine were gone."""
        os.killpg(self.workers.pop().pid, signal.SIGKILL)


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    master = _start(folder, "master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
    cluster = Cluster("")
    try:
        cluster.address = _said(folder / "master.log", r"Starting Spark master at (spark://\S+)", master)
        for number in range(workers):
            name = f"worker{number}"
            arguments = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", str(folder / name))
            worker = _start(folder, name, "org.apache.spark.deploy.worker.Worker", *arguments, cluster.address)
            cluster.workers.append(worker)
            _said(folder / f"{name}.log", r"Successfully registered with master", worker)
        yield cluster
    finally:
        for process in [*cluster.workers, master]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _start(folder: Path, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "JAVA_HOME": str(java_home(cache_dir())),
        "SPARK_HOME": str(SPARK),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [
                str(SPARK / "bin" / "spark-class"),
                main,
                *arguments,
                *(() if "worker" in name else ("--webui-port", "0")),
            ],
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,
        )


def _said(log: Path, wanted: str, process: subprocess.Popen[bytes]) -> str:
    """What the log says, as soon as it does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = re.search(wanted, log.read_text(errors="replace"))
        if found:
            return found[found.lastindex or 0]
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        time.sleep(0.1)
    raise AssertionError(f"{wanted} is not said within {PATIENCE} s:\n{log.read_text(errors='replace')[-2000:]}")
