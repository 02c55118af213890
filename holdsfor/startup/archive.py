"""Java's archive of Spark's classes: read and verified once, by an earlier run, they are only mapped by the next.

Half of the time in which Spark starts goes into its 13,000 classes. Which Java and which Spark an archive is for is
part of its name. `holdsfor warm` makes it: a Java that leaves one takes some twenty seconds.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

from holdsfor.startup import is_on, is_trusted_path

#: Java tells of every class that it cannot archive, and of archives that it does not take. Neither is an error.
SILENT = "-Xlog:disable"
#: What the Java that leaves an archive runs: through stages, and into tables.
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


def class_options(archive: Path, leaves_archive: bool = False) -> list[str]:
    """Return the options with which Java takes the archive, or leaves it when it ends."""
    if not is_on("archive"):
        return []
    if is_whole(archive) and is_trusted_path(archive):
        return [SILENT, f'"-XX:SharedArchiveFile={archive}"']  # in quotes: its folder may have spaces
    return [SILENT, f'"-XX:ArchiveClassesAtExit={archive}"'] if leaves_archive else []


def archive_of(java: Path, home: Path | None, cache: Path) -> Path:
    """Return the place of the archive for this Java and this Spark. home: of Spark, if it is not as installed."""
    import pyspark

    real = java.resolve()
    parts = (str(real), str(real.stat().st_mtime_ns), pyspark.__version__, str(home or Path(pyspark.__file__).parent))
    fingerprint = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return cache / "java" / f"{fingerprint}.jsa"


def is_whole(archive: Path) -> bool:
    """Tell whether an archive was written to its end: Java writes the beginning last, which is zeros until then."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except OSError:
        return False


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
    from holdsfor.spark.launching import wait_for_java
    from holdsfor.spark.session import start_session

    with TemporaryDirectory() as folder:
        events = Path(folder) / "events.csv"
        events.write_text(EVENTS)
        log = Path(folder) / "spark.log"
        spark = start_session("local[1]", log=log, for_one_run=True, is_lean=True, leaves_archive=True)
        recognise(spark, holdsfor.parse(RULES), events, window=10, step=10, out=Path(folder) / "out")
        spark.stop()
        wait_for_java()


def _archive() -> Path:
    from holdsfor.spark.java import find_java
    from holdsfor.spark.session import cache_dir
    from holdsfor.startup.lean_home import lean_home

    return archive_of(find_java(), lean_home(cache_dir()), cache_dir())
