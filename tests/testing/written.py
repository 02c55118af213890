"""Tests of rules, written to files and run."""

from __future__ import annotations

from pathlib import Path

from holdsfor.testing.coverage.records import Coverage
from holdsfor.testing.run import Outcome, run_test
from holdsfor.testing.suite import RuleDefaults, read_tests

RULES = """\
initiatedAt(moving(V)=true, T) :- happensAt(speed(V,S), T), S > 5, \\+ happensAt(lost(V), T).
terminatedAt(moving(V)=true, T) :- happensAt(speed(V,S), T), S =< 5.
happensAt(alarm(V), T) :- happensAt(start(moving(V)=true), T), holdsAt(near(V,_)=true, T).
initiatedAt(near(V,P)=true, T) :- happensAt(enter(V,P), T).
terminatedAt(near(V,P)=true, T) :- happensAt(leave(V,P), T).
"""
MOVES = """\
# It moves

```events
% start=0 end=20
speed(v1,7) @ 3
speed(v1,2) @ 9
```
```result
fluent      value  start  end
moving(v1)  true       4   10
```
"""


def write(folder: Path, test: str, rules: str = RULES) -> Path:
    """Write a test with its rules beside it."""
    (folder / "ship.ec").write_text(rules, encoding="utf-8")
    path = folder / "ship.test.ec"
    path.write_text(test, encoding="utf-8")
    return path


def block(events: str, result: str, heading: str = "") -> str:
    """Write a test."""
    return f"{heading}\n\n```events\n{events}\n```\n```result\n{result}\n```\n"


def run(folder: Path, test: str, rules: str = RULES, coverage: Coverage | None = None) -> list[Outcome]:
    """Run the tests of a text."""
    return [run_test(one, coverage=coverage) for one in read_tests(write(folder, test, rules), RuleDefaults())]


def problems(folder: Path, test: str, rules: str = RULES) -> list[str]:
    """Return what is wrong with the only test of a text."""
    (outcome,) = run(folder, test, rules)
    return list(outcome.problems)
