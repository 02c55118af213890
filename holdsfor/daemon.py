"""Spark's daemon for Python workers, silent when Spark hangs up first: that a task is ended early is no error.

It forks the workers, so it must stay small: it imports nothing of ours.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

from pyspark import daemon

_print_exc = traceback.print_exc


def _unless_hung_up(*args: Any, **more: Any) -> None:
    if not isinstance(sys.exc_info()[1], BrokenPipeError | ConnectionResetError):
        _print_exc(*args, **more)


if __name__ == "__main__":
    traceback.print_exc = _unless_hung_up
    daemon.manager()
