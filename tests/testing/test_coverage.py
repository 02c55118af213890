"""Coverage: what tests have not tried, rule by rule and condition by condition."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from holdsfor.testing.coverage.page import coverage_page
from holdsfor.testing.coverage.records import Coverage
from holdsfor.testing.coverage.summary import describe_coverage
from tests.testing.written import block, run

LIMIT = """\
initiatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), limit(V,L), S > L.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), limit(V,L), S =< L.
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
limit(a,50).
"""


def cover(folder: Path, events: str, result: str = "% only=fast", rules: str = LIMIT) -> Coverage:
    """Return the coverage of one test."""
    coverage = Coverage()
    run(folder, block(events, result), rules, coverage)
    return coverage


def gaps(coverage: Coverage) -> dict[int, dict[str, tuple[str, ...]]]:
    """Return what is missing of the conditions, by the lines of their rules."""
    return {
        rule.place.line: {one.text: one.missing for one in rule.conditions.values() if one.missing}
        for rule in coverage.in_order()
    }


def test_borders_are_tried_at_below_and_above(tmp_path: Path) -> None:
    coverage = cover(tmp_path, "speed(a,49) @ 1\nspeed(a,50) @ 2\nspeed(a,51) @ 3\nspeed(b,9) @ 4\nstop(a) @ 5")
    assert gaps(coverage) == {1: {}, 2: {}, 3: {}}
    coverage = cover(tmp_path, "speed(a,40) @ 1\nspeed(a,51) @ 3\nspeed(b,9) @ 4\nstop(a) @ 5")
    assert gaps(coverage)[1] == {"S > L": ("at", "just below")}
    assert "S > L: border not tried at, just below (nearest 10 away)" in describe_coverage(coverage)


@pytest.mark.parametrize(("speed", "missing"), [(54.9, ()), (55.1, ("just above",))])
def test_a_border_of_fractions_is_near_within_a_tenth(tmp_path: Path, speed: float, missing: tuple[str, ...]) -> None:
    events = f"speed(a,49.5) @ 1\nspeed(a,50.0) @ 2\nspeed(a,{speed}) @ 3\nspeed(b,9.0) @ 4"
    assert gaps(cover(tmp_path, events))[1].get("S > L", ()) == missing


def test_conditions_are_seen_true_and_false(tmp_path: Path) -> None:
    coverage = cover(tmp_path, "speed(a,51) @ 1")
    assert gaps(coverage)[1] == {"limit(V,L)": ("false",), "S > L": ("false", "at", "just below")}
    assert gaps(coverage)[2]["S =< L"][0] == "true"


def test_rules_that_never_fired_and_terminations_that_ended_nothing(tmp_path: Path) -> None:
    coverage = cover(tmp_path, "speed(a,51) @ 1\nstop(b) @ 2")
    assert {rule.place.line: rule.verdict for rule in coverage.in_order()} == {
        1: "",
        2: "never fired",
        3: "never ended anything",
    }
    assert coverage.counts()[:2] == (1, 3)


def test_negations_patterns_durations_and_deadlines(tmp_path: Path) -> None:
    rules = """\
initiatedAt(on(X)=true, T) :- happensAt(press(X), T), \\+ happensAt(lock(X), T).
terminatedAt(on(X)=true, T) :- happensAt(release(X), T).
holdsFor(long(X)=true, I) :- holdsFor(on(X)=true, I1), intDurGreater(I1, 4, I).
hot(L,X) <- smoke(L) SEQ heat(L,X) WHERE X > 30.
fi(on(X)=true, on(X)=false, 10).
"""
    events = "press(a) @ 1\nsmoke(a) @ 1\nheat(a,31) @ 2\nheat(b,30) @ 3\nheat(b,29) @ 4\nfoo @ 20".replace(
        "foo @ 20", ""
    )
    coverage = cover(tmp_path, f"% start=0 end=20\n{events}", "% only=on", rules)
    assert gaps(coverage) == {
        1: {"not lock(X) at T": ("false",)},
        2: {"release(X) at T": ("true",)},
        3: {},
        4: {},
        5: {},
    }
    verdicts = {rule.place.line: rule.verdict for rule in coverage.in_order()}
    assert verdicts == {1: "", 2: "never fired", 3: "", 4: "", 5: ""}


def test_several_tests_add_up(tmp_path: Path) -> None:
    coverage = Coverage()
    text = block("speed(a,49) @ 1\nspeed(a,51) @ 2", "% only=fast") + block(
        "speed(a,50) @ 2\nspeed(b,9) @ 3", "% only=fast"
    )
    run(tmp_path, text, LIMIT, coverage)
    assert gaps(coverage)[1] == {}


class Text(HTMLParser):
    """Collects the text of a page, and its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_shows_the_rules_and_runs_nothing(tmp_path: Path) -> None:
    evil = "% <script>alert(1)</script>\n" + LIMIT.replace("a,50", "'<img src=x onerror=alert(2)>',50")
    page = coverage_page(cover(tmp_path, "speed(a,51) @ 1\nstop(a) @ 2", rules=evil))
    parser = Text()
    parser.feed(page)
    assert parser.tags <= {"html", "meta", "title", "style", "h1", "h2", "p", "span", "pre"}
    assert "<script>alert(1)</script>" in parser.text
    assert "never fired" in parser.text
    assert "http" not in page
