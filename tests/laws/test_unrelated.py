"""Law: rows that no rule reads, and rules about other things, change no answer, nor when it is told.

HOLDSFOR_PROGRAMS and HOLDSFOR_SEED as for the laws of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import holdsfor
from holdsfor.engine.input.fence import EVERYTHING, span_of
from holdsfor.engine.output.changes import REPORTS, Report
from holdsfor.language import DescriptionError, EventDescription
from tests.conformance.engines import TASKS, Engine, answer, on_spark
from tests.conformance.streamed import arrival, cuts, in_steps, setting_of
from tests.laws.test_programs import SEEDS as ALL_SEEDS
from tests.laws.test_programs import skip_if_too_large
from tests.naive.draw_patterns import random_patterns
from tests.naive.evaluate import Answer
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import Program, random_program
from tests.naive.rows import line_format
from tests.naive.shapes import random_shapes
from tests.spark.live.by_hand import ByHand

#: Rules about things that no program knows: simple, without bounds, patterns, deadlines, fluents as input.
UNRELATED = (
    "initiatedAt(other_f(X)=true, T) :- happensAt(other_a(X), T).\n"
    "terminatedAt(other_f(X)=true, T) :- happensAt(other_b(X), T).",
    "holdsFor(other_g(X)=true, I) :- holdsFor(other_d(X)=true, I).",
    "holdsFor(other_c(X)=true, I) :- holdsFor(other_d(X)=true, A), complement_all([A], I).",
    "holdsFor(other_i(X)=true, I) :- holdsFor(other_d(X)=true, A), holdsFor(other_e(X)=true, B), "
    "allen(before, A, B, source, I).",
    "holdsFor(other_l(X)=true, I) :- holdsFor(other_e(X)=true, A), intDurGreater(A, 30, I).",
    "other_p(X) <- other_a(X) SEQ other_b(X).",
    "other_q(X) <- NOT(other_b(X)).[other_a(X), 25].",
    "happensAt(other_r(X), T) :- happensAt(other_a(X), T), happensAt(other_b(X), T2), T2 > T.",
    "initiatedAt(other_t(X)=on, T) :- happensAt(other_a(X), T).\n"
    "fi(other_t(X)=on, other_t(X)=off, 17).\nfi(other_t(X)=off, other_t(X)=on, 40).",
    "initially(other_s=true).\nterminatedAt(other_s=true, T) :- happensAt(other_b(_), T).",
)
SEEDS = ALL_SEEDS[::3]
Log = Sequence[tuple[object, ...]]


@dataclass(frozen=True)
class Case:
    """A program, with rules and rows that are about other things."""

    program: Program
    rules: str
    rows: tuple[str, ...]

    @property
    def variants(self) -> tuple[tuple[str, Program], ...]:
        """Return the program with rows that no rule reads, with unrelated rules, and with both."""
        plain, rows = self.program, (*self.program.rows, *self.rows)
        ruled = replace(plain, rules=(*plain.rules, self.rules))
        return ("rows", replace(plain, rows=rows)), ("rules", ruled), ("both", replace(ruled, rows=rows))


def draw(seed: int) -> Case:
    random = Random(f"unrelated {seed}")
    program = random.choice((random_program, random_shapes, random_patterns))(seed)
    rules = "\n".join(random.sample(UNRELATED, random.randint(1, 5)))
    return Case(program, rules, tuple(_rows(random, program)))


def _rows(random: Random, program: Program) -> Iterator[str]:
    """Draw rows that happen and arrive inside of the span of the program's rows."""
    events = holdsfor.read_events(list(program.rows), format=line_format(program.rows))
    low, high = span_of(events.read(description(program).inputs).timed, EVERYTHING) or (1, 1)
    is_terms = line_format(program.rows) == "terms"
    for _ in range(random.choice((3, 15))):
        name, time, about = random.choice("abde"), random.randint(low, high), f"x{random.randint(1, 3)}"
        if name in "ab":
            yield f"other_{name}({about}) @ {time}" if is_terms else f"other_{name}|{time}|{time}|{about}"
        else:
            begin = random.randint(low, time)
            span = f"[{begin},{time}] arrives {time}"
            yield (
                f"other_{name}({about})=true @ {span}"
                if is_terms
                else f"other_{name}|{time}|{begin}|{time}|true|{about}"
            )


def description(program: Program) -> EventDescription:
    try:
        return holdsfor.parse(program.text, functions=FUNCTIONS)  # which plans, too
    except DescriptionError as error:
        skip_if_too_large(error)
        raise


def related(found: Answer) -> Answer:
    intervals = {key: times for key, times in found.intervals.items() if not key[0].startswith("other_")}
    spans = {span for span in found.spans if not span[0].startswith("other_")}
    return Answer(intervals, {one for one in found.occurrences if not one[0].startswith("other_")}, spans)


def log_of(tables: Sequence[pa.Table]) -> Log:
    """Return what is told of the program at each query time, in an order that does not depend on the host."""
    rows = [tuple(map(str, row.values())) for table in tables for row in table.to_pylist()]
    return sorted(row for row in rows if not any(text.startswith("other_") for text in row))


# ---------------------------------------------------------------- histories


@pytest.mark.parametrize("seed", SEEDS)
def test_histories_are_the_same(seed: int) -> None:
    """In one pass and query time by query time, with the span that the rows have."""
    case = draw(seed)
    expected = {stepped: _history(case.program, stepped) for stepped in (False, True)}
    for name, variant in case.variants:
        for stepped, told in expected.items():
            assert _history(variant, stepped) == told, f"{name}, {stepped=}\n{variant}"


def _history(program: Program, stepped: bool, **more: object) -> tuple[Answer, Log]:
    given = program.horizon
    events = holdsfor.read_events(list(program.rows), format=line_format(program.rows))
    times = {"window": given.window, "step": given.step} if stepped else {}
    result = holdsfor.recognise(
        description(program), events, sample_every=given.sample_every, changes=stepped, **times, **more
    )
    return related(answer(result.intervals, result.occurrences)), log_of([result.changes])


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_rows_after_the_last_move_only_the_time(seed: int) -> None:
    case = draw(seed)
    last = max([arrival(row) for row in case.program.rows] or [1]) + 20
    late = f"unread @ {last}" if line_format(case.program.rows) == "terms" else f"unread|{last}|{last}"
    variant = replace(case.program, rows=(*case.program.rows, late))
    for stepped in (False, True):
        assert _history(variant, stepped) == _history(case.program, stepped, end=last), f"{stepped=}\n{variant}"


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_tasks_and_threads_tell_the_same(seed: int) -> None:
    case = draw(seed)
    engine = (*TASKS, Engine("threads", _in_threads))[seed // 3 % 4]
    _check(case, engine)


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 2)])
def test_spark_tells_the_same(seed: int, spark: SparkSession) -> None:
    _check(draw(seed), on_spark(spark, 2))


def _in_threads(rules: EventDescription, rows: Sequence[str], horizon: object) -> Answer:
    events = holdsfor.read_events(list(rows), format=line_format(rows))
    result = holdsfor.recognise(rules, events, threads=2)
    return answer(result.intervals, result.occurrences)


def _check(case: Case, engine: Engine) -> None:
    expected = related(engine.recognise(description(case.program), case.program.rows, case.program.horizon))
    for name, variant in case.variants:
        found = related(engine.recognise(description(variant), variant.rows, variant.horizon))
        assert found == expected, f"{name}, {engine}\n{variant}"


# ---------------------------------------------------------------- live, query time by query time


@pytest.mark.parametrize("incremental", [True, False])
@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("seed", SEEDS[::3])
def test_sessions_tell_the_same_at_each_query_time(seed: int, report: Report, incremental: bool) -> None:
    if report != "eager" and incremental:
        pytest.skip("these reports are never incremental")
    case = draw(seed)
    expected = _in_session(case.program, (), report, incremental)
    for name, variant in case.variants:
        rows = case.rows if variant.rows != case.program.rows else ()
        found = _in_session(replace(variant, rows=case.program.rows), rows, report, incremental)
        assert found == expected, f"{name}\n{variant}"


def _in_session(program: Program, others: Sequence[str], report: Report, incremental: bool) -> Log:
    """Add each row before the query time that sees it first; others: rows that are added besides."""
    given = program.horizon
    live = holdsfor.session(
        description(program),
        window=given.window,
        step=given.step,
        start=given.start,
        end=given.end,
        sample_every=given.sample_every,
        report=report,
        incremental=incremental,
    )
    told: list[pa.Table] = []
    for query_time in range(given.start + given.step, given.last + 1, given.step):
        for part in (program.rows, others):
            rows = [row for row in part if given.first_query(arrival(row)) == query_time]
            if rows:
                live.add(rows, format=line_format(rows))
        changes = live.advance(query_time)
        told += [changes.intervals, changes.occurrences]
    return log_of(told)


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("seed", SEEDS[1::6])
def test_streams_tell_the_same_at_each_query_time(seed: int, report: Report, tmp_path: Path) -> None:
    case, buckets, remembers = draw(seed), (1, 3)[seed // 6 % 2], seed % 4 < 2

    def run(name: str, program: Program, add: Callable[[Sequence[str]], Sequence[str]]) -> Log:
        setting = setting_of(description(program), program.horizon, buckets, report, line_format(program.rows))
        live, random = ByHand(setting, tmp_path / name, remembers=remembers), Random(seed)
        for batch, rows in enumerate(cuts(in_steps(case.program.rows, program.horizon, random), random)):
            live.run(batch, [list(add(rows))])
        live.close()
        return log_of(live.log())

    def beside(rows: Sequence[str]) -> Sequence[str]:
        """Add the others that arrive while these do, or before them."""
        latest = max(map(arrival, rows), default=-1)
        return [*rows, *(row for row in case.rows if arrival(row) <= latest)]

    expected = run("plain", case.program, lambda rows: rows)
    for name, variant in case.variants:
        found = run(name, variant, beside if variant.rows != case.program.rows else lambda rows: rows)
        assert found == expected, f"{name}\n{variant}"
