"""Java's archive of Spark's classes: read and verified once, by an earlier run, they are only mapped by the next.

Half of the time in which Spark starts goes into its 13,000 classes. Which Java and which Spark an archive is for is
part of its name. `holdsfor warm` makes it (`archiving`).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from holdsfor.startup import is_on, is_trusted_path

#: Java tells of every class that it cannot archive, and of archives that it does not take. Neither is an error.
SILENT = "-Xlog:disable"


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
