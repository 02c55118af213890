"""Changes wait on disk until a receiver takes them, in a thread of its own, so that the stream does not wait for it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Lock, Thread
from typing import NamedTuple

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.network import Backoff
from holdsfor.io.metrics.neighbours import SinkMetrics
from holdsfor.io.sinks.messages import Sink
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.io.storage.store import Store
from holdsfor.printable import count_text

_log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds between attempts at a receiver that is away


class Waiting(NamedTuple):
    """Changes of one file. arrived: when their batch did, in seconds since 1970."""

    changes: int
    arrived: float


class Outbox:
    """Delivers what is put into it, in order. Nothing overtakes what waits.

    held: entered before each delivery; raises if the checkpoint has another owner by now.
    """

    def __init__(
        self, sink: Sink, store: Store, held: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        alone = getattr(sink, "single_attempt", None)
        self._sink: Sink = sink if alone is None else alone()
        self.store = store
        self._held = held
        self._backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        self._waiting: dict[str, Waiting] = {}
        self._lock = Lock()  # of what waits and of the metrics
        self._metrics = SinkMetrics(sink.name)
        self._put, self._ending = Event(), Event()
        self._fault: Exception | None = None  # of the sink itself, not of the receiver
        self._thread = Thread(target=self._work, name=f"holdsfor-{sink.name}", daemon=True)

    def start(self) -> None:
        """Begin to deliver, with what an earlier process has left."""
        for name in self.store.names():
            self._waiting[name] = Waiting(self._count(name), time.time())
        self._put.set()
        self._thread.start()

    def put(self, batch: int, part: str, changes: pa.Table, arrived: float) -> None:
        """Keep changes until the sink takes them."""
        if not len(changes):
            return
        name = f"{batch:07d}-{part}.parquet"
        with self._lock:
            self.store.write_table(name, changes)
            self._waiting[name] = Waiting(len(changes), arrived)
        self._put.set()

    def check(self) -> None:
        """Raise what has ended the thread, if it was no failure of the receiver."""
        if self._fault is not None:
            raise self._fault

    def metrics(self) -> SinkMetrics:
        """Return how far the receiver is behind."""
        with self._lock:
            waiting, metrics = list(self._waiting.values()), self._metrics
        oldest = min((entry.arrived for entry in waiting), default=None)
        return metrics._replace(undelivered=sum(entry.changes for entry in waiting), waiting_since=oldest)

    def finish(self, seconds: float, while_taken: bool = False) -> None:
        """Deliver what the receiver takes now, for at most so many seconds. The rest stays on disk.

        while_taken: begin to count anew as long as it takes anything.
        """
        self._ending.set()
        self._put.set()
        before = -1
        while self._thread.is_alive() and (while_taken or before < 0) and before != self.metrics().undelivered:
            before = self.metrics().undelivered
            self._thread.join(seconds)
        left = self.metrics().undelivered
        if left:
            _log.warning(
                "What %s has not taken (%s) is kept in %s. The next start delivers it.",
                self._metrics.name,
                count_text(left, "change"),
                self.store.shown(),
            )

    def _count(self, name: str) -> int:
        """Return how many changes a file has; one that is damaged counts as one."""
        try:
            return int(self.store.read_table(name).num_rows)
        except HoldsforError:
            return 1

    # ---------------------------------------------------------------- in the thread

    def _work(self) -> None:
        try:
            while True:
                is_last = self._ending.is_set()
                self._put.clear()
                has_all = self._deliver_all()
                if is_last:
                    return
                if has_all:
                    self._put.wait()
                else:
                    self._ending.wait(self._backoff.pause())
        except LeaseLost:
            return  # whoever has the checkpoint now delivers
        except Exception as error:
            _log.exception("%s has a fault", self._metrics.name)
            self._fault = error

    def _deliver_all(self) -> bool:
        """Return whether the sink has taken all that waits."""
        while True:
            with self._lock:
                names = sorted(self._waiting)
            if not names:
                return True
            if not all(map(self._deliver, names)):
                return False

    def _deliver(self, name: str) -> bool:
        """Return whether the sink has taken one file."""
        batch, _, part = name.removesuffix(".parquet").partition("-")
        try:
            with self._held():
                pass
            self._sink.deliver(int(batch), part, self.store.read_table(name))
            self._note_success(name)
        except LeaseLost:
            raise
        except (HoldsforError, OSError) as error:
            self._note_failure(str(error))
            return False
        return True

    def _note_failure(self, reason: str) -> None:
        if self._metrics.error is None:
            _log.warning(
                "%s does not take changes: %s The stream goes on, and keeps them in %s until it does.",
                self._metrics.name,
                reason,
                self.store.shown(),
            )
        with self._lock:
            self._metrics = self._metrics._replace(error=reason)

    def _note_success(self, name: str) -> None:
        if self._metrics.error is not None:
            waiting = self.metrics().undelivered
            _log.warning("%s is back; it gets the %s kept for it.", self._metrics.name, count_text(waiting, "change"))
        self._backoff.reset()
        with self._lock:  # what is put in again under that name is either gone with it or comes after
            self.store.delete(name)
            done, now = self._waiting.pop(name), time.time()
            self._metrics = self._metrics._replace(last_success=now, latency=now - done.arrived, error=None)
