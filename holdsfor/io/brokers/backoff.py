"""Pauses between attempts at something that fails: the one place that decides how long they are."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(slots=True)
class Backoff:
    """Gives the seconds to wait after each failure: about twice as long each time, and not the same for everybody."""

    first: float
    longest: float
    failures: int = 0

    def pause(self, at_least: float = 0.0) -> float:
        """Count a failure, and return how long to wait before the next attempt."""
        seconds = self.first * 2.0 ** min(self.failures, 60) * random.uniform(0.5, 1.0)
        self.failures += 1
        return min(max(seconds, at_least), self.longest)

    def reset(self) -> None:
        """Begin anew with the first pause, after a success."""
        self.failures = 0
