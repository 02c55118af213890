"""Arguments of results: lists of texts for each row, and the kinds of their terms, by which columns get their types.

Kinds are counted like rows, a number for each argument: those of several tasks are joined bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import Ints
from holdsfor.engine.data.world import World
from holdsfor.io.columns.text import mask
from holdsfor.io.tables.wide import BOOLEAN, FLOAT, INTEGER, LARGE, MOST_DIGITS, TEXT, Kinds, kinds_key
from holdsfor.plan.operators import Relation

TermKinds = npt.NDArray[np.uint8]
TRUTH_VALUES = pa.array(["true", "false"])
_DIGIT_0, _DIGIT_9, _MINUS = ord("0"), ord("9"), ord("-")


def find_kinds(relations: Iterable[Relation], world: World) -> dict[str, int]:
    """The kinds of the arguments, and of the values, of all relations that are reported and have rows."""
    terms = kinds_of_terms(world.dictionary.texts())
    kinds_by_name: dict[str, int] = {}
    for relation in relations:
        if world.reports(relation):
            for position, kinds in enumerate(_of_relation(relation, world, terms)):
                key = kinds_key(relation.kind == "event", str(relation.signature), position)
                kinds_by_name[key] = kinds_by_name.get(key, 0) | kinds
    return kinds_by_name


def _of_relation(relation: Relation, world: World, terms: TermKinds) -> Iterator[Kinds]:
    if relation.kind == "event":
        points = world.points_of(relation)
        columns = [points.column(position) for position in range(relation.arity)] if len(points) else []
        yield from (_of_column(column, terms) for column in columns)
        return
    intervals = world.intervals_of(relation)
    if len(intervals):
        yield from (_joined(terms[intervals.codes(position)]) for position in range(intervals.arity))
        if relation.value is not None:
            yield _joined(kinds_of_terms(pa.array([str(relation.value)])))


def _of_column(column: Column, terms: TermKinds) -> Kinds:
    if column.is_number:
        return INTEGER if column.numbers().dtype.kind == "i" else FLOAT
    return _joined(terms[column.codes()])


def _joined(kinds: TermKinds) -> Kinds:
    return int(np.bitwise_or.reduce(kinds))


def kinds_of_terms(texts: pa.Array) -> TermKinds:
    """The kind of each term. An atom that looks like a number is in quotes, so that the first digit tells."""
    kinds = np.full(len(texts), TEXT, np.uint8)
    numbers = np.flatnonzero(_begins_with_digit(texts))
    if len(numbers):
        written = texts.take(pa.array(numbers))
        whole = ~mask(pc.or_(pc.match_substring(written, "."), pc.match_substring(written, "e")))
        length = pc.binary_length(written).to_numpy()
        integers = np.where(length <= 18, INTEGER, np.where(length <= MOST_DIGITS, LARGE, TEXT))  # 18 fit in 64 bits
        kinds[numbers] = np.where(whole, integers, FLOAT)
    kinds[mask(pc.is_in(texts, TRUTH_VALUES))] = BOOLEAN
    return kinds


def _begins_with_digit(texts: pa.Array) -> npt.NDArray[np.bool_]:
    """Whether a digit comes first, or a minus and a digit. Looks at bytes: most terms are names, and there are many."""
    _, offsets, data = texts.buffers()
    if data is None or not len(texts):
        return np.zeros(len(texts), np.bool_)
    ends = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4)
    letters = np.append(np.frombuffer(data, np.uint8), np.zeros(2, np.uint8))
    place = ends[:-1] + (letters[ends[:-1]] == _MINUS)
    is_digit: npt.NDArray[np.bool_] = (letters[place] >= _DIGIT_0) & (letters[place] <= _DIGIT_9) & (place < ends[1:])
    return is_digit


def arguments(columns: list[pa.Array], size: int) -> pa.Array:
    arity = len(columns)
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * arity)
    if not arity:
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    if arity == 1:
        return pa.ListArray.from_arrays(offsets, columns[0])
    order = np.arange(arity * size).reshape(arity, size).T.ravel()
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(columns).take(pa.array(order)))


def coded_arguments(codes: Sequence[Ints], texts: pa.Array, size: int) -> pa.Array:
    """Return lists of argument texts for columns of codes, with each text copied once."""
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * len(codes))
    in_order = codes[0] if len(codes) == 1 else np.stack(codes, axis=1).ravel() if codes else np.empty(0, np.int64)
    return pa.ListArray.from_arrays(offsets, texts.take(pa.array(in_order)))
