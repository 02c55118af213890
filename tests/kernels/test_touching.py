"""What a change touches, against the same on sets of points."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.changes.touching import (
    find_contradictions,
    find_followers,
    find_lingering_keys,
    mark_lasting,
    touch_by_intervals,
    touch_by_points,
    unite_touched,
)
from holdsfor.kernels.intervals.algebra import starts_after
from holdsfor.kernels.kernel import AFTER_ALL, Ints
from tests.kernels.packed import ints, law
from tests.kernels.test_gathering import BITS, KEYS, LAST, MASK, Span, columns, spans

Timed = tuple[int, int]  # key, time

timed = st.lists(st.tuples(st.integers(0, KEYS - 1), st.integers(1, LAST)))


def pack(points: Iterable[Timed]) -> Ints:
    return ints((key << BITS) | time for key, time in points)


def cover(known: Iterable[Span]) -> set[Timed]:
    return {(key, time) for key, start, end in known for time in range(start, end)}


def find_earliest(points: Iterable[Timed]) -> dict[int, int]:
    earliest: dict[int, int] = {}
    for key, time in points:
        earliest[key] = min(time, earliest.get(key, time))
    return earliest


def as_pairs(found: tuple[Ints, Ints]) -> list[Timed]:
    return list(zip(found[0].tolist(), found[1].tolist(), strict=True))


@law
@given(timed, st.integers(-1, LAST), st.integers(0, 3))
def test_points_touch_their_keys(points: list[Timed], after: int, before: int) -> None:
    found = touch_by_points(pack(sorted(points)), after, BITS, before)
    expected = find_earliest((key, time) for key, time in points if time > after)
    assert as_pairs(found) == [(key, time - before) for key, time in sorted(expected.items())]


@law
@given(timed, st.integers(0, LAST))
def test_codes_of_what_lasts_are_marked(points: list[Timed], edge: int) -> None:
    is_marked = np.zeros(KEYS, np.bool_)
    mark_lasting(is_marked, ints(key for key, _ in points), pack(points), edge, MASK)
    assert set(np.flatnonzero(is_marked)) == {key for key, time in points if time > edge}


@law
@given(timed, st.integers(0, LAST))
def test_starts_after(points: list[Timed], edge: int) -> None:
    assert starts_after(pack(points), edge, MASK).tolist() == pack(each for each in points if each[1] > edge).tolist()


@law
@given(spans(), spans(), st.integers(0, 3))
def test_intervals_touch_the_keys_for_which_they_differ(one: list[Span], other: list[Span], before: int) -> None:
    found = touch_by_intervals(*columns(one), *columns(other), BITS, before)
    expected = find_earliest(cover(one) ^ cover(other))
    assert as_pairs(found) == [(key, time - before) for key, time in sorted(expected.items())]


@law
@given(spans(), st.integers(-1, LAST), st.integers(0, LAST))
def test_keys_of_what_lingers_and_has_begun(known: list[Span], edge: int, now: int) -> None:
    keys, latest = find_lingering_keys(*columns(known), edge, now, BITS)
    lasts = [(key, start if end == MASK else end) for key, start, end in known if start <= now]
    lingering = [(key, last) for key, last in lasts if last > edge]
    assert keys.tolist() == sorted({key for key, _ in lingering})
    assert latest == max((last for _, last in lingering), default=edge)


@law
@given(timed, timed, st.data(), st.integers(0, 9), st.integers(0, LAST))
def test_rows_follow_their_arguments(
    left: list[Timed], right: list[Timed], data: st.DataObject, reach: int, near: int
) -> None:
    pairs = [(key, other, time) for (key, time), (other, _) in zip(left, right, strict=False)]
    drawn = data.draw(st.lists(st.none() | st.integers(0, LAST), min_size=KEYS, max_size=KEYS))
    earliest = [AFTER_ALL if time is None else time for time in drawn]
    codes = ints(key for key, _, _ in pairs), ints(key for _, key, _ in pairs)
    lasts = pack((key, time) for key, _, time in pairs)
    found = find_followers(np.stack(codes), lasts, ints(earliest), reach, near, MASK)
    times = [min(earliest[key], earliest[other]) for key, other, _ in pairs]
    expected = [
        (row, time) for row, time in enumerate(times) if time != AFTER_ALL and pairs[row][2] + reach > min(time, near)
    ]
    assert as_pairs(found) == expected


@law
@given(timed)
def test_each_key_is_touched_once(points: list[Timed]) -> None:
    expected = find_earliest(points)
    keys, times = ints(key for key, _ in sorted(points)), ints(time for _, time in sorted(points))
    assert as_pairs(unite_touched(keys, times)) == sorted(expected.items())


@law
@given(spans(), st.sets(st.integers(0, 20)), spans(), timed, timed, st.integers(0, LAST))
def test_contradictions(
    base: list[Span], left_out: set[int], others: list[Span], begin: list[Timed], end: list[Timed], floor: int
) -> None:
    gone = ints(sorted(place for place in left_out if place < len(base)))
    left = [span for place, span in enumerate(base) if place not in gone]
    more = [span for span in others if cover(left).isdisjoint(cover([span]))]
    holds = cover(left) | cover(more)
    points = pack([*sorted(begin), *sorted(end), *sorted(begin)])
    parts = np.cumsum([0, len(begin), len(end), len(begin)]).tolist()
    runs = np.array([[2, parts[0], parts[1]], [3, parts[1], parts[2]], [0, parts[2], parts[3]]])
    found = find_contradictions(points, runs, 1, floor, *columns(base), gone, *columns(more), BITS, 1)
    expected = [(key, time) for key, time in begin if time > floor and (key, time + 1) not in holds]
    expected += [(key, time) for key, time in end if time > floor and (key, time + 1) in holds]
    assert find_earliest(as_pairs(found)) == {key: time - 1 for key, time in find_earliest(expected).items()}
