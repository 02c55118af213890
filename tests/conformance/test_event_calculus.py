"""The golden cases of the Event Calculus, on every engine. Those not yet in scope are counted in the summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import report
from tests.conformance.cases import ABSENT, GOLDEN, Case, event_calculus, identity, paths, scope
from tests.conformance.compare import compared, differences, printed
from tests.conformance.engines import LOCAL, NAIVE, Engine

if not GOLDEN.exists():
    pytest.skip(ABSENT, allow_module_level=True)


def _in_scope() -> list[Case]:
    """All cases, sorted into those to run and those that the summary lists."""
    for folder, need in (("patterns", "interval patterns"), ("random/pattern", "interval patterns")):
        report.total[folder] += len(paths(folder))
        report.missing.update({identity(path): (need,) for path in paths(folder)})
    report.total["random/ec_revision"] += len(paths("random/ec_revision"))
    report.missing.update({identity(path): ("retraction",) for path in paths("random/ec_revision")})
    return [
        case for folder in ("event-calculus", "random/ec") for path in paths(folder) for case in _sorted(path, folder)
    ]


def _sorted(path: Path, folder: str) -> list[Case]:
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
    if case.expected is None:
        report.declared.add(case.name)
    return [case]


CASES = _in_scope()


def check(case: Case, engine: Engine) -> None:
    report.run[engine.name] += 1
    description = scope(case.texts).description
    assert description is not None
    found = engine.recognise(description, case.lines, case.horizon)
    expected = case.expected
    if expected is None:
        expected = NAIVE.recognise(description, case.lines, case.horizon)
    view = compared if case.exact or case.expected is None else printed
    wrong = differences(view(expected, case.horizon), view(found, case.horizon))
    if wrong:
        pytest.fail("\n".join([*wrong, *case.texts, *case.lines, str(case.horizon)]), pytrace=False)
    report.passed[engine.name].add(case.name)


@pytest.mark.parametrize("engine", LOCAL, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden_case(case: Case, engine: Engine) -> None:
    check(case, engine)


@pytest.mark.parametrize("case", [case for case in CASES if case.expected is not None], ids=str)
def test_naive_evaluator_gives_the_golden_answer(case: Case) -> None:
    check(case, NAIVE)


def test_descriptions_are_refused_only_where_the_original_is_wrong() -> None:
    wrong = {name for name in report.refused if event_calculus(GOLDEN / f"{name}.json").expected is not None}
    assert not wrong
