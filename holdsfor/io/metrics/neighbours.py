"""The metrics of what a stream reads from and delivers to, also in the text format of Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from holdsfor.io.metrics.totals import labelled


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
