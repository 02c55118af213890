"""Makes Java's archive of Spark's classes, in a process of its own that begins when the first command on Spark ends.

A Java that is to leave an archive takes twice as long as others, so that no command waits for it. The process gives way
to all others and is gone after some twenty seconds. Some Javas cannot make one: it is tried a few times at most.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from holdsfor.spark.classes import archive_of, is_whole

MOST_TRIES = 3
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


def archive_afterwards() -> None:
    """Starts the process, unless there is an archive or there will be none."""
    with suppress(OSError):  # a folder that cannot be written
        archive = _archive()
        if _is_wanted(archive):
            command = [sys.executable, "-m", "holdsfor.spark.archiving"]
            nothing = subprocess.DEVNULL
            subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)


def main() -> None:
    give_way()
    archive = _archive()
    archive.parent.mkdir(parents=True, exist_ok=True)
    with open(_tries_of(archive), "a") as tries:
        try:
            fcntl.flock(tries, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # another process makes it
        if not _is_wanted(archive):
            return
        tries.write("begun\n")
        tries.flush()
        make_archive()


def give_way() -> None:
    """To all other processes. Linux shares the cores out among sessions first, and this process has its own."""
    os.nice(19)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text("19")


def make_archive() -> None:
    import holdsfor
    from holdsfor.spark import recognise, session

    with TemporaryDirectory() as folder:
        events = Path(folder) / "events.csv"
        events.write_text(EVENTS)
        spark = session("local[1]", for_one_run=True, is_lean=True, leaves_archive=True)
        java = cast(Any, spark.sparkContext._gateway).proc
        recognise(spark, holdsfor.parse(RULES), events, window=10, step=10, out=Path(folder) / "out")
        spark.stop()
        java.stdin.close()  # by which it knows that it is over
        java.wait()


def _archive() -> Path:
    from holdsfor.spark.java import find_java
    from holdsfor.spark.lean_home import lean_home
    from holdsfor.spark.session import cache_dir

    return archive_of(find_java(), lean_home(cache_dir()), cache_dir())


def _is_wanted(archive: Path) -> bool:
    tries = _tries_of(archive)
    return not is_whole(archive) and (not tries.exists() or tries.read_text().count("\n") < MOST_TRIES)


def _tries_of(archive: Path) -> Path:
    """A file with a line for each."""
    return archive.with_suffix(".tries")


if __name__ == "__main__":
    main()
