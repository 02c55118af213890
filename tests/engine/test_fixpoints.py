"""Intervals that depend on themselves: what is calculated, declared or given besides, and rounds without end."""

from __future__ import annotations

import pytest

import holdsfor
from tests.engine.blocks import check, recognise

HOPS = """
holdsFor(hops(X,Y,1)=true, I) :- holdsFor(linked(X,Y)=true, I).
holdsFor(hops(X,Y,N)=true, I) :-
    holdsFor(linked(X,Z)=true, I1), holdsFor(hops(Z,Y,M)=true, I2), N is M+1, CONDITION intersect_all([I1, I2], I).
"""
REACH = """
holdsFor(reach(X,Y)=true, I) :- holdsFor(linked(X,Y)=true, I).
holdsFor(reach(X,Y)=true, I) :-
    holdsFor(linked(X,Z)=true, I1), holdsFor(reach(Z,Y)=true, I2), intersect_all([I1, I2], I).
"""
ROUND = "linked(a,b)=true @ [5,20) \n linked(b,a)=true @ [10,30)"


def test_arguments_may_be_calculated_where_a_condition_ends_it() -> None:
    expected = """
        hops(a,b,1)=true @ [5,20)
        hops(b,a,1)=true @ [10,30)
        hops(a,a,2)=true @ [10,20)
        hops(b,b,2)=true @ [10,20)
        hops(a,b,3)=true @ [10,20)
        hops(b,a,3)=true @ [10,20)
    """
    check(HOPS.replace("CONDITION", "N < 4,"), ROUND, expected)


def test_what_has_no_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.engine.definitions.fixpoint.ROUNDS", 50)
    with pytest.raises(holdsfor.DescriptionError, match=r"there is no end to what hops/3=true is true of"):
        recognise(HOPS.replace("CONDITION", ""), ROUND)


def test_long_ways_need_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds are counted only where rules make new arguments: of those that are there, there are only so many."""
    monkeypatch.setattr("holdsfor.engine.definitions.fixpoint.ROUNDS", 5)
    links = [f"linked(n{place},n{place + 1})=true @ [{place},50)" for place in range(1, 20)]
    reached = recognise(REACH, links).table("reach").to_pylist()
    assert {(each["X"], each["Y"], each["start"], each["end"]) for each in reached} == {
        (f"n{first}", f"n{last}", last - 1, 50) for first in range(1, 20) for last in range(first + 1, 21)
    }


def test_rows_of_what_is_defined_count() -> None:
    given = "linked(a,b)=true @ [5,20) \n reach(b,c)=true @ [10,30)"
    check(
        REACH,
        given,
        "reach(a,b)=true @ [5,20) \n reach(b,c)=true @ [10,30) \n reach(a,c)=true @ [10,20)",
    )


def test_what_no_declaration_names_leads_no_further() -> None:
    """Reaching a is not declared, so c cannot be left by it; what is left out is counted once."""
    places = "place(b). place(c). grounding(reach(X,Y)=true) :- place(X), place(Y)."
    stream = "linked(b,c)=true @ [5,20) \n linked(c,a)=true @ [5,20) \n linked(a,b)=true @ [5,20)"
    check(REACH + places, stream, "reach(b,c)=true @ [5,20)")
    result = recognise(REACH + places, stream)
    assert result.metrics["groundings_outside_domain"] == 3  # c to a, a to b, and a to c


def links(chains: int, length: int) -> list[str]:
    """Return chains of links that go on, and one link whose end is known long before."""
    return ["linked(z1,z2)=true @ [5,35) arrives 10"] + [
        f"linked(c{chain}n{place},c{chain}n{place + 1})=true @ [{place + 1},500) arrives 10"
        for chain in range(chains)
        for place in range(length)
    ]


def told_by_session(changes: list[list[str]], incremental: bool) -> tuple[list[object], holdsfor.Session]:
    live = holdsfor.session(holdsfor.parse(REACH), window=1000, step=10, start=0, incremental=incremental)
    live.add(links(40, 6), format="terms")
    live.advance(20)
    told = []
    for number, rows in enumerate(changes, 3):
        live.add(rows, format="terms")
        told.append(live.advance(10 * number).intervals.to_pylist())
    return told, live


CHANGES = [
    ["retract linked(c7n2,c7n3)=true @ [3,500) arrives 25"],
    ["linked(c7n2,c7n3)=true @ [100,200) arrives 35", "linked(c3n6,c4n0)=true @ [38,60) arrives 38"],
    ["linked(c9n6,c9n0)=true @ [40,80) arrives 41"],
    ["linked(z1,z2)=true @ [50,60) arrives 51", "retract linked(c3n6,c4n0)=true @ [38,60) arrives 52"],
]


@pytest.mark.parametrize("few", [0, 1000])
def test_only_what_depends_on_a_change_is_evaluated_again(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """few: with none, all is evaluated where more than an eighth is affected; it is not, here, at the third change."""
    monkeypatch.setattr("holdsfor.engine.incremental.dependents.FEW_AFFECTED", few)
    told, live = told_by_session(CHANGES, incremental=True)
    expected, _ = told_by_session(CHANGES, incremental=False)
    assert told == expected
    assert all(told)
    everything = 40 * (6 + 21)  # links, and who reaches whom
    assert live.metrics["rows_gathered"] < everything, "rows of four changes are fewer than those of one evaluation"


def test_where_too_much_is_affected_all_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.engine.incremental.dependents.FEW_AFFECTED", 0)
    monkeypatch.setattr("holdsfor.engine.incremental.dependents.AFFECTED_SHARE", 10**6)
    told, live = told_by_session(CHANGES, incremental=True)
    expected, _ = told_by_session(CHANGES, incremental=False)
    assert told == expected
    assert live.metrics["rows_gathered"] > 4 * 40 * (6 + 21)


def test_time_alone_changes_nothing() -> None:
    """A link ends at 35, as was known before: nothing is evaluated again."""
    told, live = told_by_session([[], [], ["unrelated(x) @ 45"]], incremental=True)
    assert told == [[], [], []]
    assert live.metrics["definitions_evaluated"] == 0
