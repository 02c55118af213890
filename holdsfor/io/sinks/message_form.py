"""How changes are written for receivers: times as ticks or in ISO 8601, arguments as a list or by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Literal, TypeAlias, get_args

import pyarrow as pa

from holdsfor.duration import PER_SECOND, TickUnit
from holdsfor.errors import HoldsforError
from holdsfor.io.sinks.messages import in_order
from holdsfor.io.tables.wide import TableShape

Times = Literal["ticks", "iso"]
Arguments = Literal["list", "named"]
Subject: TypeAlias = tuple[bool, str, int]  # whether it is an event, its name, how many arguments it has

TIMES = ("query_time", "start", "end")
NAMED = pa.struct([("name", pa.string()), ("text", pa.string())])
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATES = range(-62_135_596_800, 253_402_300_800)  # seconds since 1970 that lie in the years 1 to 9999


@dataclass(frozen=True, slots=True)
class MessageForm:
    """Rewrites changes before sinks get them. Plain values: it is sent to Spark's workers."""

    times: Times = "ticks"
    arguments: Arguments = "list"
    unit: TickUnit = "s"
    names: Mapping[Subject, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option, value, kind in (
            ("message_times", self.times, Times),
            ("message_arguments", self.arguments, Arguments),
        ):
            if value not in get_args(kind):
                raise HoldsforError(f"{option} is {' or '.join(map(repr, get_args(kind)))}, not {value!r}.")

    @staticmethod
    def of(times: Times, arguments: Arguments, unit: TickUnit, shapes: Sequence[TableShape]) -> MessageForm:
        names = {(shape.is_event, shape.name, len(shape.columns)): shape.columns for shape in shapes}
        return MessageForm(times, arguments, unit, names)

    def apply(self, changes: pa.Table) -> pa.Table:
        """Return the changes with their times as text, and names beside their arguments, if that is wanted."""
        if self.times == "iso":
            changes = in_order(changes)
            write = partial(iso_time, unit=self.unit)
            for name in TIMES:
                changes = _replaced(changes, name, _each_time(changes[name].combine_chunks(), write))
        if self.arguments == "named":
            changes = _replaced(changes, "args", self._with_names(changes))
        return changes

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


def iso_time(tick: int, unit: TickUnit) -> str:
    """Write a tick since 1970 as `2026-03-01T09:15:25Z`; one beyond the year 9999 stays a number."""
    seconds, rest = divmod(tick, PER_SECOND[unit])
    if seconds not in _DATES:
        return str(tick)
    fraction = {"s": "", "ms": f".{rest:03d}", "us": f".{rest:06d}"}[unit]
    return f"{(_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()}{fraction}Z"


def _each_time(ticks: pa.Array, write: Callable[[int], str]) -> pa.Array:
    encoded = ticks.dictionary_encode()
    return pa.array([write(tick) for tick in encoded.dictionary.to_pylist()], pa.string()).take(encoded.indices)


def _replaced(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, column)
