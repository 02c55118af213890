"""Progress of a stream, for people: a table that moves on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from holdsfor.io.clock import Clock, clock_text
from holdsfor.io.metrics import BatchCounts, BatchMetrics
from holdsfor.io.metrics.neighbours import SinkMetrics
from holdsfor.printable import count_text

_log = logging.getLogger("holdsfor.stream")

SHOWN = 8  # batches in the table
MINUTE = 60.0  # seconds between lines about batches
COLUMNS = ("batch", "events", "events/s", "stream time", "late", "rejected", "changes", "open", "state", "latency")


class LiveProgress:
    """Display of a stream's batches: `with LiveProgress() as progress: progress.show(metrics)`.

    On a terminal it is a table on stderr, elsewhere a line a minute in the log. sinks: tells how far receivers are.
    """

    def __init__(
        self,
        clock: Clock = "ticks",
        file: TextIO | None = None,
        draws: bool = True,
        sinks: Callable[[], Sequence[SinkMetrics]] = tuple,
    ) -> None:
        self._clock = clock
        self._console = Console(file=file if file is not None else sys.stderr)
        self._draws = draws and self._console.is_terminal
        self._last: deque[BatchMetrics] = deque(maxlen=SHOWN)
        self._counts, self._batches = BatchCounts(), 0
        self._begin = time.monotonic()
        self._minute = Minute(clock, time.monotonic())
        self._sinks = sinks
        self._live = Live(get_renderable=self._drawn, console=self._console, refresh_per_second=4)

    def __enter__(self) -> LiveProgress:
        if self._draws:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._draws:
            self._live.stop()
        else:
            self._tell()

    def show(self, metrics: BatchMetrics) -> None:
        self._batches += 1
        self._counts += metrics.counts
        self._last.append(metrics)
        if self._draws:
            return
        _log.debug("%s", line(metrics, self._clock), extra={"figures": metrics.to_json()})
        self._minute.add(metrics)
        if self._minute.is_over():
            self._tell()

    def _tell(self) -> None:
        if self._minute.batches:
            sinks = self._sinks()
            _log.info("%s", self._minute.text(sinks), extra={"figures": self._minute.figures(sinks)})
        self._minute = Minute(self._clock, time.monotonic())

    def _drawn(self) -> Group | Text:
        if not self._last:
            return Text(f"waiting for events ... {time.monotonic() - self._begin:.0f} s")
        table = Table(*COLUMNS, box=None, header_style="bold", pad_edge=False)
        for column in table.columns:
            column.justify = "right"
        for metrics in list(self._last):
            table.add_row(*(Text(cell) for cell in cells(metrics, self._clock)))
        spent, counts = time.monotonic() - self._begin, self._counts
        total = (
            f"{counts.events_in:,} events in {self._batches:,} batches, {spent:,.0f} s; "
            f"{counts.late:,} late, {counts.rejected:,} rejected"
        )
        total += f", {counts.units_quarantined:,} in quarantine" if counts.units_quarantined else ""
        return Group(table, Text(total, style="dim"))


@dataclass(slots=True)
class Minute:
    """Sums over the batches since the last line about them."""

    clock: Clock
    start: float
    batches: int = 0
    counts: BatchCounts = field(default_factory=BatchCounts)
    slowest_ms: float = 0.0
    last: BatchMetrics | None = None

    def add(self, metrics: BatchMetrics) -> None:
        """Count one batch more."""
        self.batches += 1
        self.counts += metrics.counts
        self.slowest_ms = max(self.slowest_ms, metrics.latency_ms)
        self.last = metrics

    def is_over(self) -> bool:
        return time.monotonic() - self.start >= MINUTE

    def text(self, sinks: Sequence[SinkMetrics] = ()) -> str:
        """Write a line for people."""
        assert self.last is not None
        of = dict(zip(COLUMNS, cells(self.last, self.clock), strict=True))
        sums = self.counts
        counts = {"late": sums.late, "rejected": sums.rejected}
        others = {"equal to another": sums.equal, "dropped": sums.dropped, "in quarantine": sums.units_quarantined}
        counts |= {name: count for name, count in others.items() if count}
        counts |= {f"undelivered to {sink.name}": sink.undelivered for sink in sinks if sink.undelivered}
        return (
            f"{count_text(self.batches, 'batch', 'batches')} up to batch {of['batch']}: "
            f"{count_text(sums.events_in, 'event')}, stream time {of['stream time']}, "
            f"{count_text(sums.changes, 'change')}, {of['open']} open, "
            + ", ".join(f"{count:,} {what}" for what, count in counts.items())
            + f", state {of['state']}, slowest batch {duration(self.slowest_ms)}"
        )

    def figures(self, sinks: Sequence[SinkMetrics] = ()) -> dict[str, Any]:
        """Return the same for machines."""
        assert self.last is not None
        sums = self.counts
        return {
            "batch": self.last.batch,
            "batches": self.batches,
            "events": sums.events_in,
            "streamTime": self.last.stream_time,
            "changes": sums.changes,
            "openIntervals": self.last.open_intervals,
            "late": sums.late,
            "rejected": sums.rejected,
            "equal": sums.equal,
            "dropped": sums.dropped,
            "quarantined": sums.units_quarantined,
            "stateBytes": self.last.state_bytes,
            "slowestBatchMs": round(self.slowest_ms, 1),
            "undelivered": {sink.name: sink.undelivered for sink in sinks},
        }


def cells(metrics: BatchMetrics, clock: Clock) -> tuple[str, ...]:
    """Return the cells of a row of the table, in the order of `COLUMNS`."""
    return (
        f"{metrics.batch:,}",
        f"{metrics.counts.events_in:,}",
        f"{metrics.events_a_second:,.0f}",
        "-" if metrics.stream_time is None else clock_text(metrics.stream_time, clock),
        f"{metrics.counts.late:,}",
        f"{metrics.counts.rejected:,}",
        f"{metrics.counts.changes:,}",
        "-" if metrics.open_intervals is None else f"{metrics.open_intervals:,}",
        size(metrics.state_bytes),
        duration(metrics.latency_ms),
    )


def line(metrics: BatchMetrics, clock: Clock) -> str:
    """Write what a row of the table shows as one line."""
    counts = metrics.counts
    of = dict(zip(COLUMNS, cells(metrics, clock), strict=True))
    dropped = f"{counts.dropped:,} dropped, " if counts.dropped else ""
    aside = f"{counts.units_quarantined:,} in quarantine, " if counts.units_quarantined else ""
    return (
        f"batch {of['batch']}: {count_text(counts.events_in, 'event')} in {of['latency']} ({of['events/s']}/s), "
        f"stream time {of['stream time']}, {count_text(counts.changes, 'change')}, {of['open']} open, "
        f"{of['late']} late, {of['rejected']} rejected, {dropped}{aside}state {of['state']}"
    )


def size(count: float) -> str:
    """Bytes as people say them: 4.2 MB."""
    if count < 1000:
        return f"{count:.0f} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.95:
            return f"{count:.1f} {unit}"
    return f"{count / 1000:,.1f} TB"


def duration(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 999.5 else f"{milliseconds / 1000:,.2f} s"
