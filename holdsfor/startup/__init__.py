"""Shorten starts: each module here exists for seconds alone, and docs/startup.md says how many it saves.

    worker        a second process loads NumPy, Arrow and kernels while the command reads the rules
    numba_cache   compiled kernels are loaded without Numba's compiler
    daemon        the daemon that forks Spark's workers loads what tasks need before it forks
    standby       that daemon is started beside Java, and waits for it
    archive       Java maps Spark's classes from an archive, which `holdsfor warm` makes
    lean_home     a Spark without its library of machine learning

Without any of them all works as it does with them. `HOLDSFOR_WITHOUT=worker,archive` switches parts off.
"""

import os
from pathlib import Path

SWITCH = "HOLDSFOR_WITHOUT"
WRITABLE_BY_OTHERS = 0o022


def is_on(part: str) -> bool:
    """Tell whether a part is in use: all are that `HOLDSFOR_WITHOUT` does not name."""
    return part not in os.environ.get(SWITCH, "").split(",")


def is_trusted(status: os.stat_result) -> bool:
    """Tell whether a file is this user's or root's, and nobody else can write it: code is loaded from nothing else."""
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & WRITABLE_BY_OTHERS


def is_trusted_path(path: Path) -> bool:
    """Tell whether a file or folder is there and is to be trusted."""
    try:
        return is_trusted(path.stat())
    except OSError:
        return False
