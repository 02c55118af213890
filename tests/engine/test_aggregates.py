"""findall over alternatives: over (A ; B), over clauses of a predicate, over the values of a fluent."""

from __future__ import annotations

import pytest

import holdsfor

RULES = r"""
weight(a, 3).
weight(b, 2).
weight(c, 9).
known(X) :- weight(X, _).
known(X) :- heavy(X).
heavy(X) :- weight(X, W), W > 2.
initiatedAt(gear(M)=low, T) :- happensAt(down(M), T).
initiatedAt(gear(M)=high, T) :- happensAt(up(M), T).
"""
EVENTS = ["look @ 0", "down(a) @ 1", "look @ 2", "up(b) @ 2", "look @ 5"]


def found(goal: str, function: str) -> dict[int, str]:
    """What the function of the list gives, by the time of the look."""
    rule = f"happensAt(seen(N), T) :- happensAt(look, T), findall(W, ({goal}), L), {function}.\n"
    result = holdsfor.recognise(holdsfor.parse(RULES + rule), EVENTS, start=-1)
    return {row["start"]: row["args"][0] for row in result.occurrences.to_pylist()}


@pytest.mark.parametrize(
    ("goal", "function", "expected"),
    [
        ("holdsAt(gear(W)=_, T)", "length(L, N)", {0: "0", 2: "1", 5: "2"}),
        ("holdsAt(gear(W)=V, T), V \\= low", "length(L, N)", {0: "0", 2: "0", 5: "1"}),
        ("known(W)", "length(L, N)", {0: "5", 2: "5", 5: "5"}),  # a, b, c; and a and c once more
        ("holdsAt(gear(W)=low, T) ; known(W)", "length(L, N)", {0: "5", 2: "6", 5: "6"}),
        ("holdsAt(gear(M)=_, T), weight(M, W)", "sum_list(L, N)", {0: "0", 2: "3", 5: "5"}),
        ("holdsAt(gear(M)=_, T), weight(M, W) ; weight(c, W)", "sum_list(L, N)", {0: "9", 2: "12", 5: "14"}),
        ("holdsAt(gear(M)=_, T), weight(M, W)", "min_list(L, N)", {2: "3", 5: "2"}),
        ("holdsAt(gear(M)=_, T), weight(M, W)", "max_list(L, N)", {2: "3", 5: "3"}),
        ("holdsAt(gear(M)=high, T), weight(M, W) ; W = 7 ; W is 4+2", "min_list(L, N)", {0: "6", 2: "6", 5: "2"}),
        ("W = 1, fail", "length(L, N)", {0: "0", 2: "0", 5: "0"}),
    ],
)
def test_every_alternative_has_its_answers(goal: str, function: str, expected: dict[int, str]) -> None:
    assert found(goal, function) == expected


def test_number_that_is_asked_for() -> None:
    rule = "happensAt(two, T) :- happensAt(look, T), findall(M, holdsAt(gear(M)=_, T), L), length(L, 2).\n"
    result = holdsfor.recognise(holdsfor.parse(RULES + rule), EVENTS, start=-1)
    assert [row["start"] for row in result.occurrences.to_pylist()] == [5]
