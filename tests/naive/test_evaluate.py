"""The naive evaluator on examples worked out by hand from DESIGN.md section 3."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from tests.naive.evaluate import Answer, recognise
from tests.naive.programs import random_program
from tests.naive.rows import Horizon, read_lines
from tests.naive.shrink import shrink

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
initiatedAt(lamp(X)=dim, T) :- happensAt(turn(X), T).
terminatedAt(lamp(X)=_, T) :- happensAt(cut(X), T).
"""


def answer(text: str, rows: str, horizon: Horizon = Horizon(100, 100, 0, 100)) -> Answer:  # noqa: B008 (frozen)
    description = parse(text)
    return recognise(description, read_lines(rows.split(), description), horizon)


@pytest.mark.parametrize(
    ("rows", "on", "dim"),
    [
        ("press|10|10|a cut|25|25|a", [(11, 26)], []),
        ("press|10|10|a press|12|12|a", [(11, None)], []),
        ("press|10|10|a turn|25|25|a", [(11, 26)], [(26, None)]),
        ("press|10|10|a turn|10|10|a", [], []),  # two values at one point cancel each other
        ("press|10|10|a cut|10|10|a", [], []),  # termination wins
        ("press|5|5|a press|10|10|a cut|10|10|a", [(6, 11)], []),
        ("press|0|0|a", [], []),  # the history begins after start
        ("press|101|50|a", [], []),  # arrives after end
        ("cut|3|3|a press|100|100|a", [(101, None)], []),
    ],
)
def test_simple_fluents(rows: str, on: list[tuple[int, int | None]], dim: list[tuple[int, int | None]]) -> None:
    found = answer(LAMP, rows).intervals
    assert found.get(("lamp", ("a",), "on"), []) == on
    assert found.get(("lamp", ("a",), "dim"), []) == dim


def test_late_rows_count_while_the_window_holds_them() -> None:
    rows = "press|18|9|a cut|45|20|a"  # at 20 the window reaches back to 0, at 50 only to 30
    found = answer(LAMP, rows, Horizon(window=20, step=10, start=0, end=60))
    assert found.intervals == {("lamp", ("a",), "on"): [(10, None)]}


def test_changes_take_effect_on_the_next_point_of_the_grid() -> None:
    found = answer(LAMP, "press|41|41|a cut|120|120|a", Horizon(400, 400, 0, 400, sample_every=40))
    assert found.intervals == {("lamp", ("a",), "on"): [(80, 160)]}


def test_start_and_end_events_lie_on_the_grid() -> None:
    text = LAMP + "happensAt(lit(X), T) :- happensAt(start(lamp(X)=on), T).\n"
    text += "happensAt(out(X), T) :- happensAt(end(lamp(X)=on), T)."
    found = answer(text, "press|41|41|a cut|125|125|a", Horizon(400, 400, 0, 400, sample_every=40))
    assert found.occurrences == {("lit", ("a",), 40), ("out", ("a",), 120)}


def test_durative_input_that_began_before_the_window_is_cut() -> None:
    text = "holdsFor(far(X,Y)=true, J) :- holdsFor(away(X,Y)=true, I), intDurGreater(I, 5, J)."
    rows = "away|25|5|25|true|a|b away|29|24|29|true|c|d away|30|22|inf|true|e|f"
    found = answer(text, rows, Horizon(window=10, step=10, start=0, end=30))
    assert found.intervals == {("far", ("e", "f"), "true"): [(22, None)]}  # (21,25) and (24,29) are too short


def test_points_within_a_tick_are_one_interval() -> None:
    text = "points(walk(_)=true). holdsFor(busy(X)=true, I) :- holdsFor(walk(X)=true, I)."
    found = answer(text, "walk|3|3|true|a walk|4|4|true|a walk|6|6|true|a")
    assert found.intervals == {("busy", ("a",), "true"): [(3, 5), (6, 7)]}
    found = answer(text, "walk|99|99|true|a walk|100|100|true|a")
    assert found.intervals == {("busy", ("a",), "true"): [(99, None)]}  # at 100 nobody knows whether 101 follows


def test_a_wildcard_initiates_what_is_alive() -> None:
    text = LAMP + "initiatedAt(lamp(_)=dim, T) :- happensAt(dusk, T)."
    found = answer(text, "dusk|2|2 press|5|5|a dusk|9|9")
    assert found.intervals == {("lamp", ("a",), "on"): [(6, 10)], ("lamp", ("a",), "dim"): [(10, None)]}


def test_a_wildcard_initiates_all_of_a_declared_domain() -> None:
    text = LAMP + "initiatedAt(lamp(_)=dim, T) :- happensAt(dusk, T). grounding(lamp(X)=dim) :- room(X). room(b)."
    assert answer(text, "dusk|2|2").intervals == {("lamp", ("b",), "dim"): [(3, None)]}


def test_literals_in_any_order_and_negation_over_what_occurs_only_inside() -> None:
    text = "happensAt(lone(X), T) :- \\+ happensAt(pair(X,_), T), Y > 3, Y is N * 2, happensAt(see(X,N), T)."
    found = answer(text, "see|4|4|a|2 see|4|4|b|2 see|4|4|c|1 pair|4|4|b|z")
    assert found.occurrences == {("lone", ("a",), 4)}


def test_shrinking_keeps_what_matters() -> None:
    program = random_program(3)
    wanted = program.rows[len(program.rows) // 2]
    small = shrink(program, lambda candidate: wanted in candidate.rows)
    assert set(small.rows) == {wanted}
    assert small.rules == small.background == small.declarations == ()
