"""`python -m holdsfor` is the command `holdsfor`."""

from __future__ import annotations

import gc
import os
import sys

from holdsfor.cli.own_process import OwnProcess, start_worker_for
from holdsfor.dataclass_code import keep_dataclass_code
from holdsfor.memory import keep_memory
from holdsfor.worker import Worker


def main() -> None:
    keep_memory()
    worker = start_worker_for(sys.argv[1:])  # before the rest is loaded, which takes about as long
    if worker is not None:  # what takes memory is done there
        gc.set_threshold(100_000)
    codes = keep_dataclass_code("run" if sys.argv[1:2] == ["run"] else "command")
    code: object = None
    try:
        from holdsfor.cli.commands import COMMANDS, make_app

        called = [name for name in sys.argv[1:2] if name in COMMANDS]
        make_app(called or COMMANDS)(prog_name="holdsfor", obj=OwnProcess(worker))
    except SystemExit as end:
        code = end.code
        raise
    finally:
        codes.save()
        if worker is not None:
            worker.stop()
            leave(code, worker)


def leave(code: object, worker: Worker) -> None:
    """Ends the process without taking it down piece by piece, which is a tenth of a small run.

    Not where something else has been done in it than to have a worker work, or failed.
    """
    if worker.has_answered and isinstance(code, int) and "pyspark" not in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
