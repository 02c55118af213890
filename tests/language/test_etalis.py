"""Rules of ETALIS, as patterns of our own: what each of its words gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.language import parse
from holdsfor.language.patterns import Policy

EVENTS = ("a(1) @ 1", "b(1) @ 2", "b(2) @ 3", "c @ 4", "a(2) @ 5", "b(2) @ 6")


def occurrences(rules: str, events: tuple[str, ...] = EVENTS, policy: Policy = "recent", end: int = 20) -> list[str]:
    """Return the occurrences of the results as text."""
    read = holdsfor.read_events(list(events), format="terms")
    result = holdsfor.recognise(holdsfor.parse(rules, policy=policy), read, end=end)
    rows = result.occurrences.to_pylist()
    return sorted(f"{row['event']}({','.join(row['args'])}) {row['start']} {row['end']}" for row in rows)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("x iff a(_) 'seq' c.", ["x() 1 4"]),
        ("x(X) <- (a(X) seq b(X)) 'cnot' c.", ["x(1) 1 2", "x(2) 5 6"]),
        ("x(X) <- (a(X) seq b(X)) within 0.", []),
        ("x(X) <- (a(X) seq b(X)) within 1.", ["x(1) 1 2", "x(2) 5 6"]),
        ("x(X,D) <- a(X) seq b(X) check (t1(S), t2(E), D is E - S).", ["x(1,1) 1 2", "x(2,1) 5 6"]),
        ("x(X) <- (a(X) seq b(X) timestamp (t1(S), t2(E), datime_minus_datime(E, S, D), D < 2)) seq c.", ["x(1) 1 4"]),
        ("x(Y) <- c 'event_multiply' (p(1, Y)). db(p(1, 2)). p(1, 2). p(1, 3).", ["x(2) 4 4", "x(3) 4 4"]),
        ("x(Y) <- a(1) seq prolog(p(1, Y)). p(1, 2).", ["x(2) 1 1"]),
        ("x(M) <- a(X) seq b(Y) seq prolog(max(X, Y, M)).", ["x(1) 1 2", "x(2) 1 3", "x(2) 5 6"]),
        ("x(X) <- b(X) fnot c.", ["x(1) 2 2", "x(2) 3 3"]),
        ("x(X) <- b(X) fnot a(X).", ["x(2) 3 3"]),
        ("x(N) <- c seq aggregate(count, b(_), N).", ["x(0) 4 4", "x(1) 4 6"]),
        ("x(S) <- a(1) seq aggregate(sum(X), b(X), S).", ["x(0) 1 1", "x(1) 1 2", "x(3) 1 3", "x(5) 1 6"]),
        ("x(S) <- a(1) seq aggregate(min(X), b(X), S).", ["x(1) 1 2", "x(1) 1 3", "x(1) 1 6", "x(100000) 1 1"]),
        ("x(X) <- a(X) seq (b(X) star_times).", ["x(1) 1 1", "x(1) 1 2", "x(2) 5 5", "x(2) 5 6"]),
        ("x <- a(_) forall_seq b(2).", ["x() 1 3", "x() 5 6"]),
        ("x <- a(_) seq (y <- b(2) seq c).", ["x() 1 4", "y() 3 4"]),
        ("exceptionAlarm(x(X), 3) <- a(X).", ["x(1) 1 4", "x(2) 5 8"]),
        (
            "exceptionAlarmAbsoluteDatime(x, D) <- c where (current_datime(N), datime_plus_sec(N, 3, D)).",
            ["x() 4 7"],
        ),
        ("x do write(x) <- a(1) seq c.", ["x() 1 4"]),
        ("x <- a(1) seq c. y <- c. print_trigger(x/0).", ["x() 1 4"]),
        ("x <- a(1) seq c. y <- c. print_trigger(_/0).", ["x() 1 4", "y() 4 4"]),
        ("x <- a(1) seq c. y <- c. external_trigger(all_events).", ["x() 1 4", "y() 4 4"]),
    ],
)
def test_a_word_of_etalis(rules: str, expected: list[str]) -> None:
    assert occurrences(rules) == expected


def test_a_rule_over_all_that_wait_ignores_the_policy() -> None:
    events = ("a(1) @ 1", "a(2) @ 2", "b(1) @ 3", "a(3) @ 4", "b(1) @ 5")
    assert occurrences("x(X) <- a(X) forall_seq b(_).", events) == ["x(1) 1 3", "x(2) 2 3", "x(3) 4 5"]


def test_the_policy_of_files_that_say_nothing() -> None:
    rules = "x(X) <- a(X) seq b(2)."
    assert occurrences(rules) == ["x(1) 1 3", "x(2) 5 6"]
    assert occurrences(rules, policy="unrestricted") == ["x(1) 1 3", "x(1) 1 6", "x(2) 5 6"]
    assert occurrences(f":- set_etalis_flag(event_consumption_policy, unrestricted).\n{rules}") == occurrences(
        rules, policy="unrestricted"
    )


def test_files_of_etalis_have_its_precedence_and_seconds(tmp_path: Path) -> None:
    text = "x <- a(1) or b(1) seq c.\ny <- (a(_) seq b(_)) within 2.\n"
    ours, theirs = tmp_path / "rules.ec", tmp_path / "rules.event"
    ours.write_text(text)
    theirs.write_text(text)
    events = holdsfor.read_events(
        [f"{line.split(' @ ')[0]} @ {line.split(' @ ')[1]}000000" for line in EVENTS], format="terms"
    )
    result = holdsfor.recognise(holdsfor.load(theirs), events)
    spans = [(row["event"], row["start"] // 10**6, row["end"] // 10**6) for row in result.occurrences.to_pylist()]
    assert sorted(spans) == [("x", 1, 1), ("x", 2, 4), ("y", 1, 2), ("y", 1, 3), ("y", 5, 6)]
    events = holdsfor.read_events(list(EVENTS), format="terms")
    result = holdsfor.recognise(holdsfor.load(ours), events)
    spans = [(row["event"], row["start"], row["end"]) for row in result.occurrences.to_pylist()]
    assert sorted(spans) == [("x", 1, 4), ("x", 2, 4), ("y", 1, 2), ("y", 1, 3), ("y", 5, 6)]


def test_words_of_etalis_are_names_where_no_operator_stands() -> None:
    (rule,) = parse("check(X) <- do(X) seq within.").patterns
    assert str(rule.head) == "check(X)"
