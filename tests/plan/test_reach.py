"""How far in time definitions look, and which of them have no bound."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from holdsfor.plan import plan
from holdsfor.plan.reach import unbounded

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
