"""`python -m holdsfor` is the command `holdsfor`."""

from __future__ import annotations

import gc
import sys

from holdsfor.cli.own_process import OwnProcess, leave_at_once, start_worker_for
from holdsfor.dataclass_code import keep_dataclass_code
from holdsfor.memory import keep_memory
from holdsfor.one_run import mark_for_one_run


def main() -> None:
    keep_memory()
    worker = start_worker_for(sys.argv[1:])  # before the rest is loaded, which takes about as long
    if worker is not None:  # what takes memory is done there
        gc.set_threshold(100_000)
    own = OwnProcess(worker)
    is_run = sys.argv[1:2] == ["run"]
    if is_run:
        mark_for_one_run()
    codes = keep_dataclass_code("run" if is_run else "command")
    code: object = None
    try:
        from holdsfor.cli.commands import COMMANDS, make_app

        called = [name for name in sys.argv[1:2] if name in COMMANDS]
        make_app(called or COMMANDS)(prog_name="holdsfor", obj=own)
    except SystemExit as end:
        code = end.code
        raise
    finally:
        codes.save()
        if worker is not None:
            worker.stop()
        if own.spark is not None:
            from holdsfor.spark.archiving import archive_afterwards

            archive_afterwards()
        if own.can_leave_at_once and isinstance(code, int):
            leave_at_once(code)


if __name__ == "__main__":
    main()
