"""Bring the changes of each batch to all sinks at once, and say how far each is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any, TypeAlias

from holdsfor.io.metrics.neighbours import SinkMetrics
from holdsfor.io.sinks.messages import PLAIN, MessageForm, Sink
from holdsfor.io.sinks.outbox import Outbox
from holdsfor.io.storage.changelog import LOGS, compactions, part_of
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.state.ledger import Commit

_log = logging.getLogger(__name__)

#: Runs a function on each item: on the workers, or here.
Each: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
LAST_SECONDS = 5.0  # that a stream which is being stopped waits for its receivers
PATIENCE = 60.0  # seconds in which a receiver takes nothing, after which a stream that has ended waits no longer

SHOWN = 300  # characters of an error


def here(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [function(item) for item in items]


class Stopped(Exception):
    """Ends a batch of a stream that is being stopped: the next start does what is left."""


@dataclass(slots=True)
class Delivery:
    """Brings the changes of each batch to a sink. The last batch that was delivered is kept with the state.

    A crash between delivery and this note makes the batch go out once more, with the same messages.
    outbox: where changes wait for the sink; without it the batch waits. form: how changes are written for it.
    """

    sink: Sink
    state: Store
    tables: Store
    each: Each
    outbox: Outbox | None = None
    form: MessageForm = PLAIN
    _metrics: SinkMetrics = field(init=False)

    def __post_init__(self) -> None:
        self._metrics = SinkMetrics(self.sink.name)

    def __call__(self, commit: Commit) -> None:
        name = f"delivered/{self.sink.name}.json"
        if self.state.exists(name):
            if self.state.read_record(name)["batch"] >= commit.batch:
                return
        elif any(done.upto >= commit.batch for done in compactions(self.tables)):
            _log.warning("%s is new: it gets what changes after batch %d.", self.sink.name, commit.batch)
            self.state.write_record(name, {"batch": commit.batch})
            return  # the log of the batch is part of a larger one by now
        logs = logs_of(commit.files)
        if self.outbox is None:
            self._deliver_now(commit, logs)
        else:
            self.outbox.check()
            arrived = _arrival(commit)
            for file in logs:
                changes = self.form.apply(self.tables.read_table(file.name, file.crc))
                self.outbox.put(commit.batch, _part(file), changes, arrived)
        self.state.write_record(name, {"batch": commit.batch})

    def metrics(self) -> SinkMetrics:
        """Return how far the sink is behind."""
        return self._metrics if self.outbox is None else self.outbox.metrics()

    def _deliver_now(self, commit: Commit, logs: Sequence[Written]) -> None:
        sink, tables, form, batch = self.sink, self.tables, self.form, commit.batch

        def deliver(file: Written) -> int:
            return sink.deliver(batch, _part(file), form.apply(tables.read_table(file.name, file.crc)))

        arrived, changes = _arrival(commit), commit.changes
        if changes:
            self._metrics = self._metrics._replace(undelivered=changes, waiting_since=arrived)
        try:
            (here if getattr(sink, "on_driver", False) else self.each)(deliver, logs)
        except Exception as error:
            self._metrics = self._metrics._replace(error=str(error).partition("\n")[0][:SHOWN])
            raise
        if changes:
            now = time.time()
            self._metrics = SinkMetrics(sink.name, last_success=now, latency=now - arrived)


class Attempt(Thread):
    """Delivers one batch to one sink. A process that ends does not wait for it."""

    def __init__(self, delivery: Delivery, commit: Commit) -> None:
        super().__init__(name=f"holdsfor-{delivery.sink.name}", daemon=True)
        self.delivery, self.commit = delivery, commit
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            self.delivery(self.commit)
        except Exception as error:
            self.failure = error


class Deliveries:
    """Brings each batch to all sinks at once. One that fails stops the stream, once the others have the batch."""

    def __init__(self, each_sink: Sequence[Delivery]) -> None:
        self.each_sink = tuple(each_sink)
        self.seconds = 0.0  # that the last batch has taken
        self._stopping = Event()
        self._deadline: float | None = None

    def start(self) -> None:
        """Begin to deliver what an earlier process has left."""
        for outbox in self._outboxes():
            outbox.start()

    def __call__(self, commit: Commit) -> None:
        if not self.each_sink:
            return
        started = time.monotonic()
        attempts = [Attempt(delivery, commit) for delivery in self.each_sink]
        for attempt in attempts:
            attempt.start()
        for attempt in attempts:
            self._await(attempt)
        self.seconds = time.monotonic() - started
        for attempt in attempts:
            if attempt.failure is not None:
                raise attempt.failure

    def metrics(self) -> list[SinkMetrics]:
        """Return how far each sink is behind."""
        return [delivery.metrics() for delivery in self.each_sink]

    def hurry(self) -> None:
        """Wait for receivers a few seconds more, and no longer: the stream is being stopped."""
        self._stopping.set()

    def finish(self) -> None:
        """Deliver what receivers take now; what is kept for others stays on disk."""
        for outbox in self._outboxes():
            if self._stopping.is_set():
                outbox.finish(self._seconds_left())
            else:
                outbox.finish(PATIENCE, while_taken=True)

    def _outboxes(self) -> Iterable[Outbox]:
        return [delivery.outbox for delivery in self.each_sink if delivery.outbox is not None]

    def _seconds_left(self) -> float:
        """Return what is left of the last seconds; they begin when somebody asks."""
        if self._deadline is None:
            self._deadline = time.monotonic() + LAST_SECONDS
        return max(self._deadline - time.monotonic(), 0.0)

    def _await(self, attempt: Attempt) -> None:
        while attempt.is_alive():
            if self._stopping.is_set() and not self._seconds_left():
                _log.warning(
                    "%s has not taken the changes of batch %d. The next start delivers them.",
                    attempt.delivery.sink.name,
                    attempt.commit.batch,
                )
                raise Stopped
            attempt.join(0.1)


def logs_of(files: Iterable[Written]) -> list[Written]:
    return [file for file in files if file.name.partition("/")[0] in LOGS]


def _part(file: Written) -> str:
    is_of_intervals = file.name.partition("/")[0] == "changes"
    return part_of(file.name) if is_of_intervals else f"occurrences-{part_of(file.name)}"


def _arrival(commit: Commit) -> float:
    """Return when a batch arrived, in seconds since 1970."""
    return commit.written - commit.counts.get("seconds", 0.0)
