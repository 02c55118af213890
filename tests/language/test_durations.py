"""Durations in rules: wherever a number of ticks may stand."""

from __future__ import annotations

import pytest

import holdsfor
from holdsfor.language import DescriptionError, parse
from holdsfor.language.description import Rule
from holdsfor.language.diagnostics import Source
from holdsfor.language.format.write import formatted
from holdsfor.language.literals import Duration
from holdsfor.language.terms import Int, Term

LONG = "holdsFor(long(M)=true, I) :- holdsFor(on(M)=true, O), intDurGreater(O, {}, I).\n"
LONGER = ":- tick(ms).\n" + LONG.replace("long", "longer")


def bound(rule: Rule) -> Term:
    return next(each.bound for each in rule.body if isinstance(each, Duration))


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("10 min", 600),
        ("10min", 600),
        ("4 h", 14_400),
        ("1 h 30 min", 5_400),
        ("2 d", 172_800),
        ("1.5 h", 5_400),
        ("7 ticks", 7),
        ("7", 7),
    ],
)
def test_a_duration_is_its_number_of_ticks(text: str, ticks: int) -> None:
    assert [bound(rule) for rule in parse(LONG.format(text)).rules] == [Int(ticks)]


def test_the_length_of_a_tick_holds_from_its_directive_on() -> None:
    rules = parse(LONG.format("1 s") + LONGER.format("1 s")).rules
    assert [bound(rule) for rule in rules] == [Int(1), Int(1000)]


@pytest.mark.parametrize(
    ("rules", "events", "expected"),
    [
        pytest.param(
            LONG.format("1 min"),
            ["on(a)=true @ [5,65)", "on(b)=true @ [5,66)"],
            [("long", ["b"], 5, 66)],
            id="the length of intervals",
        ),
        pytest.param(
            "initiatedAt(late(M)=true, T) :- happensAt(go(M), T1), happensAt(tick, T), T > T1 + 1 min.\n",
            ["go(a) @ 1", "tick @ 61", "tick @ 62"],
            [("late", ["a"], 63, None)],
            id="times that are compared",
        ),
        pytest.param(
            "initiatedAt(lamp(M)=on, T) :- happensAt(press(M), T).\nfi(lamp(M)=on, lamp(M)=off, 1 min).\n",
            ["press(a) @ 9"],
            [("lamp", ["a"], 10, 70), ("lamp", ["a"], 70, None)],
            id="a deadline",
        ),
        pytest.param(
            "initiatedAt(gone(M)=true, T) :- happensAt(go(M), T), \\+ happensAt(back(M), T + 1 min).\n",
            ["go(a) @ 5", "back(a) @ 65", "go(b) @ 5", "back(b) @ 64"],
            [("gone", ["b"], 6, None)],
            id="a later time",
        ),
    ],
)
def test_where_ticks_may_stand(
    rules: str, events: list[str], expected: list[tuple[str, list[str], int, int | None]]
) -> None:
    result = holdsfor.recognise(parse(rules), holdsfor.read_events(events, format="terms"), start=0, end=500)
    rows = result.intervals.to_pylist()
    assert sorted((row["fluent"], row["args"], row["start"], row["end"]) for row in rows) == expected


def test_the_formatter_keeps_them() -> None:
    for text in ("1 h 30 min", "300 ticks", "10 min"):
        assert f"(O, {text}, I)" in formatted(Source("rules.ec", LONG.format(text.replace(" ", "  "))))


def test_rules_and_run_agree_on_the_tick() -> None:
    seconds = parse(LONG.format("10 min"))
    nothing = holdsfor.read_events([], format="terms")
    holdsfor.recognise(seconds, nothing, tick_unit="s")
    holdsfor.recognise(parse(LONG.format("600 ticks")), nothing, tick_unit="ms")
    with pytest.raises(DescriptionError) as caught:
        holdsfor.recognise(seconds, nothing, tick_unit="ms")
    assert str(caught.value) == (
        "<text>:1:72: error: this duration is reckoned in ticks of 1 s, and the run has ticks of 1 ms [duration]\n"
        "  1 | holdsFor(long(M)=true, I) :- holdsFor(on(M)=true, O), intDurGreater(O, 10 min, I).\n"
        "    |                                                                        ^^^^^^\n"
        "  help: write `:- tick(ms).` before this rule, or run with tick_unit='s' (--tick-unit s)\n"
        "\n"
        "1 error in the event description"
    )


def test_two_lengths_of_a_tick_do_not_go_together() -> None:
    nothing = holdsfor.read_events([], format="terms")
    with pytest.raises(DescriptionError, match="ticks of 1 ms, and another rule has ticks of 1 s"):
        holdsfor.recognise(parse(LONG.format("1 s") + LONGER.format("1 s")), nothing)


def test_the_rules_say_what_a_tick_is_where_the_run_does_not() -> None:
    session = holdsfor.session(parse(LONGER.format("1 s")), window="10s", step="5s")
    assert session.terms.tick_unit == "ms"
    assert session.terms.times.window == 10_000
