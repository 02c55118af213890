"""Rows of a stream, how RTEC writes them, and which of them count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from holdsfor.language.description import EventDescription, Input, Signature
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, name_and_args
from tests.naive.calculate import NULL
from tests.naive.intervals import FOREVER, next_point

_INTEGER = re.compile(r"-?[0-9]+\Z")
_COMPOUND = re.compile(r"([a-z]\w*)\((.*)\)\Z")
_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+\Z")
_SPAN = re.compile(r"(.*?) @ (?:(-?\d+)|\[(-?\d+),(-?\d+)\])(?: arrives (-?\d+))?\Z")
_VALIDITY = re.compile(r".* @ (?:(-?\d+)|\[(-?\d+),(?:-?\d+|inf)\))(?: arrives (-?\d+))?\Z")


@dataclass(frozen=True, slots=True)
class Row:
    kind: OneOf["event", "interval", "point"]
    name: str
    args: tuple[Term, ...]
    value: Term | None
    start: int
    end: int  # intervals: the point after the last one; events: the last one; points: the same as start
    arrival: int


@dataclass(frozen=True, slots=True)
class Horizon:
    """Query times are start+step, start+2*step, ...; the last one is the first at or after end.

    The history is (start, end]: it depends on no query time.
    """

    window: int
    step: int
    start: int
    end: int
    sample_every: int = 1

    @property
    def grid_start(self) -> int:
        """The last tick at or before the start: what begins with the history holds from there on."""
        return self.start - self.start % self.sample_every

    @property
    def last(self) -> int:
        return self.first_query(self.end)

    def first_query(self, arrival: int) -> int:
        query = self.start + self.step
        while query < arrival:
            query += self.step
        return query


def term_of(field: str) -> Term:
    if _INTEGER.match(field):
        return Int(int(field))
    if _DECIMAL.match(field):
        return Float(float(field))
    return compound_of(field) or Atom(field)


def compound_of(field: str) -> Term | None:
    """`pair(a,7)` as a term; None if the field is none. Without quotes and blanks: streams here have neither."""
    found = _COMPOUND.match(field)
    if found is None:
        return None
    return Compound(found[1], tuple(map(term_of, split_arguments(found[2]))))


def split_arguments(text: str) -> list[str]:
    """Cut at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def read_lines(lines: Iterable[str], description: EventDescription) -> list[Row]:
    """The good rows of RTEC's CSV; the others are left out."""
    rows = (read_line(line.strip("\r\n"), description) for line in lines)
    return [row for row in rows if row is not None]


def line_format(lines: Sequence[str]) -> str:
    """Of a stream: `a(x) @ 4` is a term, `a|4|4|x` is RTEC's CSV."""
    return "terms" if lines and " @ " in lines[0] else "rtec"


def term_arrival(line: str) -> int:
    """When a line of terms arrives: as it says, or when what it is about is over; a fact when it begins to be valid."""
    fact = _VALIDITY.match(line)
    if fact is not None:
        return int(fact[3] or fact[1] or fact[2])
    found = _SPAN.match(line)
    assert found is not None, line
    return int(found[5] or found[4] or found[2])


def read_terms(lines: Iterable[str], description: EventDescription) -> list[Row]:
    """Events as terms: `a(x) @ 4`, `a(x) @ [2,4]`, `a(x) @ 4 arrives 9`; what no rule reads is left out."""
    known = {entity.signature: entity.may_last for entity in description.inputs}
    rows = []
    for line in lines:
        found = _SPAN.match(line)
        assert found is not None, line
        name, args = name_and_args(term_of(found[1].replace(" ", "")))
        start, end = (int(found[2]),) * 2 if found[2] else (int(found[3]), int(found[4]))
        entity = Signature(name, len(args))
        if entity in known and (start == end or known[entity]):  # others are refused
            rows.append(Row("event", name, args, None, start, end, term_arrival(line)))
    return rows


def read_line(line: str, description: EventDescription) -> Row | None:
    name, *fields = line.rstrip("|").split("|")
    for entity in description.inputs:
        if entity.signature.name == name:
            # a fluent that no declaration calls point-wise may still be given point by point
            shapes = (entity, replace(entity, kind="point")) if entity.kind == "interval" else (entity,)
            found = [row for shape in shapes if (row := _row(shape, fields)) is not None]
            if found:
                return found[0]
    return None


def _row(entity: Input, fields: Sequence[str]) -> Row | None:
    times = {"event": 2, "point": 2, "interval": 3}[entity.kind]
    values = 0 if entity.kind == "event" else 1
    if len(fields) != times + values + entity.signature.arity or not all(fields):
        return None
    ends = [FOREVER if field == "inf" and place == 2 else _integer(field) for place, field in enumerate(fields[:times])]
    args = tuple(map(term_of, fields[times + values :]))
    if None in ends or any(
        not isinstance(args[place], Int | Float) and args[place] != NULL for place in entity.numbers
    ):
        return None
    arrival, start, end = (ends[0], ends[1], ends[-1])
    assert arrival is not None
    assert start is not None
    assert end is not None
    if end < start or (entity.kind == "interval" and end == start):
        return None
    value = term_of(fields[times]) if values else None
    return Row(entity.kind, entity.signature.name, args, value, start, end, arrival)


def _integer(field: str) -> int | None:
    return int(field) if _INTEGER.match(field) else None


def counting(rows: Iterable[Row], horizon: Horizon) -> list[Row]:
    """What counts of the rows: each is decided at the first query time that sees it."""
    return [kept for row in rows if (kept := _kept(row, horizon)) is not None]


def _kept(row: Row, horizon: Horizon) -> Row | None:
    happens = row.end if row.kind == "event" else row.start  # an event that takes time happens when it ends
    if row.arrival > horizon.end or happens > horizon.end:
        return None
    edge = max(horizon.first_query(row.arrival) - horizon.window, horizon.start)
    if happens > edge:
        return row
    begin = next_point(edge, horizon.sample_every)
    if row.kind != "interval" or row.end <= begin:
        return None
    return Row(row.kind, row.name, row.args, row.value, begin, row.end, row.arrival)
