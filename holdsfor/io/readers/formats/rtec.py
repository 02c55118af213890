"""RTEC's CSV: `name|arrival|time|args...`, `name|arrival|time|value|args...`, `name|arrival|start|end|value|args...`.

No header, no quoting. A field of digits, `-` and `.` is a number if it parses; everything else is an atom.
A first field `insert` or `retract` says what a row does; without it, it inserts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal as OneOf
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.names import shorten_blocks
from holdsfor.io.columns.strings import Strings, TextColumn
from holdsfor.io.columns.text import Mask, as_text, field_terms, integers, is_number, mask
from holdsfor.io.columns.utf8 import NOT_UTF8
from holdsfor.io.events import OPEN, REJECTS_SCHEMA, Block, Events, Ints
from holdsfor.io.join import join_events, number_rows
from holdsfor.io.parallel import map_in_order
from holdsfor.io.readers.fields import Fields, pieces_of, split
from holdsfor.io.readers.grouped import FieldKinds, read_groups, starts
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.sieve import Sieve, check_interval, closed, ops, rejects_table, time_blocks
from holdsfor.io.readers.validity import validity_blocks
from holdsfor.kernels.rows.moving import take
from holdsfor.kernels.text.numerals import ANY, INTEGER, TEXT
from holdsfor.language.description import Input

_BEFORE_ARGS = {"event": 3, "point": 4, "interval": 5}  # fields before the arguments
_NO_EVENT, _UNUSED, _UNKNOWN = -1, -2, -3
Scalar = TypeVar("Scalar", bound=np.generic)
_FEW = 1 << 16  # numbers that are looked up in a table


@dataclass(frozen=True, slots=True)
class LineShape:
    """Rows of one name with one number of fields."""

    input: Input
    kind: OneOf["event", "interval", "point"]

    @property
    def assumed(self) -> bool:
        """Return whether rows are point-wise though no declaration calls the fluent so."""
        return self.kind != self.input.kind

    @property
    def fields(self) -> FieldKinds:
        """List the fields: arrival, time, and what follows."""
        before = _BEFORE_ARGS[self.kind]
        kinds = [INTEGER, INTEGER] if self.kind == "event" else [INTEGER] * (before - 2) + [TEXT]
        return list(enumerate(kinds + [ANY] * self.input.signature.arity, 1))

    def lists(self, first: int) -> list[int]:
        """Number the lists of texts, one for each field, from a number on.

        The first argument shares list 0 with those of all shapes: most often it is what all events are about.
        """
        numbers = list(range(first, first + len(self.fields)))
        if self.input.signature.arity:
            numbers[_BEFORE_ARGS[self.kind] - 1] = 0
        return numbers


class Shapes:
    """Shapes of rows that the inputs of a description can have."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = inputs
        self.names = list(dict.fromkeys(i.signature.name for i in inputs))
        self.unused = {name for name in self.names if not any(i.read for i in inputs if i.signature.name == name)}
        self._shapes: dict[tuple[str, int], list[LineShape]] = {}
        for i in inputs:
            key = (i.signature.name, i.signature.arity + _BEFORE_ARGS[i.kind])
            self._shapes.setdefault(key, []).append(LineShape(i, i.kind))
        for i in inputs:  # declarations are never needed: the rows show that a fluent is given point by point
            key = (i.signature.name, i.signature.arity + _BEFORE_ARGS["point"])
            if i.kind == "interval" and key not in self._shapes:
                self._shapes[key] = [LineShape(i, "point")]

    def find(self, name: str, count: int) -> LineShape | None:
        shapes = self._shapes.get((name, count), [])
        if len(shapes) > 1:
            forms = " or ".join(f"{s.kind} {s.input.signature}" for s in shapes)
            raise HoldsforError(
                f"a row of {name} with {count} fields can be {forms}. Rename one, or give the events as columns."
            )
        return shapes[0] if shapes else None

    def wrong_arity(self, name: str, count: int) -> str:
        shapes_of_name = [
            f"{shape.input.signature} has {fields}"
            for (other, fields), shapes in self._shapes.items()
            for shape in shapes
            if other == name and not shape.assumed
        ]
        expected = " and ".join(shapes_of_name)
        return f"wrong arity: the row has {count} field{'' if count == 1 else 's'}, {expected}"


def read_rtec(content: Path | tuple[str, ...], mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all rows of a file or of lines."""
    return read_pieces(pieces_of(content), inputs, source)


def read_lines(lines: pa.Array, inputs: Sequence[Input], source: str) -> Events:
    """Read a column of lines, as Spark's text source gives them."""
    return read_pieces([_joined(lines)], inputs, source)


def _joined(lines: pa.Array) -> bytes:
    """Put lines together as they would stand in a file."""
    if not len(lines):
        return b""
    large = pa.large_string()
    ended = pc.binary_join_element_wise(lines.cast(large), pa.scalar("", large), pa.scalar("\n", large))
    size = int(np.frombuffer(ended.buffers()[1], np.int64, 1, 8 * len(ended))[0])  # the buffer may be longer
    return bytes(ended.buffers()[2][:size])


def read_pieces(parts: Iterable[bytes], inputs: Sequence[Input], source: str) -> Events:
    """Read the pieces of one source, several at a time; each ends with a line."""
    shapes = Shapes(inputs)
    return join_events(number_rows(map_in_order(lambda part: _read_part(split(part), shapes, source), parts), 1))


def _read_part(fields: Fields, shapes: Shapes, source: str) -> tuple[Events, int]:
    """Read the events of a part, and count its lines."""
    lines = np.flatnonzero((fields.count > 0) & ~_blank(fields))
    whole = Sieve(lines)
    whole.refuse(_of_lines(fields.bad_text, lines), NOT_UTF8)
    first = _of_lines(fields.first, lines)
    head = _heads(fields, first)
    retract, has_op = _operations(fields, lines, head)
    count, named = _of_lines(fields.count, lines), first
    if has_op is not None:
        count, named = count - has_op, first + has_op
        head = _heads(fields, np.minimum(named, len(fields.cuts) - 1))
    code = _codes(count, head, shapes)
    whole.refuse(code == _NO_EVENT, "no event: expected name|arrival|time|arguments")
    is_unused = code == _UNUSED
    whole.drop(is_unused)
    whole.refuse(_of_lines(fields.empty_field, lines), "empty field")
    shape_of, read, more = _sort_by_shape(whole, code, count, shapes)
    unused = int(is_unused.sum()) + more
    sieves, blocks, is_read = [whole], list[Block](), np.zeros(len(lines), np.bool_)
    firsts = starts(np.array([len(shape.fields) for shape in read], np.int64)) + 1
    lists = [shape.lists(number) for shape, number in zip(read, firsts.tolist(), strict=False)]
    groups = read_groups(fields, named, shape_of, [shape.fields for shape in read], lists=lists)
    for shape, group in zip(read, groups, strict=True):
        sieve = Sieve(lines[group.rows])
        block = sieve.block(_block(group.columns, shape, shapes, retract[group.rows], sieve))
        is_read[group.rows] = sieve.keep
        sieves.append(sieve)
        if block is not None:
            blocks += [block] if shape.input.key is None else _valid(shape.input, block)
    others = _times(fields, named[~is_read & (count >= _BEFORE_ARGS["event"])])
    rejects, events = _rejects(fields, sieves, source), shorten_blocks(blocks, shapes.inputs)
    return Events(events, rejects, len(lines), unused, other_times=others), len(fields.first)


def _times(fields: Fields, begin: Ints) -> tuple[Block, ...]:
    """Return the times of lines of which nothing else is read. begin: the field that has the name of each."""
    if not len(begin):
        return ()
    (group,) = read_groups(fields, begin, np.zeros(len(begin), np.int32), [[(1, INTEGER), (2, INTEGER)]], nullable=True)
    arrival, time = map(integers, group.columns)
    return time_blocks(time, arrival)


def _sort_by_shape(
    whole: Sieve, code: Ints, count: Ints, shapes: Shapes
) -> tuple[npt.NDArray[np.int32], list[LineShape], int]:
    """Return each line's number of its shape, or -1; the shapes that are read; and how many lines have another.

    Lines whose name has no such number of fields are refused.
    """
    key, width = _form_keys(whole.keep, code, count)
    read: list[LineShape] = []
    unread = 0
    keys = np.flatnonzero(np.bincount(key)) if key.max(initial=0) < _FEW else np.unique(key)
    shape_of = np.full(len(keys), -1, np.int32)
    for number, value in enumerate(keys.tolist()):
        if value < width:  # the line has no form
            continue
        name_code, fields = divmod(value - width, width)
        name = shapes.names[name_code]
        shape = shapes.find(name, fields)
        if shape is None:
            whole.refuse(key == value, shapes.wrong_arity(name, fields))
        elif shape.input.read:
            shape_of[number] = len(read)
            read.append(shape)
        else:
            unread += int((key == value).sum())
    return _look_up(key, keys, shape_of), read, unread


def _form_keys(use: Mask, code: Ints, count: Ints) -> tuple[Ints, int]:
    """Number each line by name and number of fields, 0 if it is not used; also return how many numbers a name has."""
    are_all = bool(use.all())
    width = int((count if are_all else count[use]).max(initial=0)) + 1
    key = (code + 1) * width + count
    return key if are_all else np.where(use, key, 0), width


def _look_up(keys: Ints, distinct: Ints, values: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the value of each key. distinct: all different keys, in order."""
    if not len(distinct) or distinct[-1] >= _FEW:
        return values[np.searchsorted(distinct, keys)]
    table = np.zeros(distinct[-1] + 1, np.int32)
    table[distinct] = values
    return take(table, keys)


def _of_lines(column: npt.NDArray[Scalar], lines: Ints) -> npt.NDArray[Scalar]:
    """Return the values of some lines, in order; most often it is all of them."""
    return column if len(lines) == len(column) else column[lines]


class Heads(NamedTuple):
    """A field of each line: its text by number, and the texts; without text it has the number after the last."""

    code: npt.NDArray[np.signedinteger]
    texts: list[str]


def _heads(fields: Fields, at: Ints) -> Heads:
    (group,) = read_groups(fields, at, np.zeros(len(at), np.int32), [[(0, TEXT)]], nullable=True)
    (column,) = group.columns
    texts = column.texts.array().to_pylist()
    return Heads(column.values if column.valid is None else np.where(column.valid, column.values, len(texts)), texts)


def _codes(count: Ints, names: Heads, shapes: Shapes) -> Ints:
    """Number each line by its name, or mark that no rule reads it, or that it is no event.

    count: how many fields there are from the name on.
    """
    codes = {name: _UNUSED if name in shapes.unused else code for code, name in enumerate(shapes.names)}
    lookup = [codes.get(name, _UNKNOWN) for name in names.texts]
    code: Ints = np.array([*lookup, _NO_EVENT], np.int64)[names.code]
    if _UNKNOWN in lookup:
        unknown = code == _UNKNOWN
        code[unknown] = np.where(count[unknown] >= _BEFORE_ARGS["event"], _UNUSED, _NO_EVENT)
    code[count < 1] = _NO_EVENT  # `insert|` and nothing more
    return code


def _blank(fields: Fields) -> Mask:
    """Mark lines of nothing but white space."""
    blank = np.zeros(len(fields.first), np.bool_)
    single = np.flatnonzero(fields.count == 1)
    blank[single] = mask(pc.match_substring_regex(fields.column(fields.first[single]).array(), r"^\s*$"))
    return blank


def _operations(fields: Fields, lines: Ints, head: Heads) -> tuple[Mask, Ints | None]:
    """Mark lines that retract, and count fields (0 or 1) before the name; None: no line has one.

    head: the first field of each line.
    """
    words = head.texts
    if not {"insert", "retract"}.intersection(words):
        return np.zeros(len(lines), np.bool_), None
    spoken = np.array([word in ("insert", "retract") for word in words] + [False], np.bool_)[head.code]
    if spoken.any():  # an event may itself be called insert: then its arrival follows
        at = np.flatnonzero(spoken & (fields.count[lines] > 1))
        following = fields.column(fields.first[lines[at]] + 1).array()
        spoken[at[mask(pc.match_substring_regex(following, r"^-?[0-9.]+$"))]] = False
    retracts = np.array([word == "retract" for word in words] + [False], np.bool_)[head.code]
    return spoken & retracts, spoken.astype(np.int64)


def _block(columns: Sequence[TextColumn], shape: LineShape, shapes: Shapes, retracts: Mask, sieve: Sieve) -> Block:
    signature = shape.input.signature
    start, good = integers(columns[1])
    sieve.refuse(~good, "time is not an integer")
    arrival, good = integers(columns[0])
    sieve.refuse(~good, "arrival is not an integer")
    end = value = None
    if shape.kind == "interval":
        end = _end(columns[2], sieve)
        check_interval(sieve, start, end)
    begin = _BEFORE_ARGS[shape.kind]
    if shape.kind != "event":
        values = columns[begin - 2]
        if shape.assumed:  # an interval row that lacks an argument has its end where the value would be
            text = values.array()
            misread = is_number(text) | mask(pc.equal(text, "inf"))
            sieve.refuse(misread, shapes.wrong_arity(signature.name, signature.arity + begin))
        value = as_text(field_terms(values))
    texts = enumerate(columns[begin - 1 :])
    args = tuple(argument(text, position, shape.input, sieve) for position, text in texts)
    return Block(shape.input.stored_as.name, shape.kind, args, value, start, end, arrival, ops(retracts))


def _valid(declared: Input, block: Block) -> Iterator[Block]:
    """Yield rows of a fact: one at a point is valid from then on."""
    end = np.full(len(block), OPEN) if block.end is None else block.end
    return validity_blocks(declared, replace(block, kind="interval", end=end), np.zeros(len(block), np.bool_))


def _end(text: TextColumn, sieve: Sieve) -> Ints:
    end, good = integers(text)
    still = np.zeros(len(text), np.bool_) if good.all() else mask(pc.equal(text.array(), "inf"))
    sieve.refuse(~(good | still), "end is neither an integer nor inf")
    return np.where(still, OPEN, closed(end))


def argument(text: Strings | TextColumn, position: int, declared: Input, sieve: Sieve) -> pa.Array:
    """Type fields of one argument as terms. Where rules calculate with it, what is not a number is refused."""
    numbers = text.numbers()
    if numbers is not None:
        return numbers
    if position not in declared.numbers:
        return field_terms(text)
    fields = text.encode()
    number = is_number(fields.dictionary)[fields.indices.to_numpy()]
    sieve.refuse_numbers(~number, fields, f"argument {position + 1} of {declared.signature}")
    return field_terms(pc.if_else(pa.array(number), fields.cast(pa.string()), pa.scalar(None, pa.string())))


def _rejects(fields: Fields, sieves: list[Sieve], source: str) -> pa.Table:
    refused = [sieve.refused() for sieve in sieves if sieve.reasons]
    if not refused:
        return REJECTS_SCHEMA.empty_table()
    lines = np.concatenate([rows for rows, _ in refused])
    reasons = pa.concat_arrays([reason for _, reason in refused])
    return rejects_table(source, lines, fields.lines(lines), reasons)
