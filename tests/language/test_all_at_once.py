"""All mistakes in one round: none hides another, whichever phase finds it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import holdsfor
from tests.language.test_diagnostics import Case, cases

#: One for the parser, one for the passes over single rules, one for those over all of them.
MISTAKES = """
initiatedAt(stuck(M)=true, T) :- happensAt(passesBy(M), T), worth(M, X), X <= 3.
initiatedAt(loose(M)=true, T) :- happensAt(passesBy(N), T).
happensAt(seen(M), T) :- happensAt(passesBy(M), T), remembered(M).
"""
CODES = {"operator", "unbound", "unknown"}


def diagnose(*texts: str) -> list[holdsfor.language.Diagnostic]:
    with pytest.raises(holdsfor.DescriptionError) as caught:
        holdsfor.parse(*texts)
    return list(caught.value.diagnostics)


def first_of_each_code() -> list[Case]:
    found: dict[str, Case] = {}
    for case in (*cases("errors.txt"), *cases("pattern_errors.txt")):
        for code in re.findall(r"^<text>:.* error: .* \[([a-z-]+)\]$", case.expected, re.M):
            found.setdefault(code, case)
    del found["endless"]  # it takes seconds to be sure of that
    return list(dict.fromkeys(found.values()))


def check_beside_mistakes(case: Case) -> None:
    diagnostics = diagnose(MISTAKES, case.rules)
    beside = [str(each) for each in diagnostics if each.place.file == "<text 2>"]
    assert "\n\n".join(beside).replace("<text 2>", "<text>") == case.expected
    assert {each.code for each in diagnostics if each.place.file == "<text 1>"} >= CODES


@pytest.mark.parametrize("case", first_of_each_code(), ids=lambda case: case.title)
def test_a_mistake_is_told_beside_others(case: Case) -> None:
    check_beside_mistakes(case)


@pytest.mark.slow
def test_every_mistake_is_told_beside_others() -> None:
    for case in (*cases("errors.txt"), *cases("pattern_errors.txt")):
        check_beside_mistakes(case)


def test_what_the_plan_refuses_is_told_with_the_mistakes() -> None:
    """As a voting protocol once took three rounds."""
    rules = """
initiatedAt(status(M)=proposed, T) :- happensAt(propose(P, M), T), role(P, member) holdsAt(status(M)=null, T).
happensAt(called(M), T) :- happensAt(second(M, [Who, _]), T), role(Who, member).
initiatedAt(voted(V)=true, T) :- happensAt(vote(W), T), member_since(W, Y), Y > 3.
holdsFor(allies(A, B)=true, I) :- holdsFor(aye(A)=true, I1), holdsFor(aye(B)=true, I2), intersect_all([I1, I2], I).
role(ann, member).
"""
    found = {(each.place.line, each.code) for each in diagnose(rules)}
    assert {(2, "comma"), (3, "argument"), (4, "unknown"), (4, "unbound"), (5, "unbound")} == found


@pytest.mark.parametrize(
    "broken",
    [
        "grounding(pair(A, B)=true) :- vessel(A), vessel(B), A <= B.",  # a mistake of the parser's
        "grounding(pair(A, B)=true) :- vessel(A), ship(B).",  # and of the passes'
    ],
)
def test_nothing_is_refused_for_what_a_mistaken_clause_would_say(broken: str) -> None:
    """With the declaration put right the last rule is right, too."""
    rules = """
vessel(v1).
holdsFor(pair(A, B)=true, I) :- holdsFor(slow(A)=true, I1), holdsFor(slow(B)=true, I2), intersect_all([I1, I2], I).
"""
    assert len(diagnose(broken + rules)) == 1
    right = holdsfor.parse("grounding(pair(A, B)=true) :- vessel(A), vessel(B)." + rules)
    holdsfor.recognise(right, [], format="terms")


def test_what_cannot_do_without_a_mistaken_clause_is_left_alone() -> None:
    rules = """
near(X) :- place(X, Y), Y <= 3.
close(X) :- near(X).
happensAt(here(X), T) :- happensAt(look(X), T), close(X).
"""
    assert [each.code for each in diagnose(rules)] == ["operator"]


def test_from_the_path_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.ec"
    path.write_text(
        "happensAt(a(X), T) :- happensAt(b(X), T), X <= 3.\n"
        "holdsFor(p(A, B)=true, I) :- holdsFor(q(A)=true, J), holdsFor(q(B)=true, K), union_all([J, K], I).\n",
        encoding="utf-8",
    )
    with pytest.raises(holdsfor.DescriptionError, match="2 errors"):
        holdsfor.recognise(str(path), ["b(1) @ 1"], format="terms")
