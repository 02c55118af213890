"""Events as lines of terms, for tests and documents.

    wind(st1, 12.5) @ 30                       an event at a point
    shift(a) @ [10,40)                         a fluent that is true from 10 up to, not including, 40
    trip(a) @ [10,40]                          an event of a pattern that lasts from 10 to 40, both included
    zone(v1)='near port' @ [10,inf) arrives 35
    retract wind(st1, 12.5) @ 30 arrives 50
    linked(a,b) @ 5                            a fact that is valid from 5 on; also @ [5,20)
    end linked(a,b) @ 20                       a fact that is not valid any more from 20 on

As everywhere in Holdsfor the second number of an interval is the point after the last one: `[10,40]` and `[10,40)` are
the same for a fluent. An event `@ [10,40)` lasts until 39.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal as OneOf

import numpy as np
import pyarrow as pa

from holdsfor.io.columns.names import shorten_blocks
from holdsfor.io.columns.text import TERM_TYPE
from holdsfor.io.columns.utf8 import NOT_UTF8, escape_text, is_whole
from holdsfor.io.events import MOST_TIME, OPEN, OUT_OF_RANGE, Block, Events
from holdsfor.io.readers.fields import chunks
from holdsfor.io.readers.ground import NotATerm, TermCursor
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.sieve import default_arrival, ops, out_of_range, rejects_table, time_blocks
from holdsfor.io.readers.validity import validity_blocks
from holdsfor.language.description import Input
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, name_and_args

_WHEN = re.compile(
    r"@\s*(?:(?P<time>-?\d+)|\[\s*(?P<start>-?\d+)\s*,\s*(?P<end>-?\d+|inf)\s*(?P<close>[\])]))\s*(?:arrives\s+(?P<arrival>-?\d+)\s*)?\Z"
)
_OP = re.compile(r"\s*(insert|retract)\s+(?=[a-z'])")
_END = re.compile(r"\s*end\s+(?=[a-z'])")
MOST_DIGITS = 40  # of a time that is worth converting
_FORM = "bad time: expected `term @ time` or `term=value @ [start,end)`, then optionally `arrives time`"


@dataclass(frozen=True, slots=True)
class TermRow:
    name: str
    args: tuple[Term, ...]
    value: Term | None
    start: int
    end: int | None
    arrival: int | None
    retracts: bool
    closed: bool = False  # written with `]`
    ends: bool = False  # a fact is not valid any more


def read_terms(content: Path | tuple[str, ...], mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all events of a file or of lines."""
    if isinstance(content, Path):
        text = b"".join(chunks(content)).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        return read_term_lines(text.splitlines(), inputs, source)
    return read_term_lines(content, inputs, source)


def read_lines(lines: pa.Array, inputs: Sequence[Input], source: str) -> Events:
    """Read a column of lines, as Spark's text source gives them."""
    texts = (line.decode("utf-8", "surrogateescape") for line in lines.cast(pa.binary()).to_pylist())
    return read_term_lines(texts, inputs, source)


def read_term_lines(lines: Iterable[str], inputs: Sequence[Input], source: str, form: str = _FORM) -> Events:
    """Read lines as events; blank lines and lines that begin with % are left out. form: told of one without a time."""
    groups: dict[tuple[Input, OneOf["event", "interval", "point"]], list[TermRow]] = {}
    rejects: list[tuple[int, str, str]] = []
    others: list[TermRow] = []
    names = {declared.signature.name for declared in inputs}
    read = unused = 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        read += 1
        row = None
        try:
            row = read_row(text, form)
            declared = _declared(row, inputs) if row.name in names else None
            if declared is not None:
                _check(row, declared)
                row = _half_open(row, declared)
        except ValueError as problem:  # NotATerm, or a number with more digits than Python reads
            rejects.append((number, escape_text(text), escape_text(str(problem))))
            others += [] if row is None else [row]
            continue
        if declared is None or not declared.read:
            unused += 1
            others.append(row)
        elif row.end != row.start or declared.kind == "event":
            groups.setdefault((declared, _kind(row, declared)), []).append(row)
        else:
            others.append(row)
    blocks = tuple(block for (declared, kind), rows in groups.items() for block in _blocks(declared, kind, rows))
    return Events(shorten_blocks(blocks, inputs), _rejects(rejects, source), read, unused, other_times=_times(others))


def _times(rows: Sequence[TermRow]) -> tuple[Block, ...]:
    """Return the times of rows of which nothing else is read."""
    columns = ([row.start for row in rows], [row.arrival for row in rows], [row.end for row in rows])
    start, arrival, end = (np.array(list(map(_in_range, column)), np.int64) for column in columns)
    every = np.ones(len(rows), np.bool_)
    return time_blocks((start, every), (arrival, every), (end, every))


def _in_range(time: int | None) -> int:
    return OPEN if time is None else min(max(time, -OUT_OF_RANGE), OUT_OF_RANGE)


def read_row(text: str, form: str = _FORM) -> TermRow:
    """Read one line."""
    if not is_whole(text):
        raise NotATerm(NOT_UTF8)
    op = _OP.match(text)
    text = text[op.end() :] if op else text
    ending = _END.match(text)
    reader = TermCursor(text[ending.end() :] if ending else text)
    term = reader.term()
    value = reader.term() if reader.accept("=") else None
    if not isinstance(term, Atom | Compound):
        raise NotATerm("an event or a fluent begins with its name")
    when = _WHEN.match(reader.rest())
    if when is None:
        raise NotATerm(form)
    name, args = name_and_args(term)
    end = None if when["end"] is None else OPEN if when["end"] == "inf" else _time(when["end"])
    arrival = None if when["arrival"] is None else _time(when["arrival"])
    start, retracts = _time(when["time"] or when["start"]), bool(op and op[1] == "retract")
    return TermRow(name, args, value, start, end, arrival, retracts, when["close"] == "]", ending is not None)


def _time(digits: str) -> int:
    time = int(digits) if len(digits) < MOST_DIGITS else OUT_OF_RANGE
    return OUT_OF_RANGE if time == OPEN else time


def _declared(row: TermRow, inputs: Sequence[Input]) -> Input:
    named = [i for i in inputs if i.signature.name == row.name]
    fits = [i for i in named if i.signature.arity == len(row.args)]
    if not fits:
        signatures = ", ".join(str(i.signature) for i in named)
        raise NotATerm(f"wrong arity: {row.name}/{len(row.args)}, but the rules read {signatures}")
    durative = row.value is not None or row.end is not None
    fits.sort(key=lambda i: (i.kind == "event") == durative)
    first = fits[0]
    if durative and first.kind == "event" and (row.value is not None or row.end == OPEN or not first.may_last):
        raise NotATerm(f"{first.signature} is an event for the rules: {_shape(first)} and has no value")
    if row.ends and (first.key is None or row.end is not None):
        raise NotATerm("expected `end fact @ time`" if first.key is not None else f"{first.signature} is not a fact")
    if row.value is not None and first.key is not None:
        raise NotATerm(f"{first.signature} is a fact, which has no value")
    return first


def _shape(event: Input) -> str:
    return "it has a start and an end" if event.may_last else "it happens at a point"


def _half_open(row: TermRow, declared: Input) -> TermRow:
    """Write the end as the point after the last one, whichever way the row has it."""
    closed = declared.kind == "event" and row.closed and row.end is not None
    return replace(row, end=row.end + 1) if closed and row.end is not None else row


def _check(row: TermRow, declared: Input) -> None:
    for position in sorted(declared.numbers):
        if not isinstance(row.args[position], Int | Float):
            raise NotATerm(f"bad number: argument {position + 1} of {declared.signature} is not a number")
    times = {"time": row.start, "end": 0 if row.end in (None, OPEN) else row.end, "arrival": row.arrival or 0}
    for what, time in times.items():
        if abs(time) > MOST_TIME:
            raise NotATerm(out_of_range(what))
    if row.end is not None and row.end < row.start:
        raise NotATerm("end before start")


def _kind(row: TermRow, declared: Input) -> OneOf["event", "interval", "point"]:
    if declared.kind == "event" or declared.key is not None:
        return declared.kind
    return "point" if row.end is None else "interval"


def _blocks(declared: Input, kind: OneOf["event", "interval", "point"], rows: list[TermRow]) -> Iterable[Block]:
    if declared.key is None:
        return (_block(declared.stored_as.name, kind, rows),)
    lasting = [
        replace(
            row, end=OPEN if row.end is None else row.end, arrival=row.start if row.arrival is None else row.arrival
        )
        for row in rows
    ]
    return validity_blocks(declared, _block(declared.stored_as.name, kind, lasting), np.array([r.ends for r in rows]))


def _block(name: str, kind: OneOf["event", "interval", "point"], rows: list[TermRow]) -> Block:
    start = np.array([row.start for row in rows], np.int64)
    end = np.array([row.end for row in rows], np.int64) if kind == "interval" else None
    onset = None
    if kind == "event" and any(row.end is not None for row in rows):
        onset, start = start, np.array([row.start if row.end is None else row.end - 1 for row in rows], np.int64)
    late = default_arrival(start, end)
    arrival = np.array([late[i] if row.arrival is None else row.arrival for i, row in enumerate(rows)], np.int64)
    value = None if kind == "event" else _text([row.value or Atom("true") for row in rows])
    args = tuple(_column(column) for column in zip(*(row.args for row in rows), strict=True))
    return Block(
        name, kind, args, value, start, end, arrival, ops(np.array([row.retracts for row in rows], np.bool_)), onset
    )


def _column(terms: Sequence[Term]) -> pa.Array:
    if all(isinstance(term, Int) and abs(term.value) < OPEN for term in terms):
        return pa.array([int(str(term)) for term in terms], pa.int64())
    if all(isinstance(term, Float) for term in terms):
        return pa.array([float(str(term)) for term in terms], pa.float64())
    return _text(terms)


def _text(terms: Sequence[Term]) -> pa.Array:
    return pa.array([str(term) for term in terms], pa.string()).dictionary_encode().cast(TERM_TYPE)


def _rejects(rejects: list[tuple[int, str, str]], source: str) -> pa.Table:
    rows = np.array([row for row, _, _ in rejects], np.int64)
    text = pa.array([text for _, text, _ in rejects], pa.string())
    return rejects_table(source, rows, text, pa.array([reason for _, _, reason in rejects], pa.string()))
