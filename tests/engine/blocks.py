"""Streams and histories as blocks of text: what goes in and what must come out are written the same way.

press(a)            @ 10                     an event, or its occurrence
near(a,b)=true      @ [5,25)   arrives 25    a fluent over an interval; `inf` where it is open
retract press(a)    @ 10       arrives 30
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import holdsfor
from holdsfor import Result

WHOLE = {"start": 0, "end": 100}


def recognise(rules: str, stream: str | Sequence[str], **asked: Any) -> Result:
    """asked: window, step, start (0), end (100), sample_every, changes."""
    rows = lines(stream) if isinstance(stream, str) else list(stream)
    return holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(rows, format="terms"), **(WHOLE | asked))


def check(rules: str, stream: str, expected: str, **asked: Any) -> None:
    """The history is the expected one, in one pass and query time by query time."""
    for stepped in (False, True):
        found = recognise(rules, stream, changes=stepped, **asked)
        assert found.rejects.num_rows == 0, found.rejects.to_pylist()
        assert history(found) == sorted(lines(expected)), "query time by query time" if stepped else "in one pass"


def lines(block: str) -> list[str]:
    """The lines of a block, however they are aligned."""
    return [" ".join(line.split()) for line in block.splitlines() if line.strip()]


def history(found: Result) -> list[str]:
    """Intervals and occurrences, sorted."""
    held = intervals(found.intervals.to_pylist())
    return sorted([*held, *(f"{_term(row['event'], row['args'])} @ {row['start']}" for row in rows(found.occurrences))])


def intervals(held: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(f"{_term(row['fluent'], row['args'])}={row['value']} @ {_span(row)}" for row in held)


def changes(found: Result) -> list[str]:
    """The log: `query time: op interval`, in the order of query times."""
    logged = [(row["query_time"], f"{row['op']} {intervals([row])[0]}") for row in rows(found.changes)]
    return [f"{query_time}: {text}" for query_time, text in sorted(logged)]


def late(found: Result) -> list[str]:
    """Rows that came too late, and by how much."""
    texts = []
    for row in rows(found.late):
        value = "" if row["value"] is None else f"={row['value']}"
        span = str(row["start"]) if row["start"] == row["end"] else _span(row)
        texts.append(
            f"{_term(row['name'], row['args'])}{value} @ {span} arrives {row['arrival']} late by {row['late_by']}"
        )
    return sorted(texts)


def rows(table: pa.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def _term(name: str, args: Sequence[str]) -> str:
    return f"{name}({','.join(args)})" if args else name


def _span(row: dict[str, Any]) -> str:
    return f"[{row['start']},{'inf' if row['end'] is None else row['end']})"
