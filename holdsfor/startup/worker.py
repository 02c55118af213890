"""A second process beside a command: it loads what the work needs while the command finds out what is to be done.

Loading modules holds Python's lock, so that threads would not do it side by side. The process is forked before anything
large is loaded and before there are threads.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import Any, BinaryIO, NoReturn

from holdsfor.errors import HoldsforError
from holdsfor.startup import is_on


@dataclass(slots=True)
class Worker:
    """A process that does one piece of work for this one. Whoever starts it stops it."""

    process: int
    orders: BinaryIO
    answers: BinaryIO
    has_order: bool = False
    has_answered: bool = False

    def call(self, module: str, function: str, *arguments: Any, meanwhile: Callable[[], object] | None = None) -> Any:
        """Call a function in the other process; return or raise what it does. meanwhile: called here until then."""
        self.has_order = True
        try:
            pickle.dump((module, function, arguments), self.orders, pickle.HIGHEST_PROTOCOL)
            self.orders.flush()
            if meanwhile is not None:
                meanwhile()
            is_done, answer = pickle.load(self.answers)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):  # before it began, or in the midst of it
            raise HoldsforError(
                "the process that did the work was ended from outside. Was there enough memory? Nothing is wrong with "
                "the command: try it again, on a larger machine or with --engine spark."
            ) from None
        self.has_answered = True
        if is_done:
            return answer
        raise answer

    def stop(self) -> None:
        """Wait for its end. Without work it is ended at once; in the midst of work it cleans up first."""
        if not self.has_order:
            os.kill(self.process, signal.SIGKILL)
        with suppress(BrokenPipeError):
            self.orders.close()
        os.waitpid(self.process, 0)


#: Options of `run` for which a worker would load in vain: help, Spark, and what is hard to send to another process.
NOT_FOR_A_WORKER = ("--help", "--master", "--conf", "--facts", "--functions", "spark", "--engine=spark")


def start_worker_for(arguments: Sequence[str]) -> Worker | None:
    """Start a worker for `holdsfor run` in process, as far as its arguments tell."""
    is_run = arguments[:1] == ["run"] and len(arguments) > 1 and is_on("worker")
    if not is_run or any(argument.split("=")[0] in NOT_FOR_A_WORKER for argument in arguments):
        return None
    return start_worker("holdsfor.cli.start.history", "load_first_kernel")


def start_worker(module: str, function: str) -> Worker | None:
    """Start a worker, which begins by calling the function. None: this system cannot fork, or has one core only."""
    if not hasattr(os, "fork") or (os.cpu_count() or 1) < 2:
        return None
    (orders, order), (answers, answer) = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        os.close(order)
        os.close(answers)
        _serve(module, function, os.fdopen(orders, "rb"), os.fdopen(answer, "wb"))
    os.close(orders)
    os.close(answer)
    return Worker(process, os.fdopen(order, "wb"), os.fdopen(answers, "rb"))


def _serve(module: str, function: str, orders: BinaryIO, answers: BinaryIO) -> NoReturn:
    """Do the work; never return into the program that was forked."""
    try:
        _prepare(module, function)
        module, function, arguments = pickle.load(orders)
        Thread(target=_stop_when_left_alone, args=(orders,), daemon=True).start()
        pickle.dump(_answer(module, function, arguments), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
        os._exit(0)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):  # nobody waits for an answer any more
        os._exit(1)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _prepare(module: str, function: str) -> None:
    """Call the function. A failure here comes again when there is work, and is told then."""
    gc.disable()
    with suppress(Exception):
        getattr(import_module(module), function)()
    gc.freeze()  # what was loaded stays: there is nothing to collect in it
    gc.enable()


def _answer(module: str, function: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, getattr(import_module(module), function)(*arguments)
    except Exception as error:
        if not isinstance(error, HoldsforError):
            error.add_note(f"In the other process:\n{traceback.format_exc()}")
        return False, _as_sent(error)


def _as_sent(error: Exception) -> Exception:
    """Return the error, or its text where it cannot travel."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return HoldsforError(str(error)) if isinstance(error, HoldsforError) else RuntimeError(traceback.format_exc())
    return error


def _stop_when_left_alone(orders: BinaryIO) -> None:
    """Interrupt this process, as Ctrl-C does, so that half a file is removed, when the command has ended.

    The command keeps its end of the pipe open as long as it waits for the answer.
    """
    orders.read(1)
    os.kill(os.getpid(), signal.SIGINT)
