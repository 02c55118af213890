"""Reads declared.txt: the cases in which the original is not followed, the reason, and the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.naive.evaluate import Answer
from tests.naive.rows import split_arguments

_TERM = re.compile(r"(\w+)(?:\((.*)\))?")


@dataclass
class Declared:
    """error: the code of the diagnostic that the description gets instead of an answer."""

    reason: str
    answer: Answer = field(default_factory=Answer)
    error: str = ""


@cache
def declared() -> dict[str, Declared]:
    """By the name of the case."""
    found: dict[str, Declared] = {}
    name = ""
    for line in (Path(__file__).parent / "declared.txt").read_text().splitlines():
        if line.startswith("  "):
            add_line(line.strip(), found[name])
        elif line and not line.startswith("#"):
            name, reason = line.split(": ", 1)
            assert name not in found
            found[name] = Declared(reason)
    return found


def add_line(line: str, case: Declared) -> None:
    if line.startswith("error: "):
        case.error = line.removeprefix("error: ")
    elif " @ " in line:
        event, times = line.split(" @ ")
        case.answer.occurrences.update((*_term(event), int(t)) for t in times.split())
    else:
        what, *intervals = line.split()
        fluent, value = what.rsplit("=", 1)
        case.answer.intervals[(*_term(fluent), value)] = [_interval(text) for text in intervals]


def _term(text: str) -> tuple[str, tuple[str, ...]]:
    found = _TERM.fullmatch(text)
    assert found is not None, text
    return found[1], tuple(split_arguments(found[2])) if found[2] else ()


def _interval(text: str) -> tuple[int, int | None]:
    start, end = text.split("-")
    return int(start), int(end) if end else None
