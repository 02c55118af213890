"""Is a stream well? It is starting, ok, stalled or failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

STALL_AFTER = 600.0  # seconds

Status = Literal["starting", "ok", "stalled", "failed"]


@dataclass(slots=True)
class Health:
    """Stalled: one batch is at work, or due, for longer than `stall_after` seconds.

    seconds_at_work: asks the stream for how long that is, 0 if it has nothing to do; None before there is a stream.
    """

    stall_after: float = STALL_AFTER
    seconds_at_work: Callable[[], float] | None = None
    has_batches: bool = False
    failure: str | None = None

    def seconds(self) -> float:
        return 0.0 if self.seconds_at_work is None else self.seconds_at_work()

    def status(self) -> Status:
        if self.failure is not None:
            return "failed"
        if self.seconds() > self.stall_after:
            return "stalled"
        return "starting" if self.seconds_at_work is None and not self.has_batches else "ok"

    def reason(self) -> str | None:
        """Why it is not well."""
        if self.failure is not None or self.status() != "stalled":
            return self.failure
        return f"no batch has been finished for {self.seconds():.0f} s, and one is at work or due"
