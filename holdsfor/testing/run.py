"""Run a test in all modes, and say what is wrong: each line that differs, with the reasons of it."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from holdsfor.engine.input.window import Windows
from holdsfor.engine.output.result import Result
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.testing import tables
from holdsfor.testing.blocks import FencedBlock
from holdsfor.testing.claims import ResultClaim, ResultRow, WrongRows, compare, first_wrong_time, read_claim, rows_of
from holdsfor.testing.coverage.measure import measure
from holdsfor.testing.coverage.records import Coverage
from holdsfor.testing.modes import MODES, Case, read_once, run_on_spark, run_whole
from holdsfor.testing.reach import find_unreachable
from holdsfor.testing.suite import RuleTest

#: So many lines of an explanation are shown.
LINES = 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a test. problems: what differs, as text; is_error: it could not be judged."""

    test: RuleTest
    problems: tuple[str, ...]
    seconds: float
    is_error: bool = False
    result: Result | None = None

    @property
    def passed(self) -> bool:
        return not self.problems


def run_test(test: RuleTest, on_spark: bool = False, coverage: Coverage | None = None) -> Outcome:
    """Run a test in all modes. coverage: where what it tries is recorded."""
    started = time.perf_counter()
    result: Result | None = None
    try:
        with silence():
            claims = [read_claim(block, _place(test, block)) for block in test.claims if block.kind == "result"]
            events = read_once(test.source, test.rules.description, test.times)
            errors = tuple(find_unreachable(test.rules, events, claims))
            if errors:
                return Outcome(test, errors, time.perf_counter() - started, is_error=True)
            result = run_whole(test.rules.description, events, test.times)
            problems = tuple(_judge(test, claims, result, events, on_spark))
            if coverage is not None:
                measure(test.rules.written_program, events, _windows(result), coverage)
                coverage.texts |= {name: one.text for name, one in test.rules.description.texts.sources.items()}
    except HoldsforError as error:
        return Outcome(test, (str(error),), time.perf_counter() - started, True, result)
    return Outcome(test, problems, time.perf_counter() - started, False, result)


@contextmanager
def silence() -> Iterator[None]:
    """Leave out warnings while a test runs: modes would repeat them, and a session tells what it keeps for ever."""
    log = logging.getLogger("holdsfor")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _place(test: RuleTest, block: FencedBlock) -> str:
    return f"{test.path}:{block.line}"


def _judge(
    test: RuleTest, claims: Sequence[ResultClaim], result: Result, events: Events, on_spark: bool
) -> Iterator[str]:
    """Iterate over what is wrong: in the whole history with reasons, then in each mode that differs from it."""
    whole = rows_of(result)
    yield from (_with_reasons(one, result) for one in _differences(claims, whole))
    yield from _judge_tables(test, result)
    case = Case(test.rules, events, test.times, _windows(result))
    for name, recognise in MODES.items():
        yield from _differing(name, whole, recognise(case))
    if on_spark:
        yield from _differing("spark", whole, run_on_spark(test.rules.description, test.source, test.times))


def _windows(result: Result) -> Windows:
    assert result.origin is not None
    return result.origin.windows


def _differences(claims: Iterable[ResultClaim], rows: set[ResultRow]) -> list[WrongRows]:
    return list(dict.fromkeys(one for claim in claims for one in compare(claim, rows)))


def _judge_tables(test: RuleTest, result: Result) -> Iterator[str]:
    """Iterate over what is wrong with late and rejected rows. Rejected rows must be claimed."""
    claimed = {block.kind: block for block in test.claims}
    for kind, lines in (("late", tables.late(result)), ("rejects", tables.rejects(result))):
        block = claimed.get(kind)
        if block is None:
            if kind == "rejects" and len(lines) > 1:
                yield "\n".join(["rows of the events are refused:", *lines])
        elif sorted(map(_cells, block.text.splitlines())) != sorted(map(_cells, lines)):
            expected = [line for line in block.text.splitlines() if line.strip()]
            yield "\n".join([f"{kind}:", *(f"- {line}" for line in expected), *(f"+ {line}" for line in lines)])


def _cells(line: str) -> list[str]:
    return line.split()


def _lines(difference: WrongRows) -> list[str]:
    missing, extra = difference
    return [*(f"- {row.text}" for row in missing), *(f"+ {row.text}" for row in extra)]


def _with_reasons(difference: WrongRows, result: Result) -> str:
    """Write a difference, and why it is so where nothing was claimed, or why not."""
    fact, at, is_so = first_wrong_time(difference)
    try:
        reasons = str(result.why(fact, at=at) if is_so else result.why_not(fact, at=at)).splitlines()
    except HoldsforError as error:
        reasons = [str(error)]
    title = f"why {fact} at {at}:" if is_so else f"why not {fact} at {at}:"
    shown = reasons[:LINES] + (["..."] if len(reasons) > LINES else [])
    return "\n".join([*_lines(difference), f"  {title}", *(f"    {line}" for line in shown)])


def _differing(name: str, expected: set[ResultRow], rows: set[ResultRow]) -> Iterator[str]:
    """Say where a mode differs from the whole history."""
    lines = [line for one in compare(ResultClaim(frozenset(expected), None), rows) for line in _lines(one)]
    if lines:
        yield "\n".join([f"{name} differs from the whole history:", *lines])
