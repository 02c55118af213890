"""Which cases are in scope, and one case held against one engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

from tests.conformance import report
from tests.conformance.cases import APPLICATIONS, Case, event_calculus, paths, scope
from tests.conformance.compare import compared, differences, printed
from tests.conformance.engines import Engine

FOLDERS = ("event-calculus", "random/ec", "random/ec_revision")


@cache
def in_scope() -> list[Case]:
    """All cases of the Event Calculus, sorted into those to run and those that the summary lists."""
    report.total["applications"] = len(APPLICATIONS)
    report.in_scope.update(APPLICATIONS)
    return [case for folder in FOLDERS for path in paths(folder) for case in _one(path, folder)]


def _one(path: Path, folder: str) -> list[Case]:
    report.total[folder] += 1
    case = event_calculus(path)
    found = scope(case.texts)
    if found.description is None:
        if found.missing:
            report.missing[case.name] = found.missing
        else:
            report.refused[case.name] = found.refused
        return []
    report.in_scope.add(case.name)
    if case.declared:
        report.declared.add(case.name)
    return [case]


class HasFeatures(Protocol):
    @property
    def features(self) -> frozenset[str]: ...


AnyCase = TypeVar("AnyCase", bound=HasFeatures)


def sample(cases: Sequence[AnyCase], size: int) -> list[AnyCase]:
    """Always the same few cases, which have between them as many features as can be."""
    chosen: list[AnyCase] = []
    missing: set[str] = set()
    waiting = list(cases)
    while waiting and len(chosen) < size:
        missing = missing or {feature for case in waiting for feature in case.features}
        best = max(waiting, key=lambda case: len(missing & case.features))
        missing -= best.features
        chosen.append(best)
        waiting.remove(best)
    return chosen


def first_quick(cases: Sequence[object], count: int) -> list[ParameterSet]:
    """The first few of the cases in the quick tests, the rest in the long ones."""
    marks = [() if number < count else pytest.mark.slow for number in range(len(cases))]
    return [pytest.param(case, marks=mark, id=str(case)) for case, mark in zip(cases, marks, strict=True)]


def check(case: Case, engine: Engine) -> None:
    report.run[engine.name] += 1
    description = scope(case.texts).description
    assert description is not None
    found = engine.recognise(description, case.lines, case.horizon)
    if case.fluents_only:
        found.occurrences.clear()
    view = compared if case.exact else printed
    wrong = differences(view(case.expected, case.horizon), view(found, case.horizon))
    if wrong:
        text = [] if len(case.lines) > 1000 else [*case.texts, *case.lines]
        pytest.fail("\n".join([*wrong[:30], *text, str(case.horizon)]), pytrace=False)
    report.passed[engine.name] += 1
