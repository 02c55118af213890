"""What a live session looks at: only what changes."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.incremental import blocks

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
holdsFor(long(X)=true, I) :- holdsFor(on(X)=true, I1), intDurGreater(I1, 5, I).
initiatedAt(hot(X)=true, T) :- happensAt(degrees(X, D), T), D > 30.
terminatedAt(hot(X)=true, T) :- happensAt(degrees(X, D), T), D =< 30.
"""


def begin() -> holdsfor.Session:
    live = holdsfor.session(holdsfor.parse(RULES), window=100, step=10, start=0)
    live.add([f"up|{time}|{time}|x{time}" for time in range(1, 10)])
    live.advance(10)
    return live


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is evaluated, in blocks."""
    names: list[str] = []
    define = blocks.define

    def note(definition, *rest):  # type: ignore[no-untyped-def]
        names.append(definition.defines[0].name)
        return define(definition, *rest)

    monkeypatch.setattr(blocks, "define", note)
    return names


def test_what_reads_nothing_new_is_not_evaluated(evaluated: list[str]) -> None:
    live = begin()
    live.advance(40)  # all has been long enough for a while
    evaluated.clear()
    live.add(["degrees|41|41|x1|35"])
    changes = live.advance(50)
    assert evaluated == ["hot derived", "hot"]  # which unites it with rows of `hot`, if there were any
    assert changes.intervals["fluent"].to_pylist() == ["hot"]


def test_what_comes_out_equal_stops_there(evaluated: list[str]) -> None:
    live = begin()
    live.advance(40)
    evaluated.clear()
    live.add(["up|41|41|x1"])  # it is on already
    assert live.advance(50).intervals.num_rows == 0
    assert evaluated == ["on derived"]


def test_nothing_is_evaluated_if_nothing_comes(evaluated: list[str]) -> None:
    live = begin()
    live.advance(40)
    evaluated.clear()
    live.advance(90)
    assert evaluated == []


def test_a_retraction_takes_back_a_row_with_a_missing_argument() -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=100, step=10, start=0)
    columns = {"event": ["degrees", "degrees"], "x": ["a", "a"], "d": [40.0, None], "time": [3, 5]}
    mapping = {"name": "event", "time": "time", "op": "op", "arrival": "arrival", "events": {"degrees": ["x", "d"]}}
    live.add(pa.table({**columns, "arrival": [3, 5], "op": [1, 1]}), mapping=mapping)
    live.advance(10)
    evaluation = live.evaluation
    assert evaluation is not None
    world = evaluation.last_world()
    assert world is not None
    assert sum(len(data) for relation, data in world.relations.items() if relation.name == "degrees") == 2
    live.add(pa.table({**columns, "arrival": [13, 15], "op": [-1, -1]}), mapping=mapping)
    live.advance(20)
    world = evaluation.last_world()
    assert world is not None
    assert sum(len(data) for relation, data in world.relations.items() if relation.name == "degrees") == 0
    assert live.current().intervals.num_rows == 0


def test_a_deadline_is_not_running_before_it_was_made() -> None:
    """The late row comes before the deadline that has been carried over several query times since."""
    rules = """
    initiatedAt(light(X)=on, T) :- happensAt(tag(X), T).
    fi(light(X)=on, light(X)=off, 1).
    fi(light(X)=off, light(X)=on, 6).
    p(light(_)=on).
    """
    live = holdsfor.session(holdsfor.parse(rules), window=23, step=3, start=10, incremental=True)
    live.add(["tag|19|19|a", "tag|33|20|a"])
    live.advance(34)
    intervals = sorted((row["start"], row["end"], row["value"]) for row in live.current().intervals.to_pylist())
    assert intervals == [(20, 22, "on"), (22, 28, "off"), (28, 29, "on"), (29, 35, "off"), (35, None, "on")]


def test_rows_that_are_sorted_by_pairs_are_found_by_pairs_in_either_order() -> None:
    """Few pairs of many change, late and by retractions; the first argument has the greater code as often as not."""
    rules = """
    initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(P,Q), T).
    terminatedAt(meeting(P,Q)=true, T) :- happensAt(part(P,Q), T).
    """
    random = Random(7)
    lives = [
        holdsfor.session(holdsfor.parse(rules), window=400, step=10, start=0, incremental=incremental)
        for incremental in (True, False)
    ]
    happened = [
        (random.choice(("greet", "part")), time, f"p{random.randrange(40)}|p{random.randrange(40)}")
        for time in sorted(random.choices(range(1, 200), k=3000))
    ]
    for live in lives:
        live.add([f"{name}|{time}|{time}|{pair}" for name, time, pair in happened])
        live.advance(200)
    for query_time in range(210, 300, 10):
        late = [f"{name}|{query_time}|{time - 1}|{pair}" for name, time, pair in random.sample(happened, 2)]
        back = [f"retract|{name}|{query_time}|{time}|{pair}" for name, time, pair in random.sample(happened, 2)]
        told = []
        for live in lives:
            live.add([*late, *back])
            changes = live.advance(query_time).intervals
            told.append(changes.sort_by([("id", "ascending"), ("op", "ascending")]))
        assert told[0].equals(told[1])
    assert live.current().intervals.num_rows > 1000
