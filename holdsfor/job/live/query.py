"""A stream that runs, as whoever has begun it sees it. The names are those of Spark's `StreamingQuery`."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from holdsfor.duration import PER_SECOND, TickUnit, check_unit
from holdsfor.errors import HoldsforError
from holdsfor.io.metrics.neighbours import SinkMetrics
from holdsfor.io.readers.mapping import check_zone
from holdsfor.io.storage.changelog import read_changes, read_current
from holdsfor.io.storage.fold import Changes, Current
from holdsfor.io.storage.lease import Lease
from holdsfor.io.storage.store import Store
from holdsfor.io.tables.wide import SECOND, HasName, ResultTable, find_shape, widen
from holdsfor.job.live.batch.after_commit import metrics_of
from holdsfor.job.live.batch.microbatch import Stream
from holdsfor.job.live.start.beginning import Begun, mapping_of
from holdsfor.job.live.start.opening import Places
from holdsfor.job.live.state.ledger import Commit
from holdsfor.job.live.update.rule_update import RuleUpdate
from holdsfor.job.live.update.rules_in_force import has_rules
from holdsfor.job.live.update.stream_update import update_stream
from holdsfor.job.shapes import shapes_of
from holdsfor.language.description import EventDescription
from holdsfor.loading import Rules, as_description

_log = logging.getLogger(__name__)

#: Of so many batches the metrics are kept.
RECENT = 100


class StreamQuery(ABC):
    """A stream that runs. Its results can be read at any time. name: for people, as Spark's `queryName`."""

    def __init__(self, started: Begun, once: bool, name: str | None) -> None:
        self.job: Stream = started.job
        self.places: Places = started.places
        self.lease: Lease = started.lease
        self.shapes = started.shapes
        self.deliveries = started.deliveries
        self.rules = started.rules
        self.tick_unit = started.tick_unit
        self._rules_folder = started.rules_folder
        self.once = once
        self.name = name
        self._recent: deque[dict[str, Any]] = deque(maxlen=RECENT)
        self.job.followers = [*self.job.followers, self._note]
        self._begun = time.time()
        self._failure: BaseException | None = None
        self._working = threading.Lock()
        self._turned = time.monotonic()  # when a batch last began or ended

    @property
    @abstractmethod
    def isActive(self) -> bool:
        """Tell whether the stream runs."""

    @abstractmethod
    def awaitTermination(self, timeout: float | None = None) -> bool:
        """Wait until the stream ends, or so many seconds; return whether it has. Raises the error that stopped it."""

    @abstractmethod
    def stop(self) -> None:
        """End the stream after the batch that runs now, so that nothing has to be done again."""

    def exception(self) -> BaseException | None:
        """Return the error that stopped it; None if nothing did."""
        return self._failure

    @property
    def id(self) -> str:
        """Return an id that stays the same for the life of the checkpoint."""
        return str(self.job.ledger.rules(0)["id"])

    @property
    def lastProgress(self) -> dict[str, Any] | None:
        """Return the metrics of the last batch since this start."""
        return self._recent[-1] if self._recent else None

    @property
    def recentProgress(self) -> list[dict[str, Any]]:
        return list(self._recent)

    def _note(self, commit: Commit) -> None:
        if commit.written >= self._begun:  # one from before is told again
            self._recent.append(metrics_of(commit, self.deliveries.seconds).to_json())

    def sinks(self) -> list[SinkMetrics]:
        """Return how far each sink is behind."""
        return self.deliveries.metrics()

    @property
    def tables(self) -> Store:
        return self.places.tables

    def current(self) -> Current:
        """Return intervals and occurrences as they are known now."""
        return read_current(self.tables)

    def table(self, name: str | HasName, tick_unit: TickUnit | None = None, zone: str = "UTC") -> ResultTable:
        """Return what is known now of one fluent or event, as `Result.table` does. Types are as the texts look.

        tick_unit: what a tick is ('s', 'ms' or 'us'), for times as time stamps in the zone; without it they are ticks.
        """
        shape = find_shape(self.shapes, name)
        intervals, occurrences = self.current()
        rows = occurrences if shape.is_event else intervals
        nanoseconds = None if tick_unit is None else SECOND // PER_SECOND[check_unit(tick_unit)]
        return ResultTable(widen(rows, shape.judged_by(rows), nanoseconds, check_zone(zone)))

    def changes(self) -> Changes:
        """Return the logs of all changes of intervals and of occurrences."""
        return read_changes(self.tables)

    def update(self, rules: Rules, *, only: str | Iterable[str] | None = None) -> RuleUpdate:
        """Let other rules take over after the batch that runs now: an event description, or the path of a rule file.

        Definitions that stay as they are, with all that they depend on, keep their state; the others are evaluated
        again over what is kept. Receivers get what changes, with the number of the update. Rules that are refused
        change nothing. The next start needs the new rules. only: see `stream`; without it, results have all
        definitions that are not internal.
        """
        description = as_description(rules, only)
        with self._working:
            return self._update(description)

    def _update(self, description: EventDescription) -> RuleUpdate:
        update = update_stream(self.job, self.rules, description, self.tick_unit)
        self.rules, self.shapes = description, shapes_of(description, mapping_of(self.job.setting.reader).all_arguments)
        return update

    def _follow_rules(self) -> None:
        """Let rules take over that were put into the folder that is watched; called between two batches."""
        folder = self._rules_folder
        description = None if folder is None else folder.read_newer()
        if folder is None or description is None or has_rules(self.job.setting.program, description):
            return
        try:
            _log.info("other rules take over: %r", self._update(description))
        except HoldsforError as error:
            folder.refuse(error)

    def seconds_at_work(self) -> float:
        """Return for how many seconds the present batch has run; 0 between batches, except by the wall clock."""
        is_due = self.job.setting.clock is not None or self._working.locked()
        return time.monotonic() - self._turned if is_due else 0.0

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._working:
            self._turned = time.monotonic()
            try:
                yield
            finally:
                self._turned = time.monotonic()
