"""`python -m holdsfor` is the command `holdsfor`."""

from __future__ import annotations

import gc
import sys

from holdsfor.startup.worker import start_worker_for


def main() -> None:
    worker = start_worker_for(sys.argv[1:])  # before the rest is loaded, which takes about as long
    if worker is not None:  # what takes memory is done there
        gc.set_threshold(100_000)
    try:
        from holdsfor.cli.commands import COMMANDS, make_app

        called = [name for name in sys.argv[1:2] if name in COMMANDS]
        make_app(called or COMMANDS)(prog_name="holdsfor", obj=worker)
    finally:
        if worker is not None:
            worker.stop()


if __name__ == "__main__":
    main()
