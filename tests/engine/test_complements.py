"""complement_all inside other algebra: of whom it is told, whatever the order of the lists."""

from __future__ import annotations

import pytest

from tests.engine.blocks import check

STREAM = "sun(x)=true @ [3,5) \n rain(y)=true @ [2,9)"
FLUENTS = "holdsFor(sun(P)=true, Sun), holdsFor(rain(P)=true, Rain)"


@pytest.mark.parametrize("lists", ["Dry, Rain", "Rain, Dry"])
def test_what_a_complement_is_intersected_with_says_of_whom(lists: str) -> None:
    rules = f"holdsFor(f(P)=true, I) :- {FLUENTS}, complement_all([Sun], Dry), intersect_all([{lists}], I)."
    check(rules, STREAM, "f(y)=true @ [2,9)")


@pytest.mark.parametrize("lists", ["Sun, Rain", "Rain, Sun"])
def test_outside_of_an_intersection(lists: str) -> None:
    rules = f"holdsFor(f(P)=true, I) :- {FLUENTS}, intersect_all([{lists}], Both), complement_all([Both], I)."
    check(rules, STREAM, "f(x)=true @ [1,inf) \n f(y)=true @ [1,inf)")


def test_outside_of_a_difference() -> None:
    rules = f"holdsFor(f(P)=true, I) :- {FLUENTS}, relative_complement_all(Sun, [Rain], D), complement_all([D], I)."
    check(rules, STREAM, "f(x)=true @ [1,3) \n f(x)=true @ [5,inf) \n f(y)=true @ [1,inf)")


@pytest.mark.parametrize("lists", ["A, B", "B, A"])
def test_outside_of_both(lists: str) -> None:
    body = f"{FLUENTS}, complement_all([Sun], A), complement_all([Rain], B), intersect_all([{lists}], I)"
    expected = "f(x)=true @ [1,3) \n f(x)=true @ [5,inf) \n f(y)=true @ [1,2) \n f(y)=true @ [9,inf)"
    check(f"holdsFor(f(P)=true, I) :- {body}.", STREAM, expected)


def test_a_clock_begins_after_the_start() -> None:
    """The complement is told from the first tick on; what happens between the start and that tick sees it hold."""
    rules = """
        holdsFor(dry(P)=true, I) :- holdsFor(rain(P)=true, Rain), complement_all([Rain], I).
        happensAt(noticed(P), T) :- happensAt(look(P), T), holdsAt(dry(P)=true, T).
    """
    stream = "rain(y)=true @ [80,160) \n look(y) @ 25 \n look(y) @ 90"
    expected = "dry(y)=true @ [40,80) \n dry(y)=true @ [160,inf) \n noticed(y) @ 25"
    check(rules, stream, expected, sample_every=40, start=0, end=400)
