"""Changes as lines for people."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.clock import Clock, clock_text
from holdsfor.io.sinks.messages import each_distinct, in_order, joined
from holdsfor.printable import printable

WIDEST = len("withdraw")


@dataclass(frozen=True)
class ConsoleSink:
    """Writes `02:55:00  withdraw  rendezVous(v1,v2) = true  [02:10:00, 02:40:00)` to stdout."""

    clock: Clock = "ticks"
    name: str = "console"
    on_driver: ClassVar[bool] = True  # nobody sees what a worker prints

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        if len(changes):
            sys.stdout.write("\n".join(lines(changes, self.clock).to_pylist()) + "\n")
            sys.stdout.flush()
        return len(changes)


def lines(changes: pa.Table, clock: Clock) -> pa.Array:
    """Write a line for each change, in the order of query times."""
    if not len(changes):
        return pa.array([], pa.string())
    changes = in_order(changes)
    column = {name: changes[name].combine_chunks() for name in changes.column_names}
    subject: list[pa.Array | str] = [each_distinct(column["fluent" if "fluent" in column else "event"], printable)]
    some = pc.greater(pc.list_value_length(column["args"]), 0)
    subject.append(pc.if_else(some, joined(column["args"], _arguments, "(", ")"), ""))
    if "fluent" in column:
        start = pc.binary_join_element_wise("  [", _times(column["start"], clock), ", ", "")
        end = pc.if_else(
            column["end"].is_null(), "open)", pc.binary_join_element_wise(_times(column["end"], clock), ")", "")
        )
        subject += [" = ", each_distinct(column["value"], printable), start, end]
    else:
        start, end = (_times(column[name], clock) for name in ("start", "end"))
        over = pc.binary_join_element_wise("  over [", start, ", ", end, "]", "")
        at = pc.binary_join_element_wise("  at ", end, "")
        subject.append(pc.if_else(pc.equal(column["start"], column["end"]), at, over))
    op = pc.utf8_rpad(each_distinct(column["op"], printable), WIDEST)
    return pc.binary_join_element_wise(_times(column["query_time"], clock), "  ", op, "  ", *subject, "")


def _arguments(values: pa.Array) -> pa.Array:
    if not pa.types.is_struct(values.type):
        return each_distinct(values, printable)
    names, texts = (each_distinct(column, printable) for column in values.flatten())
    return pc.binary_join_element_wise(names, texts, "=")


def _times(ticks: pa.Array, clock: Clock) -> pa.Array:
    if pa.types.is_string(ticks.type):
        return pc.fill_null(ticks, "")
    filled = pc.fill_null(ticks, 0)
    return filled.cast(pa.string()) if clock == "ticks" else each_distinct(filled, partial(clock_text, clock=clock))
