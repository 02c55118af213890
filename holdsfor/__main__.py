"""`python -m holdsfor` is the command `holdsfor`."""

from __future__ import annotations

import sys

from holdsfor.cli.own_process import OwnProcess, start_worker_for
from holdsfor.memory import keep_memory


def main() -> None:
    keep_memory()
    worker = start_worker_for(sys.argv[1:])  # before the rest is loaded, which takes about as long
    try:
        from holdsfor.cli.commands import app

        app(prog_name="holdsfor", obj=OwnProcess(worker))
    finally:
        if worker is not None:
            worker.stop()


if __name__ == "__main__":
    main()
