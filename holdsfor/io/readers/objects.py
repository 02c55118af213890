"""JSON texts as tables: one object, an array of objects, or one object a line. Arrow parses all messages at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from holdsfor.io.columns.text import Mask, mask
from holdsfor.io.columns.utf8 import is_whole
from holdsfor.io.events import Ints
from holdsfor.kernels.text.lines import nested_beyond

_EVENTS = "e"  # the field in which each message is wrapped
_NO_OBJECT = "not a JSON object"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

#: Levels of objects and arrays in a message.
DEEPEST = 64


@dataclass(frozen=True, slots=True)
class ObjectRows:
    """Events of some messages, as columns, and where each comes from."""

    table: pa.Table
    message: Ints
    position: Ints  # in its message, from 1


@dataclass(frozen=True, slots=True)
class Bad:
    """Messages and places in them that are no events, by reason."""

    entries: list[tuple[Ints, Ints, str]] = field(default_factory=list)

    def add(self, message: Ints | int, position: Ints | int, reason: str) -> None:
        messages = np.atleast_1d(np.asarray(message, np.int64))
        self.entries.append((messages, np.broadcast_to(np.asarray(position, np.int64), messages.shape), reason))

    def columns(self) -> tuple[Ints, Ints, pa.Array]:
        """Return messages, places, and the reason of each."""
        messages = np.concatenate([np.empty(0, np.int64), *(messages for messages, _, _ in self.entries)])
        positions = np.concatenate([np.empty(0, np.int64), *(positions for _, positions, _ in self.entries)])
        reason = np.repeat(np.arange(len(self.entries)), [len(messages) for messages, _, _ in self.entries])
        return messages, positions, pa.array([reason for _, _, reason in self.entries], pa.string()).take(reason)


@dataclass(frozen=True, slots=True)
class UsedFields:
    """columns: all that are of use. times: those where text may be a date. exact: those where 7 is not 7.0."""

    columns: Set[str]
    times: Set[str]
    exact: Set[str]


def read_objects(payload: pa.Array, usage: UsedFields) -> tuple[list[ObjectRows], Bad]:
    """Read tables of the used columns that any message has; several where messages disagree on a column's type."""
    bad = Bad()
    deep = _too_deep(payload)
    bad.add(np.flatnonzero(deep), 1, f"malformed JSON: nested deeper than {DEEPEST} levels")
    every = np.flatnonzero(~deep)
    text = _on_one_line(payload)
    rows = _parsed(text, every, usage, bad)
    if rows is not None:
        return [rows], bad
    good, values = _loaded(text, every, bad)  # one by one, to find those that are no JSON
    more = Bad()
    rows = _parsed(text, good, usage, more)
    if rows is None:
        return list(_by_types(good, values, usage, bad)), bad
    bad.entries.extend(more.entries)
    return [rows], bad


def without_nested(rows: ObjectRows, bad: Bad) -> ObjectRows:
    """Return only rows whose values are plain: numbers, text, booleans."""
    nested = [f.name for f in rows.table.schema if pa.types.is_nested(f.type)]
    wrong = np.zeros(len(rows.message), np.bool_)
    for name in nested:
        here = mask(rows.table[name].combine_chunks().is_valid()) & ~wrong
        bad.add(rows.message[here], rows.position[here], f"{name} is a list or an object, not a plain value")
        wrong |= here
    table = rows.table.drop_columns(nested)
    return ObjectRows(table.filter(pa.array(~wrong)), rows.message[~wrong], rows.position[~wrong])


def object_names(payload: pa.Array) -> list[str]:
    """Return the names that objects have, in the order in which they are met."""
    every = np.flatnonzero(~_too_deep(payload))
    text = _on_one_line(payload)
    events = _read(_wrapped(text.take(pa.array(every))), {})
    if events is not None:
        return [f.name for f in _fields(events)]
    _, values = _loaded(text, every, Bad())
    objects = [value for parsed in values for value in parsed if isinstance(value, dict)]
    return list(dict.fromkeys(name for value in objects for name in value))


def _too_deep(payload: pa.Array) -> Mask:
    """Mark deep messages: Arrow's parser calls itself for each level, until the stack is full and the process dies."""
    _, offsets, data = payload.buffers()
    ends = np.frombuffer(offsets, np.int32, len(payload) + 1, 4 * payload.offset).astype(np.int64)
    deep = np.zeros(len(payload), np.bool_)
    long = np.flatnonzero(np.diff(ends) > DEEPEST)  # a level takes a byte
    if len(long):
        deep[long] = nested_beyond(np.frombuffer(data, np.uint8), ends[long], ends[long + 1], DEEPEST)
    return deep


def _parsed(text: pa.Array, message: Ints, usage: UsedFields, bad: Bad) -> ObjectRows | None:
    """Parse messages by Arrow; None where that would change a value."""
    lines = _wrapped(text if len(message) == len(text) else text.take(pa.array(message)))
    events = _read(lines, {})
    if events is None:
        return None
    dated = {f.name for f in _fields(events) if pa.types.is_timestamp(f.type)} & (usage.columns - usage.times)
    if dated:  # text that looks like a date is still text
        events = _read(lines, dict.fromkeys(dated, pa.string()))
        if events is None:
            return None
    count = pc.list_value_length(events).to_numpy(zero_copy_only=False)
    place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + 1
    which = np.repeat(message, count)
    objects = events.flatten()
    if objects.null_count:
        missing = mask(objects.is_null())
        bad.add(which[missing], place[missing], _NO_OBJECT)
        objects, which, place = objects.filter(pa.array(~missing)), which[~missing], place[~missing]
    columns = {f.name: objects.field(f.name) for f in objects.type if f.name in usage.columns}
    if any(pa.types.is_floating(c.type) and not pc.all(pc.is_finite(c), min_count=0).as_py() for c in columns.values()):
        return None  # NaN and Infinity are no JSON, though Arrow reads them
    if any(
        pa.types.is_floating(columns[name].type) and _has_whole(columns[name]) for name in usage.exact & set(columns)
    ):
        return None
    return ObjectRows(_table(columns, len(which)), which, place)


def _on_one_line(payload: pa.Array) -> pa.Array:
    """Write each message on one line; objects that stand on lines of their own are separated by commas."""
    text = pc.ascii_trim_whitespace(payload)
    if pc.any(pc.match_substring(text, "\n"), min_count=0).as_py():
        # A line end stands between tokens only. Between } and { there is none but where one object a line is written.
        text = pc.replace_substring_regex(text, r"\}\s*\n\s*\{", "},{")
        text = pc.replace_substring(text, "\n", " ")
    return pc.replace_substring(text, "\r", " ")


def _wrapped(text: pa.Array) -> pa.Array:
    """Write each message as a line {"e":[...]} with all its objects."""
    array = pc.starts_with(text, "[")
    before = pc.if_else(array, f'{{"{_EVENTS}":', f'{{"{_EVENTS}":[')
    after = pc.if_else(array, "}", "]}")
    return pc.binary_join_element_wise(before, text, after, "")


def _read(lines: pa.Array, types: dict[str, pa.DataType]) -> pa.Array | None:
    """Parse the objects of each line, as a list column."""
    if not len(lines):
        return pa.array([], pa.list_(pa.struct([])))
    offsets = pa.array([0, len(lines)], pa.int32())
    data = pc.binary_join(pa.ListArray.from_arrays(offsets, lines), "\n")[0].as_buffer()
    schema = pa.schema([(_EVENTS, pa.list_(pa.struct(list(types.items()))))]) if types else None
    try:
        table = pj.read_json(
            pa.BufferReader(data),
            read_options=pj.ReadOptions(use_threads=False, block_size=data.size + 1),
            parse_options=pj.ParseOptions(explicit_schema=schema, newlines_in_values=False),
        )
    except pa.ArrowException:
        return None
    if table.column_names != [_EVENTS] or table.num_rows != len(lines):  # a payload that closes our brackets
        return None
    column = pa.concat_arrays(table[_EVENTS].chunks) if table[_EVENTS].num_chunks > 1 else table[_EVENTS].chunk(0)
    kind = column.type
    if column.null_count or not pa.types.is_list(kind):
        return None
    if pa.types.is_null(kind.value_type):  # whose values Arrow does not count
        nothing = pa.nulls(column.offsets[-1].as_py(), pa.struct([]))
        column = pa.ListArray.from_arrays(column.offsets, nothing)
    return column if pa.types.is_struct(column.type.value_type) else None


def _fields(events: pa.Array) -> list[pa.Field]:
    return list(events.type.value_type)


def _has_whole(column: pa.Array) -> bool:
    numbers = column.drop_null().to_numpy(zero_copy_only=False)
    return bool((numbers == np.floor(numbers)).any())


def _loaded(text: pa.Array, every: Ints, bad: Bad) -> tuple[Ints, list[list[Any]]]:
    """Return the messages that are JSON, and their values."""
    good: list[int] = []
    values: list[list[Any]] = []
    for message in every.tolist():
        try:
            values.append(_values(text[message].as_py()))
            good.append(message)
        except ValueError as error:
            bad.add(message, 1, f"malformed JSON: {error}")
    return np.array(good, np.int64), values


def _values(text: str) -> list[Any]:
    """Parse a message by Python, from the very text that Arrow gets."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        values = value if isinstance(value, list) else [value]
    except ValueError as error:
        try:
            values = json.loads(f"[{text}]", parse_constant=_refuse_constant)
        except ValueError:
            raise error from None
    if _SURROGATE.search(text) and not is_whole(json.dumps(values, ensure_ascii=False)):
        raise ValueError("half a character (a lone surrogate, \\ud800 to \\udfff)")
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON; write null, or leave the field out")


def _by_types(message: Ints, values: list[list[Any]], usage: UsedFields, bad: Bad) -> Iterator[ObjectRows]:
    """Yield a table for each set of types, so that no value is turned into what another one is."""
    groups: dict[tuple[tuple[str, type], ...], list[tuple[dict[str, Any], int, int]]] = {}
    wrong: dict[str, list[tuple[int, int]]] = {}
    for at, objects in zip(message.tolist(), values, strict=True):
        for position, value in enumerate(objects, 1):
            fields = _useful(value, usage)
            if isinstance(fields, str):
                wrong.setdefault(fields, []).append((at, position))
                continue
            types = tuple(sorted(((name, type(item)) for name, item in fields.items()), key=lambda pair: pair[0]))
            groups.setdefault(types, []).append((fields, at, position))
    for reason, places in wrong.items():
        ats, positions = np.array(places, np.int64).T
        bad.add(ats, positions, reason)
    for types, members in groups.items():
        columns = {name: pa.array([fields[name] for fields, _, _ in members]) for name, _ in types}
        ats, positions = np.array([(at, position) for _, at, position in members], np.int64).T
        yield ObjectRows(_table(columns, len(members)), ats, positions)


def _useful(value: Any, usage: UsedFields) -> dict[str, Any] | str:
    """Return the fields of an object that are used, or why it is no event. A list in it becomes [None]."""
    if not isinstance(value, dict):
        return _NO_OBJECT
    fields = {name: item for name, item in value.items() if name in usage.columns and item is not None}
    large = [name for name, item in fields.items() if isinstance(item, int) and not -(2**63) <= item < 2**63]
    if large:
        return f"{large[0]} is a number of more than 64 bits"
    return {name: item if not isinstance(item, list | dict) else [None] for name, item in fields.items()}


def _table(columns: dict[str, pa.Array], rows: int) -> pa.Table:
    """Make a table with so many rows, even if it has no columns."""
    return pa.table({**columns, "": pa.nulls(rows)})
