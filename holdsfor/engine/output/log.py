"""Intervals or occurrences of many relations as one table: a log has few rows of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Column, Mask
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Points
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import as_text, plain_text
from holdsfor.io.storage.fold import ARGS, INTERVAL_LOG, OCCURRENCE_LOG
from holdsfor.kernels.intervals.logging import (
    END,
    EXTEND,
    IN_KEY,
    INSERT,
    SHORTEN,
    WITHDRAW,
    Bytes,
    Offsets,
    cut_keys,
    write_texts,
)
from holdsfor.kernels.text.identify import identify_rows
from holdsfor.plan.operators import Relation

NAMES = {WITHDRAW: "withdraw", INSERT: "insert", EXTEND: "extend", SHORTEN: "shorten", END: "end"}
MOST_BYTES = (1 << 31) - 1  # that a column of Arrow's strings can have
DIGITS = 16  # of an id

KnownTexts = tuple[Offsets, Bytes, Offsets, Bytes]
"""Of the dictionary, and others."""


@dataclass(slots=True)
class LogTexts:
    """The texts of a log. Those of the dictionary have their codes there, others have codes below 0."""

    dictionary: Dictionary
    more: list[str] = field(default_factory=lambda: list(NAMES.values()))  # the code of an operation is -1 - op

    def add(self, texts: Iterable[str]) -> Ints:
        begin = len(self.more)
        self.more += texts
        return -1 - np.arange(begin, len(self.more))

    def lend(self) -> KnownTexts:
        more = [text.encode() for text in self.more]
        offsets = np.zeros(len(more) + 1, np.int32)
        np.cumsum([len(text) for text in more], out=offsets[1:])
        return *self.dictionary.lend_texts(), offsets, np.frombuffer(bytearray(b"".join(more)), np.uint8)

    def add_column(self, column: Column) -> Ints:
        """Numbers get no code of the dictionary: nobody asks for them by it."""
        if not column.is_number:
            return column.codes()
        written = as_text(pa.array(column.numbers()))
        codes: Ints = self.add(written.dictionary.to_pylist())[written.indices.to_numpy()]
        return codes


@dataclass(frozen=True, slots=True)
class LogRows:
    """Rows of a log: operations, codes of texts, and times.

    begins: where the arguments of each row begin. values: intervals have some. is_open: which of the ends are none.
    """

    ops: Ints
    names: Ints
    begins: Offsets
    args: Ints
    values: Ints
    start: Ints
    end: Ints
    is_open: Mask | None = None


@dataclass(frozen=True, slots=True)
class LoggedIntervals:
    """Operations on intervals, relation by relation. ends: where those on each relation end."""

    relations: Sequence[Relation]
    ops: Ints
    s: Ints
    e: Ints
    ends: Ints

    def rows(self, axis: Axis, texts: LogTexts) -> LogRows:
        arities = [relation.arity for relation in self.relations]
        names = texts.add([relation.name for relation in self.relations])
        values = texts.add([_value_text(relation) for relation in self.relations])
        values[[relation.value is None for relation in self.relations]] = IN_KEY
        cut = cut_keys(self.s, self.ends, np.array(arities), names, values, axis.code_bits, axis.time_bits)
        for number, arity in enumerate(arities):
            if axis.is_wide(arity):
                self._look_up_keys(number, axis, *cut[1:])
        end = self.e & axis.mask
        return LogRows(self.ops, *cut, axis.time(self.s), end + axis.origin, end == axis.mask)

    def _look_up_keys(self, number: int, axis: Axis, begins: Offsets, args: Ints, values: Ints) -> None:
        """Writes the codes of a relation whose keys are numbers out of a table."""
        relation, begin, end = self.relations[number], int(self.ends[number - 1]) if number else 0, self.ends[number]
        keys = self.s[begin:end] >> axis.time_bits
        codes = [axis.code(keys, position, relation.arity) for position in range(relation.arity)]
        if relation.value is None:
            values[begin:end] = codes.pop()
        args[begins[begin] : begins[end]] = np.stack(codes, axis=1).ravel()


@lru_cache(maxsize=4096)
def _value_text(relation: Relation) -> str:
    return "" if relation.value is None else str(relation.value)


@dataclass(frozen=True, slots=True)
class LoggedOccurrences:
    """Occurrences of one relation that have come or gone."""

    relation: Relation
    op: int
    points: Points


def occurrence_rows(parts: Sequence[LoggedOccurrences], texts: LogTexts) -> LogRows:
    sizes = [len(part.points) for part in parts]
    arities = np.repeat([part.relation.arity for part in parts], sizes)
    begins = np.zeros(len(arities) + 1, np.int32)
    np.cumsum(arities, out=begins[1:])
    return LogRows(
        np.repeat([part.op for part in parts], sizes),
        np.repeat(texts.add([part.relation.name for part in parts]), sizes),
        begins,
        np.concatenate([_argument_codes(part.points, texts) for part in parts]),
        EMPTY,
        np.concatenate([part.points.starts() for part in parts]),
        np.concatenate([part.points.times() for part in parts]),
    )


def _argument_codes(points: Points, texts: LogTexts) -> Ints:
    """One argument after the other, row by row."""
    codes = [texts.add_column(points.column(position)) for position in range(points.arity)]
    return np.stack(codes, axis=1).ravel() if codes else EMPTY


def make_log(rows: LogRows, texts: LogTexts, query_time: int) -> pa.Table:
    """Ids are those of terms: 7 and '7' have the same plain text and are not the same."""
    size, is_of_intervals, known = len(rows.ops), len(rows.values) > 0, texts.lend()
    ids = identify_rows(rows.names, rows.begins, rows.args, rows.values, rows.start, rows.end, *known)
    args = _write_plainly(rows.args, known)
    columns = [
        pa.array(np.full(size, query_time, np.int64)),
        _write(-1 - rows.ops, known),
        _make_strings(np.arange(0, DIGITS * size + 1, DIGITS, dtype=np.int32), ids),
        _write(rows.names, known),
        pa.Array.from_buffers(ARGS, size, [None, pa.py_buffer(rows.begins)], children=[args]),
        *([_write_plainly(rows.values, known)] if is_of_intervals else []),
        pa.array(rows.start),
        pa.array(rows.end, mask=rows.is_open),
    ]
    return pa.Table.from_arrays(columns, schema=INTERVAL_LOG if is_of_intervals else OCCURRENCE_LOG)


def _write(codes: Ints, known: KnownTexts) -> pa.Array:
    begins, written, _ = write_texts(codes, *known)
    return _make_strings(begins, written)


def _write_plainly(codes: Ints, known: KnownTexts) -> pa.Array:
    begins, written, has_quote = write_texts(codes, *known)
    strings = _make_strings(begins, written)
    return plain_text(strings) if has_quote else strings


def _make_strings(begins: Offsets, written: Bytes) -> pa.Array:
    if len(written) > MOST_BYTES:
        raise HoldsforError("a query time changes more than a log can tell; use a shorter step")
    return pa.StringArray.from_buffers(len(begins) - 1, pa.py_buffer(begins), pa.py_buffer(written))
