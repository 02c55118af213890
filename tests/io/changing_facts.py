"""Random facts that change, as terms and as a table, with events that ask for them."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import pyarrow as pa

from holdsfor.engine.output.result import Result
from holdsfor.io.events import SINCE_EVER

RULES = """
happensAt(near(A, B), T) :- happensAt(ask(A, B), T), linked(A, B).
happensAt(at(V, Q), T) :- happensAt(ask(V, _), T), berth(V, Q).
initiatedAt(apart(A, B)=true, T) :- happensAt(ask(A, B), T), \\+ linked(A, B).
terminatedAt(apart(A, B)=true, T) :- happensAt(ask(A, B), T), linked(A, B).
"""
MAPPING: dict[str, Any] = {
    "name": "what",
    "time": "t",
    "valid_from": "since",
    "valid_to": "until",
    "arrival": "came",
    "events": {"ask": ["a", "b"]},
    "facts": {"linked": ["a", "b"], "berth": {"columns": ["a", "b"], "key": ["a"]}},
}
OPTIONS: dict[str, Any] = {"window": 30, "step": 10, "start": 0, "end": 60}
COLUMNS = pa.schema(
    [(name, pa.string()) for name in ("what", "op")]
    + [(name, pa.int64()) for name in ("t", "since", "until", "came")]
    + [(name, pa.string()) for name in ("a", "b")]
)


class Row(NamedTuple):
    """One row of the table, in the order of `COLUMNS`; op: None for an insertion."""

    what: str
    op: str | None
    t: int | None
    since: int | None
    until: int | None
    came: int | None
    a: str
    b: str

    @property
    def arrival(self) -> int:
        """When it is there; what holds since ever is there at once."""
        return next(time for time in (self.came, self.t, self.since, 0) if time is not None)

    @property
    def term(self) -> str:
        """The same as a line of terms."""
        head, arrives = f"{self.what}({self.a},{self.b})", "" if self.came is None else f" arrives {self.came}"
        if self.what == "ask":
            return f"{head} @ {self.t}{arrives}"
        if self.op == "delete":
            return f"end {head} @ {self.since}{arrives}"
        since = SINCE_EVER if self.since is None else self.since
        retract = "retract " if self.op == "retract" else ""
        return f"{retract}{head} @ [{since},{'inf' if self.until is None else self.until}){arrives}"


def draw_rows(seed: int, is_plain: bool = False) -> list[Row]:
    """Draw rows. is_plain: none that ends a fact, and none without a beginning: what RTEC's CSV can say."""
    random = Random(seed)
    rows = []
    for _ in range(random.randint(3, 14)):
        what, since = random.choice(["linked", "berth"]), random.randint(1, 40)
        a, b = random.choice("xyz"), random.choice("uvw")
        came = random.choice([None, None, since + random.randint(0, 40)])
        op = random.choice([None, None, None, *([] if is_plain else ["delete"])])
        until = None if op or random.random() < 0.5 else since + random.randint(1, 25)
        row = Row(what, op, None, since, until, came, a, b)
        if not is_plain and op is None and random.random() < 0.2:
            row = row._replace(since=None)
        rows.append(row)
        if op is None and random.random() < 0.2:
            rows.append(row._replace(op="retract", came=random.randint(20, 50)))
    rows += [Row("ask", None, t, None, None, None, random.choice("xyz"), random.choice("uvw")) for t in range(1, 58)]
    random.shuffle(rows)
    return rows


def table_of(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist([row._asdict() for row in rows], schema=COLUMNS)


def answer_of(result: Any) -> tuple[list[str], list[str]]:
    """Everything that was found, in order."""
    tables = (result.intervals, result.occurrences) if isinstance(result, Result) else result
    intervals, occurrences = (sorted(map(str, table.to_pylist())) for table in tables)
    return intervals, occurrences
