"""Make Java's archive of Spark's classes, for `holdsfor warm`: a Java that leaves one takes some twenty seconds."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from holdsfor.startup.classes import archive_of, is_whole

#: Something that goes all the way: through stages, and into tables.
RULES = """
initiatedAt(near(A, B)=true, T) :- happensAt(met(A, B), T), holdsAt(up(A)=true, T), holdsAt(up(B)=true, T).
terminatedAt(near(A, B)=true, T) :- happensAt(left(A, B), T).
initiatedAt(up(A)=true, T) :- happensAt(begins(A), T).
terminatedAt(up(A)=true, T) :- happensAt(ends(A), T).
"""
EVENTS = """\
begins|1|1|a
begins|1|1|b
met|2|2|a|b
left|3|3|a|b
ends|4|4|a
"""


def make_archive() -> bool:
    """Make the archive unless it is there; return False where this Java cannot make one."""
    archive = _archive()
    if not is_whole(archive):
        archive.parent.mkdir(parents=True, exist_ok=True)
        _run_once()
        if is_whole(archive):
            archive.chmod(0o644)
    return is_whole(archive)


def _run_once() -> None:
    """Recognise something in a session whose Java writes the archive when it ends."""
    import holdsfor
    from holdsfor.spark import recognise
    from holdsfor.spark.session import start_session

    with TemporaryDirectory() as folder:
        events = Path(folder) / "events.csv"
        events.write_text(EVENTS)
        spark = start_session("local[1]", for_one_run=True, is_lean=True, leaves_archive=True)
        java = cast(Any, spark.sparkContext._gateway).proc
        recognise(spark, holdsfor.parse(RULES), events, window=10, step=10, out=Path(folder) / "out")
        spark.stop()
        java.stdin.close()  # by which it knows that it is over
        java.wait()


def _archive() -> Path:
    from holdsfor.spark.java import find_java
    from holdsfor.spark.session import cache_dir
    from holdsfor.startup.lean_home import lean_home

    return archive_of(find_java(), lean_home(cache_dir()), cache_dir())
