"""The figures of what a stream reads from and delivers to."""

from __future__ import annotations

import time
from typing import NamedTuple


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
    unread: int = 0  # messages on disk that no batch has taken yet
    connections: int = 0
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
