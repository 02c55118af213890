"""What counts the fluents of its own circle, or looks for several of them in one negation: time orders it."""

from __future__ import annotations

from random import Random

import pytest

from tests.engine.blocks import check
from tests.naive.rows import Horizon
from tests.naive.test_evaluate import answer

GUESTS = r"""
initiatedAt(inside(P)=true, T) :-
    happensAt(knock(P), T),
    findall(Q, holdsAt(inside(Q)=true, T), L), length(L, N), N < 2.
terminatedAt(inside(P)=true, T) :- happensAt(leave(P), T).
"""


def test_who_knocks_is_let_in_while_fewer_than_two_are_inside() -> None:
    stream = "knock(a) @ 1 \n knock(b) @ 2 \n knock(c) @ 3 \n leave(a) @ 4 \n knock(c) @ 5 \n knock(d) @ 5"
    expected = (
        "inside(a)=true @ [2,5) \n inside(b)=true @ [3,inf) \n inside(c)=true @ [6,inf) \n inside(d)=true @ [6,inf)"
    )
    check(GUESTS, stream, expected)  # at 5 only b is inside: c and d come at once


def test_two_fluents_that_count_each_other() -> None:
    rules = r"""
        initiatedAt(full(R)=true, T) :-
            happensAt(enter(_, R), T), findall(Q, holdsAt(in(Q, R)=true, T), L), length(L, N), N >= 1.
        terminatedAt(full(R)=true, T) :- happensAt(open(R), T).
        initiatedAt(in(P, R)=true, T) :- happensAt(enter(P, R), T), \+ holdsAt(full(R)=true, T).
    """
    stream = "enter(a, r) @ 1 \n enter(b, r) @ 2 \n enter(c, r) @ 3 \n open(r) @ 4 \n enter(d, r) @ 5"
    expected = """
        in(a,r)=true @ [2,inf)
        in(b,r)=true @ [3,inf)
        in(d,r)=true @ [6,inf)
        full(r)=true @ [3,5)
        full(r)=true @ [6,inf)
    """
    check(rules, stream, expected)


def test_a_negation_about_what_two_fluents_of_a_circle_have_in_common() -> None:
    rules = r"""
        initiatedAt(calm=true, T) :- happensAt(tick, T), \+ (holdsAt(armed(P)=true, T), holdsAt(angry(P)=true, T)).
        initiatedAt(armed(P)=true, T) :- happensAt(arm(P), T), \+ holdsAt(calm=true, T).
        initiatedAt(angry(P)=true, T) :- happensAt(hit(P), T), \+ holdsAt(calm=true, T).
        terminatedAt(angry(P)=true, T) :- happensAt(rest(P), T).
    """
    stream = "arm(a) @ 1 \n hit(a) @ 2 \n hit(b) @ 2 \n tick @ 3 \n rest(a) @ 4 \n tick @ 5 \n arm(b) @ 6"
    expected = """
        armed(a)=true @ [2,inf)
        angry(a)=true @ [3,5)
        angry(b)=true @ [3,inf)
        calm=true @ [6,inf)
    """
    check(rules, stream, expected)  # at 6 it is calm, so b does not arm


@pytest.mark.parametrize("seed", range(8))
def test_many_guests(seed: int) -> None:
    random = Random(seed)
    times = sorted(random.sample(range(1, 100), 40))
    rows = [f"{random.choice(('knock', 'knock', 'leave'))}|{t}|{t}|{random.choice('abcde')}" for t in times]
    found = answer(GUESTS, " ".join(rows), Horizon(100, 100, 0, 100)).intervals
    stream = "\n".join("{0}({3}) @ {1}".format(*row.split("|")) for row in rows)
    held = [(args[0], s, e) for (_, args, _), spans in found.items() for s, e in spans]
    check(GUESTS, stream, "\n".join(f"inside({p})=true @ [{s},{'inf' if e is None else e})" for p, s, e in held))
    assert all(sum(s <= t and (e is None or t < e) for _, s, e in held) <= 2 for t in range(101))
