"""The batch job on any host: how far the history goes, which rows are far off all others, and what tasks come to."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from holdsfor.engine.data.axis import BITS, AxisFull
from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.input.fence import Fence, Sample, fence_for, narrowed
from holdsfor.engine.input.window import Ticks, find_windows_over
from holdsfor.errors import HoldsforError
from holdsfor.io.join import join_types
from holdsfor.io.readers.column_types import agree, join_seen
from holdsfor.io.tables.wide import NANOSECONDS, TYPES, is_kinds_key
from holdsfor.job.argument_kinds import join_kinds
from holdsfor.job.output import draft, publish
from holdsfor.job.routing import router
from holdsfor.job.run_warnings import KINDS, REASONS, join_reasons
from holdsfor.job.task_rows import Note
from holdsfor.job.tasks import SEEN, TIME_BITS_LEFT, Job
from holdsfor.plan.whole_plan import Plan

Span = tuple[int, int]
#: How the counts of tasks become one, where they are not added up.
MERGED: dict[str, Callable[[Any, Any], Any]] = {
    "first_time": min,
    "last_time": max,
    TIME_BITS_LEFT: min,
    NANOSECONDS: max,
    REASONS: join_reasons,
    KINDS: join_kinds,
    TYPES: join_types,
    SEEN: lambda one, other: join_seen((one, other)),
}


class BatchCrew(Protocol):
    """Reads the input and evaluates the stages; the tables that come out stay with it, or go to the job's folder."""

    def guess_span(self) -> Span | None:
        """The first and last time of all rows, and perhaps more; None if that is not known without reading them."""

    def read_span(self, fence: Fence) -> Span:
        """The first and last time of the rows inside the fence."""

    def sample(self) -> Sample:
        """Some of the times, by which their middle and spread can be told."""

    def find_hubs(self, plan: Plan, buckets: int) -> tuple[int, ...]:
        """Return the hashes of terms with so many of the rows that each needs a bucket of its own."""

    def run(self, job: Job) -> Iterable[Note]:
        """Run the tasks, and return their counts."""


def run_batch(
    program: Program, times: Ticks, buckets: int, crew: BatchCrew, out: str | Path | None = None
) -> dict[str, Any]:
    """Runs the job, more than once where only its rows tell times and types; gives its metrics. out: for tables."""
    started = time.perf_counter()
    if buckets < 1:
        raise HoldsforError(f"there must be at least one bucket, not {buckets}")
    whole = times.start is None or times.end is None
    fence = fence_for(times.window)
    span = (crew.guess_span() or crew.read_span(fence)) if whole else None
    ways = router(program.plan, buckets, crew.find_hubs(program.plan, buckets))
    types: dict[str, str] = {}
    while True:
        windows = find_windows_over(partial(_span_or_nothing, span), *times, fence)
        sink = None if out is None else draft(Path(out))
        counts = merge_counts(crew.run(Job(program, windows, ways, sink, types=types)))
        differing = agree(counts.pop(SEEN, {}))
        types = types | differing
        actual = (counts.pop("first_time", 1), counts.pop("last_time", 1))
        if (left := counts.pop(TIME_BITS_LEFT, None)) is not None:
            fence = _narrowed(fence, crew.sample(), left)
            span = crew.read_span(fence) if whole else None
        elif whole and actual != span:
            span = actual  # the span was a guess, and rows that do not count reach beyond it
        elif not differing:
            break
    if out is not None:
        publish(Path(out))
    metrics = {"arithmetic_overflows": 0} | counts | {"window": windows.window, "step": windows.step}
    metrics |= {"start": windows.start, "end": windows.end, "sample_every": windows.tick}
    metrics |= {"query_times": len(windows.query_times()), "buckets": ways.buckets}
    return metrics | {"seconds": round(time.perf_counter() - started, 3)}


def _span_or_nothing(span: Span | None, fence: Fence) -> Span:
    return span or (1, 1)


def _narrowed(fence: Fence, sample: Sample, left: int) -> Fence:
    """Without the rows that are far off all others, where the axis cannot hold both."""
    closer = narrowed(fence, sample, left)
    if closer is None:
        raise AxisFull(1 << (BITS - left), left + 1, left)
    return closer


def merge_counts(notes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Put the counts of all tasks together."""
    total: dict[str, Any] = {}
    for note in notes:
        for name, amount in note.items():
            total[name] = _merge_of(name)(total[name], amount) if name in total else amount
    return {name: round(amount, 6) if isinstance(amount, float) else amount for name, amount in total.items()}


def _merge_of(name: str) -> Callable[[Any, Any], Any]:
    """Return how the amounts of two tasks become one."""
    if is_kinds_key(name):
        return operator.or_
    return max if name.startswith("most_") else MERGED.get(name, operator.add)
