"""The axis: how keys and time share 63 bits, and what is said when they do not fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdsfor
from holdsfor.engine.data.axis import Axis, AxisFull, fit
from holdsfor.engine.definitions.evaluate import evaluate, make_program
from holdsfor.engine.input.window import find_windows
from holdsfor.engine.stepping import history as module
from holdsfor.engine.stepping.history import prepare
from holdsfor.plan import plan
from tests.engine.blocks import history
from tests.engine.random_runs import of_random
from tests.naive.programs import random_program


@pytest.mark.parametrize("tick", [1, 10, 40])
def test_packing_gives_back_what_was_packed(tick: int) -> None:
    axis = fit(-500, 1_000_000, tick, 1000)
    codes, more = np.array([0, 3, 999]), np.array([7, 0, 12])
    time = np.array([-500, 0, 1_000_000])
    packed = axis.pack([codes, more], time)
    assert axis.time(packed).tolist() == time.tolist()
    key = packed >> axis.time_bits
    assert axis.code(key, 0, 2).tolist() == codes.tolist()
    assert axis.code(key, 1, 2).tolist() == more.tolist()


@pytest.mark.parametrize(
    ("tick", "time", "before", "after"),
    [(1, 17, 16, 18), (10, 17, 10, 20), (10, 20, 10, 30), (40, 79, 40, 80), (40, -1, -40, 0), (40, -40, -80, 0)],
)
def test_neighbours_on_the_grid(tick: int, time: int, before: int, after: int) -> None:
    axis = fit(-500, 1000, tick, 10)
    packed = axis.pack([np.array([5])], np.array([time]))
    assert axis.time(axis.preceding(packed)).tolist() == [before]
    assert axis.time(axis.following(packed)).tolist() == [after]


def test_times_off_the_axis_stay_in_their_key() -> None:
    axis = fit(0, 100, 1, 10)
    packed = axis.pack([np.array([3, 3])], np.array([-(10**6), 10**6]))
    assert (packed >> axis.time_bits).tolist() == [3, 3]
    assert packed[0] < packed[1]


def test_years_of_milliseconds_fit() -> None:
    """A century in milliseconds, and pairs of entities."""
    times = range(1, 3_000_000_000_000, 10**10)
    found = holdsfor.recognise(
        holdsfor.parse("initiatedAt(near(X,Y)=true, T) :- happensAt(meet(X,Y), T)."),
        holdsfor.read_events([f"meet|{t}|{t}|v{t % 89}|v{t % 97}" for t in times]),
    )
    first: dict[tuple[str, ...], int] = {}
    for t in times:
        first.setdefault((f"v{t % 89}", f"v{t % 97}"), t + 1)
    assert {tuple(row["args"]): row["start"] for row in found.intervals.to_pylist()} == first


def test_keys_with_many_arguments_fit() -> None:
    """Six arguments with hundreds of terms: more than stand side by side."""
    rules = """
        initiatedAt(deal(A,B,C,D,E,F)=true, T) :- happensAt(sale(A,B,C,D,E,F), T).
        terminatedAt(deal(A,_,C,_,_,_)=true, T) :- happensAt(void(A,C), T).
    """
    rows = [f"sale|{t}|{t}|a{t % 7}|b{t}|c{t % 5}|d{t}|e{t}|f{t}" for t in range(1, 400)] + ["void|500|500|a3|c2"]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(rows))
    assert found.intervals.num_rows == 399
    ended = {tuple(row["args"]) for row in found.intervals.to_pylist() if row["end"] == 501}
    assert ended == {
        ("a3", f"b{t}", "c2", f"d{t}", f"e{t}", f"f{t}") for t in range(1, 400) if t % 7 == 3 and t % 5 == 2
    }


@pytest.mark.parametrize("time_bits", [51, 55], ids=["wide pairs", "everything wide"])
@pytest.mark.parametrize("seed", range(30))
def test_wide_keys_give_the_same(seed: int, time_bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few bits left for keys, they become numbers out of a table, which are in no order of their arguments."""
    expected = of_random(seed, changes=False)

    def narrow(first: int, last: int, tick: int, terms: int, room: int, *_: object) -> Axis:
        return replace(fit(first, last, tick, terms, room), time_bits=time_bits)

    monkeypatch.setattr(module, "fit", narrow)
    for stepped in (False, True):
        found = of_random(seed, stepped)
        assert history(found) == history(expected), str(random_program(seed))


def test_what_cannot_fit_says_what_to_do() -> None:
    rules = "initiatedAt(on(A)=true, T) :- happensAt(press(A), T)."
    rows = [f"press|{t << 52}|{t << 52}|a{t}" for t in range(1, 400)]  # not a few far off: all are far apart
    advice = r"groundings and 61 bits of time do not fit in 63 bits; use a coarser time unit"
    with pytest.raises(AxisFull, match=advice):
        holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(rows))
    assert issubclass(AxisFull, holdsfor.HoldsforError)


def test_there_is_room_for_more_terms_where_it_costs_nothing() -> None:
    """Rules that put 400 pairs of 20 names into terms need no second evaluation."""
    rules = "initiatedAt(held(pair(A,B))=true, T) :- happensAt(meet(A,B), T)."
    rows = [f"meet|{t}|{t}|a{t % 20}|b{t // 20}" for t in range(1, 401)]
    description = holdsfor.parse(rules)
    program = make_program(plan(description))
    read = holdsfor.read_events(rows).read(description.inputs)
    world = prepare(program, read.blocks, find_windows(read.blocks, None, None, 0, 500, 1))
    evaluate(program, world)  # raises DictionaryFull if there is no room
    (held,) = (data for relation, data in world.relations.items() if relation.name == "held")
    assert len(held) == 400
    assert not world.axis.is_wide(program.columns)


def test_rules_make_terms_out_of_none() -> None:
    """No term is known before evaluation; the pairs are joined by numbers, of which there are many."""
    rules = "left(X) <- a(X). right(X) <- b(X). both(X) <- left(X) SEQ right(X)."
    rows = [f"{name}({number}) @ {number + 10 * (name == 'b')}" for number in range(1, 3000) for name in "ab"]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(rows, format="terms"))
    spans = {
        (row["args"][0], row["start"], row["end"]) for row in found.occurrences.to_pylist() if row["event"] == "both"
    }
    assert spans == {(str(number), number, number + 10) for number in range(1, 3000)}
