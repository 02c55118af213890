"""How far in time definitions look, and which of them have no bound."""

from __future__ import annotations

import pytest

from holdsfor.cli.start.reading import add_bounds
from holdsfor.errors import HoldsforError
from holdsfor.language import parse
from holdsfor.plan import plan
from holdsfor.plan.reach import bounded, unbounded

BOTH = "holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), {}."


@pytest.mark.parametrize(
    ("condition", "is_bounded"),
    [
        ("union_all([A, B], I)", True),
        ("relative_complement_all(A, [B], I)", True),
        ("intersect_all([A, B], J), intDurGreater(J, 600, I)", True),
        ("allen(before, A, B, source, I)", False),
        ("complement_all([A, B], I)", False),
    ],
)
def test_definitions_without_a_bound_are_named(condition: str, is_bounded: bool) -> None:
    rules = "input fluent a/1. input fluent b/1.\n" + BOTH.format(condition)
    names = [str(one.relation.signature) for one in unbounded(plan(parse(rules)).definitions)]
    assert names == ([] if is_bounded else ["c/1"])


FREE = "input fluent a/1. input fluent b/1.\n" + BOTH.format("before(A, B, source, I)")


@pytest.mark.parametrize("bounds", [600, {"c/1": 600}])
def test_a_bound_from_outside_is_one_in_the_rules(bounds: int | dict[str, int]) -> None:
    made = plan(bounded(parse(FREE), bounds))
    assert made == plan(parse(FREE + "\nbound(c/1, 600)."))
    assert made.identity == plan(parse(FREE + "\nbound(c/1, 600).")).identity != plan(parse(FREE)).identity


def test_a_bound_for_all_leaves_alone_what_has_one() -> None:
    rules = parse(FREE + "\nbound(c/1, 60).")
    assert bounded(rules, 600) == rules


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"x/1": 5}, "for x/1, which no rule defines"),
        ({"c": 5}, "by name and arity"),
        ({"c/1": 0}, "1 tick or more"),
        ({"c/1": 5}, "a bound of 60 in the rules already"),
    ],
)
def test_a_bound_that_cannot_be(bounds: dict[str, int], message: str) -> None:
    rules = FREE + ("\nbound(c/1, 60)." if "already" in message else "")
    with pytest.raises(HoldsforError, match=message):
        bounded(parse(rules), bounds)


def test_bounds_as_options_name_a_definition_or_are_for_the_rest() -> None:
    rules = FREE + "\nholdsFor(d(X)=true, I) :- holdsFor(a(X)=true, A), complement_all([A], I)."
    given = add_bounds(parse(rules), ["1h", "c/1=10min"], "s")
    assert {str(owner): ticks for owner, ticks in given.bounds.items()} == {"c/1": 600, "d/1": 3600}
    assert not unbounded(plan(given).definitions)
