"""Intervals of many relations as one table: a log has few rows of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.points import EMPTY
from holdsfor.kernels.logging import EXTEND, INSERT, SHORTEN, WITHDRAW
from holdsfor.plan.operators import Relation

NAMES = {WITHDRAW: "withdraw", INSERT: "insert", EXTEND: "extend", SHORTEN: "shorten"}


@dataclass(frozen=True, slots=True)
class LoggedChanges:
    """Operations on intervals of one relation."""

    relation: Relation
    ops: Ints
    s: Ints
    e: Ints


def interval_columns(parts: Sequence[LoggedChanges], axis: Axis, dictionary: Dictionary) -> list[pa.Array]:
    """The columns of the log from `op` on: op, fluent, args, value, start, end."""
    sizes = np.array([len(part.s) for part in parts], np.int64)
    ops, s, e = (np.concatenate(columns) for columns in zip(*((p.ops, p.s, p.e) for p in parts), strict=True))
    end = e & axis.mask
    codes = [_codes(part, axis) for part in parts]
    texts = dictionary.texts()
    return [
        pa.array([NAMES[op] for op in range(len(NAMES))]).take(pa.array(ops)),
        pa.array([part.relation.name for part in parts]).take(pa.array(np.repeat(np.arange(len(parts)), sizes))),
        _arguments([columns for columns, _ in codes], sizes, texts),
        _values(parts, [value for _, value in codes], sizes, texts),
        pa.array(axis.time(s)),
        pa.array(end + axis.origin, mask=end == axis.mask),
    ]


def _codes(part: LoggedChanges, axis: Axis) -> tuple[list[Ints], Ints | None]:
    """The codes of the arguments, and of the value if it is a column."""
    keys, arity = part.s >> axis.time_bits, part.relation.arity
    codes = [axis.code(keys, position, arity) for position in range(arity)]
    return (codes, None) if part.relation.value is not None else (codes[:-1], codes[-1])


def _arguments(columns: Sequence[list[Ints]], sizes: Ints, texts: pa.Array) -> pa.Array:
    """Lists of texts: one argument after the other, row by row."""
    arities = np.repeat([len(codes) for codes in columns], sizes)
    offsets = np.zeros(len(arities) + 1, np.int32)
    np.cumsum(arities, out=offsets[1:])
    flat = [codes[0] if len(codes) == 1 else np.stack(codes, axis=1).ravel() for codes in columns if codes]
    return pa.ListArray.from_arrays(pa.array(offsets), texts.take(pa.array(np.concatenate([EMPTY, *flat]))))


def _values(parts: Sequence[LoggedChanges], codes: Sequence[Ints | None], sizes: Ints, texts: pa.Array) -> pa.Array:
    """Texts of values: some relations have one, others have it as a column."""
    constants = pa.array(["" if part.relation.value is None else str(part.relation.value) for part in parts])
    if all(column is None for column in codes):
        return constants.take(pa.array(np.repeat(np.arange(len(parts)), sizes)))
    values = texts.take(pa.array(np.concatenate([EMPTY, *(column for column in codes if column is not None)])))
    places, taken = [], len(parts)
    for number, (column, size) in enumerate(zip(codes, sizes.tolist(), strict=True)):
        places.append(np.full(size, number) if column is None else np.arange(taken, taken + size))
        taken += 0 if column is None else size
    return pa.concat_arrays([constants, values]).take(pa.array(np.concatenate(places)))
