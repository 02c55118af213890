"""What begins with the history begins at the first tick after its start, on every host."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from tests.conformance.engines import LOCAL, NAIVE, STREAMS, TASKS, Engine, in_session
from tests.naive.rows import Horizon

RULES = parse("""
initially(idle(a,b)=true).
terminatedAt(idle(X,Y)=true, T) :- happensAt(meet(X,Y), T).
initiatedAt(busy(X,Y)=true, T) :- happensAt(meet(X,Y), T).
terminatedAt(busy(X,Y)=true, T) :- happensAt(part(X,Y), T).
holdsFor(free(X,Y)=true, I) :- holdsFor(busy(X,Y)=true, J), complement_all([J], I).
holdsFor(wait(X,Y)=true, I) :- holdsFor(free(X,Y)=true, J), intDurGreater(J, 119, I).
holdsFor(long(X,Y)=true, I) :- holdsFor(free(X,Y)=true, J), intDurGreater(J, 120, I).
holdsFor(rest(X,Y)=true, I) :- holdsFor(idle(X,Y)=true, J), holdsFor(open(X,Y)=true, K),
                               relative_complement_all(J, [K], I).
holdsFor(shop(X,Y)=true, I) :- holdsFor(open(X,Y)=true, J), union_all([J], I).
alone(X,Y) <- (free(X,Y)=true).
""")
PAIR = ("a", "b")
ENGINES = [NAIVE, *LOCAL, *TASKS, *STREAMS, in_session(), in_session("final")]


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("start", [0, 17])
def test_of_a_pair_that_turns_up_late(engine: Engine, start: int) -> None:
    """Open hours that are given begin where they begin; those that began before the history begin with it."""
    rows = ["meet|120|120|a|b", "part|200|200|a|b", "open|90|20|90|true|c|d", "open|90|-20|90|true|e|f"]
    found = engine.recognise(RULES, rows, Horizon(400, 40, start, 280, 40))
    intervals = {(fluent, args): times for (fluent, args, _), times in found.intervals.items()}
    assert intervals["free", PAIR] == [(40, 160), (240, None)]
    assert intervals["idle", PAIR] == [(40, 160)]
    assert intervals["rest", PAIR] == [(40, 160)]
    assert intervals["wait", PAIR] == [(40, 160)]
    assert ("long", PAIR) not in intervals
    assert intervals["shop", ("c", "d")] == [(20, 90)]
    assert intervals["shop", ("e", "f")] == [(40, 90)]
    assert found.spans == {("alone", PAIR, 40, 159)}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_on_a_tick_after_a_start_that_is_one(engine: Engine) -> None:
    rows = ["meet|120|120|a|b", "part|200|200|a|b"]
    found = engine.recognise(RULES, rows, Horizon(400, 40, 80, 280, 40))
    assert found.intervals["free", PAIR, "true"] == [(120, 160), (240, None)]


GIVEN = parse("""
initially(idle(a)=true).
terminatedAt(idle(X)=true, T) :- happensAt(meet(X), T).
holdsFor(free(X)=true, I) :- holdsFor(busy(X)=true, J), complement_all([J], I).
holdsFor(either(X)=true, I) :- holdsFor(idle(X)=true, J), holdsFor(open(X)=true, K), union_all([J,K], I).
holdsFor(both(X)=true, I) :- holdsFor(idle(X)=true, J), holdsFor(open(X)=true, K), intersect_all([J,K], I).
happensAt(sees(X), T) :- happensAt(look(X), T), holdsAt(free(X)=true, T), holdsAt(idle(X)=true, T).
happensAt(begins(X), T) :- happensAt(startI(free(X)=true), T).
""")


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("start", [0, 3])
def test_rows_before_the_first_tick(engine: Engine, start: int) -> None:
    """They see what begins with the history; rows of a definition that are united with that begin with it."""
    rows = ["look|5|5|a", "open|7|7|14|true|a", "free|9|9|14|true|a", "free|9|9|14|true|b", "look|9|9|a"]
    rows += ["busy|20|20|30|true|a", "look|25|25|a", "meet|31|31|a"]
    found = engine.recognise(GIVEN, rows, Horizon(60, 30, start, 60, 10))
    assert found.intervals == {
        ("idle", ("a",), "true"): [(10, 40)],
        ("free", ("a",), "true"): [(10, 20), (30, None)],
        ("free", ("b",), "true"): [(9, 14)],
        ("either", ("a",), "true"): [(10, 40)],
        ("both", ("a",), "true"): [(7, 14)],
    }
    assert found.occurrences == {
        ("sees", ("a",), 5),
        ("sees", ("a",), 9),
        ("begins", ("b",), 9),
        ("begins", ("a",), 30),
    }
