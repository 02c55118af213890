"""What every relation in memory keeps: sorted, disjoint, not touching, never crossing a key, inside the history."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor.engine.data.column import Column, Selection
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import evaluate, make_program
from holdsfor.engine.input.window import counted, find_windows, standing
from holdsfor.engine.stepping.history import prepare
from holdsfor.io.readers.read import read_events
from holdsfor.language import parse
from holdsfor.plan import plan
from holdsfor.plan.operators import Relation
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program


def world_of(seed: int) -> tuple[World, list[Relation]]:
    """The world after evaluation of a random program, and the relations that it defined, in order."""
    made = random_program(seed)
    windows = made.horizon
    description = parse(made.text, functions=FUNCTIONS)
    program = make_program(plan(description))
    blocks = read_events(list(made.rows), format="rtec").read(description.inputs).blocks
    given = find_windows(blocks, windows.window, windows.step, windows.start, windows.end, windows.sample_every)
    world = prepare(program, [standing(counted(block, given).block, given) for block in blocks], given)
    defined: list[Relation] = []
    evaluate(program, world, settle=lambda relation, _: defined.append(relation))
    return world, defined


def assert_intervals(found: Intervals) -> None:
    mask, bits = found.axis.mask, found.axis.time_bits
    assert len(found.s) == len(found.e)
    assert (found.s < found.e).all(), "empty or backward"
    assert (found.s >> bits == found.e >> bits).all(), "an interval crosses its key"
    assert (found.s[1:] > found.s[:-1]).all(), "not sorted"
    same = found.s[1:] >> bits == found.s[:-1] >> bits
    assert (found.s[1:][same] > found.e[:-1][same]).all(), "overlapping or touching"
    tick = found.axis.tick
    assert found.axis.origin % tick == 0
    assert (found.s & mask).max(initial=0) < mask, "a start at the open end"


def assert_points(found: Points) -> None:
    assert (found.packed[1:] >= found.packed[:-1]).all(), "not sorted"
    key = found.axis.key([found.column(p).codes() for p in found.key]) if found.key else np.zeros(len(found), np.int64)
    assert (found.packed >> found.axis.time_bits == key).all(), "the key is not what its columns say"
    for position in range(found.arity):
        assert len(found.column(position).codes()) == len(found)


@pytest.mark.parametrize("seed", range(60))
def test_relations_of_random_programs(seed: int) -> None:
    world, defined = world_of(seed)
    assert defined
    for relation in defined:
        assert isinstance(world.relations[relation], Points if relation.kind == "event" else Intervals)
    for held in (data for data in world.relations.values() if isinstance(data, Intervals)):
        assert_intervals(held)
    for happened in (data for data in world.relations.values() if isinstance(data, Points)):
        assert_points(happened)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_views_say_the_same_as_the_relation(seed: int) -> None:
    """Ordered by other columns, the same occurrences come out."""
    world, _ = world_of(seed)
    for happened in (data for data in world.relations.values() if isinstance(data, Points)):
        for positions in [(p,) for p in range(happened.arity)]:
            packed, back = happened.ordered(positions)
            rows = np.arange(len(happened)) if back is None else back
            assert (packed[1:] >= packed[:-1]).all()
            assert sorted(rows.tolist()) == list(range(len(happened)))
            assert (happened.axis.time(packed) == happened.times()[rows]).all()
            assert (packed >> happened.axis.time_bits == happened.column(positions[0]).codes()[rows]).all()


# ---------------------------------------------------------------- columns and rows


def test_a_column_selects_codes_and_numbers_alike() -> None:
    dictionary = Dictionary()
    codes = dictionary.codes(["7", "low", "7.0", "-3"])
    mask = np.array([True, False, True, True])
    for selection in (Selection(mask), Selection(index=np.array([0, 2, 3]))):
        column = Column(dictionary, codes).select(selection)
        assert [dictionary.text(code) for code in column.codes()] == ["7", "7.0", "-3"]
        assert column.numbers().tolist() == [7, 7, -3]
        assert not column.is_number
    assert np.isnan(Column(dictionary, codes).numbers()[1])


def test_a_column_of_numbers_gets_codes_when_asked() -> None:
    dictionary = Dictionary()
    whole = Column(dictionary, numbers=np.array([7, 8, 7]))
    halves = Column(dictionary, numbers=np.array([7.0, 8.5, 7.0]))
    picked = halves.select(Selection(index=np.array([0, 2])))
    assert len(dictionary) == 0
    assert [dictionary.text(code) for code in whole.codes()] == ["7", "8", "7"]
    assert [dictionary.text(code) for code in picked.codes()] == ["7.0", "7.0"]


def test_rows_stay_sorted_through_selections() -> None:
    world, _ = world_of(1)
    axis, dictionary = world.axis, world.dictionary
    codes = np.array([0, 0, 1, 1, 2])
    times = axis.origin + np.array([3, 5, 2, 2, 9])
    columns = {"X": Column(dictionary, codes), "T": Column(dictionary, numbers=times)}
    rows = Rows(axis, 5, columns).sorted_by(("X",), "T", axis.pack([codes], times))
    taken = rows.filter(np.array([True, True, False, True, True])).take(np.array([0, 1, 1, 3]))
    packed, in_order = taken.pack(("X",), "T")
    assert in_order
    assert packed.tolist() == axis.pack([taken.codes("X")], taken.times("T")).tolist()
    assert taken.codes("X").tolist() == [0, 0, 0, 2]
    assert taken.times("T").tolist() == (axis.origin + np.array([3, 5, 5, 9])).tolist()
    assert rows.reorder(np.array([4, 0])).packed is None
