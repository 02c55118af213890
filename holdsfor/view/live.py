"""How a stream goes, for people: a table that moves on a terminal, a line a batch elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from types import TracebackType
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from holdsfor.io.clock import Clock, clock_text
from holdsfor.io.metrics import BatchMetrics
from holdsfor.printable import count_text

SHOWN = 8  # batches in the table
QUIET = 30.0  # seconds between lines about batches in which nothing happened
COLUMNS = ("batch", "events", "events/s", "stream time", "late", "rejected", "changes", "open", "state", "latency")


class LiveProgress:
    """`with LiveProgress() as progress: progress.show(metrics)`, after each batch.

    It goes to stderr, as all progress does, so that stdout can be piped.
    """

    def __init__(self, clock: Clock = "ticks", file: TextIO | None = None) -> None:
        self._clock = clock
        self._console = Console(file=file if file is not None else sys.stderr)
        self._last: deque[BatchMetrics] = deque(maxlen=SHOWN)
        self._events = self._late = self._rejected = self._aside = self._batches = 0
        self._begin = time.monotonic()
        self._told = float("-inf")
        self._live = Live(get_renderable=self._drawn, console=self._console, refresh_per_second=4)

    def __enter__(self) -> LiveProgress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self, metrics: BatchMetrics) -> None:
        self._batches += 1
        self._events += metrics.events_in
        self._late += metrics.late
        self._rejected += metrics.rejected
        self._aside += metrics.units_quarantined
        self._last.append(metrics)
        if not self._console.is_terminal and self._is_news(metrics):
            self._told = time.monotonic()
            self._console.print(Text(line(metrics, self._clock)), soft_wrap=True)

    def _is_news(self, metrics: BatchMetrics) -> bool:
        return bool(metrics.events_in or metrics.changes) or time.monotonic() - self._told >= QUIET

    def _drawn(self) -> Group | Text:
        if not self._last:
            return Text(f"waiting for events ... {time.monotonic() - self._begin:.0f} s")
        table = Table(*COLUMNS, box=None, header_style="bold", pad_edge=False)
        for column in table.columns:
            column.justify = "right"
        for metrics in list(self._last):
            table.add_row(*(Text(cell) for cell in cells(metrics, self._clock)))
        spent = time.monotonic() - self._begin
        total = (
            f"{self._events:,} events in {self._batches:,} batches, {spent:,.0f} s; "
            f"{self._late:,} late, {self._rejected:,} rejected"
        )
        total += f", {self._aside:,} in quarantine" if self._aside else ""
        return Group(table, Text(total, style="dim"))


def cells(metrics: BatchMetrics, clock: Clock) -> tuple[str, ...]:
    """What a row of the table shows, in the order of `COLUMNS`."""
    return (
        f"{metrics.batch:,}",
        f"{metrics.events_in:,}",
        f"{metrics.events_a_second:,.0f}",
        "-" if metrics.stream_time is None else clock_text(metrics.stream_time, clock),
        f"{metrics.late:,}",
        f"{metrics.rejected:,}",
        f"{metrics.changes:,}",
        "-" if metrics.open_intervals is None else f"{metrics.open_intervals:,}",
        size(metrics.state_bytes),
        duration(metrics.latency_ms),
    )


def line(metrics: BatchMetrics, clock: Clock) -> str:
    """The same in one line."""
    of = dict(zip(COLUMNS, cells(metrics, clock), strict=True))
    dropped = f"{metrics.dropped:,} dropped, " if metrics.dropped else ""
    aside = f"{metrics.units_quarantined:,} in quarantine, " if metrics.units_quarantined else ""
    return (
        f"batch {of['batch']}: {count_text(metrics.events_in, 'event')} in {of['latency']} ({of['events/s']}/s), "
        f"stream time {of['stream time']}, {count_text(metrics.changes, 'change')}, {of['open']} open, "
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
