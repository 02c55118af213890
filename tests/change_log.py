"""Read a log of changes row by row, as a receiver would, and hold each row to what it says of those before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

Subject: TypeAlias = tuple[Any, ...]


def fold_strictly(rows: Iterable[dict[str, Any]], step: int) -> dict[Subject, int | None]:
    """Return the end of each interval that is left. step: from one query time to the next.

    A new end of what was told has one right name: `end` if it was open and nothing that had been told up to the query
    time before is taken back; `shorten` if something is; `extend` if there is more of it.
    """
    ends: dict[Subject, int | None] = {}
    for row in rows:
        subject = row["fluent"], tuple(row["args"]), row["value"], row["start"]
        if row["op"] == "insert":
            assert subject not in ends, f"inserted twice: {row}"
            ends[subject] = row["end"]
        elif row["op"] == "withdraw":
            assert ends.pop(subject) == row["end"], f"withdrawn as it was not: {row}"
        else:
            assert row["op"] == _right_name(ends[subject], row, step), f"told to end at {ends[subject]}, then {row}"
            ends[subject] = row["end"]
    return ends


def _right_name(told_end: int | None, row: dict[str, Any], step: int) -> str:
    end = row["end"]
    assert end != told_end, f"nothing changes: {row}"
    if end is None or (told_end is not None and end > told_end):
        return "extend"
    return "end" if told_end is None and end > row["query_time"] - step else "shorten"
