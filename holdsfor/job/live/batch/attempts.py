"""Try the work of a batch again, and without the units that make it fail.

attempts/0000012.json    how often the batch has been begun in vain, and how trials without some units went

The file is there only while a batch is in trouble, and for the first batch after a start: what takes the whole process
down is in that batch when it is started again.
"""

from __future__ import annotations

import builtins
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from holdsfor.engine.data.axis import AxisFull
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.crew import Crew
from holdsfor.job.live.batch.quarantine import Skip, find_guilty, spans
from holdsfor.job.live.input.reading import Reading

#: A batch is tried so often before its units are.
ATTEMPTS = 3
#: Characters of a reason.
REASON = 500

_log = logging.getLogger(__name__)
_OS_ERRORS = [name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, OSError)]
_OS_ERROR = re.compile(rf"^(?:{'|'.join(_OS_ERRORS)})\b", re.MULTILINE)
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Full): .*$", re.MULTILINE)
_FROM_PYTHON = "Traceback (most recent call last)"
_WORKER_DIED = re.compile(r"Python worker exited unexpectedly|java\.io\.EOFException|\(crashed\)")
_AXIS_FULL = f"{AxisFull.__module__}.{AxisFull.__name__}"

Outcome = TypeVar("Outcome")


def is_poison(error: Exception) -> bool:
    """Whether a failure may be for what was read: not for disk, network or settings, nor because Spark is gone."""
    if isinstance(error, HoldsforError):
        return isinstance(error, AxisFull) or _AXIS_FULL in str(error.__cause__)
    if isinstance(error, OSError):
        return False
    if not type(error).__module__.startswith(("pyspark", "py4j")):
        return True
    text = str(error)
    return bool(_WORKER_DIED.search(text)) or (_FROM_PYTHON in text and not _OS_ERROR.search(text))


@dataclass(slots=True)
class Attempts:
    """A record of the attempts at one batch, also of those that ended with the process."""

    store: Store
    batch: int
    failed: int = 0
    trials: dict[str, bool | int] = field(default_factory=dict)  # how it went; or how often it was begun in vain
    _written: bool = False

    @staticmethod
    def resume(store: Store, batch: int) -> Attempts:
        """Read the attempts at the first batch after a start that an earlier process has noted."""
        attempts = Attempts(store, batch)
        if store.exists(attempts.name):
            record = store.read_json(attempts.name)
            attempts.failed, attempts.trials = record["begun"], record["trials"]
        attempts.write()
        return attempts

    @property
    def name(self) -> str:
        return f"attempts/{self.batch:07d}.json"

    def write(self) -> None:
        """Note the next attempt before it begins: if the process ends in it, that has failed, too."""
        self.store.write_json(self.name, {"begun": self.failed + 1, "trials": self.trials})
        self._written = True

    def trial(self, name: str, works: Callable[[], bool]) -> bool:
        """Whether it works. What has ended the process twice does not."""
        failures = self.trials.get(name, 0)
        if not isinstance(failures, bool) and failures < 2:
            self.trials[name] = failures + 1
            self.write()
            try:
                self.trials[name] = works()
            except Exception:  # a fault of the machine: the trial has not been made
                self.trials[name] = failures
                raise
            finally:
                self.write()
        return self.trials[name] is True

    def forget(self) -> None:
        """Delete the record: the batch is done."""
        if self._written:
            self.store.delete(self.name)


@dataclass(slots=True)
class Guard:
    """Does the work of one batch. reading: with what is set aside so far. isolates: if not, the first failure stops."""

    crew: Crew
    reading: Reading
    attempts: Attempts
    isolates: bool = True
    _failure: Exception | None = None

    def attempt(self, what: str, work: Callable[[Reading], Outcome]) -> Outcome:
        """Return the outcome of the work; if it fails again and again, without the units that make it fail."""
        if not self.isolates:
            return work(self.reading)
        while self.attempts.failed < ATTEMPTS:
            try:
                return work(self.reading)
            except Exception as error:
                self._note(error)
                self.attempts.failed += 1
                self.attempts.write()
        return self._isolated(what, work)

    def _isolated(self, what: str, work: Callable[[Reading], Outcome]) -> Outcome:
        sizes = self.crew.sizes()

        def works(left_out: Sequence[range]) -> bool:
            shown = ",".join(f"{units.start}-{units.stop}" for units in left_out)
            trial = replace(self._without(sizes, left_out), tables=None)
            return self.attempts.trial(f"{what} {shown}", lambda: self._works(work, trial))

        guilty = find_guilty(sum(sizes), works)
        if guilty is None:
            self.attempts.forget()
            raise self._failure or HoldsforError(
                f"batch {self.attempts.batch} has ended the process {self.attempts.failed} times, with its rows and "
                "without. Look into the log of Spark for the cause."
            )
        self.reading = self._without(sizes, guilty)
        for skip in self.reading.skip:
            _log.error(
                "batch %d: rows %d to %d of partition %d are set aside in quarantine after %d attempts: %s",
                *(self.attempts.batch, skip.first + 1, skip.stop, skip.part, skip.attempts, skip.reason),
            )
        return work(self.reading)

    def _works(self, work: Callable[[Reading], Any], reading: Reading) -> bool:
        try:
            work(reading)
        except Exception as error:
            self._note(error)
            return False
        return True

    def _note(self, error: Exception) -> None:
        if not is_poison(error):
            raise error
        _log.warning("batch %d failed: %s", self.attempts.batch, reason_of(error))
        self._failure = error

    def _without(self, sizes: Sequence[int], left_out: Sequence[range]) -> Reading:
        reason = "the process ended" if self._failure is None else reason_of(self._failure)
        skips = [Skip(*span, reason, self.attempts.failed) for units in left_out for span in spans(sizes, units)]
        return replace(self.reading, skip=(*self.reading.skip, *skips))


def reason_of(error: Exception) -> str:
    """Return a failure in one line: the last line of the traceback if it came from a worker."""
    text = str(error)
    if type(error).__module__.startswith(("pyspark", "py4j")):
        if raised := _RAISED.findall(text):
            return str(raised[-1])[:REASON]
        if _WORKER_DIED.search(text):
            return "the worker process died"
    return f"{type(error).__name__}: {text.strip().partition(chr(10))[0]}"[:REASON]
