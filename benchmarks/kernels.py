"""Rows per second of CPU time of every kernel: `python -m benchmarks.kernels`. Rows are those that a kernel reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from holdsfor.io.columns.strings import Strings, strings_of
from holdsfor.io.columns.taking import lend_texts
from holdsfor.kernels.intervals import algebra
from holdsfor.kernels.intervals.algebra import intersect2, keep_lingering, minus2, normalise, union2
from holdsfor.kernels.intervals.inertia import exclusive, hold_between, join_points
from holdsfor.kernels.intervals.logging import log_changes, write_texts
from holdsfor.kernels.kernel import Intervals, Ints
from holdsfor.kernels.patterns.sliding import last_events, last_time, slide_extremes, slide_float_sums, slide_sums
from holdsfor.kernels.patterns.spans import SPAN_KINDS, first_block, join_spans
from holdsfor.kernels.rows.holding import holds_mask, holds_search, member_mask, member_search
from holdsfor.kernels.rows.joining import expand, interval_join, merge_join, places_of_same_keys, points_of_keys
from holdsfor.kernels.rows.moving import compress, merge_sorted, number_sorted, order_by_key, take, unique_sorted
from holdsfor.kernels.rows.searching import gather_rows
from holdsfor.kernels.rows.sorting import distinct_rows, sort_packed
from holdsfor.kernels.text.identify import identify_rows
from holdsfor.kernels.text.lines import Bytes, Places
from holdsfor.kernels.text.strings import KnownStrings, find_strings, index_strings

BITS = 32
MASK = (1 << BITS) - 1
SIZES = (1_000, 100_000, 1_000_000)
#: Time points per key, for about a hundred rows: nothing is predictable (1,000 rows still are, once repeated).
SPAN = 100_000

Case = tuple[str, int, Callable[[], Any]]


def random_points(random: np.random.Generator, rows: int, keys: int) -> Ints:
    return np.sort((random.integers(0, keys, rows) << BITS) | random.integers(1, SPAN, rows))


def random_intervals(random: np.random.Generator, rows: int, keys: int) -> Intervals:
    """About `rows` intervals; half of the initiations and terminations change nothing."""
    points = random_points(random, 4 * rows, keys)
    chosen = random.random(points.size) < 0.5
    return _hold(points[chosen], points[~chosen])


def _hold(initiated: Ints, terminated: Ints) -> Intervals:
    both = np.concatenate([initiated, terminated])
    runs = np.array([[0, 0, len(initiated)], [1, len(initiated), len(both)]])
    return hold_between(both, runs, 1, MASK, 1)[:2]


def cases(rows: int) -> Iterator[Case]:
    """Every kernel on random input with about a hundred rows per key."""
    random = np.random.default_rng(rows)
    keys = max(rows // 100, 1)
    yield from _from_points(random, rows, keys)
    yield from _of_intervals(random, rows // 2, keys)
    yield from _joins(random, rows // 2, keys)
    yield from _moves(random, rows, keys)
    yield from _spans(random, rows // 2, keys)
    yield from _windows(random, rows, keys)
    yield from _of_texts(random, rows)


def _of_texts(random: np.random.Generator, rows: int) -> Iterator[Case]:
    """Names that all differ."""
    strings = strings_of(pa.array([f"vessel_{number}" for number in random.permutation(rows).tolist()]))
    known = KnownStrings(*_places(strings), *index_strings(*_places(strings))[:2])
    yield "index_strings", rows, lambda: index_strings(*_places(strings))
    yield "find_strings", rows, lambda: find_strings(*_places(strings), known)
    texts = *lend_texts(strings.array()), np.zeros(1, np.int32), np.empty(0, np.uint8)
    codes, begins = random.permutation(rows), np.arange(rows + 1, dtype=np.int32)
    yield "write_texts", rows, lambda: write_texts(codes, *texts)
    yield "identify_rows", rows, lambda: identify_rows(codes, begins, codes, codes, codes, codes, *texts)


def _places(strings: Strings) -> tuple[Bytes, Places, Places]:
    return strings.data, strings.begin, strings.end


def _from_points(random: np.random.Generator, rows: int, keys: int) -> Iterator[Case]:
    a, b = random_points(random, rows // 2, keys), random_points(random, rows // 2, keys)
    both = random_points(random, rows, keys)
    value, action = random.integers(0, 4, rows), random.choice(np.array([1, 1, 1, -1], np.int8), rows)
    distinct = unique_sorted(both)
    yield "hold_between", rows, lambda: _hold(a, b)
    yield "exclusive", rows, lambda: exclusive(both, value, action, MASK, 1)
    yield "join_points", distinct.size, lambda: join_points(distinct, MASK, 500, 7)


def _of_intervals(random: np.random.Generator, rows: int, keys: int) -> Iterator[Case]:
    a, b = random_intervals(random, rows, keys), random_intervals(random, rows, keys)
    points = random_points(random, rows, keys)
    few, anyhow = points[:: max(rows // 1000, 1)], random.permutation(points)
    total = a[0].size + b[0].size
    yield "union2", total, lambda: union2(*a, *b)
    yield "intersect2", total, lambda: intersect2(*a, *b)
    yield "minus2", total, lambda: minus2(*a, *b)
    yield "keep_lingering", total, lambda: keep_lingering(*a, SPAN // 2, MASK)
    ends = np.array([a[0].size]), np.array([b[0].size])
    yield "log_changes", total, lambda: log_changes(*a, ends[0], *b, ends[1], MASK, 0)
    yield "normalise", a[0].size, lambda: normalise(*a)
    yield "intersect2", total, lambda: intersect2(*a, *b)
    yield "keep_lasting", a[0].size, lambda: algebra.keep_lasting(*a, 100, 1 << 40, 0, 1, MASK, BITS)
    yield "intervals_of_rows, table", a[0].size, lambda: algebra.intervals_of_rows(*a, np.arange(keys), keys, BITS)
    yield "intervals_of_rows, search", a[0].size, lambda: algebra.intervals_of_rows(*a, np.arange(keys), 1 << 40, BITS)
    yield "holds_mask", rows + a[0].size, lambda: holds_mask(points, *a)
    yield "holds_search", rows, lambda: holds_search(anyhow, *a)
    yield "holds_search, few points", few.size, lambda: holds_search(few, *a)


def _joins(random: np.random.Generator, rows: int, keys: int) -> Iterator[Case]:
    a, b = random_points(random, rows, keys), random_points(random, rows, keys)
    b[::2] = a[::2]
    b.sort()
    anyhow = random.permutation(a)
    starts = random_points(random, rows, keys)
    ends = np.minimum(starts + random.integers(1, 5_000, rows), starts | MASK)
    low = random.integers(0, rows, rows)
    yield "member_mask", 2 * rows, lambda: member_mask(a, b)
    yield "member_search", rows, lambda: member_search(anyhow, b)
    yield "merge_join", 2 * rows, lambda: merge_join(a, b)
    yield "places_of_same_keys", 2 * rows, lambda: places_of_same_keys(a, b, BITS)
    known, gone = np.arange(keys), np.arange(0)
    late = known, np.full(keys, SPAN // 2), BITS, BITS, 0
    yield "points_of_keys", rows + keys, lambda: points_of_keys(known, a, 0, BITS)
    yield "gather_rows", 2 * rows, lambda: gather_rows(a, a, gone, b, b, *late)
    yield "interval_join", 2 * rows, lambda: interval_join(a, starts, ends)
    yield "expand", 2 * rows, lambda: expand(low, low + 2)


def _moves(random: np.random.Generator, rows: int, keys: int) -> Iterator[Case]:
    values, parts = random.integers(0, 1 << 60, rows), random_points(random, rows, keys)
    key = random.integers(0, keys, rows)
    half, rest = random_points(random, rows // 2, keys), random_points(random, rows // 2, keys)
    for share in (0.01, 0.5, 0.99):
        mask = random.random(rows) < share
        yield f"compress, {share:.0%} kept", rows, partial(compress, values, mask)
        yield f"take, {share:.0%} kept", rows, partial(take, values, np.flatnonzero(mask))
        yield f"  NumPy indexing, {share:.0%} kept", rows, partial(values.__getitem__, mask)
    yield "merge_sorted", rows, lambda: merge_sorted(half, rest)
    yield "order_by_key", rows, lambda: order_by_key(key, keys)
    yield "unique_sorted", rows, lambda: unique_sorted(parts)
    yield "number_sorted", rows, lambda: number_sorted(parts)


def _spans(random: np.random.Generator, rows: int, keys: int) -> Iterator[Case]:
    """Spans of up to 100 time points, so that a row has a partner or two of each kind that is not exact."""
    starts, others = random_points(random, rows, keys), random_points(random, rows, keys)
    left, right = (starts, starts + random.integers(0, 100, rows)), (others, others + random.integers(0, 100, rows))
    most = 100 * rows
    for kind in SPAN_KINDS:
        yield f"join_spans, {kind}", 2 * rows, partial(join_spans, kind, BITS, *left, *right, 1_000, most)
    yield "first_block", 2 * rows, lambda: first_block(BITS, left[1], *right)


def _windows(random: np.random.Generator, rows: int, keys: int) -> Iterator[Case]:
    points, anyhow = random_points(random, rows, keys), random.permutation(random_points(random, rows, keys))
    in_time = anyhow[np.argsort(anyhow & MASK, kind="stable")]
    whole, floats = random.integers(-1000, 1000, rows), random.normal(0, 100, rows).round(2)
    windows = last_events(BITS, points, 20)
    columns = random.integers(0, 100, rows), points, whole
    yield "sort_packed", rows, lambda: sort_packed(anyhow, BITS)
    yield "sort_packed, in order of time", rows, lambda: sort_packed(in_time, BITS)
    yield "  NumPy argsort", rows, lambda: np.argsort(anyhow, kind="stable")
    yield "distinct_rows", rows, lambda: distinct_rows(columns)
    yield "last_events", rows, lambda: last_events(BITS, points, 20)
    yield "last_time", rows, lambda: last_time(BITS, points, 1_000)
    yield "slide_sums", rows, lambda: slide_sums(whole, *windows)
    yield "slide_float_sums", rows, lambda: slide_float_sums(floats, *windows)
    yield "slide_extremes", rows, lambda: slide_extremes(floats, *windows, True)


def cpu_seconds(call: Callable[[], Any], seconds: float = 0.2) -> float:
    """The median CPU time of one call; the first one, which may compile, does not count."""
    call()
    times: list[float] = []
    while sum(times) < seconds and len(times) < 200:
        begin = process_time()
        call()
        times.append(process_time() - begin)
    return float(np.median(times))


def main() -> None:
    found: dict[str, list[str]] = {}
    for rows in SIZES:
        for name, read, call in cases(rows):
            found.setdefault(name, []).append(f"{read / cpu_seconds(call) / 1e6:,.0f}")
    table = Table("kernel", *(f"{rows:,} rows" for rows in SIZES), title="Millions of rows per second of CPU time")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, rates in found.items():
        table.add_row(name, *rates)
    Console().print(table)


if __name__ == "__main__":
    main()
