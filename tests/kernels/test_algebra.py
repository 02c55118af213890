"""Interval algebra is set algebra on the points covered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.intervals.algebra import intersect2, minus2, normalise, union2
from tests.kernels.packed import Axis, Intervals, axes, interval_lists, ints, law, overlapping, same
from tests.recorded import RECORDED

CASES = RECORDED / "interval-constructs.json"
OPERATIONS: dict[str, Callable[..., Intervals]] = {"union": union2, "intersect": intersect2, "complement": minus2}

Lists = tuple[Axis, Intervals, Intervals, Intervals]


@st.composite
def three_lists(draw: st.DrawFn) -> Lists:
    axis = draw(axes())
    return axis, draw(interval_lists(axis)), draw(interval_lists(axis)), draw(interval_lists(axis))


@law
@given(three_lists())
def test_against_sets(lists: Lists) -> None:
    axis, a, b, _ = lists
    assert same(union2(*a, *b), axis.maximal(axis.covered(*a) | axis.covered(*b)))
    assert same(intersect2(*a, *b), axis.maximal(axis.covered(*a) & axis.covered(*b)))
    assert same(minus2(*a, *b), axis.maximal(axis.covered(*a) - axis.covered(*b)))


@law
@given(st.data(), axes())
def test_normalise(data: st.DataObject, axis: Axis) -> None:
    s, e = data.draw(overlapping(axis))
    assert same(normalise(s, e), axis.maximal(axis.covered(s, e)))


def test_normalise_drops_empty_intervals() -> None:
    assert same(normalise(ints([3, 5, 9]), ints([3, 7, 8])), (ints([5]), ints([7])))


@law
@given(three_lists())
def test_commutes_and_associates(lists: Lists) -> None:
    _, a, b, c = lists
    for operation in (union2, intersect2):
        assert same(operation(*a, *b), operation(*b, *a))
        assert same(operation(*operation(*a, *b), *c), operation(*a, *operation(*b, *c)))


@law
@given(three_lists())
def test_with_itself_and_with_nothing(lists: Lists) -> None:
    _, a, _, _ = lists
    nothing = ints([]), ints([])
    assert same(union2(*a, *a), a)
    assert same(intersect2(*a, *a), a)
    assert same(minus2(*a, *a), nothing)
    assert same(union2(*a, *nothing), a)
    assert same(union2(*nothing, *a), a)
    assert same(intersect2(*a, *nothing), nothing)
    assert same(minus2(*a, *nothing), a)
    assert same(minus2(*nothing, *a), nothing)
    assert same(normalise(*a), a)


@law
@given(three_lists())
def test_de_morgan(lists: Lists) -> None:
    _, a, b, c = lists
    assert same(minus2(*a, *union2(*b, *c)), intersect2(*minus2(*a, *b), *minus2(*a, *c)))
    assert same(minus2(*a, *intersect2(*b, *c)), union2(*minus2(*a, *b), *minus2(*a, *c)))
    assert same(minus2(*a, *union2(*b, *c)), minus2(*minus2(*a, *b), *c))


@law
@given(three_lists())
def test_distributes_and_absorbs(lists: Lists) -> None:
    _, a, b, c = lists
    assert same(intersect2(*a, *union2(*b, *c)), union2(*intersect2(*a, *b), *intersect2(*a, *c)))
    assert same(union2(*a, *intersect2(*b, *c)), intersect2(*union2(*a, *b), *union2(*a, *c)))
    assert same(union2(*a, *intersect2(*a, *b)), a)
    assert same(union2(*minus2(*a, *b), *intersect2(*a, *b)), a)


def golden() -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in json.loads(CASES.read_text())["cases"]]


def columns(pairs: list[list[int]]) -> Intervals:
    return ints(s for s, _ in pairs), ints(e for _, e in pairs)


@pytest.mark.parametrize("case", golden())
def test_golden_constructs(case: dict[str, Any]) -> None:
    now = {}
    for name in "AB":
        old, removed, added = (columns(case["inputs"][name + suffix]) for suffix in ("", "m", "p"))
        now[name] = union2(*minus2(*old, *removed), *added)
        assert same(now[name], columns(case[f"{name}_qi"]))
    assert same(OPERATIONS[case["op"]](*now["A"], *now["B"]), columns(case["result"]))
