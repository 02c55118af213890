"""Shrink a history to the fewest rows that still show a fact, and write a test of them.

The reasons of the fact name rows that are enough (`Derivation.inputs`); of these, parts are left out as long as the
fact is still recognised (delta debugging), until none of the rows that are left can go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.duration import TimePoint
from holdsfor.engine.output.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import plain_text
from holdsfor.io.events import Block
from holdsfor.io.readers.sieve import default_arrival
from holdsfor.language.terms import Term
from holdsfor.local.recognise import recognise
from holdsfor.testing import tables
from holdsfor.testing.claims import covers, rows_of
from holdsfor.testing.run import silence
from holdsfor.why.derivation import Derivation, LeafRows, SomeEvents, collect_blocks
from holdsfor.why.origin import Origin
from holdsfor.why.plain import claim_text, span_text
from holdsfor.why.request import read_request

#: A row of the input: its block and its place there.
RowPlace = tuple[Block, int]


@dataclass(frozen=True)
class Shrunk:
    """A fact, and the fewest rows that show it."""

    fact: str
    at: int
    name: str
    rows: tuple[RowPlace, ...]
    origin: Origin

    @cached_property
    def result(self) -> Result:
        """Return the history of these rows."""
        return recognise_rows(self.rows, self.origin)

    def as_test(self) -> str:
        """Write a test: the rows, and all that comes of them that is called as the fact is."""
        windows = self.origin.windows
        times: dict[str, int | str] = {"start": windows.start, "end": windows.end}
        if windows.window < windows.end - windows.start:  # rows may be too late
            times |= {"window": windows.window, "step": windows.step}
        times |= {"sample_every": windows.tick} if windows.tick != 1 else {}
        times |= {"tick_unit": self.origin.unit} if self.origin.unit != "s" else {}
        settings = " ".join(f"{name}={time}" for name, time in times.items())
        rows = "\n".join(sorted((_line(block, row) for block, row in self.rows), key=_time_of))
        shown = "\n".join(tables.result(_only(self.name, self.result)))
        return (
            f"# {self.fact} at {self.at}\n\n```events\n% {settings}\n{rows}\n```\n"
            f"```result\n% only={self.name}\n{shown}\n```\n"
        )


def shrink(origin: Origin, fact: str, at: TimePoint) -> Shrunk:
    """Find the fewest rows of a history that still show a fact at a time."""
    derivation = origin.why(fact, at)
    request = read_request(fact, at, origin.windows, origin.unit)
    subject = tables.term_text(request.name, plain_arguments(request.args))
    value = None if request.value is None else plain_arguments([request.value])[0]

    def shows(rows: Sequence[RowPlace]) -> bool:
        return any(
            row.subject == subject and (value is None or row.value == value) and covers(row, request.time)
            for row in rows_of(recognise_rows(rows, origin))
        )

    rows = next((rows for rows in _candidates(derivation) if shows(rows)), None)
    if rows is None:
        raise HoldsforError(
            f"{fact} at {request.time} does not come of the rows that it goes back to: it is left out of results, or "
            "was decided on input that is no longer kept. Ask why, and shrink a fact that the tree shows."
        )
    return Shrunk(fact, request.time, request.name, tuple(minimise(rows, shows)), origin)


def _candidates(derivation: Derivation) -> list[list[RowPlace]]:
    """Return rows that may be enough: those that the tree shows; all that it considered besides."""
    shown = [part for node in derivation.nodes() for part in node.rows]
    considered = [part for node in derivation.nodes() for part in node.considered]
    return [_places(shown), _places([*shown, *considered])]


def _places(parts: Sequence[LeafRows]) -> list[RowPlace]:
    """Return each row once."""
    places = {(id(part.block), row): (part.block, row) for part in parts for row in part.rows.tolist()}
    return list(places.values())


def recognise_rows(rows: Sequence[RowPlace], origin: Origin) -> Result:
    """Recognise some rows of a history in its windows."""
    blocks = collect_blocks(LeafRows(block, np.array([row]), "") for block, row in rows)
    windows = origin.windows
    times: dict[str, Any] = {name: getattr(windows, name) for name in ("window", "step", "start", "end")}
    times |= {"sample_every": windows.tick, "tick_unit": origin.unit}
    with silence():
        return recognise(origin.description, SomeEvents((), blocks), **times, threads=1)


def minimise(rows: Sequence[RowPlace], shows: Callable[[Sequence[RowPlace]], bool]) -> list[RowPlace]:
    """Leave out parts, then smaller parts, as long as the rest shows the fact; at last no single row can go."""
    left, parts = list(rows), 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        for begin in range(0, len(left), size):
            rest = left[:begin] + left[begin + size :]
            if shows(rest):
                left, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(left))
    return [] if len(left) == 1 and shows([]) else left


def plain_arguments(terms: Sequence[Term]) -> list[str]:
    """Write terms as results do, without quotes."""
    texts: list[str] = plain_text(pa.array([str(term) for term in terms], pa.string())).to_pylist()
    return texts


def _only(name: str, history: Result) -> Result:
    """Return what a result has of one name."""
    intervals = history.intervals.filter(pc.equal(history.intervals["fluent"], name))
    occurrences = history.occurrences.filter(pc.equal(history.occurrences["event"], name))
    return Result(intervals, occurrences, history.changes, history.rejects, history.late)


def _line(block: Block, row: int) -> str:
    """Write a row, with its arrival where it did not arrive at once."""
    end = None if block.end is None else block.end[row : row + 1]
    at_once = int(default_arrival(block.start[row : row + 1], end)[0])
    arrival = int(block.arrival[row])
    late = "" if arrival == at_once else f" arrives {arrival}"
    return f"{claim_text(block, row)} @ {span_text(block, row)}{late}"


def _time_of(line: str) -> tuple[int, str]:
    when = line.rpartition(" @ ")[2].split(" ")[0].strip("[").partition(",")[0]
    return int(when), line
