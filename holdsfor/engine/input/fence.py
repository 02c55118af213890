"""Bounds of plausible times. A row far off all others is set aside, so that it does not spoil the run for them.

Time and terms share the 63 bits of an axis. A row in nanoseconds among rows in seconds would need nearly all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdsfor.io.events import MOST_TIME, OPEN, SINCE_EVER, Block, Ints
from holdsfor.kernels.rows.moving import value_span

Mask = npt.NDArray[np.bool_]

#: A row may lie so many ticks ahead of its arrival, or so many windows if that is more.
TICKS_AHEAD, WINDOWS_AHEAD = 1 << 41, 1 << 16
#: A row that is so many windows late does not tell where the history begins.
WINDOWS_BEHIND = 64
#: What is set aside is at least so many times further off than the densest half of the rows is wide.
FAR_OFF = 16
#: By how many times at most the rows of a part of the input are represented.
SAMPLE = 1001


@dataclass(frozen=True, slots=True)
class Fence:
    """Rows count if all their times lie in low..high, and none is more than `ahead` later than their arrival.

    behind: a row that is so much older than its arrival does not tell where the history begins; it is late anyway.
    """

    low: int = -MOST_TIME
    high: int = MOST_TIME
    ahead: int = 2 * MOST_TIME
    behind: int = 2 * MOST_TIME

    def lets_all_in(self, block: Block) -> bool:
        """Whether no row is outside, as far as the extremes of its columns tell: a quick test."""
        return not len(block) or self.has_room_for(extremes_of(self.with_begins(block)))

    def has_room_for(self, extremes: Extremes) -> bool:
        low, high = min(extremes.first, extremes.first_arrival), max(extremes.last, extremes.last_arrival)
        return low >= self.low and high <= self.high and extremes.last - extremes.first_arrival <= self.ahead

    def is_off(self, block: Block) -> Mask:
        """Mark the rows before low or after high."""
        block = self.with_begins(block)
        off: Mask = np.minimum(block.start, block.arrival) < self.low
        return off | (np.maximum(latest(block), block.arrival) > self.high)

    def is_ahead(self, block: Block) -> Mask:
        """Mark the rows that are too far ahead of their arrival."""
        block = self.with_begins(block)
        ahead: Mask = latest(block) - block.arrival > self.ahead
        return ahead

    def with_begins(self, block: Block) -> Block:
        """Return rows that do not tell when they began as if they began at the first time that they tell."""
        if not is_any_since_ever(block):
            return block
        since_ever, arrives = block.start == SINCE_EVER, block.arrival != SINCE_EVER
        over = latest(block)
        first = np.where(arrives, block.arrival, np.where(over != SINCE_EVER, over, (self.low + self.high) // 2))
        start = np.where(since_ever, np.where(over != SINCE_EVER, np.minimum(first, over), first), block.start)
        return replace(block, start=start, arrival=np.where(arrives, block.arrival, start))


EVERYTHING = Fence()


class Extremes(NamedTuple):
    """The first and the last time that rows name besides their arrival, and the first and the last arrival."""

    first: int
    last: int
    first_arrival: int
    last_arrival: int


def extremes_of(block: Block) -> Extremes:
    """There must be rows."""
    starts = value_span(block.start)
    arrivals = starts if block.arrival is block.start else value_span(block.arrival)
    last = starts[1] if block.end is None else int(latest(block).max())
    return Extremes(starts[0], last, *arrivals)


def latest(block: Block) -> Ints:
    """The last time that each row names, besides its arrival."""
    return block.start if block.end is None else np.where(block.end == OPEN, block.start, block.end)


def is_any_since_ever(block: Block) -> bool:
    """Whether a row does not tell when it began: facts that change may not."""
    return block.end is not None and len(block) > 0 and int(block.start.min()) == SINCE_EVER


def telling(block: Block, fence: Fence) -> Block:
    """Return the rows that tell a time, with that."""
    if not is_any_since_ever(block):
        return block
    silent = (block.start == SINCE_EVER) & (block.arrival == SINCE_EVER) & (block.end == OPEN)
    return fence.with_begins(block.filter(~silent))


def fence_for(window: int | None) -> Fence:
    """The fence that a window makes: what is so many windows ahead of its arrival is not meant."""
    if window is None:
        return EVERYTHING
    return Fence(ahead=max(TICKS_AHEAD, WINDOWS_AHEAD * window), behind=WINDOWS_BEHIND * window)


def span_of(blocks: Iterable[Block], fence: Fence) -> tuple[int, int] | None:
    """The first and last time of the rows inside the fence; None if there are none."""
    spans = [span for block in blocks if (span := _span(block, fence)) is not None]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None


def _span(block: Block, fence: Fence) -> tuple[int, int] | None:
    block = telling(block, fence)
    if len(block) and block.end is None:  # of events the extremes tell, most of the time
        extremes = extremes_of(block)
        if fence.has_room_for(extremes) and extremes.last_arrival - extremes.first <= fence.behind:
            return extremes.first, max(extremes.last, extremes.last_arrival)
    start, arrival = block.start, block.arrival
    last = start if block.end is None else np.where(block.end == OPEN, start, block.end - 1)
    if not fence.lets_all_in(block):
        inside = ~(fence.is_off(block) | fence.is_ahead(block))
        start, last, arrival = start[inside], last[inside], arrival[inside]
    if not len(start):
        return None
    low = int(start.min())
    if int(arrival.max()) - low > fence.behind:
        low = int(np.maximum(start, arrival - fence.behind).min())
    return low, max(int(last.max()), int(arrival.max()))


@dataclass(frozen=True, slots=True)
class Sample:
    """Some times of rows, in order, and for how many rows each stands."""

    times: Ints
    weights: Ints

    def densest_half(self) -> tuple[int, int, int]:
        """First, middle and last time of the half of the rows that lie closest together."""
        until = np.cumsum(self.weights)
        before = until - self.weights
        last = np.searchsorted(until, before + (int(until[-1]) + 1) // 2)
        first = np.flatnonzero(last < len(until))
        best = first[np.argmin(self.times[last[first]] - self.times[first])]
        return int(self.times[best]), int(self.times[(best + last[best]) // 2]), int(self.times[last[best]])


def sample_of(blocks: Iterable[Block]) -> Sample:
    """The times at which rows begin, thinned out evenly."""
    dated = (telling(block, EVERYTHING) for block in blocks)
    times = np.sort(np.concatenate([np.empty(0, np.int64), *(block.start for block in dated)]))
    if len(times) <= SAMPLE:
        return Sample(times, np.ones(len(times), np.int64))
    edges = np.linspace(0, len(times), SAMPLE + 1).astype(np.int64)
    return Sample(times[(edges[:-1] + edges[1:]) // 2], np.diff(edges))


def join_samples(samples: Iterable[Sample]) -> Sample:
    all_samples = list(samples)
    times = np.concatenate([np.empty(0, np.int64), *(sample.times for sample in all_samples)])
    weights = np.concatenate([np.empty(0, np.int64), *(sample.weights for sample in all_samples)])
    order = np.argsort(times, kind="stable")
    return Sample(times[order], weights[order])


def narrowed(fence: Fence, sample: Sample, time_bits: int) -> Fence | None:
    """The fence around the middle of the rows that an axis with so many bits of time has room for.

    None where that would set aside more than what is far off: then the rows are really spread so wide.
    """
    if not len(sample.times):
        return None
    reach = 1 << max(time_bits - 2, 0)
    first, middle, last = sample.densest_half()
    low, high = max(fence.low, middle - reach), min(fence.high, middle + reach)
    if reach < FAR_OFF * (last - first) or (low, high) == (fence.low, fence.high):
        return None
    return replace(fence, low=low, high=high)
