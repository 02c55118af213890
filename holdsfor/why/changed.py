"""Why something changed: for each line of the log of changes the rows without which the line would not be there.

A line is of a query time, so its cause is among the rows that are first seen then: late ones, retractions, corrections,
or what is new. Fewer and fewer of them are left out, and the history is evaluated as that query time knew it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.output.result import reported
from holdsfor.engine.stepping.history import find_history
from holdsfor.errors import HoldsforError
from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.printable import count_text
from holdsfor.why.derivation import SomeEvents
from holdsfor.why.plain import claim_text, span_text
from holdsfor.why.reach import ReachableRows
from holdsfor.why.request import Request, relations_of

Numbered = tuple[int, ...]
"""Rows by their numbers, counted over all blocks."""
MOST_SINGLE, MOST_NAMED = 16, 5


@dataclass(frozen=True, slots=True)
class RevisionCause:
    """A line of the log of changes, and the rows that caused it. events: all that the fact depends on, without these.

    rows: as text, with what each did. They are empty if the line came with time alone, such as a deadline.
    """

    line: dict[str, Any]
    rows: tuple[str, ...]
    events: SomeEvents

    def __str__(self) -> str:
        line = self.line
        end = "open" if line["end"] is None else line["end"]
        what = f"at {line['query_time']}: {line['op']} {line['start']} to {end}"
        more = len(self.rows) - MOST_NAMED
        rows = [*self.rows[:MOST_NAMED], *([f"{count_text(more, 'row')} more"] if more > 0 else [])]
        return f"{what}, because of {' and '.join(rows)}" if rows else f"{what}, because time went on"

    def as_dict(self) -> dict[str, Any]:
        """Return the line and its rows as plain values."""
        return {"line": self.line, "rows": list(self.rows)}


class Revisions:
    """The changes of one fluent, as query times told of it."""

    def __init__(self, reach: ReachableRows, request: Request) -> None:
        self._reach, self._request = reach, request
        self._blocks = reach.select(request)
        self._offsets = np.cumsum([0, *map(len, self._blocks)]).tolist()

    def causes(self) -> Iterator[RevisionCause]:
        """Iterate over the lines of the log, each with its cause."""
        for line in self._lines():
            cause = self._find_cause(line)
            rows = tuple(self._text(number) for number in cause)
            yield RevisionCause(line, rows, SomeEvents((), self._without(cause)))

    def _lines(self) -> list[dict[str, Any]]:
        history, size = self._reach.history, sum(map(len, self._blocks))
        read = Events(self._blocks, REJECTS_SCHEMA.empty_table(), size, 0)
        log = find_history(history.program, read, history.windows, True).changes.to_pylist()
        texts = self._request.texts
        return [line for line in log if (line["fluent"], *line["args"], line["value"]) == texts]

    def _find_cause(self, line: dict[str, Any]) -> Numbered:
        """Return the fewest rows first seen at the query time of a line without which it is not there."""
        seen = self._seen_at(line["query_time"])
        if not self._is_gone(line, seen):
            return ()
        for number in seen if len(seen) <= MOST_SINGLE else ():
            if self._is_gone(line, (number,)):
                return (number,)
        fewest = self._fewest(line, (), (), seen)
        return fewest if self._is_gone(line, fewest) else seen

    def _fewest(self, line: dict[str, Any], left_out: Numbered, extra: Numbered, rows: Numbered) -> Numbered:
        """Return those of some rows that must be left out, too, by halves."""
        if extra and self._is_gone(line, left_out):
            return ()
        if len(rows) == 1:
            return rows
        one, other = rows[: len(rows) // 2], rows[len(rows) // 2 :]
        of_other = self._fewest(line, left_out + one, one, other)
        of_one = self._fewest(line, left_out + of_other, of_other, one)
        return of_one + of_other

    def _is_gone(self, line: dict[str, Any], left_out: Numbered) -> bool:
        """Whether a line is not there without some rows."""
        all_windows = self._reach.history.windows
        windows = replace(all_windows, end=min(line["query_time"], all_windows.end))
        ends = with_room(lambda room: self._told(self._without(left_out), windows, room))
        if line["op"] == "withdraw":
            return line["start"] in ends
        return line["start"] not in ends or ends[line["start"]] != line["end"]

    def _told(self, blocks: Sequence[Block], windows: Any, room: int) -> dict[int, int | None]:
        """Return the intervals that are known at the end of the windows, by their start."""
        replay = self._reach.evaluate(self._request, blocks, room, windows)
        ends: dict[int, int | None] = {}
        for relation in relations_of(self._request, replay):
            intervals = reported(relation, replay.world)
            mask = np.ones(len(intervals.s), np.bool_)
            for position, term in enumerate(self._request.columns(relation)):
                mask &= intervals.codes(position) == replay.code(term) if term is not None else True
            axis = replay.world.axis
            spans = zip(intervals.s[mask] & axis.mask, intervals.e[mask] & axis.mask, strict=True)
            ends |= {replay.time(int(start)): replay.end(int(end)) for start, end in spans}
        return ends

    # ------------------------------------------------------------ rows by number

    def _seen_at(self, query_time: int) -> Numbered:
        windows = self._reach.history.windows
        seen = [windows.first_seen(block.arrival) == query_time for block in self._blocks]
        return tuple(np.flatnonzero(np.concatenate([[], *seen])).tolist())

    def _without(self, numbers: Numbered) -> tuple[Block, ...]:
        places = np.array(numbers, np.int64)
        left = (np.setdiff1d(np.arange(low, high), places) - low for low, high in self._spans)
        return tuple(block.take(rows) for block, rows in zip(self._blocks, left, strict=True))

    @property
    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self._offsets[:-1], self._offsets[1:], strict=True))

    def _text(self, number: int) -> str:
        """Write a row, and what it did."""
        place = next(n for n, (_, high) in enumerate(self._spans) if number < high)
        block, row = self._blocks[place], number - self._offsets[place]
        arrival, time = int(block.arrival[row]), int(block.start[row])
        verb = "retracted" if block.op is not None and block.op[row] < 0 else "arrived"
        late = f", {arrival - time} late" if arrival > time and verb == "arrived" else ""
        return f"{claim_text(block, row)} @ {span_text(block, row)} ({verb} at {arrival}{late})"


def explain_changes(reach: ReachableRows, request: Request) -> tuple[RevisionCause, ...]:
    """Explain each line of the log of changes about a fluent."""
    if request.value is None or any(one.kind == "event" for one in relations_of(request, reach.empty)):
        raise HoldsforError(f"{request.fact}: the log of changes is about fluents. Write 'fluent(a,b)=value'.")
    return tuple(Revisions(reach, request).causes())
