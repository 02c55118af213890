"""`internal name/arity.` in rule text, and `only=`: what they accept, what they refuse, how they are laid out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.language import parse
from holdsfor.language.choosing import choose_results
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.format.write import formatted

RULES = """late(O) <- departure(O, D) WHERE D >= 60.
lateCount(O, N) <- late(O) AGGREGATE N = count OVER LAST 100.
initiatedAt(disrupted(O)=true, T) :- happensAt(lateCount(O, N), T), N >= 2.
terminatedAt(disrupted(O)=true, T) :- happensAt(calm(O), T).
"""


def left_out(description: object) -> set[str]:
    return {str(owner) for owner, value in description.defined.unreported if value is None}  # type: ignore[attr-defined]


def test_several_are_declared_at_once_and_before_their_rules() -> None:
    assert left_out(parse("internal late/1, lateCount/2.\n" + RULES)) == {"late/1", "lateCount/2"}


def test_a_name_in_quotes_is_declared() -> None:
    rules = "'Late'(O) <- departure(O, D). alarm(O) <- 'Late'(O) SEQ 'Late'(O). internal 'Late'/1."
    assert parse(rules).defined.unreported == {(Signature("Late", 1), None)}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("internal   late/1 ,lateCount / 2 .\n", "internal late/1, lateCount/2.\n"),
        ("internal late/1.   % a helper\n", "internal late/1.  % a helper\n"),
        (
            "internal\n  late/1, % internal, too\n  lateCount/2. % the last\n",
            "internal\n    late/1,       % internal, too\n    lateCount/2.  % the last\n",
        ),
    ],
)
def test_the_layout_is_that_of_input_declarations(written: str, expected: str) -> None:
    assert formatted(Source("rules.ec", written)) == expected


# ---------------------------------------------------------------- only


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (None, set()),
        ("disrupted", {"late/1", "lateCount/2"}),
        (["disrupted/1", "late"], {"lateCount/2"}),
        (("late", "late/1", "lateCount", "disrupted"), set()),
    ],
)
def test_only_leaves_out_the_others(only: str | Sequence[str] | None, expected: set[str]) -> None:
    assert left_out(choose_results(parse(RULES), only)) == expected


def test_what_is_asked_for_goes_out_though_the_rules_say_internal() -> None:
    description = parse(RULES + "internal late/1.")
    assert left_out(choose_results(description, "late")) == {"lateCount/2", "disrupted/1"}


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("disruptd", "only: no rule defines 'disruptd'. Did you mean disrupted/1?"),
        ("late/2", "only: no rule defines 'late/2'. Did you mean late/1?"),
        (["late", "gost"], "only: no rule defines 'gost'. Rules define disrupted, late, lateCount."),
        ("departure", "only: no rule defines 'departure'. Rules define disrupted, late, lateCount."),
        ([], "only names no definition: leave it out to have them all."),
    ],
)
def test_what_no_rule_defines_is_refused(only: str | Sequence[str], message: str) -> None:
    with pytest.raises(HoldsforError) as refused:
        choose_results(parse(RULES), only)
    assert str(refused.value) == message
