"""Intervals of rows, of a certain length, and under other keys, against lists of intervals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.intervals.algebra import intervals_of_rows, keep_lasting, rename_rows
from tests.kernels.packed import Axis, axes, interval_lists, ints, law, same


@law
@given(st.data(), axes(), st.integers(-3, 12), st.integers(-3, 25))
def test_lasting(data: st.DataObject, axis: Axis, least: int, most: int) -> None:
    """An open interval has lasted until now, and none for longer than the history."""
    s, e = data.draw(interval_lists(axis))
    before, now = data.draw(st.integers(0, 5)), axis.horizon
    first = before + data.draw(st.integers(1, 3))
    kept = []
    for start, end in zip(s.tolist(), e.tolist(), strict=True):
        until = now if end & axis.mask == axis.mask else end & axis.mask
        begin = start & axis.mask
        if least <= until - (begin if begin > before else first) <= most:
            kept.append((start, end))
    expected = ints(start for start, _ in kept), ints(end for _, end in kept)
    assert same(keep_lasting(s, e, least, most, before, first, now, axis.bits), expected)


@law
@given(st.data(), axes().filter(lambda axis: axis.first_key < 10), st.booleans())
def test_rows_have_the_intervals_of_their_keys(data: st.DataObject, axis: Axis, ascend: bool) -> None:
    s, e = data.draw(interval_lists(axis))
    keys = data.draw(st.lists(st.integers(0, axis.keys[-1]), max_size=8))
    keys = sorted(keys) if ascend else keys
    rows = [
        (axis.pack(row, start & axis.mask), axis.pack(row, end & axis.mask))
        for row, key in enumerate(keys)
        for start, end in zip(s.tolist(), e.tolist(), strict=True)
        if start >> axis.bits == key
    ]
    expected = ints(start for start, _ in rows), ints(end for _, end in rows)
    assert same(intervals_of_rows(s, e, ints(keys), axis.keys[-1] + 1, axis.bits), expected)
    assert same(intervals_of_rows(s, e, ints(keys), 10**6, axis.bits), expected), "too many keys for a table"


@law
@given(st.data(), axes())
def test_names_of_rows(data: st.DataObject, axis: Axis) -> None:
    s, e = data.draw(interval_lists(axis))
    first = axis.keys[0] << axis.bits
    assert same(
        (rename_rows(s - first, ints(axis.keys), axis.bits), rename_rows(e - first, ints(axis.keys), axis.bits)), (s, e)
    )
