"""The metrics of one batch."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class BatchCounts:
    """Counts of one batch, or of several together."""

    events_in: int = 0  # rows read
    dropped: int = 0  # of these, not read by any rule, or before the start of the history
    late: int = 0  # too late to count
    rejected: int = 0  # not understood
    equal: int = 0  # equal to another row, and counted once
    files_changed: int = 0  # after they were found, so that rows may be missing
    units_quarantined: int = 0  # files, messages or rows that made the batch fail, and were set aside
    query_times: int = 0  # how many were due
    changes: int = 0  # intervals and occurrences inserted, ended, extended, shortened, withdrawn
    overflows: int = 0  # conditions that failed because an integer would have had more than 64 bits

    def __add__(self, other: BatchCounts) -> BatchCounts:
        return BatchCounts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


@dataclass(frozen=True)
class BatchMetrics:
    """Metrics of one batch. `str` is a line for a log."""

    batch: int
    counts: BatchCounts = BatchCounts()
    state_bytes: int = 0
    kernel_ms: float = 0.0  # in all workers together
    latency_ms: float = 0.0  # from the arrival of the batch until sinks have its changes, or they are kept for them
    seconds: Mapping[str, float] = field(default_factory=dict)  # by phase
    stream_time: int | None = None  # the last query time
    open_intervals: int | None = None
    open_by_fluent: Mapping[str, int] = field(default_factory=dict)
    finished: float = field(default_factory=time.time)  # seconds since 1970

    @property
    def events_a_second(self) -> float:
        return self.counts.events_in / (self.latency_ms / 1000) if self.latency_ms > 0 else 0.0

    def __str__(self) -> str:
        counts = self.counts
        metrics: dict[str, Any] = {
            "batch": self.batch,
            "events_in": counts.events_in,
            "dropped": counts.dropped,
            "late": counts.late,
            "rejected": counts.rejected,
            "equal": counts.equal or None,
            "files_changed": counts.files_changed or None,
            "units_quarantined": counts.units_quarantined or None,
            "query_times": counts.query_times,
            "stream_time": self.stream_time,
            "changes": counts.changes,
            "overflows": counts.overflows or None,
            "open_intervals": self.open_intervals,
            "state_bytes": self.state_bytes,
            "kernel_ms": f"{self.kernel_ms:.1f}",
            "latency_ms": f"{self.latency_ms:.1f}",
            **{f"{phase}_ms": f"{seconds * 1000:.1f}" for phase, seconds in self.seconds.items()},
        }
        return " ".join(f"{name}={value}" for name, value in metrics.items() if value is not None)

    def to_json(self) -> dict[str, Any]:
        """Return the metrics, under the names of Spark's `lastProgress` if it has one."""
        counts = self.counts
        stamp = datetime.fromtimestamp(self.finished, UTC).isoformat(timespec="milliseconds")
        return {
            "batchId": self.batch,
            "timestamp": stamp.replace("+00:00", "Z"),
            "batchDuration": round(self.latency_ms),
            "numInputRows": counts.events_in,
            "processedRowsPerSecond": round(self.events_a_second, 1),
            "durationMs": {phase: round(seconds * 1000, 1) for phase, seconds in self.seconds.items()},
            "eventTime": {} if self.stream_time is None else {"queryTime": self.stream_time},
            "numDroppedRows": counts.dropped,
            "numLateRows": counts.late,
            "numRejectedRows": counts.rejected,
            "numEqualRows": counts.equal,
            "numChangedFiles": counts.files_changed,
            "numQuarantinedUnits": counts.units_quarantined,
            "numQueryTimes": counts.query_times,
            "numChanges": counts.changes,
            "numArithmeticOverflows": counts.overflows,
            "numOpenIntervals": self.open_intervals,
            "openIntervals": dict(self.open_by_fluent),
            "stateBytes": self.state_bytes,
            "kernelMs": round(self.kernel_ms, 1),
            "latencyMs": round(self.latency_ms, 1),
        }
