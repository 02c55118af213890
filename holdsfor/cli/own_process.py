"""A command that is all that its process does, unlike one that a program calls: what it may do without asking."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from holdsfor.dataclass_code import keep_dataclass_code
from holdsfor.one_run import mark_for_one_run
from holdsfor.worker import Worker, start_worker

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pyspark.sql import SparkSession

#: Options of `run` for which a worker would load in vain: help, Spark, and what is hard to send to another process.
NOT_FOR_A_WORKER = ("--help", "--master", "--conf", "--facts", "--functions", "spark", "--engine=spark")


@dataclass(slots=True)
class OwnProcess:
    """The object of such a command's context.

    worker: a process that is loading what a run needs.
    spark: the session that is starting, or has done the work.
    """

    worker: Worker | None = None
    spark: Future[SparkSession] | None = None

    @property
    def can_leave_at_once(self) -> bool:
        """Has others do the work, and they clean up by themselves."""
        return self.spark is not None or (
            self.worker is not None and self.worker.has_answered and "pyspark" not in sys.modules
        )


def leave_at_once(code: int) -> NoReturn:
    """Ends the process without taking it down piece by piece, which is a tenth of a small run."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def start_worker_for(arguments: Sequence[str]) -> Worker | None:
    """For `holdsfor run` in process, as far as its arguments tell."""
    is_run = arguments[:1] == ["run"] and len(arguments) > 1
    if not is_run or any(argument.split("=")[0] in NOT_FOR_A_WORKER for argument in arguments):
        return None
    return start_worker("holdsfor.cli.own_process", "prepare_run")


def prepare_run() -> None:
    """What each run in a process of its own needs, before it is known which."""
    leave_out_modules()
    mark_for_one_run()
    codes = keep_dataclass_code("worker")

    from holdsfor.cli.history import load_first_kernel

    load_first_kernel()
    codes.save()


def leave_out_modules() -> None:
    if LeftOut not in sys.meta_path:
        sys.meta_path.insert(0, LeftOut)


class LeftOut:
    """Hides modules that libraries import only because they find them, which takes long; a run in process uses none.

    pyarrow looks for pandas at its first array, Numba for cffi at its first kernel, and for YAML, in which it may be
    configured.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name in ("pandas", "cffi") or (name == "yaml" and not os.path.exists(".numba_config.yaml")):
            raise ModuleNotFoundError(f"a run in process does without {name}", name=name)
