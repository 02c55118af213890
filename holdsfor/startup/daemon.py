"""Spark's daemon for Python workers, with what tasks need loaded before it forks them: each worker is ready at once.

It is silent when Spark hangs up first: that a task is ended early is no error.
"""

from __future__ import annotations

import gc
import socket
import sys
import traceback
from contextlib import redirect_stdout, suppress
from typing import Any

from holdsfor.startup.standby import hand_over, take_over

TASKS = "pyspark.worker"  # the module of workers that do tasks; others only plan a source of data
_print_exc = traceback.print_exc


def _unless_hung_up(*args: Any, **more: Any) -> None:
    if not isinstance(sys.exc_info()[1], BrokenPipeError | ConnectionResetError):
        _print_exc(*args, **more)


def load_for_tasks() -> None:
    """Load what tasks need. A failure here comes again in a worker, which can tell the driver.

    Spark asks that no thread run when workers are forked. Numba's and Arrow's start later, if ever; the one of Arrow's
    allocator knows about forks.
    """
    with suppress(Exception), redirect_stdout(sys.stderr):  # Spark reads from the real one
        import pyspark.worker  # noqa: F401

        import holdsfor.spark.batch
        import holdsfor.spark.live.workers  # noqa: F401
        from holdsfor.spark.shipping import are_kernels_compiled, load_kernels

        if are_kernels_compiled():  # else tasks compile, side by side, those that they need
            load_kernels()
    gc.collect()
    gc.freeze()  # a worker that collects garbage leaves what they all share alone


def run_daemon() -> None:
    from pyspark import daemon

    traceback.print_exc = _unless_hung_up
    daemon.manager()


def main() -> None:
    """Run as Spark starts it, with the module of its workers; or stand by, with a socket and the driver's process."""
    if sys.argv[1] == "standby":
        listener = socket.socket(fileno=int(sys.argv[2]))
        load_for_tasks()
        if take_over(listener, int(sys.argv[3])):
            run_daemon()
    elif sys.argv[1] != TASKS:
        run_daemon()
    elif not hand_over():
        load_for_tasks()
        run_daemon()


if __name__ == "__main__":
    main()
