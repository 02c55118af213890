"""Spark's folder without its library of machine learning.

Each session of Spark loads that library's functions, which takes a second. A command that only recognises does without:
its Spark is a folder of links to all the rest.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from holdsfor.startup import is_on, is_trusted_path

LEFT_OUT = "spark-mllib_"


def lean_home(cache: Path) -> Path | None:
    """Return the folder of links, made if it is not there; None where that cannot be."""
    import pyspark

    if not is_on("lean_home"):
        return None
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    jars = sorted(path.name for path in (home / "jars").glob("*.jar"))
    fingerprint = hashlib.sha256("\0".join([str(home), *jars]).encode()).hexdigest()[:16]
    made = cache / "spark" / fingerprint
    if is_trusted_path(made):
        return made
    try:
        made.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=made.parent))
        _link_all(home, draft)
        with suppress(OSError):  # another process was first
            draft.rename(made)
    except OSError:
        return None
    return made if is_trusted_path(made) else None


def _link_all(home: Path, to: Path) -> None:
    for path in home.iterdir():
        if path.name != "jars":
            os.symlink(path, to / path.name)
    (to / "jars").mkdir()
    for path in (home / "jars").iterdir():
        if not path.name.startswith(LEFT_OUT):
            os.symlink(path, to / "jars" / path.name)
