"""Follow up a batch that counts, besides delivery: metrics for who watches, warnings, compacted logs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from holdsfor.io.events import TIMES_CUT
from holdsfor.io.metrics import BatchCounts, BatchMetrics
from holdsfor.io.storage.changelog import compactions
from holdsfor.io.storage.compaction import clean, compact_part, finish_compaction, plan_compaction
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.delivery import Deliveries, Each
from holdsfor.job.live.state.bucket import OPEN_OF
from holdsfor.job.live.state.ledger import Commit
from holdsfor.job.run_warnings import (
    count_reasons,
    join_reasons,
    reasons_text,
    take_failures,
    warn_of_cut_times,
    warn_of_failures,
)
from holdsfor.printable import count_text

_log = logging.getLogger(__name__)

COMPACT_EVERY = 50
REJECT_FILES = 10  # of a batch that are looked at for reasons
REASONS_TOLD = 20  # by one process


@dataclass(frozen=True, slots=True)
class Compactor:
    """Now and then puts the log of many batches together, so that the current table stays cheap to read."""

    tables: Store
    each: Each
    every: int = COMPACT_EVERY

    def __call__(self, commit: Commit) -> None:
        if commit.batch % self.every or not commit.batch:
            return
        tables = self.tables
        if any(done.upto >= commit.batch for done in compactions(tables)):  # before a restart; there is nothing to add
            clean(tables)
            return
        done = self.each(lambda task: compact_part(tables, task), plan_compaction(tables, commit.batch, commit.settled))
        finish_compaction(tables, commit.batch, done)


@dataclass(frozen=True, slots=True)
class Watching:
    """Turns the counts of each batch into metrics for people and machines."""

    show: Callable[[BatchMetrics], None]
    deliveries: Deliveries

    def __call__(self, commit: Commit) -> None:
        self.show(metrics_of(commit, self.deliveries.seconds))


def warn_of_changed_files(tables: Store, commit: Commit) -> None:
    changed = int(commit.counts.get("files_changed", 0))
    if changed:
        _log.warning(
            "%d %s changed after the stream had found them; rows may be missing. %s names them.",
            changed,
            "file" if changed == 1 else "files",
            tables.shown(f"rejects/batch={commit.batch:07d}"),
        )


@dataclass(frozen=True, slots=True)
class RejectWarnings:
    """Tells why rows are rejected: each reason once, so that a stream with many bad rows stays readable."""

    tables: Store
    warned: set[str] = field(default_factory=set)

    def __call__(self, commit: Commit) -> None:
        files = [file for file in commit.files if file.name.startswith("rejects/")][:REJECT_FILES]
        if not files or len(self.warned) >= REASONS_TOLD:
            return
        reasons: dict[str, int] = {}
        for file in files:
            reasons = join_reasons(reasons, count_reasons(self.tables.read_table(file.name, file.crc)))
        if set(reasons) <= self.warned:
            return
        self.warned.update(reasons)
        rejected, rows = int(commit.counts.get("events_rejected", 0)), int(commit.counts.get("events_in", 0))
        _log.warning(
            "%s of batch %d %s rejected%s. They are in %s; a reason is told once.",
            f"{rejected:,} of {count_text(rows, 'row')}",
            commit.batch,
            "was" if rejected == 1 else "were",
            reasons_text(reasons),
            self.tables.shown(f"rejects/batch={commit.batch:07d}"),
        )


@dataclass(frozen=True, slots=True)
class FailureWarnings:
    """Tells which calls of functions raised exceptions: each once, and so many of them."""

    warned: set[str] = field(default_factory=set)

    def __call__(self, commit: Commit) -> None:
        failures = take_failures(dict(commit.counts))
        if len(self.warned) < REASONS_TOLD and not set(failures) <= self.warned:
            self.warned.update(failures)
            warn_of_failures(failures)


@dataclass(slots=True)
class CutTimeWarning:
    """Warns once that times have parts of a tick. length: of a tick, in nanoseconds."""

    length: int
    has_warned: bool = False

    def __call__(self, commit: Commit) -> None:
        count = commit.counts.get(TIMES_CUT, 0)
        if count and not self.has_warned:
            self.has_warned = True
            warn_of_cut_times(count, self.length)


def metrics_of(commit: Commit, seconds_to_deliver: float = 0.0) -> BatchMetrics:
    """Return the metrics of a batch, its delivery included."""
    counts = dict(commit.counts)
    if seconds_to_deliver:
        counts["seconds_to_deliver"] = seconds_to_deliver
    phases = {name.removeprefix("seconds_"): amount for name, amount in counts.items() if name.startswith("seconds_")}
    return BatchMetrics(
        commit.batch,
        BatchCounts(
            events_in=int(counts.get("events_in", 0)),
            dropped=int(counts.get("events_unused", 0) + counts.get("events_outside", 0)),
            late=int(counts.get("events_late", 0)),
            rejected=int(counts.get("events_rejected", 0)),
            equal=int(counts.get("events_equal", 0)),
            files_changed=int(counts.get("files_changed", 0)),
            units_quarantined=int(counts.get("units_quarantined", 0)),
            query_times=int(counts.get("query_times", 0)),
            changes=commit.changes,
            overflows=int(counts.get("arithmetic_overflows", 0)),
            functions_failed=sum(take_failures(counts).values()),
        ),
        state_bytes=commit.state.size,
        kernel_ms=1000 * counts.get("seconds_in_kernels", 0.0),
        latency_ms=1000 * (counts.get("seconds", 0.0) + seconds_to_deliver),
        seconds=phases,
        stream_time=commit.fired,
        open_intervals=int(counts["intervals_open"]) if "intervals_open" in counts else None,
        open_by_fluent={
            name.removeprefix(OPEN_OF): int(count) for name, count in counts.items() if name.startswith(OPEN_OF)
        },
    )
