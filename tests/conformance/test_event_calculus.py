"""The golden cases of the Event Calculus, on every engine. Those not yet in scope are counted in the summary."""

from __future__ import annotations

import pytest

from tests.conformance import report
from tests.conformance.cases import ABSENT, GOLDEN, Case, event_calculus
from tests.conformance.check import check, in_scope, sample
from tests.conformance.engines import LOCAL, NAIVE, TASKS, Engine

if not GOLDEN.exists():
    pytest.skip(ABSENT, allow_module_level=True)

CASES = in_scope()


@pytest.mark.parametrize("engine", [*LOCAL, *TASKS], ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden_case(case: Case, engine: Engine) -> None:
    check(case, engine)


@pytest.mark.spark
@pytest.mark.parametrize("case", sample(CASES, 25), ids=str)
def test_golden_case_on_spark(case: Case, spark_engine: Engine) -> None:
    check(case, spark_engine)


@pytest.mark.parametrize("case", [case for case in CASES if case.expected is not None], ids=str)
def test_naive_evaluator_gives_the_golden_answer(case: Case) -> None:
    check(case, NAIVE)


def test_descriptions_are_refused_only_where_the_original_is_wrong() -> None:
    wrong = {name for name in report.refused if event_calculus(GOLDEN / f"{name}.json").expected is not None}
    assert not wrong
