"""Processes, named so that another one, perhaps on another machine, can tell whether they still run."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A number means a process only within a machine, since it was booted, and within a namespace of containers.

    Numbers are used again, so the process also has the time of its start. Empty: the system does not tell.
    """

    host: str
    boot: str
    namespace: str
    number: int
    started: str
    user: str
    command: str

    def __str__(self) -> str:
        return f"process {self.number} ({self.command}) of {self.user} on {self.host}"


def this_process() -> Process:
    return Process(
        socket.gethostname(),
        _text("/proc/sys/kernel/random/boot_id"),
        _link("/proc/self/ns/pid"),
        os.getpid(),
        _started(os.getpid()),
        _user(),
        _command(),
    )


def has_ended(process: Process, here: Process) -> bool | None:
    """Return whether a process has ended; None if that cannot be told from here."""
    if (process.host, process.boot, process.namespace) != (here.host, here.boot, here.namespace):
        return None
    if not _runs(process.number):
        return True
    started = _started(process.number)
    return None if not started or not process.started else started != process.started


def _runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # of another user
    return _state(number) not in ("Z", "X")  # killed, and nobody has asked for its exit code yet


def _stat(number: int) -> list[str]:
    """Return the fields after the name, which may have spaces and brackets itself."""
    return _text(f"/proc/{number}/stat").rpartition(")")[2].split()


def _state(number: int) -> str:
    fields = _stat(number)
    return fields[0] if fields else ""


def _started(number: int) -> str:
    """Return the start in ticks since the machine was booted."""
    fields = _stat(number)
    return fields[19] if len(fields) > 19 else ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid())


def _command() -> str:
    """Return the program and its subcommand; further arguments may hold passwords."""
    program = Path(sys.argv[0] or "python")
    name = program.parent.name if program.name == "__main__.py" else program.name
    words = [name, *(word for word in sys.argv[1:2] if word.isalpha())]
    return " ".join(words)
