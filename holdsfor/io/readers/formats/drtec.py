"""dRTEC's lines: `happensAt, appear, id0, 80` and `holdsFor, running, id1, true, 90;100`.

Several arguments stand with semicolons between them, `id1;id0`; an interval is its first point and the point after its
last one, or `inf`. `retract, holdsFor, ...` takes a row back. A row arrives when what it tells is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.utf8 import NOT_UTF8, mend_column
from holdsfor.io.events import Events
from holdsfor.io.join import join_events, number_rows
from holdsfor.io.readers.fields import pieces_of
from holdsfor.io.readers.formats import rtec
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.sieve import shorten
from holdsfor.language.description import Input

_FIELD = r"[^,;|]+?"
_OP = r"^\s*(?P<op>(?:(?:insert|retract)\s*,)?)\s*"
_SUBJECT = rf"(?P<name>{_FIELD})\s*,\s*(?P<args>[^,|]*?)\s*,\s*"
_EVENT = rf"{_OP}happensAt\s*,\s*{_SUBJECT}(?P<start>-?\d+)\s*$"
_FLUENT = rf"{_OP}holdsFor\s*,\s*{_SUBJECT}(?P<value>{_FIELD})\s*,\s*(?P<start>-?\d+)\s*;\s*(?P<end>-?\d+|inf)\s*$"
#: In the place of a line that is neither, and of one that is no text: no lines of RTEC's.
_NEITHER, _BROKEN = "?", "??"
_FORM = "expected `happensAt, event, arguments, time` or `holdsFor, fluent, arguments, value, start;end`"


def read_drtec(content: Path | tuple[str, ...], mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all lines of a file, or lines."""
    parts: list[tuple[Events, int]] = []
    for piece in pieces_of(content):
        lines = pa.array(piece.removesuffix(b"\n").split(b"\n"), pa.binary())
        parts.append((read_lines(lines, inputs, source), len(lines)))
    return join_events(number_rows(parts, 0))


def read_lines(lines: pa.Array, inputs: Sequence[Input], source: str) -> Events:
    """Read a column of lines; rejected ones are shown as they came."""
    text, broken = mend_column(lines.cast(pa.binary()).view(pa.string()))
    rows = as_rtec(text)
    if broken is not None:
        rows = pc.if_else(pa.array(broken), _BROKEN, rows)
    return show_lines(rtec.read_lines(rows, inputs, source), text)


def as_rtec(lines: pa.Array) -> pa.Array:
    """Write lines of dRTEC's as lines of RTEC's; blank ones stay blank."""
    event, fluent = pc.extract_regex(lines, _EVENT), pc.extract_regex(lines, _FLUENT)
    time = pc.struct_field(event, "start")
    happened = pc.binary_join_element_wise(_head(event, time), time, "|")
    start, end = pc.struct_field(fluent, "start"), pc.struct_field(fluent, "end")
    over = pc.if_else(pc.equal(end, "inf"), start, end)
    held = pc.binary_join_element_wise(_head(fluent, over), start, end, pc.struct_field(fluent, "value"), "|")
    blank = pc.if_else(pc.equal(pc.utf8_trim_whitespace(lines), ""), "", _NEITHER)
    rows = (_with_args(happened, event), _with_args(held, fluent))
    return pc.coalesce(*rows, blank)


def _head(parts: pa.StructArray, arrival: pa.Array) -> pa.Array:
    """Write `name|arrival` or `retract|name|arrival`; null where a line has no such form."""
    name = pc.binary_join_element_wise(pc.struct_field(parts, "name"), arrival, "|")
    op = pc.struct_field(parts, "op")
    word = pc.replace_substring_regex(op, r"\s*,$", "|")
    return pc.if_else(pc.equal(op, ""), name, pc.binary_join_element_wise(word, name, ""))


def _with_args(row: pa.Array, parts: pa.StructArray) -> pa.Array:
    args = pc.replace_substring_regex(pc.struct_field(parts, "args"), r"\s*;\s*", "|")
    return pc.if_else(pc.equal(args, ""), row, pc.binary_join_element_wise(row, args, "|"))


def show_lines(events: Events, lines: pa.Array) -> Events:
    """Show rejected rows as lines of dRTEC's, and say which form was expected. They are numbered from 1."""
    rejects = events.rejects
    if not len(rejects):
        return events
    texts = lines.take(pa.array(rejects["row"].to_numpy() - 1))
    reasons = pc.if_else(pc.equal(rejects["text"], _NEITHER), _FORM, rejects["reason"])
    reasons = pc.if_else(pc.equal(rejects["text"], _BROKEN), NOT_UTF8, reasons)
    columns = {"source": rejects["source"], "row": rejects["row"], "text": shorten(texts), "reason": reasons}
    return replace(events, rejects=pa.table(columns, schema=rejects.schema))
