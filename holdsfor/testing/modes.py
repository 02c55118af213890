"""Modes: the ways in which a test is recognised. By the laws of windows and hosts all of them give the same history.

`whole` is one evaluation over all rows. `windowed` goes from query time to query time. `shuffled` has the rows in
another order, and lets them arrive later, as far as the windows allow. `live` adds rows to a session as they arrive,
and evaluates what changes. `spark` does it on Spark's workers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdsfor.engine.input.window import Windows
from holdsfor.engine.output.result import Result
from holdsfor.io.events import Block, Events
from holdsfor.io.readers.read import EventSource
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription
from holdsfor.local.recognise import recognise
from holdsfor.local.session import session
from holdsfor.testing.claims import ResultRow, rows_of
from holdsfor.testing.suite import RuleSet

#: So many query times there are at least, where a test does not say.
QUERY_TIMES = 4


@dataclass(frozen=True, slots=True)
class ReadEvents(EventSource):
    """Events that have been read for one description, perhaps changed since."""

    events: Events | None = None

    def read(self, inputs: Any) -> Events:
        assert self.events is not None
        return self.events


def read_once(source: EventSource, description: EventDescription, times: Mapping[str, Any]) -> Events:
    """Read events for all modes of a test."""
    unit = agree_on_tick_unit(description, times.get("tick_unit"), source.given_unit)
    return source.counting_in(unit).read(description.with_input().inputs)


@dataclass(frozen=True, slots=True)
class Case:
    """A test as modes recognise it: rules, rows, the times that it gives, and the windows of the whole history."""

    rules: RuleSet
    events: Events
    times: Mapping[str, Any]
    windows: Windows

    def recognise(self, events: Events, windows: Windows, in_steps: bool = False) -> set[ResultRow]:
        source = ReadEvents((), events)
        return rows_of(recognise(self.rules.description, source, **self.in_ticks(windows), changes=in_steps, threads=1))

    def in_ticks(self, windows: Windows) -> dict[str, Any]:
        times = {name: getattr(windows, name) for name in ("window", "step", "start", "end")}
        times["sample_every"] = windows.tick
        unit = self.times.get("tick_unit")
        return times if unit is None else {**times, "tick_unit": unit}

    def smaller_windows(self) -> Windows:
        """Return windows that go through the history in steps and tolerate all delays, or those of the test."""
        if "window" in self.times or "step" in self.times:
            return self.windows
        span, tick = max(self.windows.end - self.windows.start, 1), self.windows.tick
        step = max(-(-span // (QUERY_TIMES * tick)) * tick, 1)
        return replace(self.windows, step=step, window=step + max(map(_most_delay, self.events.timed), default=0))

    def wide_windows(self) -> Windows:
        """Return windows in which rows may arrive as late as they like, or those of the test."""
        smaller = self.smaller_windows()
        if smaller is self.windows:
            return smaller
        return replace(smaller, window=smaller.window + max(self.windows.end - self.windows.start, 1))


def _most_delay(block: Block) -> int:
    return max(0, int((block.arrival - block.start).max())) if len(block) else 0


def run_whole(description: EventDescription, events: Events, times: Mapping[str, Any]) -> Result:
    """Recognise the whole history, as the test gives its times."""
    return recognise(description, ReadEvents((), events), **times, threads=1)


def _windowed(case: Case) -> set[ResultRow]:
    return case.recognise(case.events, case.smaller_windows(), in_steps=True)


def _shuffled(case: Case) -> set[ResultRow]:
    windows = case.wide_windows()
    blocks = tuple(shuffle(block, windows) for block in case.events.blocks)
    return case.recognise(replace(case.events, blocks=blocks), windows)


def shuffle(block: Block, windows: Windows) -> Block:
    """Return the rows in another order, and later by as much as windows allow. What is taken back stays as it is."""
    if block.op is not None or not len(block):
        return block
    random = np.random.default_rng(zlib.crc32(block.name.encode()) + len(block))
    latest = np.minimum(block.start + windows.window - windows.step, windows.end)
    arrival = random.integers(block.arrival, np.maximum(latest, block.arrival) + 1)
    return replace(block, arrival=arrival).take(random.permutation(len(block)))


def _live(case: Case) -> set[ResultRow]:
    windows = case.smaller_windows()
    live = session(case.rules.description_with_input, **case.in_ticks(windows), incremental=True)
    seen = [windows.first_seen(block.arrival) for block in case.events.timed]
    for moment in sorted({time for times in seen for time in times.tolist()}):
        live.advance(moment - 1)
        blocks = [block.filter(times == moment) for block, times in zip(case.events.timed, seen, strict=True)]
        named = tuple(block for block in blocks if block.name and len(block))
        others = tuple(block for block in blocks if not block.name and len(block))
        live.add(ReadEvents((), replace(case.events, blocks=named, other_times=others)))
    live.advance(windows.last)
    current = live.current()
    nothing = current.intervals.slice(0, 0)
    return rows_of(Result(current.intervals, current.occurrences, nothing, nothing, nothing))


MODES: dict[str, Callable[[Case], set[ResultRow]]] = {"windowed": _windowed, "shuffled": _shuffled, "live": _live}
"""The modes beside `whole`, in the order in which they are tried."""


def run_on_spark(description: EventDescription, source: EventSource, times: Mapping[str, Any]) -> set[ResultRow]:
    """Recognise a test on Spark, as it is read from its source."""
    from holdsfor.spark import recognise as recognise_on_spark
    from holdsfor.spark.session import session

    result = recognise_on_spark(session(), description, source, **times, buckets=2)
    intervals, occurrences = result.intervals.toArrow(), result.occurrences.toArrow()
    nothing = intervals.slice(0, 0)
    return rows_of(Result(intervals, occurrences, nothing, nothing, nothing))
