"""Events of several inputs, sorted together or each by itself: the same occurrences in the same order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.engine.data.axis import Axis
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.world import WorldFrame
from holdsfor.engine.input.inputs import add_block, arrange_events, encoded, source_of
from holdsfor.io.events import Block
from holdsfor.plan import plan

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(begin(X), T).
terminatedAt(on(X)=true, T) :- happensAt(measured(X, N), T), N > 1, happensAt(at(Y, X), T).
terminatedAt(on(X)=true, T) :- happensAt(seen(X, Y), T), happensAt(told(X, Y), T).
initiatedAt(all=true, T) :- happensAt(alarm, T).
"""
SOURCES = plan(holdsfor.parse(RULES)).sources
TERMS = pa.array(["a", "b", "c", "d", "NULL"])

row = st.tuples(st.integers(1, 60), st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.5, 1.5, float("nan")]))
streams = st.dictionaries(st.sampled_from([source.input.signature for source in SOURCES]), st.lists(row, min_size=1))


def make_blocks(streams: dict[tuple[str, int], list[tuple[int, int, int, float]]]) -> list[Block]:
    blocks = []
    for (name, arity), rows in streams.items():
        start = np.array([each[0] for each in rows], np.int64)
        codes = [pa.array([each[position] for each in rows], pa.int32()) for position in (1, 2)]
        args = [pa.DictionaryArray.from_arrays(indices, TERMS) for indices in codes][:arity]
        if name == "measured":
            args[1] = pa.array([each[3] for each in rows], pa.float64())
        blocks.append(Block(name, "event", tuple(args), None, start, None, start))
    return blocks


def contents(points: Points) -> list[object]:
    columns = [points.column(position) for position in range(points.arity)]
    texts = [[*map(points.dictionary.text, column.codes().tolist())] for column in columns]
    return [points.key, points.packed.tolist(), *texts]


@settings(deadline=None)  # the first example may compile kernels
@given(streams, st.sampled_from([4, 20, 40]))
def test_together_or_alone(streams: dict[tuple[str, int], list[tuple[int, int, int, float]]], code_bits: int) -> None:
    """code_bits: with many of them, pairs of arguments are numbers out of a table, and places need a sort each."""
    blocks = make_blocks(streams)
    sources = [source for block in blocks if (source := source_of(block, SOURCES)) is not None]
    together, alone = (WorldFrame(Axis(0, 1, 20, code_bits), Dictionary(), {}, 0).at(60) for _ in range(2))
    found = arrange_events(blocks, sources, together)
    for block, source in zip(blocks, sources, strict=True):
        add_block(block, encoded(block, source.identities, alone.dictionary), source, alone)
    assert [*map(contents, found)] == [contents(alone.points_of(source.relations[0])) for source in sources]
