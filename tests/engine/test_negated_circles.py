r"""Negations that ask for several fluents of a circle: `\+ (A, B)` is `\+ A ; \+ B` if they share no variable."""

from __future__ import annotations

import pytest

import holdsfor

# A lamp, a fan, and what is told of both; `told` closes the circle, and never changes the others here.
RULES = r"""
initiatedAt(lamp(X)=on, T) :- happensAt(lamp_on(X), T), \+ holdsAt(told(X)=never, T).
terminatedAt(lamp(X)=on, T) :- happensAt(lamp_off(X), T).
initiatedAt(fan(X)=on, T) :- happensAt(fan_on(X), T), \+ holdsAt(told(X)=never, T).
terminatedAt(fan(X)=on, T) :- happensAt(fan_off(X), T).
initiatedAt(told(X)=never, T) :- happensAt(impossible(X), T).
"""
#                 lamp(a)  fan(a)  fan(b)
# look at 5:        no       no      no
# look at 15:       yes      no      no
# look at 25:       yes      yes     no
# look at 35:       no       yes     yes
EVENTS = [
    *(f"look(a) @ {time}" for time in (5, 15, 25, 35)),
    *("lamp_on(a) @ 10", "fan_on(a) @ 20", "lamp_off(a) @ 30", "fan_on(b) @ 30"),
]


@pytest.mark.parametrize(
    ("condition", "times"),
    [
        (r"\+ (holdsAt(lamp(X)=on, T), holdsAt(fan(X)=on, T))", [5, 15, 35]),
        (r"\+ (holdsAt(lamp(X)=on, T), \+ holdsAt(fan(X)=on, T))", [5, 25, 35]),
        (r"\+ (holdsAt(lamp(_)=on, T), holdsAt(fan(b)=on, T))", [5, 15, 25, 35]),
        (r"\+ (holdsAt(lamp(X)=on, T) ; holdsAt(fan(_)=on, T))", [5]),
        (r"\+ \+ (holdsAt(lamp(X)=on, T), holdsAt(fan(X)=on, T))", [25]),
        (r"\+ (\+ holdsAt(lamp(X)=on, T), \+ holdsAt(fan(X)=on, T))", [15, 25, 35]),
        (r"\+ (holdsAt(fan(Y)=on, T), Y \= a), \+ (holdsAt(lamp(X)=on, T), holdsAt(fan(X)=on, T))", [5, 15]),
        (r"(happensAt(never, T) ; \+ (holdsAt(lamp(X)=on, T), holdsAt(fan(X)=on, T)))", [5, 15, 35]),
        (r"\+ (T1 is T-10, holdsAt(lamp(X)=on, T1), holdsAt(fan(X)=on, T))", [5, 15]),
    ],
)
@pytest.mark.parametrize("stepped", [False, True])
def test_each_is_asked_by_itself(condition: str, times: list[int], stepped: bool) -> None:
    told = f"initiatedAt(told(X)=T0, T) :- happensAt(look(X), T), T0 = T, {condition}.\n"
    result = holdsfor.recognise(
        holdsfor.parse(RULES + told), EVENTS, start=0, end=50, window=20, step=10, changes=stepped
    )
    found = [int(row["value"]) for row in result.intervals.to_pylist() if row["fluent"] == "told"]
    assert sorted(found) == times
