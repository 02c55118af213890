"""Whole applications against the original's final history: three generated streams, and the real CAVIAR recording."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import report
from tests.conformance.cases import ABSENT, GOLDEN, Case, recording, run, runs, scope
from tests.conformance.compare import compared, differences, printed
from tests.conformance.engines import LOCAL, Engine

if not GOLDEN.exists():
    pytest.skip(ABSENT, allow_module_level=True)

RUNS = runs()
report.total["runs"] += len(RUNS)
report.total["caviar-real"] += 1
report.in_scope.update({"caviar-real", *(f"runs/{record['tag']}" for record in RUNS)})


def check(case: Case, engine: Engine) -> None:
    report.run[engine.name] += 1
    description = scope(case.texts).description
    assert description is not None
    assert case.expected is not None
    view = compared if case.exact else printed
    found = view(engine.recognise(description, case.lines, case.horizon), case.horizon)
    found.occurrences.clear()  # the files list fluents only
    wrong = differences(case.expected, found)
    assert not wrong, "\n".join([f"{case.name}: {len(wrong)} differences", *wrong[:20]])
    report.passed[engine.name].add(case.name)


@pytest.mark.parametrize("engine", LOCAL, ids=str)
@pytest.mark.parametrize("record", RUNS, ids=lambda record: record["tag"])
def test_run(record: dict[str, Any], engine: Engine) -> None:
    check(run(record), engine)


@pytest.mark.parametrize("engine", LOCAL, ids=str)
def test_real_recording(engine: Engine) -> None:
    check(recording(), engine)
