"""The metrics of one batch, and of all batches so far, in the text format of Prometheus (version 0.0.4)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from threading import Lock
from typing import Any, TypeAlias


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
    functions_failed: int = 0  # conditions that failed because a function raised an exception

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
            "functions_failed": counts.functions_failed or None,
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
            "numFunctionFailures": counts.functions_failed,
            "numOpenIntervals": self.open_intervals,
            "openIntervals": dict(self.open_by_fluent),
            "stateBytes": self.state_bytes,
            "kernelMs": round(self.kernel_ms, 1),
            "latencyMs": round(self.latency_ms, 1),
        }


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
KEPT = 100  # batches whose metrics can be asked for

COUNTERS = {
    "events_in": ("holdsfor_events_total", "Events read."),
    "dropped": ("holdsfor_events_dropped_total", "Events that no rule reads, or that happened before the start."),
    "late": ("holdsfor_events_late_total", "Events that came too late to count."),
    "rejected": ("holdsfor_events_rejected_total", "Rows that are no events."),
    "equal": ("holdsfor_events_equal_total", "Rows that are equal to another, and count once."),
    "files_changed": ("holdsfor_files_changed_total", "Files that changed after they were found."),
    "units_quarantined": ("holdsfor_units_quarantined_total", "Files, messages or rows set aside in quarantine."),
    "query_times": ("holdsfor_query_times_total", "Query times that were evaluated."),
    "changes": ("holdsfor_changes_total", "Changes of intervals and occurrences."),
    "overflows": ("holdsfor_arithmetic_overflows_total", "Conditions that failed on integers of more than 64 bits."),
    "functions_failed": (
        "holdsfor_function_failures_total",
        "Conditions that failed as a function raised.",
    ),
}
GAUGES = {
    "batch": ("holdsfor_batch", "The last batch."),
    "state_bytes": ("holdsfor_state_bytes", "Size of the state after the last batch."),
    "stream_time": ("holdsfor_stream_time_ticks", "The last query time."),
    "finished": ("holdsfor_last_batch_timestamp_seconds", "When the last batch was done, in seconds since 1970."),
}

Labelled: TypeAlias = Mapping[str, float]


class Totals:
    """Counts that only grow, the last metrics, and the last batches. Many threads may use one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts = BatchCounts()
        self._batches = 0
        self._kernel = 0.0
        self._latency = 0.0
        self._phases: dict[str, float] = {}
        self._last: deque[BatchMetrics] = deque(maxlen=KEPT)

    def add(self, metrics: BatchMetrics) -> None:
        with self._lock:
            self._counts += metrics.counts
            for phase, seconds in metrics.seconds.items():
                self._phases[phase] = self._phases.get(phase, 0.0) + seconds
            self._batches += 1
            self._kernel += metrics.kernel_ms / 1000
            self._latency += metrics.latency_ms / 1000
            self._last.append(metrics)

    def last(self) -> BatchMetrics | None:
        with self._lock:
            return self._last[-1] if self._last else None

    def progress(self) -> list[dict[str, Any]]:
        """Return the last batches as JSON, the oldest first."""
        with self._lock:
            return [metrics.to_json() for metrics in self._last]

    def text(self) -> str:
        with self._lock:
            families = [
                family("holdsfor_batches_total", "counter", "Batches that were done.", self._batches),
                *(family(name, "counter", about, getattr(self._counts, f)) for f, (name, about) in COUNTERS.items()),
                family("holdsfor_kernel_seconds_total", "counter", "Time in kernels, of all workers.", self._kernel),
                labelled("holdsfor_phase_seconds_total", "counter", "Time by phase.", "phase", self._phases),
                # One family with a sum and a count is enough for an average over any span.
                "# HELP holdsfor_batch_seconds From the arrival of a batch until sinks have its changes.\n"
                "# TYPE holdsfor_batch_seconds summary\n"
                f"holdsfor_batch_seconds_sum {self._latency!r}\nholdsfor_batch_seconds_count {self._batches}\n",
                *self._gauges(),
            ]
        return "".join(families)

    def _gauges(self) -> list[str]:
        if not self._last:
            return []
        last = self._last[-1]
        gauges = [family("holdsfor_latency_seconds", "gauge", "Of the last batch.", last.latency_ms / 1000)]
        for each, (name, about) in GAUGES.items():
            value = getattr(last, each)
            if value is not None:
                gauges.append(family(name, "gauge", about, value))
        if last.open_by_fluent:
            about = "Intervals without an end after the last batch."
            gauges.append(labelled("holdsfor_open_intervals", "gauge", about, "fluent", last.open_by_fluent))
        return gauges


def family(name: str, kind: str, about: str, value: float) -> str:
    return f"# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value!r}\n"


def labelled(name: str, kind: str, about: str, label: str, values: Labelled) -> str:
    """Write a family with one value for each value of a label."""
    lines = [f"# HELP {name} {about}\n# TYPE {name} {kind}\n"]
    lines += [f'{name}{{{label}="{_escaped(key)}"}} {value!r}\n' for key, value in sorted(values.items())]
    return "".join(lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
