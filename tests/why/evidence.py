"""See whether the leaves of a derivation, evaluated alone, yield the fact again."""

from __future__ import annotations

from typing import Any, NamedTuple

import holdsfor
from holdsfor.io.readers.ground import as_term
from holdsfor.why.derivation import Derivation


class Fact(NamedTuple):
    """What a result has: a fluent with its value, or an event (value None), at a time."""

    name: str
    args: tuple[str, ...]
    value: str | None
    at: int

    @property
    def text(self) -> str:
        subject = f"{self.name}({','.join(map(as_term, self.args))})" if self.args else self.name
        return subject if self.value is None else f"{subject}={as_term(self.value)}"

    def __str__(self) -> str:
        return f"{self.text} at {self.at}"


def facts_of(result: holdsfor.Result, last: int) -> list[Fact]:
    """Return a fact for each occurrence, and for each interval one at its first and one at its last point."""
    events = [Fact(r["event"], tuple(r["args"]), None, r["end"]) for r in result.occurrences.to_pylist()]
    fluents = []
    for row in result.intervals.to_pylist():
        end = last if row["end"] is None else min(row["end"] - 1, last)
        times = {time for time in (row["start"], end) if row["start"] <= time <= end}
        fluents += [Fact(row["fluent"], tuple(row["args"]), row["value"], time) for time in times]
    return sorted({*events, *fluents}, key=str)


def yields(result: holdsfor.Result, fact: Fact) -> bool:
    """Return whether a result has the fact."""
    if fact.value is None:
        rows = result.occurrences.to_pylist()
        return any((r["event"], tuple(r["args"]), r["end"]) == (fact.name, fact.args, fact.at) for r in rows)
    return any(
        (row["fluent"], tuple(row["args"]), row["value"]) == fact[:3]
        and row["start"] <= fact.at
        and (row["end"] is None or fact.at < row["end"])
        for row in result.intervals.to_pylist()
    )


def recognised(rules: str, rows: list[str], **times: Any) -> holdsfor.Result:
    """Recognise a history of 20 ticks, or as long as it is said to be."""
    events = holdsfor.read_events(rows, format="terms")
    return holdsfor.recognise(holdsfor.parse(rules), events, **{"start": 0, "end": 20, **times})


def holds_again(rules: str, derivation: Derivation, fact: str, at: int, **times: Any) -> bool:
    """Return whether the leaves alone yield the fact at the time."""
    again = holdsfor.recognise(holdsfor.parse(rules), derivation.inputs(), **{"start": 0, "end": 20, **times})
    try:
        return again.why(fact, at=at).kind in ("holds", "happens", "input")
    except holdsfor.HoldsforError:
        return False
