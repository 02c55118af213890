"""Random programs over tables in which events lack some of their arguments: ours is the naive answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.io.readers.read import EventSource
from holdsfor.job.batch import run_batch
from holdsfor.job.parts import parts_of
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from tests.conformance.engines import Engine, answer
from tests.job.alone_in_batch import AloneInBatch
from tests.laws.test_programs import SEEDS, explain, wrong
from tests.naive.evaluate import Answer
from tests.naive.programs import Program, random_program
from tests.naive.rows import Horizon
from tests.naive.streams import ENTITIES, EVENTS, FLUENTS, LEVELS

ARITIES = {event.name: len(event.sorts) for event in EVENTS}
FLUENT_NAMES = {fluent.name for fluent in FLUENTS}
HEADER = "event,arrival,time,end,value,arg1,arg2"


#: In a column of text `7` among names is a name.
NAMES = ("a1", "b2", "c3", "tug(c3)")


def with_nulls(program: Program, seed: int) -> Program:
    """The same, but that of each fourth argument of an event nothing is known, and without rows of definitions."""
    random = Random(f"nulls {seed}")

    def row(text: str) -> str:
        name, arrival, time, *args = text.split("|")
        if name not in ARITIES:
            return text
        return "|".join([name, arrival, time, *("NULL" if random.random() < 0.25 else arg for arg in args)])

    rows = [text for text in program.rows if text.split("|")[0] in SORTS]
    return replace(program, rows=tuple(map(row, rows)))


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


PLAIN = ("a1", "b2", "c3", "NULL", *LEVELS)
BESIDES = {"walk": 1, "mode": 2, "near": 2}  # fields of fluents: an end, a value
SORTS = {entity.name: entity.sorts for entity in (*EVENTS, *FLUENTS)}


def for_typed_columns(program: Program) -> Program:
    """The rows that typed columns can hold: entities that are names; numbers are floats."""

    def row(text: str) -> str | None:
        fields = text.split("|")
        if "(" in text or len(fields) != 3 + len(SORTS[fields[0]]) + BESIDES.get(fields[0], 0):
            return None  # wrapped arguments
        if fields[0] == "reading" and fields[-1] != "NULL":
            fields[-1] = str(float(fields[-1]))
        names = fields[3:-1] if fields[0] == "reading" else [field for field in fields[3:] if field in ENTITIES]
        return "|".join(fields) if all(name in PLAIN for name in names) else None

    return replace(program, rows=tuple(filter(None, map(row, program.rows))))


def as_typed_tables(lines: Sequence[str]) -> EventSource:
    """A table for each event and fluent, with floats among which NaN is a null, and text with nulls."""
    by_name: dict[str, list[list[str]]] = {}
    for line in lines:
        name, *fields = line.split("|")
        by_name.setdefault(name, []).append(fields)
    tables = {name: _typed_table(name, list(zip(*rows, strict=True))) for name, rows in by_name.items()}
    mapping = {
        name: {
            "event": name,
            "fluents" if name in FLUENT_NAMES else "events": {name: [f"x{i}" for i in range(len(SORTS[name]))]},
        }
        for name in tables
    }
    return holdsfor.read_events(tables, mapping={"tables": mapping})


def _typed_table(name: str, fields: list[tuple[str, ...]]) -> pa.Table:
    has_end = name in FLUENT_NAMES and name != "walk"
    roles = ["arrival", "time", *(["end"] if has_end else []), *(["value"] if name in FLUENT_NAMES else [])]
    columns = dict(zip(roles, fields, strict=False))
    args = zip(SORTS[name], fields[len(roles) :], strict=True)
    whole = {
        role: [None if text == "inf" else int(text) for text in columns[role]] for role in roles if role != "value"
    }
    return pa.table(
        {role: pa.array(column, pa.int64()) for role, column in whole.items()}
        | ({"value": list(columns["value"])} if "value" in columns else {})
        | {f"x{number}": _typed(sort, texts) for number, (sort, texts) in enumerate(args)}
    )


def _whole(text: str) -> int | None:
    return None if text == "inf" else int(text)


def _typed(sort: str, texts: Sequence[str]) -> pa.Array:
    if sort == "N":
        return pa.array([nan if text == "NULL" else float(text) for text in texts], pa.float64())
    return pa.array([None if text == "NULL" else text for text in texts], pa.string())


def in_process(stepped: bool) -> Engine:
    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        window, step, start, end, tick = horizon.window, horizon.step, horizon.start, horizon.end, horizon.sample_every
        result = holdsfor.recognise(
            description,
            as_table(lines),
            window=window,
            step=step,
            start=start,
            end=end,
            sample_every=tick,
            changes=stepped,
        )
        return answer(result.intervals, result.occurrences)

    return Engine("stepped" if stepped else "in process", recognise)


def in_tasks(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    crew = AloneInBatch(parts_of(as_table(lines)), description.inputs)
    times = Ticks(horizon.window, horizon.step, horizon.start, horizon.end, horizon.sample_every)
    run_batch(make_program(plan(description)), times, 3, crew)
    return answer(crew.table("intervals"), crew.table("occurrences"))


@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 20)])
def test_nulls_same_as_naive(seed: int) -> None:
    engine = (in_process(False), in_process(True), Engine("tasks", in_tasks))[seed % 3]
    program = with_nulls(random_program(seed, NAMES), seed)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 10)])
def test_nulls_in_typed_columns_same_as_naive(seed: int) -> None:
    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        window, step, start, end, tick = horizon.window, horizon.step, horizon.start, horizon.end, horizon.sample_every
        result = holdsfor.recognise(
            description, as_typed_tables(lines), window=window, step=step, start=start, end=end, sample_every=tick
        )
        assert result.rejects.num_rows == 0
        return answer(result.intervals, result.occurrences)

    engine = Engine("typed tables", recognise)
    program = for_typed_columns(with_nulls(random_program(seed, NAMES), seed))
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)
