"""Rules whose plan is easy to get wrong, with a few events and what must come out. The cases are text: answers.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor

CASES = (Path(__file__).parent / "answers.txt").read_text(encoding="utf-8").split("\n=== ")[1:]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n")[0])
def test_answer(case: str) -> None:
    _, text = case.split("\n", 1)
    rules, events, expected = text.split("\n---\n")
    source = holdsfor.read_events(events.split("; "), format="terms")
    result = holdsfor.recognise(holdsfor.parse(rules), source, start=0, end=100)
    assert sorted(lines(result)) == sorted(expected.strip().split("\n"))


def lines(result: holdsfor.Result) -> list[str]:
    found = [
        f"{_term(row['fluent'], row['args'])}={row['value']} [{row['start']},{row['end'] or ''})"
        for row in result.intervals.to_pylist()
    ]
    return found + [f"{_term(row['event'], row['args'])} at {row['start']}" for row in result.occurrences.to_pylist()]


def _term(name: str, args: list[str]) -> str:
    return f"{name}({','.join(args)})" if args else name
