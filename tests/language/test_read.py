"""Clauses to rules, background and groundings, in the normal form that the plan expects. The cases are text."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from holdsfor.language import DescriptionError, parse
from holdsfor.language.description import EventDescription
from holdsfor.language.literals import Literal, Or
from holdsfor.language.terms import Place

FIXTURE = Path(__file__).parent / "fixtures" / "literals.txt"
CASES = FIXTURE.read_text(encoding="utf-8").strip().split("\n\n")[1:]


def written(part: object) -> str:
    """A literal as its class with its fields, lists of terms and literals in line."""
    if isinstance(part, tuple):
        return ",".join(map(written, part))
    if isinstance(part, Or):
        return f"Or({' | '.join(map(written, part.alternatives))})"
    if not isinstance(part, Literal):
        return str(part)
    values = [getattr(part, each.name) for each in fields(part)]
    inside = [written(value) for value in values if not isinstance(value, Place | None) and value != ()]
    return f"{type(part).__name__}({','.join(inside)})"


def body(literals: tuple[Literal, ...]) -> str:
    return "".join(f" {written(literal)}" for literal in literals)


def lines(description: EventDescription) -> list[str]:
    found = []
    for rule in description.rules:
        value = "" if rule.value is None else f"={rule.value}"
        found.append(f"{rule.kind} {rule.subject}{value} at {rule.at}:{body(rule.body)}")
    found += [f"initially {each.fluent}={each.value}:{body(each.body)}" for each in description.initially]
    for each in description.deadlines:
        p = " p" if each.extensible else ""
        change = f"{each.fluent}={each.source} to {each.target} after {each.duration}"
        found.append(f"fi {change}{p}:{body(each.body)}")
    found += [f"cycle {' '.join(map(str, cycle))}" for cycle in description.order.cycles]
    found += [f"background {clause.head}:{body(clause.body)}" for clause in description.background.clauses]
    for grounding in description.background.groundings:
        value = "" if grounding.value is None else f"={grounding.value}"
        found.append(f"grounding {grounding.entity}{value}:{body(grounding.body)}")
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n")[0][:60])
def test_clauses_are_read_as(case: str) -> None:
    rows = case.split("\n")
    expected = [row.removeprefix("-> ") for row in rows if row.startswith("-> ")]
    description = parse("\n".join(row for row in rows if not row.startswith("-> ")))
    assert lines(description) == expected
    assert all(warning.code == "unending" for warning in description.warnings)


CALLED = "initiatedAt(size(M)=S, T) :- happensAt(level(M, L), T), size(L, S).\n"


def cut_messages(clauses: str) -> list[str]:
    """Return what is said of cuts in clauses of size/2."""
    try:
        said = parse(CALLED + clauses).warnings
    except DescriptionError as error:
        said = error.diagnostics
    return [each.severity for each in said if each.code == "cut"]


@pytest.mark.parametrize(
    "clauses",
    [
        "size(L, small) :- 1 =< L, L < 9, !. size(L, large) :- 9 =< L, L < 20, !. size(L, huge) :- L >= 20, !.",
        "size(L, small) :- L =< 9, !, fits(L). size(L, large) :- L > 9, fits(L). fits(3).",
        "size(p(X, 'W', Y), east) :- 4 < X, X < 9, Y > 1, !. size(p(X, 'W', Y), west) :- 1 < X, X < 4, Y > 1, !.",
    ],
)
def test_cuts_between_clauses_that_exclude_each_other_say_nothing(clauses: str) -> None:
    assert cut_messages(clauses) == []


@pytest.mark.parametrize(
    "clauses",
    [
        "size(L, small) :- L =< 9, !. size(L, large) :- L >= 9.",  # 9 is both
        "size(L, small) :- L =< 9, !. size(M, S) :- sizes(M, S). sizes(3, b).",
        "size(L, S) :- sizes(L, S), S < 9, !. size(L, S) :- sizes(L, S), S > 9. sizes(3, 7).",  # S is the answer
        "size(L, small) :- L =< 9, !. size(L, large) :- L > 9. size(L, any) :- L > 3.",
        "size(L, a) :- L \\= 3, !. size(3, b).",
    ],
)
def test_a_cut_that_chooses_is_refused(clauses: str) -> None:
    assert cut_messages(clauses)[0] == "error"
