"""What people write wrongly: one message each, with the repair."""

from __future__ import annotations

import pytest

from holdsfor.language import DescriptionError, parse

HEAD = "initiatedAt(hot(M)=true, T)"
BODY = "happensAt(e(M, X), T), X > 3"


@pytest.mark.parametrize(
    ("rule", "code", "hint"),
    [
        (f"{HEAD} -> {BODY}.", "operator", "write `:-` between head and conditions"),
        (f"{HEAD} => {BODY}.", "operator", "write `:-` between head and conditions"),
        (f"{HEAD} {BODY}.", "syntax", "write `:-` here"),
        (f"{HEAD}\n    {BODY}.", "syntax", "write `:-` here"),
        ("dynamicDomain(bus).", "argument", "write dynamicDomain(bus(_))"),
        (f"{HEAD} :- happensAt(e(M, X), T), X ≥ 3.", "operator", "write `>=`"),
        (f"{HEAD} :- happensAt(e(M, X), T), X ≤ 3.", "operator", "write `=<`"),
        (f"{HEAD} :- happensAt(e(M, X), T), X ≠ 3.", "operator", "write `\\=` (or `=\\=` for numbers)"),
        (f"{HEAD} :- happensAt(e(M, _), T) and happensAt(d, T).", "operator", "write a comma"),
        (
            f"{HEAD} :- happensAt(e(M, _), T) or happensAt(d(M), T).",
            "operator",
            "write `;`, or one rule for each case",
        ),
        (
            f"{HEAD} :- {BODY}, exists(Y, d(Y)).",
            "unsupported",
            "write its conditions alone; \\+ says that there are none",
        ),
        (
            "initiatedAt(hot(My Machine)=true, T) :- happensAt(e(My Machine), T).",
            "comma",
            "write MyMachine, or a comma between two arguments",
        ),
        (f"initiatedAt(hot(M) == true, T) :- {BODY}.", "value", "a value stands behind one equals sign: hot(M)=true"),
        (
            "holdsFor(hot(M)=true, I) :- holdsFor(on(M)=true, O), intDurGreater(O, '10min', I).",
            "type",
            "write it without quotes: 10min",
        ),
        (
            "holdsFor(hot(M)=true, I) :- holdsFor(on(M)=true, I1), holdsFor(up(M)=true, I2), intersect([I1, I2], I).",
            "unknown",
            "did you mean intersect_all?",
        ),
        (f"{HEAD} if {BODY}.", "operator", "write `:-` between head and conditions"),
        (f"{HEAD} :- happensAt(e(M, “high”), T).", "character", "write plain ones: 'like this'"),
        ("happensAt(alarm(M), T) :- happensAt(starts(hot(M)=true), T).", "unknown", "did you mean start?"),
        (
            "happensAt(alarm(M), T) :- happensAt(e(M), T), T > 2026-03-01.",
            "type",
            "times in rules are ticks: in seconds since 1970 it is 1772323200; or give the run a start or an end",
        ),
        (
            "happensAt(alarm(M), T) :- happensAt(e(M, X), T), avg(X, A), A > 3.",
            "unsupported",
            "write findall(X, goal, L), and length(L, N) or sum_list(L, N)",
        ),
        (
            "happensAt(alarm(M), T) :- happensAt(e(M, X), T), count(X) > 3.",
            "type",
            "write findall(X, goal, L), and length(L, N) or sum_list(L, N)",
        ),
        (
            f"{HEAD} :- happensAt(d(M), T), e(M, X), X > 3.",
            "unknown",
            "define it by facts or rules, or load the file that does; if it is an event, write happensAt(e(M, X), T)",
        ),
        (
            f"initiatedAt(over-heated(M)=true, T) :- {BODY}.",
            "syntax",
            "names have no `-` in them: write over_heated(M)",
        ),
        (
            f"{HEAD} :- happensAt(start-up(M), T).",
            "syntax",
            "names have no `-` in them: write start_up(M)",
        ),
        (f"{HEAD} :- happensAt(e(M, X), T), 90 < X > 100.", "operator", "write two: 90 < X, X > 100"),
        (f"{HEAD} :- happensAt(e(M, X), T), X = Y = 3, Y = 3.", "operator", "write two: X=Y, Y=3"),
        (
            f"{HEAD} :- happensAt(e(M, X), T), X > 1,000.",
            "syntax",
            "write a predicate or a comparison; numbers have no commas: 1000, not 1,000",
        ),
        (f"{HEAD} when {BODY}.", "operator", "write `:-` between head and conditions"),
        (
            "happensAt(alarm(M), T) :- happensAt(e(M), T), T > '2026-03-01'.",
            "type",
            "times in rules are ticks: in seconds since 1970 it is 1772323200; or give the run a start or an end",
        ),
        (
            "happensAt(alarm(M), T) :- happensAt(e(M), T), T > '2026-03-01T01:00+01:00'.",
            "type",
            "times in rules are ticks: in seconds since 1970 it is 1772323200; or give the run a start or an end",
        ),
        (
            "holdsFor(long(M)=true, I) :- holdsFor(hot(M)=true, I), duration(I) > 10 min.",
            "type",
            "for intervals of more than ten minutes, write intDurGreater(I, 10 min, Long)",
        ),
        (
            "initiatedAt(quiet=true, T) :- \\+ happensAt(e(_), T).",
            "unbound",
            "add a condition that gives the time, such as happensAt(event, T)",
        ),
    ],
)
def test_each_slip_has_one_message_with_its_repair(rule: str, code: str, hint: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        parse(rule)
    assert [(each.code, each.hint) for each in caught.value.diagnostics] == [(code, hint)]


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        (
            "holdsFor(long(M)=true, I) :- holdsFor(hot(M)=true, J), J > 600, union_all([J], I).",
            "for those that last long enough, write intDurGreater(J, 10 min, Long)",
        ),
        (
            "holdsFor(long(M)=true, I) :- holdsFor(hot(M)=true, J), duration(J, D), D > 600, union_all([J], I).",
            "for intervals of more than ten minutes, write intDurGreater(J, 10 min, Long)",
        ),
    ],
)
def test_intervals_that_are_compared_as_numbers(rule: str, hint: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        parse(rule)
    assert hint in [each.hint for each in caught.value.diagnostics]
