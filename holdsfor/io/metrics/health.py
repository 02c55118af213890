"""Is a stream well? It is starting, ok, away from a neighbour, stalled or failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from holdsfor.io.metrics.neighbours import SinkMetrics, SourceMetrics

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
