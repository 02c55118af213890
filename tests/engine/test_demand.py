"""Recursive predicates that are worked out for what is asked are true of what they are true of as a whole."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.engine.definitions import demand

Edges = set[tuple[str, str]]
NODES = st.sampled_from("abcde")
EDGES = st.sets(st.tuples(NODES, NODES), max_size=10)
#: Rules of reach/2; all say: one link or more.
FORMS = {
    "on the right": "reach(X, Y) :- link(X, Y). reach(X, Y) :- link(X, Z), reach(Z, Y).",
    "on the left": "reach(X, Y) :- link(X, Y). reach(X, Y) :- reach(X, Z), link(Z, Y).",
    "last": "reach(X, Y) :- link(X, Y). reach(X, Y) :- reach(Z, Y), link(X, Z).",
    "in both ways": "reach(X, Y) :- link(X, Y). reach(X, Y) :- reach(X, Z), reach(Z, Y).",
    "from two sides": "reach(X, Y) :- link(X, Y). reach(X, Y) :- link(X, Z), reach(Z, Y). "
    "reach(X, Y) :- reach(X, Z), link(Z, Y).",
    "by two links": "reach(X, Y) :- link(X, Y). reach(X, Y) :- link(X, Z), link(Z, Y). "
    "reach(X, Y) :- link(X, Z), link(Z, V), reach(V, Y).",
    "with a test": "reach(X, Y) :- link(X, Y). closed(q). "
    "reach(X, Y) :- link(X, Z), \\+ closed(Z), Z \\= q, reach(Z, Y).",
    "the other way": "hcaer(Y, X) :- link(X, Y). hcaer(Y, X) :- link(X, Z), hcaer(Y, Z). reach(X, Y) :- hcaer(Y, X).",
    "with a fact": "reach(X, Y) :- link(X, Y). reach(X, Y) :- link(X, Z), reach(Z, Y). reach(a, c). link(a, c).",
}
#: What is asked, and which pairs are the answer.
QUESTIONS = {
    "asked(X), reach(X, Y)": lambda x, y: x in "ab",
    "asked(Y), reach(X, Y)": lambda x, y: y in "ab",
    "asked(X), asked(Y), reach(X, Y)": lambda x, y: x in "ab" and y in "ab",
    "reach(X, Y)": lambda x, y: True,
    "reach(c, Y), X = c": lambda x, y: x == "c",
    "asked(X), \\+ reach(X, X), Y = X": None,
    "asked(X), reach(X, Y), reach(Y, X)": None,
}


def close(edges: Edges) -> Edges:
    pairs = set(edges)
    while True:
        further = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not further:
            return pairs
        pairs |= further


def expected(question: str, edges: Edges) -> Edges:
    pairs, choose = close(edges), QUESTIONS[question]
    if choose is not None:
        return {(x, y) for x, y in pairs if choose(x, y)}
    if "\\+" in question:
        return {(x, x) for x in "ab" if (x, x) not in pairs}
    return {(x, y) for x, y in pairs if x in "ab" and (y, x) in pairs}


@settings(max_examples=8, deadline=None)
@given(edges=EDGES)
@example(edges={("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")})
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("most", [0, 1, 1000])
def test_what_is_asked_is_what_the_whole_has(form: str, most: int, edges: Edges) -> None:
    heads = "\n".join(
        f"happensAt(q{n}(X, Y), T) :- happensAt(tick, T), {_asking(each)}." for n, each in enumerate(QUESTIONS)
    )
    stated = {("a", "c")} if form == "with a fact" else set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demand, "MANY_FACTS", 0)
        patch.setattr(demand, "MOST_ASKED", most)
        description = holdsfor.parse(FORMS[form], heads, facts={"link": _table(edges | stated)})
        rows = holdsfor.recognise(description, holdsfor.read_events(EVENTS, "terms")).occurrences.to_pylist()
    for number, question in enumerate(QUESTIONS):
        found = {tuple(row["args"]) for row in rows if row["event"] == f"q{number}"}
        assert found == expected(question, edges | stated), question


EVENTS = ["tick @ 1", "asked(a) @ 1", "asked(b) @ 1"]


def _asking(question: str) -> str:
    return question.replace("asked(X)", "happensAt(asked(X), T)").replace("asked(Y)", "happensAt(asked(Y), T)")


def _table(edges: Edges) -> pa.Table:
    schema = pa.schema([("from", pa.string()), ("to", pa.string())])
    return pa.table([[a for a, _ in edges], [b for _, b in edges]], schema=schema)


def test_only_what_is_asked_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a session, over several steps: the whole of this chain has 50 million pairs."""
    edges = {(f"n{number}", f"n{number + 1}") for number in range(10_000)}
    monkeypatch.setattr(demand, "MANY_FACTS", 10_000)
    monkeypatch.setattr(demand.LargeClosure, "whole", property(lambda _: pytest.fail("the whole is worked out")))
    rules = "happensAt(reached(X, N), T) :- happensAt(asked(X), T), findall(Y, reach(X, Y), L), length(L, N)."
    session = holdsfor.live(
        holdsfor.parse(FORMS["on the right"], rules, facts={"link": _table(edges)}), window=10, step=10
    )
    for number, start in enumerate((9_990, 9_000, 9_990, 8_000)):
        session.add(holdsfor.read_events([f"asked(n{start}) @ {number * 10 + 1}"], "terms"))
        (row,) = session.advance(number * 10 + 10).occurrences.to_pylist()
        assert row["args"] == [f"n{start}", str(10_000 - start)]


def test_reasons_go_down_to_the_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demand, "MANY_FACTS", 0)
    rules = "happensAt(to(X, Y), T) :- happensAt(asked(X), T), reach(X, Y)."
    description = holdsfor.parse(FORMS["on the right"], rules, facts={"link": _table({("a", "b"), ("b", "c")})})
    result = holdsfor.recognise(description, holdsfor.read_events(["asked(a) @ 1"], "terms"))
    told = str(result.why("to(a, c)", at=1))
    assert "link(a,b)" in told.replace(", ", ",")
    assert "link(b,c)" in told.replace(", ", ",")
