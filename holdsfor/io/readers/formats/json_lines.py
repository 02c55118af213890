"""JSON lines: an object a line, its fields the columns of a row; or one array of such objects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import mask
from holdsfor.io.columns.utf8 import NOT_UTF8
from holdsfor.io.events import Events, Ints
from holdsfor.io.join import join_events, move_rows
from holdsfor.io.readers.columns import TableReader
from holdsfor.io.readers.fields import pieces_of, split
from holdsfor.io.readers.mapping import Mapping, roles
from holdsfor.io.readers.objects import ObjectRows, UsedFields, object_names, read_objects, without_nested
from holdsfor.io.readers.sieve import rejects_table
from holdsfor.language.description import Input

_NO_FIELD = b"\x00"  # separates nothing: a line is one field


def read_json_lines(content: Path | tuple[str, ...], mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all rows. The number of a row is its line, or that in which an array begins."""
    pieces = [_lines(piece) for piece in _contents(content)]
    names = list(dict.fromkeys(name for piece in pieces for name in object_names(piece.texts)))
    return join_events(_in_order(pieces, _Form(tuple(names), mapping, inputs, source)))


def _contents(content: Path | tuple[str, ...]) -> list[bytes]:
    contents = list(pieces_of(content))
    if contents and _begins_long_array(contents[0]):
        return [b"".join(contents).replace(b"\n", b" ")]  # no string has the end of a line in it
    return contents


def _begins_long_array(content: bytes) -> bool:
    """Return whether an array begins that takes several lines, as programs write that know no JSON lines."""
    first = content.lstrip().partition(b"\n")[0]
    if not first.startswith(b"["):
        return False
    try:
        json.loads(first)
    except ValueError:
        return True
    except RecursionError:
        return False
    return False


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines with something in them. numbers: their places in the piece, from 0; broken: those that are no UTF-8."""

    texts: pa.Array
    numbers: Ints
    broken_texts: pa.Array
    broken: Ints
    count: int


@dataclass(frozen=True, slots=True)
class _Form:
    """Names of fields, mapping and inputs: what all pieces of a file have in common."""

    names: tuple[str, ...]
    mapping: Mapping
    inputs: Sequence[Input]
    source: str

    def usage(self) -> UsedFields:
        """List the fields of use. Where an argument is no number for the rules, 7 is not 7.0."""
        if not self.names:  # no line is an object
            return UsedFields(frozenset(), frozenset(), frozenset())
        chosen = roles(self.mapping, self.names, self.inputs, self.source)
        times = chosen.times
        exact = {chosen.value} if chosen.value is not None else set()
        for declared in self.inputs:
            columns = self.mapping.arguments.get(declared.signature.name, chosen.others)
            exact.update(column for position, column in enumerate(columns) if position not in declared.numbers)
        return UsedFields(frozenset(self.names), times, exact)


def _lines(content: bytes) -> _Lines:
    fields = split(content, _NO_FIELD)
    is_blank = mask(pc.match_substring_regex(fields.lines(np.arange(len(fields.first))), r"^\s*$"))
    good = np.flatnonzero(~fields.bad_text & ~is_blank)
    bad = np.flatnonzero(fields.bad_text)
    return _Lines(fields.lines(good), good, fields.lines(bad), bad, len(fields.first))


def _in_order(pieces: Sequence[_Lines], form: _Form) -> Iterator[Events]:
    usage, first = form.usage(), 1
    for piece in pieces:
        yield move_rows(_read(piece, form, usage), first)
        first += piece.count


def _read(piece: _Lines, form: _Form, usage: UsedFields) -> Events:
    tables, bad = read_objects(piece.texts, usage)
    tables = [without_nested(rows, bad) for rows in tables]
    parts = [_read_rows(rows, piece, form) for rows in tables if form.names]
    which, _, reasons = bad.columns()
    rejects = rejects_table(form.source, piece.numbers[which], piece.texts.take(pa.array(which)), reasons)
    return join_events([*parts, Events((), rejects, len(which), 0), _unreadable(piece, form)])


def _read_rows(rows: ObjectRows, piece: _Lines, form: _Form) -> Events:
    reader = TableReader(_completed(rows, form), form.mapping, form.inputs, frozenset(), form.source)
    return reader.read(piece.numbers[rows.message])


def _completed(rows: ObjectRows, form: _Form) -> pa.Table:
    """Return a table with all columns that some line has."""
    present = set(rows.table.column_names)
    missing = pa.nulls(len(rows.message))
    return pa.table({name: rows.table[name] if name in present else missing for name in form.names})


def _unreadable(piece: _Lines, form: _Form) -> Events:
    reasons = pa.array([NOT_UTF8] * len(piece.broken), pa.string())
    return Events((), rejects_table(form.source, piece.broken, piece.broken_texts, reasons), len(piece.broken), 0)
