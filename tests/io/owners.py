"""Processes that want one folder: run as `python -m tests.io.owners FOLDER HOW`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pyarrow.fs

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.claims import Timing
from holdsfor.io.storage.lease import Lease, take_lease
from holdsfor.io.storage.store import Store

ROOT = Path(__file__).resolve().parents[2]
REMOTE = Timing(settle=0.5)


def store_of(folder: str, how: str) -> Store:
    """remote: a filesystem without locks."""
    if how == "local":
        return Store(folder)
    return Store("", pyarrow.fs.SubTreeFileSystem(folder, pyarrow.fs.LocalFileSystem()))


def main(folder: str, how: str) -> None:
    """At each line takes the folder, or gives it back if it has it, and says what came of it."""
    print("ready", flush=True)
    lease: Lease | None = None
    for _ in sys.stdin:
        if lease is not None:
            lease.release()
            lease = None
            print("released", flush=True)
            continue
        while (time.time() % 0.05) > 0.002:  # all begin at the same moment
            pass
        try:
            lease = take_lease(store_of(folder, how), "the folder", timing=REMOTE)
            print("owner", flush=True)
        except HoldsforError as error:
            print(f"refused: {error}", flush=True)


class Owner:
    """Such a process, begun, and waiting for `go`."""

    def __init__(self, folder: Path, how: str = "local") -> None:
        command = [sys.executable, "-m", "tests.io.owners", str(folder), how]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self.line() == "ready"

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def __enter__(self) -> Owner:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
