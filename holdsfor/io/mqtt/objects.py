"""JSON payloads as tables: one object, an array of objects, or one object a line. Arrow parses all messages at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from holdsfor.io.events import Ints
from holdsfor.io.text import mask

_EVENTS = "e"  # the field in which each message is wrapped
_NO_OBJECT = "not a JSON object"


@dataclass(frozen=True, slots=True)
class Rows:
    """Events of some messages, as columns, and where each comes from."""

    table: pa.Table
    message: Ints
    position: Ints  # in its message, from 1


@dataclass(slots=True)
class Bad:
    """What is no event, and why."""

    message: list[int] = field(default_factory=list)
    position: list[int] = field(default_factory=list)
    reason: list[str] = field(default_factory=list)

    def add(self, message: int, position: int, reason: str) -> None:
        self.message.append(int(message))
        self.position.append(int(position))
        self.reason.append(reason)


@dataclass(frozen=True, slots=True)
class Wanted:
    """columns: all that are of use. times: those where text may be a date. exact: those where 7 is not 7.0."""

    columns: Set[str]
    times: Set[str]
    exact: Set[str]


def read_objects(payload: pa.Array, wanted: Wanted) -> tuple[list[Rows], Bad]:
    """Tables of the wanted columns that any message has; several where messages disagree on a column's type."""
    bad = Bad()
    every = np.arange(len(payload))
    rows = _parsed(payload, every, wanted, bad)
    if rows is not None:
        return [rows], bad
    good, values = _loaded(payload, bad)  # one by one, to find those that are no JSON
    found = Bad()
    rows = _parsed(payload.take(pa.array(good)), good, wanted, found)
    if rows is None:
        return list(_by_types(good, values, wanted, bad)), bad
    for place in zip(found.message, found.position, found.reason, strict=True):
        bad.add(*place)
    return [rows], bad


def _parsed(payload: pa.Array, message: Ints, wanted: Wanted, bad: Bad) -> Rows | None:
    """By Arrow; None where it cannot tell everything that was said."""
    lines = _wrapped(payload)
    events = _read(lines, {})
    if events is None:
        return None
    dated = {f.name for f in _fields(events) if pa.types.is_timestamp(f.type)} & (wanted.columns - wanted.times)
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
        for at in np.flatnonzero(missing):
            bad.add(which[at], place[at], _NO_OBJECT)
        objects, which, place = objects.filter(pa.array(~missing)), which[~missing], place[~missing]
    columns = {f.name: objects.field(f.name) for f in objects.type if f.name in wanted.columns}
    if any(
        pa.types.is_floating(columns[name].type) and _has_whole(columns[name]) for name in wanted.exact & set(columns)
    ):
        return None
    return Rows(_table(columns, len(which)), which, place)


def _wrapped(payload: pa.Array) -> pa.Array:
    """One line a message: {"e":[...]} with all its objects."""
    text = pc.ascii_trim_whitespace(payload)
    if pc.any(pc.match_substring(text, "\n"), min_count=0).as_py():
        # A line end stands between tokens only. Between } and { there is none but where one object a line is written.
        text = pc.replace_substring_regex(text, r"\}\s*\n\s*\{", "},{")
        text = pc.replace_substring(text, "\n", " ")
    text = pc.replace_substring(text, "\r", " ")
    array = pc.starts_with(text, "[")
    before = pc.if_else(array, f'{{"{_EVENTS}":', f'{{"{_EVENTS}":[')
    after = pc.if_else(array, "}", "]}")
    return pc.binary_join_element_wise(before, text, after, "")


def _read(lines: pa.Array, types: dict[str, pa.DataType]) -> pa.Array | None:
    """The objects of each line, as a list column."""
    if not len(lines):
        return pa.array([], pa.list_(pa.struct([])))
    offsets = pa.array([0, len(lines)], pa.int32())
    data = pc.binary_join(pa.ListArray.from_arrays(offsets, lines), "\n")[0].as_buffer()
    given = pa.schema([(_EVENTS, pa.list_(pa.struct(list(types.items()))))]) if types else None
    try:
        table = pj.read_json(
            pa.BufferReader(data),
            read_options=pj.ReadOptions(use_threads=False, block_size=data.size + 1),
            parse_options=pj.ParseOptions(explicit_schema=given, newlines_in_values=False),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if table.column_names != [_EVENTS] or table.num_rows != len(lines):  # a payload that closes our brackets
        return None
    column = table[_EVENTS].combine_chunks()
    kind = column.type
    if column.null_count or not pa.types.is_list(kind):
        return None
    if pa.types.is_null(kind.value_type):
        column = column.cast(pa.list_(pa.struct([])))
    return column if pa.types.is_struct(column.type.value_type) else None


def _fields(events: pa.Array) -> list[pa.Field]:
    return list(events.type.value_type)


def _has_whole(column: pa.Array) -> bool:
    numbers = column.drop_null().to_numpy(zero_copy_only=False)
    return bool((numbers == np.floor(numbers)).any())


def _loaded(payload: pa.Array, bad: Bad) -> tuple[Ints, list[list[Any]]]:
    """Which messages are JSON, and what they say."""
    good: list[int] = []
    values: list[list[Any]] = []
    for message, text in enumerate(payload.to_pylist()):
        try:
            values.append(_values(text))
            good.append(message)
        except (ValueError, RecursionError) as error:
            bad.add(message, 1, f"malformed JSON: {error}")
    return np.array(good, np.int64), values


def _values(text: str) -> list[Any]:
    text = text.strip(" \t\r\n")
    try:
        value = json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            raise
        return [json.loads(line) for line in lines]
    return value if isinstance(value, list) else [value]


def _by_types(message: Ints, values: list[list[Any]], wanted: Wanted, bad: Bad) -> Iterator[Rows]:
    """A table for each set of types, so that no value is turned into what another one is."""
    groups: dict[tuple[tuple[str, type], ...], list[tuple[dict[str, Any], int, int]]] = {}
    for at, objects in zip(message.tolist(), values, strict=True):
        for position, value in enumerate(objects, 1):
            if not isinstance(value, dict):
                bad.add(at, position, _NO_OBJECT)
                continue
            told = {name: item for name, item in value.items() if name in wanted.columns and item is not None}
            large = [name for name, item in told.items() if isinstance(item, int) and not -(2**63) <= item < 2**63]
            if large:
                bad.add(at, position, f"{large[0]} is a number of more than 64 bits")
                continue
            told = {name: item if not isinstance(item, list | dict) else [None] for name, item in told.items()}
            types = tuple(sorted(((name, type(item)) for name, item in told.items()), key=lambda pair: pair[0]))
            groups.setdefault(types, []).append((told, at, position))
    for types, found in groups.items():
        columns = {name: pa.array([told[name] for told, _, _ in found]) for name, _ in types}
        places = np.array([(at, position) for _, at, position in found], np.int64)
        yield Rows(_table(columns, len(found)), places[:, 0], places[:, 1])


def _table(columns: dict[str, pa.Array], rows: int) -> pa.Table:
    """A table that has as many rows as there are events, even if none has a column that is of use."""
    return pa.table({**columns, "": pa.nulls(rows)})
