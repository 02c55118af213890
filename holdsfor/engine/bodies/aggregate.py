"""Sums, least and greatest numbers of the solutions that each row has; exact for every row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.engine.bodies.calculate import LEAST_INTEGER, MOST_INTEGER, evaluate_rows
from holdsfor.engine.bodies.expression import value, whole
from holdsfor.engine.bodies.magnitude import EXACT, SAFE, bounds, large_rows
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import OVERFLOWS, World
from holdsfor.language.arithmetic import Number
from holdsfor.language.terms import Term

Mask = npt.NDArray[np.bool_]
EXACTLY: dict[str, Callable[[Sequence[Number]], Number]] = {"sum": sum, "min": min, "max": max}


@dataclass(frozen=True, slots=True)
class Solutions:
    """The distinct solutions of a chain, by the row that each is of: rows go up."""

    rows: Rows
    chosen: Ints  # which of the rows are distinct
    row: Ints
    count: Ints  # for each row


def aggregate(function: str, term: Term, solutions: Solutions, rows: Rows, variable: str, world: World) -> Rows:
    """The rows with the aggregate of a term; those without one are left out: the least of none is nothing."""
    solved, chosen = solutions.rows, solutions.chosen
    values = value(term, solved)
    numbers = np.broadcast_to(values, (solved.size,))[chosen]
    integers = np.broadcast_to(whole(term, solved, values), (solved.size,))[chosen]
    results, are_whole = (_sums if function == "sum" else _extremes)(function, numbers, integers, solutions)
    kept = np.ones(rows.size, np.bool_) if function == "sum" else solutions.count > 0
    hard = _hard_rows(function, term, numbers, solutions)
    if hard is None:
        mixed = None if results.dtype.kind == "i" or not are_whole.any() else are_whole[kept]
        return rows.filter(kept).bind({variable: Column(world.dictionary, None, results[kept], mixed)})
    exact = _exactly(function, term, hard, solutions, world)
    kept[list(exact)] = [number is not None for number in exact.values()]
    codes = np.empty(rows.size, np.int64)  # a term is exact, whatever its size and that of others
    easy = kept & ~hard
    codes[easy] = world.dictionary.encode_mixed(results[easy], are_whole[easy])
    codes[kept & hard] = world.dictionary.codes(repr(number) for number in exact.values() if number is not None)
    return rows.filter(kept).bind({variable: Column(world.dictionary, codes[kept])})


def _sums(function: str, numbers: Numbers, integers: Mask, solutions: Solutions) -> tuple[Numbers, Mask]:
    """For each row the sum, and whether it is an integer."""
    size = len(solutions.count)
    total = np.zeros(size, numbers.dtype)
    with np.errstate(all="ignore"):
        np.add.at(total, solutions.row, numbers)
    return total, np.bincount(solutions.row[~integers], minlength=size) == 0


def _extremes(function: str, numbers: Numbers, integers: Mask, solutions: Solutions) -> tuple[Numbers, Mask]:
    """For each row the least or greatest, and whether it is an integer."""
    reduce = np.minimum if function == "min" else np.maximum
    some = solutions.count > 0
    best, are_whole = np.zeros(len(some), numbers.dtype), np.zeros(len(some), np.bool_)
    if some.any():
        first = np.concatenate([[0], np.cumsum(solutions.count[some])[:-1]]).astype(np.int64)
        best[some] = reduce.reduceat(numbers, first)
        hit = np.flatnonzero(numbers == best[solutions.row])[::-1]  # the first one last, so that it counts
        are_whole[solutions.row[hit]] = integers[hit]
    return best, are_whole


def _hard_rows(function: str, term: Term, numbers: Numbers, solutions: Solutions) -> Mask | None:
    """The rows whose numbers, or the sum of them, are too large for arrays; None if there is none."""
    size = len(solutions.count)
    large = large_rows(term, solutions.rows)
    hard = np.zeros(size, np.bool_)
    if large is not None:
        hard[solutions.row[large[solutions.chosen]]] = True
    limit = SAFE if numbers.dtype.kind == "i" else EXACT
    if function == "sum" and len(numbers):
        most = max(map(abs, bounds(term, solutions.rows)))
        if not most * float(solutions.count.max()) < limit:
            magnitude = np.abs(numbers.astype(np.float64))
            hard |= np.bincount(solutions.row, weights=magnitude, minlength=size) >= limit
    return hard if hard.any() else None


def _exactly(function: str, term: Term, hard: Mask, solutions: Solutions, world: World) -> dict[int, Number | None]:
    """By row the aggregate of its solutions, worked out with Python's numbers; None if there is none."""
    members = np.flatnonzero(hard[solutions.row])
    values = evaluate_rows(term, solutions.rows.reorder(solutions.chosen[members]), world)
    grouped: dict[int, list[Number | None]] = {}
    for row, number in zip(solutions.row[members].tolist(), values, strict=True):
        grouped.setdefault(row, []).append(number)
    return {row: _of_group(function, numbers, world) for row, numbers in grouped.items()}


def _of_group(function: str, numbers: Sequence[Number | None], world: World) -> Number | None:
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    try:
        result = EXACTLY[function](known)
    except OverflowError:  # an integer too large to be added to a float
        return None
    if isinstance(result, float):
        return None if math.isnan(result) else result
    if function == "sum" and not LEAST_INTEGER <= result <= MOST_INTEGER:
        world.counts[OVERFLOWS] += 1
        return None
    return result
