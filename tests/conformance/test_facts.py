"""The golden cases of facts that change, with recursion over them: on every host."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass

import pytest
from _pytest.mark.structures import ParameterSet

from holdsfor.language import parse
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, STREAMS, TASKS, Engine, in_session
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon
from tests.recorded import RECORDED

HOSTS = (*LOCAL, *TASKS, *STREAMS, in_session())


@dataclass(frozen=True)
class FactCase:
    """A program over facts that change, with late and retracted rows, and its answer, computed point by point."""

    name: str
    rules: str
    lines: tuple[str, ...]
    horizon: Horizon
    expected: Answer

    def __str__(self) -> str:
        return self.name


def read_cases() -> list[FactCase]:
    lines = gzip.decompress((RECORDED / "random" / "facts.jsonl.gz").read_bytes()).decode().splitlines()
    return [_case(json.loads(line)) for line in lines]


def _case(record: dict) -> FactCase:  # type: ignore[type-arg]
    horizon = Horizon(record["window"], record["step"], record["start"], record["end"])
    answer = Answer()
    for fluent, args, value, start, end in record["expected"]["intervals"]:
        answer.intervals.setdefault((fluent, tuple(args), value), []).append((start, end))
    for event, args, start, end in record["expected"]["occurrences"]:
        answer.occurrences.add((event, tuple(args), end))
        answer.spans.add((event, tuple(args), start, end))
    return FactCase(record["name"], record["description"], tuple(record["rows"]), horizon, answer)


CASES = read_cases()


def check(case: FactCase, engine: Engine) -> None:
    found = engine.recognise(parse(case.rules), case.lines, case.horizon)
    assert differences(case.expected, compared(found, case.horizon)) == []


def quick_or_slow(number: int, case: FactCase, engine: Engine) -> ParameterSet:
    """Every case in process, and on one of the other hosts; on all of them in the long tests."""
    is_quick = engine is HOSTS[0] or HOSTS[1 + number % (len(HOSTS) - 1)] is engine
    return pytest.param(case, engine, marks=() if is_quick else pytest.mark.slow, id=f"{case}-{engine}")


@pytest.mark.parametrize(
    ("case", "engine"), [quick_or_slow(n, one, host) for n, one in enumerate(CASES) for host in HOSTS]
)
def test_golden_facts(case: FactCase, engine: Engine) -> None:
    check(case, engine)


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES[::10], ids=str)
def test_golden_facts_on_spark(case: FactCase, spark_engine: Engine) -> None:
    check(case, spark_engine)
