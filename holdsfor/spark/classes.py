"""Java's archive of Spark's classes: read and verified once, by an earlier run, they are only mapped by the next.

Half of the time in which Spark starts goes into its 13,000 classes. A session that ends soon leaves the archive for
those after it; which Java and which Spark it is for is part of its name.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

#: Java tells of every class that it cannot archive, and of archives that it does not take. Neither is an error.
SILENT = "-Xlog:disable"


def class_options(java: Path, home: Path | None, cache: Path, leaves_archive: bool) -> list[str]:
    """Options with which Java takes the archive under `cache`, or leaves one there when it ends.

    home: of Spark, if it is not as installed.
    """
    archive = cache / "java" / f"{_fingerprint(java, home)}.jsa"
    if _is_whole(archive):
        return [SILENT, f'"-XX:SharedArchiveFile={archive}"']  # in quotes: its folder may have spaces
    return [SILENT, f'"-XX:ArchiveClassesAtExit={archive}"'] if leaves_archive else []


def _fingerprint(java: Path, home: Path | None) -> str:
    import pyspark

    real = java.resolve()
    parts = (str(real), str(real.stat().st_mtime_ns), pyspark.__version__, str(home or Path(pyspark.__file__).parent))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _is_whole(archive: Path) -> bool:
    """Java writes the beginning last: of an archive whose writing was interrupted it is zeros."""
    try:
        with archive.open("rb") as file:
            return any(file.read(4))
    except OSError:
        return False
