"""RTECinc's incremental interval constructs against one pass of the kernels: `python -m benchmarks.constructs`.

The forms are those of Tsilionis, Artikis, Paliouras: Incremental Event Calculus for Run-Time Reasoning. A kernel writes
its result as new columns, so that it goes once through its operands, whatever has changed of them; the forms do so
several times. The engine therefore evaluates interval algebra anew, on the rows that a change touches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Literal as OneOf

import numpy as np

from benchmarks.kernels import random_intervals
from holdsfor.kernels.intervals.algebra import intersect2, minus2, union2
from holdsfor.kernels.kernel import Intervals

Operation = OneOf["union", "intersect", "complement"]
SIZES = (100, 1_000, 10_000, 100_000)
SHARES = (0.001, 0.01, 0.1)
ROUNDS = 7
NOTHING: Intervals = np.empty(0, np.int64), np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Operand:
    """before: at the last query time. removed: a part of that. added: has nothing of it. now: what that makes."""

    before: Intervals
    removed: Intervals
    added: Intervals
    now: Intervals

    @staticmethod
    def of(before: Intervals, removed: Intervals, added: Intervals) -> Operand:
        return Operand(before, removed, added, union2(*minus2(*before, *removed), *added))

    @property
    def is_changed(self) -> bool:
        return bool(self.removed[0].size or self.added[0].size)


@dataclass(frozen=True, slots=True)
class Lists:
    """What is kept of two operands: where a or b held at the last query time, both, only a, only b."""

    union: Intervals
    both: Intervals
    only_a: Intervals
    only_b: Intervals

    @staticmethod
    def of(a: Intervals, b: Intervals) -> Lists:
        return Lists(union2(*a, *b), intersect2(*a, *b), minus2(*a, *b), minus2(*b, *a))


# ---------------------------------------------------------------- with removals: equations 15, 19, 23


def union_steps(kept: Lists, a: Operand, b: Operand) -> list[Intervals]:
    """Equation 15 in the steps of Table 7; the last one is the result."""
    removed = union2(*a.removed, *b.removed)
    of_one = minus2(*removed, *kept.both)
    of_both = intersect2(*a.removed, *b.removed)
    gone = union2(*of_one, *of_both)
    left = minus2(*kept.union, *gone)
    added = union2(*a.added, *b.added)
    return [removed, of_one, of_both, gone, left, added, union2(*left, *added)]


def intersection_steps(kept: Lists, a: Operand, b: Operand) -> list[Intervals]:
    """Equation 19 in the steps of Table 10."""
    removed = union2(*a.removed, *b.removed)
    left = minus2(*kept.both, *removed)
    a_left = minus2(*kept.only_a, *a.removed)
    a_alone = union2(*a_left, *a.added)
    by_b = intersect2(*b.added, *a_alone)
    b_left = minus2(*kept.only_b, *b.removed)
    b_alone = union2(*b_left, *b.added)
    by_a = intersect2(*a.added, *b_alone)
    added = union2(*by_b, *by_a)
    return [removed, left, a_left, a_alone, by_b, b_left, b_alone, by_a, added, union2(*left, *added)]


def complement_steps(kept: Lists, a: Operand, b: Operand) -> list[Intervals]:
    """Equation 23 in the steps of Table 13."""
    removed = union2(*a.removed, *b.added)
    left = minus2(*kept.only_a, *removed)
    b_left = minus2(*kept.only_b, *b.removed)
    b_alone = union2(*b_left, *b.added)
    by_a = minus2(*a.added, *b_alone)
    both_left = minus2(*kept.both, *a.removed)
    a_possible = union2(*both_left, *a.added)
    by_b = intersect2(*b.removed, *a_possible)
    added = union2(*by_a, *by_b)
    return [removed, left, b_left, b_alone, by_a, both_left, a_possible, by_b, added, union2(*left, *added)]


# ---------------------------------------------------------------- insertions only: equations 18, 22, 26


def extend_union(kept: Lists, a: Operand, b: Operand) -> Intervals:
    return union2(*kept.union, *union2(*a.added, *b.added))


def extend_intersection(kept: Lists, a: Operand, b: Operand) -> Intervals:
    added = union2(*intersect2(*a.added, *b.now), *intersect2(*b.added, *a.now))
    return union2(*kept.both, *added)


def extend_complement(kept: Lists, a: Operand, b: Operand) -> Intervals:
    return union2(*minus2(*kept.only_a, *b.added), *minus2(*a.added, *b.now))


STEPS: dict[Operation, Callable[[Lists, Operand, Operand], list[Intervals]]] = {
    "union": union_steps,
    "intersect": intersection_steps,
    "complement": complement_steps,
}
EXTEND: dict[Operation, Callable[[Lists, Operand, Operand], Intervals]] = {
    "union": extend_union,
    "intersect": extend_intersection,
    "complement": extend_complement,
}
RECOMPUTE: dict[Operation, Callable[..., Intervals]] = {
    "union": union2,
    "intersect": intersect2,
    "complement": minus2,
}
KEPT: dict[Operation, Callable[[Lists], Intervals]] = {
    "union": lambda kept: kept.union,
    "intersect": lambda kept: kept.both,
    "complement": lambda kept: kept.only_a,
}


def update(operation: Operation, kept: Lists, a: Operand, b: Operand) -> Intervals:
    """As the paper chooses: what was known if nothing has changed, the short form if nothing was removed."""
    if not a.is_changed and not b.is_changed:
        return KEPT[operation](kept)
    if not a.removed[0].size and not b.removed[0].size:
        return EXTEND[operation](kept, a, b)
    return STEPS[operation](kept, a, b)[-1]


# ---------------------------------------------------------------- measurement


def main() -> None:
    print("how many times faster than one pass of the kernel; below 1: slower")
    print(f"{'intervals':>9} {'changed':>8}  " + "  ".join(f"{name:>22}" for name in RECOMPUTE))
    for size in SIZES:
        for share in SHARES:
            ratios = [[measure(name, size, share, removes) for removes in (False, True)] for name in RECOMPUTE]
            print(f"{size:9,} {share:8.1%}  " + "  ".join(f"{short:10.2f}, {long:10.2f}" for short, long in ratios))
    print("of each pair: insertions only, and with removals")


def measure(operation: Operation, size: int, share: float, removes: bool) -> float:
    random = np.random.default_rng(size)
    a, b = draw_operand(random, size, share, removes), draw_operand(random, size, share, removes)
    kept = Lists.of(a.before, b.before)
    once = least_time(lambda: RECOMPUTE[operation](*a.now, *b.now))
    return once / least_time(lambda: update(operation, kept, a, b))


def draw_operand(random: np.random.Generator, size: int, share: float, removes: bool) -> Operand:
    keys = max(size // 100, 1)
    before = random_intervals(random, size, keys)
    added = minus2(*_choose(random, random_intervals(random, size, keys), share), *before)
    return Operand.of(before, _choose(random, before, share) if removes else NOTHING, added)


def _choose(random: np.random.Generator, intervals: Intervals, share: float) -> Intervals:
    chosen = random.random(intervals[0].size) < share
    chosen[:1] = True  # some are
    return intervals[0][chosen], intervals[1][chosen]


def least_time(work: Callable[[], object]) -> float:
    """Seconds of CPU, of one call."""
    work()
    times = []
    for _ in range(ROUNDS):
        begun, calls = process_time(), 0
        while process_time() - begun < 0.002:
            work()
            calls += 1
        times.append((process_time() - begun) / calls)
    return min(times)


if __name__ == "__main__":
    main()
