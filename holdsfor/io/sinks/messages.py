"""Changes as JSON, one object each, made by columns (each distinct text is written once), and as files of such lines.

Times are ticks or ISO 8601, arguments a list or by their names, as a `MessageForm` says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.duration import TickUnit
from holdsfor.errors import HoldsforError
from holdsfor.io.clock import iso_time
from holdsfor.io.sinks.drtec import LINE, with_lines
from holdsfor.io.storage.store import Store
from holdsfor.io.tables.wide import TableShape

SPECIAL = r'["\\\x00-\x1f]'  # what JSON writes otherwise
SUBJECT = {True: ("fluent", "args", "value", "start", "end"), False: ("event", "args", "start", "end")}
Times = Literal["ticks", "iso"]
Arguments = Literal["list", "named"]
Format = Literal["json", "drtec"]
Subject: TypeAlias = tuple[bool, str, int]  # whether it is an event, its name, how many arguments it has

TIMES = ("query_time", "start", "end")
NAMED = pa.struct([("name", pa.string()), ("text", pa.string())])


def changes_as_json(batch: int, changes: pa.Table) -> pa.Array:
    """Write a JSON object for each change, in the order of query times:

    `{"batch":3,"query_time":180,"op":"insert","id":"...","fluent":"near","args":["v1"],"value":"true","start":7,"end":null}`

    Those of an update of rules end with its number: `,"update":1}`.
    """
    changes = in_order(changes)
    pieces: list[pa.Array | str] = [f'{{"batch":{batch}']
    marked = ("update",) if "update" in changes.column_names else ()
    for name in ("query_time", "op", "id", *SUBJECT["fluent" in changes.column_names], *marked):
        pieces += [f',"{name}":', _json(changes[name].combine_chunks())]
    if not len(changes):
        return pa.array([], pa.string())
    return pc.binary_join_element_wise(*pieces, "}", "")


def write_messages(batch: int, changes: pa.Table) -> pa.Array:
    """Write a message for each change, in the order of query times: a line, if the changes have some, or an object."""
    if LINE in changes.column_names:
        return in_order(changes)[LINE].combine_chunks()
    return changes_as_json(batch, changes)


def in_order(changes: pa.Table) -> pa.Table:
    """Sort changes by query time; those of one query time stay as they stand."""
    times = changes["query_time"].to_numpy()
    if (times[1:] >= times[:-1]).all():
        return changes
    return changes.take(pa.array(np.argsort(times, kind="stable")))


def each_distinct(column: pa.Array, write: Callable[[Any], str]) -> pa.Array:
    """Write the values of a column as text; one that is there a thousand times is written once."""
    encoded = column.dictionary_encode()
    written = pa.array([write(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return written.take(encoded.indices)


def joined(lists: pa.Array, write: Callable[[pa.Array], pa.Array], opening: str, closing: str) -> pa.Array:
    """Write each list as one text, with commas."""
    values = write(lists.flatten())
    sizes = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate(([0], np.cumsum(sizes))).astype(np.int32))
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, values), ",")
    return pc.binary_join_element_wise(opening, texts, closing, "")


def _json(column: pa.Array) -> pa.Array:
    if pa.types.is_integer(column.type):
        return pc.fill_null(column.cast(pa.string()), "null")
    if pa.types.is_list(column.type):
        named = pa.types.is_struct(column.type.value_type)
        return joined(column, _pairs, "{", "}") if named else joined(column, _quoted_each, "[", "]")
    return pc.fill_null(_quoted_each(column), "null")


def _pairs(arguments: pa.StructArray) -> pa.Array:
    names, texts = map(_quoted_each, arguments.flatten())
    return pc.binary_join_element_wise(names, texts, ":")


def _quoted_each(texts: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring_regex(texts, SPECIAL)).as_py():
        return each_distinct(texts, quoted)
    return pc.binary_join_element_wise('"', texts, '"', "")


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class MessageForm:
    """Rewrites changes before sinks get them. Plain values: it is sent to Spark's workers."""

    times: Times = "ticks"
    arguments: Arguments = "list"
    unit: TickUnit = "s"
    names: Mapping[Subject, tuple[str, ...]] = field(default_factory=dict)
    format: Format = "json"

    def __post_init__(self) -> None:
        for option, value, kind in (
            ("message_times", self.times, Times),
            ("message_arguments", self.arguments, Arguments),
            ("message_format", self.format, Format),
        ):
            if value not in get_args(kind):
                raise HoldsforError(f"{option} is {' or '.join(map(repr, get_args(kind)))}, not {value!r}.")
        if self.format == "drtec" and (self.times, self.arguments) != ("ticks", "list"):
            raise HoldsforError("messages in the format 'drtec' have times in ticks and lists of arguments.")

    @staticmethod
    def of(
        times: Times, arguments: Arguments, unit: TickUnit, shapes: Sequence[TableShape], format: Format = "json"
    ) -> MessageForm:
        names = {(shape.is_event, shape.name, len(shape.columns)): shape.columns for shape in shapes}
        return MessageForm(times, arguments, unit, names, format)

    def apply(self, changes: pa.Table) -> pa.Table:
        """Return the changes with times as text, names beside arguments, or lines, as far as that is wanted."""
        if self.times == "iso":
            changes = in_order(changes)
            write = partial(iso_time, unit=self.unit)
            for name in TIMES:
                changes = _replaced(changes, name, each_distinct(changes[name].combine_chunks(), write))
        if self.arguments == "named":
            changes = _replaced(changes, "args", self._with_names(changes))
        return with_lines(changes) if self.format == "drtec" else changes

    def _with_names(self, changes: pa.Table) -> pa.Array:
        is_event = "event" in changes.column_names
        args = changes["args"].combine_chunks()
        subjects = changes["event" if is_event else "fluent"].to_pylist()
        sizes = [len(each) for each in args]
        names = [
            name
            for subject, size in zip(subjects, sizes, strict=True)
            for name in self.names.get((is_event, subject, size)) or tuple(f"arg{n}" for n in range(1, size + 1))
        ]
        pairs = pa.StructArray.from_arrays([pa.array(names, pa.string()), args.flatten()], fields=list(NAMED))
        offsets = [0]
        for size in sizes:
            offsets.append(offsets[-1] + size)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pairs)


PLAIN = MessageForm()


def _replaced(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, column)


@dataclass(frozen=True)
class JsonLinesSink:
    """Writes `batch=0000003/intervals-stage0-3.jsonl`, or `.txt` for dRTEC's lines, in a store.

    Delivered again, the batch replaces its files.
    """

    store: Store
    name: str = "jsonlines"

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        kind = "intervals" if "fluent" in changes.column_names else "occurrences"
        ending = "txt" if LINE in changes.column_names else "jsonl"
        name = f"batch={batch:07d}/{kind}-{part}.{ending}"
        if len(changes):
            self.store.write(name, ("\n".join(write_messages(batch, changes).to_pylist()) + "\n").encode())
        else:
            self.store.delete(name)  # an earlier attempt of the batch may have had changes
        return len(changes)


class Sink(Protocol):
    """Takes the changes of a batch, bucket by bucket. Sinks are sent to workers, so they can be pickled.

    A batch may be delivered again after a crash. Every message says its batch, query time, operation and id, so that a
    receiver can tell; content and order of a delivery are the same each time if its changes are those of a commit.
    """

    @property
    def name(self) -> str: ...

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        """Deliver a log of intervals or of occurrences, in the order of query times; return how many changes."""
        ...
