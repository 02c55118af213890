"""The metrics of what a stream reads from and delivers to, and whether the stream is well by them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from holdsfor.io.metrics.batch import labelled


class SinkMetrics(NamedTuple):
    """Says how far a receiver is behind. latency: seconds from the arrival of a batch until its changes were taken."""

    name: str
    undelivered: int = 0  # changes
    waiting_since: float | None = None  # seconds since 1970, of the oldest of them
    last_success: float | None = None  # seconds since 1970
    latency: float | None = None
    error: str | None = None

    def seconds_behind(self) -> float:
        """Return for how long the oldest change has been waiting."""
        return 0.0 if self.waiting_since is None else max(time.time() - self.waiting_since, 0.0)

    def problem(self) -> str:
        """Describe what is wrong, for a person."""
        reason = f" ({self.error})" if self.error else ""
        return f"{self.name} has not taken {self.undelivered:,} changes for {self.seconds_behind():.0f} s{reason}"


class SourceMetrics(NamedTuple):
    """Says whether a broker is there, and what has come from it."""

    name: str
    connected: bool
    away_since: float | None = None  # seconds since 1970
    received: int = 0  # messages
    waiting: int = 0  # messages that are not on disk yet
    lost_sessions: int = 0
    silent_topics: tuple[str, ...] = ()  # subscriptions that have brought nothing so far
    error: str | None = None

    def seconds_away(self) -> float:
        """Return for how long the broker has been away."""
        return 0.0 if self.away_since is None else max(time.time() - self.away_since, 0.0)

    def problem(self) -> str:
        """Describe what is wrong, for a person."""
        reason = f" ({self.error})" if self.error else ""
        return f"{self.name} has been away for {self.seconds_away():.0f} s{reason}"


SOURCE_FAMILIES: Sequence[tuple[str, str, str, Callable[[SourceMetrics], float]]] = (
    ("holdsfor_source_connected", "gauge", "1 if the broker is there.", lambda source: int(source.connected)),
    ("holdsfor_source_away_seconds", "gauge", "How long it has been away.", SourceMetrics.seconds_away),
    ("holdsfor_source_messages_total", "counter", "Messages received.", lambda source: source.received),
    ("holdsfor_source_waiting", "gauge", "Messages not on disk yet.", lambda source: source.waiting),
    (
        "holdsfor_source_lost_sessions_total",
        "counter",
        "Sessions that the broker has lost, with the messages of that time.",
        lambda source: source.lost_sessions,
    ),
    (
        "holdsfor_source_silent_topics",
        "gauge",
        "Subscriptions that have brought nothing since the start.",
        lambda source: len(source.silent_topics),
    ),
)
SINK_FAMILIES: Sequence[tuple[str, str, str, Callable[[SinkMetrics], float | None]]] = (
    ("holdsfor_undelivered", "gauge", "Changes that a receiver has not taken yet.", lambda sink: sink.undelivered),
    ("holdsfor_undelivered_seconds", "gauge", "How long the oldest of them waits.", SinkMetrics.seconds_behind),
    (
        "holdsfor_last_delivery_timestamp_seconds",
        "gauge",
        "When a receiver last took changes, in seconds since 1970.",
        lambda sink: sink.last_success,
    ),
    (
        "holdsfor_delivery_latency_seconds",
        "gauge",
        "From the arrival of the last batch with changes until a receiver had them.",
        lambda sink: sink.latency,
    ),
)


def neighbours_text(sources: Sequence[SourceMetrics], sinks: Sequence[SinkMetrics]) -> str:
    """Write the metrics of sources and sinks for Prometheus."""
    families = [
        labelled(name, kind, about, "source", {source.name: measure(source) for source in sources})
        for name, kind, about, measure in (SOURCE_FAMILIES if sources else ())
    ]
    for name, kind, about, measure_sink in SINK_FAMILIES:
        values = {sink.name: value for sink in sinks if (value := measure_sink(sink)) is not None}
        families += [labelled(name, kind, about, "sink", values)] if values else []
    return "".join(families)


STALL_AFTER = 600.0  # seconds
AWAY_AFTER = 120.0  # seconds

Status = Literal["starting", "ok", "away", "stalled", "failed"]


def _no_sources() -> Sequence[SourceMetrics]:
    return ()


def _no_sinks() -> Sequence[SinkMetrics]:
    return ()


@dataclass(slots=True)
class Health:
    """Judges a stream. Stalled: one batch is at work, or due, for longer than `stall_after` seconds. Away: a broker is
    not there, or a receiver takes nothing, for longer than `away_after` seconds.

    seconds_at_work: asks the stream for how long that is, 0 if it has nothing to do; None before there is a stream.
    """

    stall_after: float = STALL_AFTER
    seconds_at_work: Callable[[], float] | None = None
    has_batches: bool = False
    failure: str | None = None
    away_after: float = AWAY_AFTER
    sources: Callable[[], Sequence[SourceMetrics]] = _no_sources
    sinks: Callable[[], Sequence[SinkMetrics]] = _no_sinks

    def seconds(self) -> float:
        return 0.0 if self.seconds_at_work is None else self.seconds_at_work()

    def status(self) -> Status:
        if self.failure is not None:
            return "failed"
        if self.seconds() > self.stall_after:
            return "stalled"
        if self.problems():
            return "away"
        return "starting" if self.seconds_at_work is None and not self.has_batches else "ok"

    def problems(self) -> list[str]:
        """Describe the sources and sinks that have been away for too long."""
        away = [source.problem() for source in self.sources() if source.seconds_away() > self.away_after]
        return away + [sink.problem() for sink in self.sinks() if sink.seconds_behind() > self.away_after]

    def reason(self) -> str | None:
        """Explain why the stream is not well."""
        match self.status():
            case "stalled":
                return f"no batch has been finished for {self.seconds():.0f} s, and one is at work or due"
            case "away":
                return "; ".join(self.problems())
            case _:
                return self.failure
