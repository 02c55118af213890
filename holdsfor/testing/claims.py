"""Claims of tests: lines of a table that must come out, and how what comes out differs from them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from holdsfor.engine.output.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.testing import tables
from holdsfor.testing.blocks import FencedBlock

NOTHING = "nothing"


class ResultRow(NamedTuple):
    """A row of a result: a fluent and its value (None: an event), and when; end `open`: it is not over."""

    subject: str
    value: str | None
    start: str
    end: str

    @property
    def name(self) -> str:
        """Return the name and the number of arguments of what it is about, as `alarm/1`."""
        name, parenthesis, rest = self.subject.partition("(")
        return f"{name}/{len(_split_arguments(rest.removesuffix(')'))) if parenthesis else 0}"

    @property
    def fact(self) -> str:
        """Return the row as a question."""
        return self.subject if self.value is None else f"{self.subject}={self.value}"

    @property
    def text(self) -> str:
        return f"{self.fact} " + (f"at {self.start}" if self.value is None and self.start == self.end else self._span)

    @property
    def _span(self) -> str:
        if self.value is None:
            return f"from {self.start} to {self.end}"
        return f"from {self.start}" + (", open" if self.end == "open" else f" until {self.end}")


@dataclass(frozen=True, slots=True)
class ResultClaim:
    """Rows that must come out, and no others of these names (None: of all)."""

    rows: frozenset[ResultRow]
    only: tuple[str, ...] | None

    @property
    def names(self) -> set[str]:
        """Return what is claimed by name, as `alarm` or `alarm/1`."""
        return {row.name for row in self.rows} | set(self.only or ())

    def concerns(self, row: ResultRow) -> bool:
        return self.only is None or row.name in self.only or row.name.rpartition("/")[0] in self.only


class WrongRows(NamedTuple):
    """Rows that are missing and rows that are too many, of one fluent with its value or of one event."""

    missing: tuple[ResultRow, ...]
    extra: tuple[ResultRow, ...]


def read_claim(block: FencedBlock, place: str) -> ResultClaim:
    """Read a block of results: tables with a header each."""
    header: tuple[str, ...] = ()
    rows = set()
    for line in block.text.splitlines():
        if not line.strip() or line.startswith("%") or line.strip() == NOTHING:
            continue
        cells = tuple(line.split())
        if cells in _HEADERS:
            header = cells
        elif not header:
            raise HoldsforError(f"{place}: {line!r} is in no table. First comes a header: `fluent  value  start  end`.")
        else:
            rows.add(_read_row(line, header, place))
    only = block.settings.get("only")
    return ResultClaim(frozenset(rows), None if only is None else tuple(only.split(",")))


_HEADERS = {("fluent", "value", "start", "end"), ("event", "time"), ("event", "start", "end")}
_TIME = re.compile(r"-?\d+")


def _read_row(line: str, header: tuple[str, ...], place: str) -> ResultRow:
    times = 1 if header[-1] == "time" else 2
    parts = line.strip().rsplit(None, times)
    right = all(_TIME.fullmatch(cell) or cell == "open" for cell in parts[1:])
    if len(parts) != times + 1 or not right:
        raise HoldsforError(f"{place}: {line.strip()!r} is no row of {'  '.join(header)}.")
    if header[0] == "event":
        return ResultRow(parts[0], None, parts[1], parts[-1])
    subject, value = _cut_value(parts[0])
    if not value:
        raise HoldsforError(f"{place}: {line.strip()!r} has no value. A row is {'  '.join(header)}.")
    return ResultRow(subject, value, parts[1], parts[2])


def _cut_value(text: str) -> tuple[str, str]:
    """Cut a fluent from its value: at two spaces, or behind its arguments."""
    for cut in (r"^(.*?\S)\s{2,}(\S.*)$", r"^(.*\))\s+(\S.*)$", r"^(\S+)\s+(\S.*)$"):
        if match := re.match(cut, text):
            return match[1], match[2]
    return text, ""


def _split_arguments(text: str) -> list[str]:
    """Split the arguments of a term as results write it."""
    depth, parts = 0, [""] if text else []
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            parts.append("")
        elif parts:
            parts[-1] += char
    return parts


def rows_of(result: Result) -> set[ResultRow]:
    """Return all rows of a result."""
    return set(_rows(result))


def _rows(result: Result) -> Iterator[ResultRow]:
    for row in result.intervals.to_pylist():
        subject = tables.term_text(row["fluent"], row["args"])
        yield ResultRow(subject, row["value"], *tables.span_text(row))
    for row in result.occurrences.to_pylist():
        yield ResultRow(tables.term_text(row["event"], row["args"]), None, *tables.span_text(row))


def compare(claim: ResultClaim, rows: Iterable[ResultRow]) -> list[WrongRows]:
    """Return how rows differ from what is claimed, one difference for each fluent with its value, or event."""
    chosen = {row for row in rows if claim.concerns(row)}
    parts: dict[str, tuple[list[ResultRow], list[ResultRow]]] = defaultdict(lambda: ([], []))
    for place, wrong in enumerate((claim.rows - chosen, chosen - claim.rows)):
        for row in sorted(wrong, key=lambda row: (row.subject, row.value or "", int(row.start), row.end)):
            parts[row.fact][place].append(row)
    return [WrongRows(tuple(missing), tuple(extra)) for _, (missing, extra) in sorted(parts.items())]


def first_wrong_time(difference: WrongRows) -> tuple[str, int, bool]:
    """Return a fact and the first time at which it is wrong, and whether it is so there (or missing)."""
    edges = sorted({edge for rows in difference for row in rows for edge in _edges(row)})
    for time in edges:
        missing, extra = (any(covers(row, time) for row in rows) for rows in difference)
        if missing != extra:
            return (difference.extra or difference.missing)[0].fact, time, extra
    row = (*difference.extra, *difference.missing)[0]  # an event that takes time, and began at another
    return row.fact, _last(row), bool(difference.extra)


def _edges(row: ResultRow) -> Iterator[int]:
    yield int(row.end) if row.value is None else int(row.start)
    if row.value is not None and row.end != "open":
        yield int(row.end)


def _last(row: ResultRow) -> int:
    return int(row.start if row.end == "open" else row.end)


def covers(row: ResultRow, time: int) -> bool:
    """Whether it is so at a time."""
    if row.value is None:
        return time == int(row.end)
    return int(row.start) <= time and (row.end == "open" or time < int(row.end))
