"""The golden cases of interval patterns, read into one shape: streams of terms, answers with starts and ends."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from holdsfor.language import parse
from tests.conformance import report
from tests.conformance.cases import identity, paths
from tests.conformance.compare import compared, differences
from tests.conformance.declared import Declared, add_line
from tests.conformance.engines import LOCAL, Engine, in_session, in_stream, in_tasks
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon, split_arguments

PATTERN_ENGINES: tuple[Engine, ...] = (LOCAL[0], in_tasks(3), in_stream(2), in_session())
#: Those that go through every window.
STEPPING_ENGINES: tuple[Engine, ...] = (LOCAL[1], in_stream(2))
FOLDERS = ("patterns", "random/pattern", "random/mixed")
#: Cases that record what the original does, and have no answer.
_NO_ANSWER = frozenset({"impl_fnot", "impl_revision"})
_POLICIES = frozenset({"recent", "chronological"})


@dataclass(frozen=True)
class PatternCase:
    """events: those whose occurrences the answer lists; None: all that are defined."""

    name: str
    text: str
    lines: tuple[str, ...]
    horizon: Horizon
    expected: Answer
    events: frozenset[str] | None
    features: frozenset[str] = field(default=frozenset())

    def __str__(self) -> str:
        return self.name


def pattern_cases() -> list[PatternCase]:
    """Each case once as it is declared, and once more with its policy where the answer is known."""
    found: list[PatternCase] = []
    for folder in FOLDERS:
        report.total[folder] = len(paths(folder))
        for path in paths(folder):
            cases = _read(path)
            if cases:
                report.in_scope.add(identity(path))
            found += cases
    return found


def _read(path: Path) -> list[PatternCase]:
    record: dict[str, Any] = json.loads(path.read_text())
    if "expected_world" in record:
        return [_read_world(path, record)]
    if record["name"] in _NO_ANSWER:
        return []
    with_policy = record["policy"] in _POLICIES and path.parent.name == "pattern"
    plain = record["expected_declarative"] if with_policy else record.get("expected", record["expected_declarative"])
    cases = [_read_patterns(path, record, plain, "unrestricted")]
    chosen = record.get("expected") if with_policy else record.get("expected_paper_policy")
    if chosen is not None and record["policy"] != "unrestricted":
        cases.append(_read_patterns(path, record, chosen, record["policy"]))
    return cases


def _read_patterns(path: Path, record: dict[str, Any], expected: list[Any], policy: str) -> PatternCase:
    rules = [f":- policy({policy})", *record["rules"], *record["static"]]
    lines = tuple(_line(*event) for event in record["stream"])
    spans = {(*_event(event), start, end) for event, (start, end) in expected}
    known = [event[-1] for event in record["stream"]] + [end for _, (_, end) in expected]
    end = max(known, default=1)
    listed = frozenset(name for name, *_ in spans) if path.parent.name == "patterns" else frozenset()
    name = identity(path) + ("" if policy == "unrestricted" else f" ({policy})")
    answer = Answer(occurrences={(event, args, end) for event, args, _, end in spans}, spans=spans)
    text = "".join(f"{rule}.\n" for rule in rules)
    horizon = Horizon(end + 1, end + 1, -1, end)
    features = frozenset(record.get("features") or [record["feature"]])
    return PatternCase(name, text, lines, horizon, answer, listed or None, features)


def _read_world(path: Path, record: dict[str, Any]) -> PatternCase:
    world = record["expected_world"]
    intervals = {
        (each["name"], tuple(each["args"]), each["value"]): [(start, end) for start, end in each["intervals"]]
        for each in world["fluents"]
    }
    spans = {(*_event(event), start, end) for event, start, end in world["occurrences"]}
    answer = Answer(intervals, {(event, args, end) for event, args, _, end in spans}, spans)
    length = record["end"] - record["start"]
    horizon = Horizon(length, length, record["start"], record["end"])
    features = frozenset(record["features"])
    return PatternCase(identity(path), record["description"], tuple(record["stream"]), horizon, answer, None, features)


def written_cases(text: str) -> list[PatternCase]:
    """The cases of patterns.txt."""
    found: list[PatternCase] = []
    for case in text.split("\n=== ")[1:]:
        title, rest = case.split("\n", 1)
        rules, lines, answer = rest.split("\n---\n")
        expected = Declared(title)
        for line in filter(None, map(str.strip, answer.split("\n"))):
            if "[" in line:
                event, *spans = line.split()
                times = (tuple(map(int, span.strip("[]").split(","))) for span in spans)
                expected.answer.spans |= {(*_event(event), start, end) for start, end in times}
            else:
                add_line(line, expected)
        spans = expected.answer.spans
        expected.answer.occurrences.update((event, args, end) for event, args, _, end in spans)
        found.append(PatternCase(title, rules, tuple(lines.split("\n")), Horizon(60, 60, 0, 60), expected.answer, None))
    return found


def _line(event: str, start: int, end: int | None = None) -> str:
    return f"{event} @ {start}" if end is None else f"{event} @ [{start},{end}]"


def _event(text: str) -> tuple[str, tuple[str, ...]]:
    """`out(1,x)` as a name with its arguments."""
    found = re.fullmatch(r"(\w+)(?:\((.*)\))?", text)
    assert found is not None, text
    return found[1], tuple(split_arguments(found[2])) if found[2] else ()


def check_pattern(case: PatternCase, engine: Engine, horizon: Horizon | None = None) -> None:
    """One case on one engine; horizon: other windows than the case's, which must give the same."""
    report.run[engine.name] += 1
    asked = horizon or case.horizon
    found = compared(engine.recognise(parse(case.text), case.lines, asked), asked)
    if case.events is not None:
        found.occurrences = {each for each in found.occurrences if each[0] in case.events}
        found.spans = {each for each in found.spans if each[0] in case.events}
    wrong = differences(case.expected, found)
    if wrong:
        pytest.fail("\n".join([*wrong[:30], case.text, *case.lines, str(asked)]), pytrace=False)
    report.passed[engine.name] += 1
