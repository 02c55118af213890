"""A command that is all that its process does, unlike one that a program calls, may have a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.worker import Worker, start_worker

#: Options of `run` for which a worker would load in vain: help, Spark, and what is hard to send to another process.
NOT_FOR_A_WORKER = ("--help", "--master", "--conf", "--facts", "--functions", "spark", "--engine=spark")


@dataclass(slots=True)
class OwnProcess:
    """The object of such a command's context. worker: a process that is loading what a run needs."""

    worker: Worker | None = None


def start_worker_for(arguments: Sequence[str]) -> Worker | None:
    """Start one for `holdsfor run` in process, as far as its arguments tell."""
    is_run = arguments[:1] == ["run"] and len(arguments) > 1
    if not is_run or any(argument.split("=")[0] in NOT_FOR_A_WORKER for argument in arguments):
        return None
    return start_worker("holdsfor.cli.own_process", "prepare_run")


def prepare_run() -> None:
    """Load what each run in a process of its own needs, before it is known which."""
    from holdsfor.cli.history import load_first_kernel

    load_first_kernel()
