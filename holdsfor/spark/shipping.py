"""Send workers of a cluster what they need of Holdsfor: the package, and kernels compiled beforehand."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import holdsfor
from holdsfor.spark.live.workers import on_workers
from holdsfor.spark.session import cache_dir
from holdsfor.spark.sharing import is_connect, require_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGE = Path(holdsfor.__file__).parent
SUFFIXES = (".py", ".lark", ".html", ".css", ".js", ".properties", ".typed")

RULES = """
initiatedAt(warm(X)=true, T) :- happensAt(begin(X, N), T), N > 1, \\+ holdsAt(cold(X)=true, T).
terminatedAt(warm(X)=true, T) :- happensAt(finish(X), T).
initiatedAt(cold(X)=true, T) :- happensAt(start(warm(X)=true), T).
initiatedAt(hot(X)=true, T) :- happensAt(begin(X, N), T), N > 3.
terminatedAt(hot(X)=true, T) :- happensAt(finish(X), T).
holdsFor(both(X,Y)=true, I) :- holdsFor(near(X,Y)=true, I1), holdsFor(warm(X)=true, I2), holdsFor(warm(Y)=true, I3),
    intersect_all([I1, I2, I3], I4), intDurGreater(I4, 2, I).
holdsFor(alone(X)=true, I) :- holdsFor(warm(X)=true, I1), holdsFor(cold(X)=true, I2),
    union_all([I1, I2], I3), relative_complement_all(I1, [I2, I3], I).
"""
LINES = ["begin|1|1|a|2.5", "begin|2|2|b|3"]
EVENTS = [
    "begin(a, 3) @ 5",
    "begin(b, 4) @ 6",
    "near(a, b) @ [3,30)",
    "finish(a) @ 20",
    "finish(b) @ 25 arrives 31",
]


def archive(path: str | Path) -> Path:
    """The package as a zip file, for `--py-files` or `addPyFile`: workers then need only its dependencies."""
    path = Path(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for file in sorted(PACKAGE.rglob("*")):
            if file.suffix in SUFFIXES:
                made.write(file, Path(PACKAGE.name) / file.relative_to(PACKAGE))
    return path


def ship(spark: SparkSession) -> None:
    """Sends the package to all workers of a running session, present and future."""
    folder = Path(tempfile.mkdtemp(prefix="ship-", dir=cache_dir()))  # workers that come later fetch it from there
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    package = str(archive(folder / "holdsfor.zip"))
    if is_connect(spark):
        spark.addArtifacts(package, pyfile=True)
    else:
        spark.sparkContext.addPyFile(package)


def warm(spark: SparkSession) -> int:
    """Has every core compile the kernels, or load them from Numba's cache; gives the number of tasks."""
    require_context(spark, "Compiling the kernels beforehand")
    return sum(on_workers(spark)(lambda _: load_kernels(), range(spark.sparkContext.defaultParallelism)))


def are_kernels_compiled() -> bool:
    """Whether Numba's cache has any."""
    cache = os.environ.get("NUMBA_CACHE_DIR") or PACKAGE / "kernels"
    return any(Path(cache).rglob("*.kernel"))


def load_kernels() -> int:
    """Calls those that most rules need, by a small run."""
    description, events = holdsfor.parse(RULES), holdsfor.read_events(EVENTS, format="terms")
    holdsfor.recognise(description, events, window=10, step=10, changes=True)
    session = holdsfor.session(description, window=20, step=2, start=0)
    session.add(events)
    for query_time in range(2, 41, 2):
        session.advance(query_time)
    holdsfor.read_events(LINES, format="rtec").read(description.inputs)
    return 1
