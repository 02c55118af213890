"""Messages as events: the topic says what they are; payloads are JSON, RTEC's CSV or dRTEC's lines, or are rejected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import Mask, mask
from holdsfor.io.columns.utf8 import NOT_UTF8, mend_column
from holdsfor.io.events import REJECTS_SCHEMA, Events, Ints
from holdsfor.io.join import join_events
from holdsfor.io.mqtt.topics import TopicRule, level_columns, routed, topic_rules
from holdsfor.io.readers.arguments import plain
from holdsfor.io.readers.columns import blocks_from_table, check_mapping
from holdsfor.io.readers.formats.drtec import as_rtec, show_lines
from holdsfor.io.readers.formats.rtec import read_pieces
from holdsfor.io.readers.mapping import UNITS, Mapping, as_mapping
from holdsfor.io.readers.objects import ObjectRows, UsedFields, read_objects, without_nested
from holdsfor.io.readers.sieve import shorten, take_text
from holdsfor.language.description import Input

#: Characters that the table of rejects keeps of a payload that gave many of them.
SHOWN_OF_MANY = 60
SHOWN_OF_TOPIC = 200
#: The word for the time a message was received, where a mapping names the column of the arrival.
RECEIVED = "received"

_PIECE = 1 << 26  # bytes of payload that are parsed at once
# `insert` and `retract` come before a name; an event that is itself called insert has its arrival, a number, there.
_OPERATION = r"(?:insert|retract)\|[^|]*[^-0-9.|][^|]*"
_ARRIVAL = rf"^(?P<head>{_OPERATION}|[^|]*)\|[^|]*\|(?P<tail>.*)$"


@dataclass(frozen=True, slots=True)
class Messages:
    """Some messages, as columns."""

    topic: pa.Array
    payload: pa.Array  # string
    received: Ints  # milliseconds since 1970

    def take(self, rows: Ints) -> Messages:
        at = pa.array(rows)
        return Messages(self.topic.take(at), self.payload.take(at), self.received[rows])

    def __len__(self) -> int:
        return len(self.received)


def messages_to_events(
    table: pa.Table, mapping: Mapping | AnyMapping[str, Any] | str | Path | None, inputs: Sequence[Input]
) -> Events:
    """Read messages (columns topic, payload, received) as events, and say what is wrong with the others.

    In the table of rejects `source` is the topic and `row` the place in the message, counted from 1.
    """
    resolved = as_mapping(mapping)
    check_mapping(resolved, inputs)
    rules = topic_rules(resolved)
    parts = [part for piece in _pieces(table) for part in _piece_events(piece, resolved, rules, tuple(inputs))]
    return join_events(parts)


def _pieces(table: pa.Table) -> Iterator[pa.Table]:
    size = np.cumsum(pc.binary_length(plain(table["payload"])).to_numpy(zero_copy_only=False), dtype=np.int64)
    cuts = np.flatnonzero(np.diff(size // _PIECE, prepend=0)).tolist()
    for begin, end in zip([0, *cuts], [*cuts, len(table)], strict=True):
        if begin < end:
            yield table.slice(begin, end - begin)


def _piece_events(
    table: pa.Table, mapping: Mapping, rules: tuple[TopicRule, ...], inputs: tuple[Input, ...]
) -> Iterator[Events]:
    payload, broken = _text(plain(table["payload"]).fill_null(b""))
    received = table["received"].to_numpy()
    messages = Messages(plain(table["topic"]).fill_null(""), payload, received)
    if broken.any():
        yield _refused(messages, np.flatnonzero(broken), NOT_UTF8)
    for rule, rows in routed(rules, messages.topic):
        rows = rows[~broken[rows]]
        if rule is None:
            yield _refused(messages, rows, "no pattern in [topics] matches the topic")
            continue
        empty = mask(pc.match_substring_regex(messages.payload.take(pa.array(rows)), r"^\s*$"))
        yield _refused(messages, rows[empty], "empty message")
        some = messages.take(rows[~empty])
        is_json = _is_json(rule, some)
        if is_json.any():
            yield _json_events(some.take(np.flatnonzero(is_json)), rule, mapping, inputs)
        if not is_json.all():
            yield _line_events(some.take(np.flatnonzero(~is_json)), rule, mapping, inputs)


def _text(payload: pa.Array) -> tuple[pa.Array, Mask]:
    """Return payloads as strings, and a mask of those that are none."""
    text, broken = mend_column(payload.view(pa.string()))
    return text, np.zeros(len(text), np.bool_) if broken is None else broken


def _is_json(rule: TopicRule, messages: Messages) -> Mask:
    if rule.format is not None or rule.name is not None:
        return np.full(len(messages), rule.format not in ("rtec", "drtec"), np.bool_)
    return mask(pc.match_substring_regex(messages.payload, r"^\s*[\[{]"))


def _refused(messages: Messages, rows: Ints, reason: str) -> Events:
    some = messages.take(rows)
    ones = np.ones(len(rows), np.int64)
    return Events((), _rejects(some, np.arange(len(rows)), ones, pa.repeat(reason, len(rows))), len(rows), 0)


def _rejects(
    messages: Messages, which: Ints, position: Ints, reasons: pa.Array, text: pa.ChunkedArray | None = None
) -> pa.Table:
    """Make a table of rejects. text: of each row; None, or null: the payload of its message."""
    if not len(which):
        return REJECTS_SCHEMA.empty_table()
    those, at = np.unique(which, return_inverse=True)
    some = messages.take(those)
    many = np.bincount(at)[at] > 1
    shown = pc.coalesce(
        take_text(shorten(some.payload), at, ~many), take_text(shorten(some.payload, SHOWN_OF_MANY), at, many)
    )
    if text is not None:
        shown = pc.coalesce(text, shown)
    columns = [take_text(shorten(some.topic, SHOWN_OF_TOPIC), at), pa.array(position), shown, reasons]
    return pa.table(columns, schema=REJECTS_SCHEMA)


# ---------------------------------------------------------------- lines of RTEC's and dRTEC's


def _line_events(messages: Messages, rule: TopicRule, mapping: Mapping, inputs: tuple[Input, ...]) -> Events:
    arrival = None
    if mapping.arrival == RECEIVED:
        arrival = messages.received * UNITS["ms"] // UNITS[mapping.date_unit]
    events, message, position = _read_lines(messages.payload, rule, arrival, inputs)
    at = events.rejects["row"].to_numpy() - 1
    shown = events.rejects["text"]
    rejects = _rejects(messages, message[at], position[at], events.rejects["reason"], shown)
    return replace(events, rejects=rejects)


def _read_lines(
    payload: pa.Array, rule: TopicRule, arrival: Ints | None, inputs: tuple[Input, ...]
) -> tuple[Events, Ints, Ints]:
    """Return events, with rejects counted over all lines from 1, and each line's message and place in it.

    arrival: of each message, where its lines' own is not to be used. Where the rule retracts, lines need not say so.
    """
    split = pc.split_pattern(pc.utf8_rtrim(payload, "\r\n"), "\n")
    lines = split.flatten()
    count = pc.list_value_length(split).to_numpy(zero_copy_only=False)
    message = np.repeat(np.arange(len(payload)), count)
    position = np.arange(len(lines)) - np.repeat(np.cumsum(count) - count, count) + 1
    original = lines
    if rule.format == "drtec":
        lines = as_rtec(lines)
    if arrival is not None:
        lines = _with_arrival(lines, arrival[message])
    if rule.op < 0:
        spoken = mask(pc.match_substring_regex(lines, rf"^{_OPERATION}"))
        blank = mask(pc.match_substring_regex(lines, r"^\s*$"))
        lines = pc.if_else(pa.array(spoken | blank), lines, pc.binary_join_element_wise("retract|", lines, ""))
    offsets = pa.array([0, len(lines)], pa.int32())
    text = pc.binary_join(pa.ListArray.from_arrays(offsets, lines), "\n")[0].as_buffer().to_pybytes()
    events = read_pieces([text] if text else [], inputs, "")
    return (show_lines(events, original) if rule.format == "drtec" else events), message, position


def _with_arrival(lines: pa.Array, arrival: Ints) -> pa.Array:
    parts = pc.extract_regex(lines, _ARRIVAL)
    head, tail = pc.struct_field(parts, "head"), pc.struct_field(parts, "tail")
    written = pc.binary_join_element_wise(head, pa.array(arrival).cast(pa.string()), tail, "|")
    return pc.if_else(parts.is_valid(), written, lines)


# ---------------------------------------------------------------- JSON


def _json_events(messages: Messages, rule: TopicRule, mapping: Mapping, inputs: tuple[Input, ...]) -> Events:
    mapping = _explicit(mapping, rule)
    usage = _used_fields(mapping, inputs)
    tables, bad = read_objects(messages.payload, usage)
    parts: list[Events] = []
    for rows in tables:
        rows = without_nested(rows, bad)
        rows = replace(rows, table=_completed(rows, messages, rule, mapping, usage))
        parts.extend(_read_rows(some, messages, rule, mapping, inputs) for some in _by_value(rows, mapping))
    which, position, reasons = bad.columns()
    wrong = _rejects(messages, which, position, reasons)
    return join_events([*parts, Events((), wrong, len(which), 0)])


def _explicit(mapping: Mapping, rule: TopicRule) -> Mapping:
    """Return the mapping with all columns named, so that no message is read by what others beside it have."""
    listed = {column for columns in mapping.arguments.values() for column in columns}
    usual: dict[str, Any] = {
        role: getattr(mapping, role) or (role if role not in listed else None) for role in ("time", "arrival", "op")
    }
    name, event = mapping.name, mapping.event
    if rule.name is not None:
        name, event = None, rule.name
    elif event is None:
        name = name or "event"
    if rule.op < 0:
        usual["op"] = mapping.op or "op"
    return replace(mapping, name=name, event=event, **usual)


def _used_fields(mapping: Mapping, inputs: tuple[Input, ...]) -> UsedFields:
    """List the fields of use. An event that is not listed has its arguments in arg1, arg2, ..."""
    arguments = mapping.arguments
    exact: set[str] = set()
    columns = {name for names in arguments.values() for name in names}
    for declared in inputs:
        numbered = tuple(f"arg{i}" for i in range(1, declared.signature.arity + 1))
        names = arguments.get(declared.signature.name, numbered)
        columns.update(names)
        exact.update(name for position, name in enumerate(names) if position not in declared.numbers)
    times = {name for name in (mapping.time, mapping.end, mapping.arrival) if name is not None}
    if any(i.key is not None for i in inputs):
        times |= {mapping.valid_from or "valid_from", mapping.valid_to or "valid_to"} - columns
    value = mapping.value or "value"
    exact |= {value} if any(i.kind != "event" for i in inputs) else set()
    columns |= times | {name for name in (mapping.name, mapping.op, value) if name is not None}
    return UsedFields(columns, times, exact)


def _completed(rows: ObjectRows, messages: Messages, rule: TopicRule, mapping: Mapping, usage: UsedFields) -> pa.Table:
    """Add the columns that come from the message itself, and empty ones for what no message has."""
    count = len(rows.message)
    columns = {name: plain(rows.table[name]) for name in rows.table.column_names if name}
    for name in usage.times & set(columns):
        if pa.types.is_boolean(columns[name].type):
            columns[name] = columns[name].cast(pa.string())  # refused as a time, row by row
    at = pa.array(rows.message)
    columns |= {name: column.take(at) for name, column in level_columns(rule, messages.topic).items()}
    if mapping.arrival == RECEIVED:
        columns[RECEIVED] = pa.array(messages.received[rows.message], pa.timestamp("ms"))
    if rule.op < 0 and mapping.op is not None:
        columns[mapping.op] = pa.repeat(-1, count)
    optional = {"value"} if mapping.value is None else set()
    for name in sorted(usage.columns - set(columns) - optional):
        columns[name] = pa.nulls(count, pa.string())
    return pa.table(columns)


def _by_value(rows: ObjectRows, mapping: Mapping) -> Iterator[ObjectRows]:
    """Separate rows with a value from those without, which are true, unless the mapping says that all have one."""
    listed = any("value" in columns for columns in mapping.arguments.values())
    if mapping.value is not None or listed or "value" not in rows.table.column_names:
        yield rows
        return
    has_value = mask(plain(rows.table["value"]).is_valid())
    for some, table in ((has_value, rows.table), (~has_value, rows.table.drop_columns(["value"]))):
        if some.any():
            yield ObjectRows(table.filter(pa.array(some)), rows.message[some], rows.position[some])


def _read_rows(
    rows: ObjectRows, messages: Messages, rule: TopicRule, mapping: Mapping, inputs: tuple[Input, ...]
) -> Events:
    events = blocks_from_table(rows.table, mapping, inputs, "", untyped=frozenset(rule.levels))
    at = events.rejects["row"].to_numpy() - 1
    which = rows.message[at]
    alone = np.bincount(rows.message, minlength=len(messages))[which] == 1
    text = pc.if_else(pa.array(alone), pa.scalar(None, pa.string()), events.rejects["text"])
    return replace(events, rejects=_rejects(messages, which, rows.position[at], events.rejects["reason"], text))
