"""Wherever an expression of intervals holds, one of its carriers does."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.language.terms import Int
from holdsfor.plan.operators import Combine, Expression, Lasting, Of, Relate, Relation

HISTORY = frozenset(range(12))
RELATIONS = tuple(Relation(name, 1, None, "fluent") for name in "abcd")

Points = frozenset[int]

expressions: st.SearchStrategy[Expression] = st.recursive(
    st.sampled_from([Of(relation, ("X",)) for relation in RELATIONS]),
    lambda inner: st.one_of(
        st.builds(
            Combine, st.sampled_from(["union", "intersection", "difference"]), st.lists(inner, min_size=2).map(tuple)
        ),
        st.builds(Combine, st.just("complement"), st.tuples(inner)),
        st.builds(Lasting, st.sampled_from([">", "<"]), inner, st.integers(0, 4).map(Int)),
    ),
    max_leaves=8,
)
known = st.fixed_dictionaries({relation: st.frozensets(st.sampled_from(sorted(HISTORY))) for relation in RELATIONS})


@settings(max_examples=300, deadline=None)
@given(expressions, known)
def test_an_expression_holds_while_a_carrier_does(expression: Expression, holding: dict[Relation, Points]) -> None:
    carriers = expression.carriers()
    points = find_points(expression, holding)
    if carriers is not None:
        assert points <= frozenset().union(*(holding[relation] for relation in carriers))


def test_what_has_no_carriers() -> None:
    first, second = (Of(relation, ("X",)) for relation in RELATIONS[:2])
    assert Combine("complement", (first,)).carriers() is None
    assert Relate("before", first, second, "target").carriers() is None  # what is before may be over long since
    assert Combine("union", (first, Combine("complement", (second,)))).carriers() is None


def test_few_carriers_are_named_where_one_will_do() -> None:
    first, second, third = (Of(relation, ("X",)) for relation in RELATIONS[:3])
    both = Combine("intersection", (Combine("union", (first, second)), third))
    assert Combine("difference", (both, first)).carriers() == {RELATIONS[2]}


def find_points(expression: Expression, holding: dict[Relation, Points]) -> Points:
    match expression:
        case Of():
            return holding[expression.relation]
        case Combine():
            first, *others = (find_points(part, holding) for part in expression.parts)
            match expression.op:
                case "union":
                    return first.union(*others)
                case "intersection":
                    return first.intersection(*others)
                case "difference":
                    return first.difference(*others)
                case _:
                    return HISTORY - first
        case Lasting():
            bound = expression.bound
            assert isinstance(bound, Int)
            runs = find_runs(find_points(expression.part, holding))
            long_enough = [run for run in runs if (len(run) > bound.value) == (expression.op == ">")]
            return frozenset(point for run in long_enough for point in run)
        case _:
            raise AssertionError(expression)


def find_runs(points: Points) -> list[list[int]]:
    """Points that follow each other."""
    places = enumerate(sorted(points))
    return [[point for _, point in run] for _, run in groupby(places, lambda place: place[1] - place[0])]
