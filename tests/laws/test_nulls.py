"""Random programs over tables in which events lack some of their arguments: ours is the naive answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

import holdsfor
from holdsfor.engine.evaluate import make_program
from holdsfor.engine.window import Ticks
from holdsfor.io.readers.read import EventSource
from holdsfor.job.batch import AloneInBatch, run_batch
from holdsfor.job.parts import parts_of
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from tests.conformance.engines import Engine, answer
from tests.laws.test_programs import SEEDS, explain, wrong
from tests.naive.evaluate import Answer
from tests.naive.programs import Program, random_program
from tests.naive.rows import Horizon
from tests.naive.streams import EVENTS

ARITIES = {event.name: len(event.sorts) for event in EVENTS}
HEADER = "event,arrival,time,end,value,arg1,arg2"


def with_nulls(program: Program, seed: int) -> Program:
    """The same, but that of each fourth argument of an event nothing is known."""
    random = Random(f"nulls {seed}")

    def row(text: str) -> str:
        name, arrival, time, *args = text.split("|")
        if name not in ARITIES:
            return text
        return "|".join([name, arrival, time, *("NULL" if random.random() < 0.25 else arg for arg in args)])

    return replace(program, rows=tuple(map(row, program.rows)))


def as_table(lines: Sequence[str]) -> EventSource:
    """Lines of RTEC's CSV as CSV with a header, in which a null is an empty field."""
    return holdsfor.read_events([HEADER, *map(_fields, lines)], format="columns")


def _fields(line: str) -> str:
    name, arrival, time, *rest = line.split("|")
    if name == "walk":
        rest = ["", *rest]
    elif name in ARITIES:
        rest = ["", "", *rest]
    fields = [name, arrival, time, *("" if field == "NULL" else field for field in rest)]
    return ",".join(f'"{field}"' if "," in field else field for field in (*fields, *[""] * (7 - len(fields))))


def in_process(stepped: bool) -> Engine:
    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        window, step, start, end, tick = horizon.window, horizon.step, horizon.start, horizon.end, horizon.tick
        result = holdsfor.recognise(
            description, as_table(lines), window=window, step=step, start=start, end=end, tick=tick, stepped=stepped
        )
        return answer(result.intervals, result.occurrences)

    return Engine("stepped" if stepped else "in process", recognise)


def in_tasks(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    crew = AloneInBatch(parts_of(as_table(lines)), description.inputs)
    times = Ticks(horizon.window, horizon.step, horizon.start, horizon.end, horizon.tick)
    run_batch(make_program(plan(description)), times, 3, crew)
    return answer(crew.table("intervals"), crew.table("occurrences"))


@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 20)])
def test_nulls_same_as_naive(seed: int) -> None:
    engine = (in_process(False), in_process(True), Engine("tasks", in_tasks))[seed % 3]
    program = with_nulls(random_program(seed), seed)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)
