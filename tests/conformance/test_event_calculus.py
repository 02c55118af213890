"""The golden cases of the Event Calculus, on every engine. Those not yet in scope are counted in the summary."""

from __future__ import annotations

import json

import pytest
from _pytest.mark.structures import ParameterSet

from tests.conformance import report
from tests.conformance.cases import Case, paths
from tests.conformance.check import check, in_scope, sample
from tests.conformance.declared import declared
from tests.conformance.engines import LOCAL, NAIVE, STREAMS, TASKS, Engine

CASES = in_scope()
OTHERS = (LOCAL[1], *TASKS[1:], STREAMS[1])


def quick_or_slow(number: int, case: Case, engine: Engine) -> ParameterSet:
    """Every case in process and on two of the other hosts; on all of them in the long tests."""
    quick = (LOCAL[0], OTHERS[number % len(OTHERS)], OTHERS[(number + 2) % len(OTHERS)])
    return pytest.param(case, engine, marks=() if engine in quick else pytest.mark.slow, id=f"{case}-{engine}")


ENGINES = (*LOCAL, *TASKS, *STREAMS)
GOLDEN_CASES = [quick_or_slow(number, case, engine) for number, case in enumerate(CASES) for engine in ENGINES]


@pytest.mark.parametrize(("case", "engine"), GOLDEN_CASES)
def test_golden_case(case: Case, engine: Engine) -> None:
    check(case, engine)


@pytest.mark.spark
@pytest.mark.parametrize("case", sample(CASES, 15), ids=str)
def test_golden_case_on_spark(case: Case, spark_engine: Engine) -> None:
    check(case, spark_engine)


@pytest.mark.parametrize("case", [case for case in CASES if "retraction" not in case.features], ids=str)
def test_naive_evaluator_gives_the_golden_answer(case: Case) -> None:
    check(case, NAIVE)


def test_every_case_that_the_original_gets_wrong_is_declared() -> None:
    records = {path.stem: json.loads(path.read_text()) for path in paths("event-calculus")}
    wrong = {name for name, record in records.items() if record["rtec_bug"] or "holdsfor_differs" in record}
    across_windows = {"allen_before_across_windows", "allen_overlaps_across_windows"}  # not marked in their files
    assert declared().keys() == wrong | across_windows


def test_descriptions_are_refused_only_where_that_is_declared() -> None:
    errors = {f"event-calculus/{name}": case.error for name, case in declared().items() if case.error}
    assert report.refused == errors
