"""The streaming job without Spark: its driver and its tasks, on arrivals cut into random micro-batches."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pyarrow as pa

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.output.changes import Report
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.io.storage.changelog import read_current
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.batch_decision import Outlook
from holdsfor.job.live.batch.crew import EVALUATED, Alone, whole_batch_rows
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.input.reading import LineReader, Reading
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.job.routing import router
from holdsfor.job.task_rows import Note, read_notes, split_done
from holdsfor.job.tasks import Job
from holdsfor.job.times import Times
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from tests.naive.rows import Horizon, line_format, term_arrival


def recognise(
    description: EventDescription,
    lines: Sequence[str],
    horizon: Horizon,
    buckets: int,
    report: Report = "eager",
    seed: int | None = None,
) -> tuple[pa.Table, pa.Table]:
    """The current intervals and occurrences when all has been read. Now and then the driver begins anew.

    Half of the streams keep in memory what buckets carry, the others read it from its files. Some batches are read and
    evaluated by one task, as small ones are on Spark.
    """
    random = Random(zlib.crc32("\n".join(lines).encode()) if seed is None else seed)
    with tempfile.TemporaryDirectory() as folder:
        state, tables = Store(f"{folder}/state", sync=False), Store(f"{folder}/tables", sync=False)
        setting = setting_of(description, horizon, buckets, report, line_format(lines))
        stream = Stream(setting, Ledger(state), tables)
        memory = Memory() if random.random() < 0.5 else None
        for batch, rows in enumerate(cuts(in_steps(lines, horizon, random), random)):
            crew = random.choice((Alone, OneTask))
            stream.run(batch, crew([lines_table(part) for part in shared_out(rows, random)], memory))
            if random.random() < 0.2:
                stream, memory = Stream(setting, Ledger(state), tables), memory and Memory()
                stream.run(batch, Alone([]))  # Spark repeats what it does not know to be done
        stream.close(Alone([], memory))
        return read_current(tables)


class OneTask(Alone):
    """One task reads the whole batch and evaluates it, if that goes well."""

    evaluated: tuple[str, list[Note]] | None = None

    def read(self, job: Job, reading: Reading, outlook: Outlook | None = None) -> list[Note]:
        if outlook is None:
            return super().read(job, reading)
        rows = list(whole_batch_rows(job, reading, outlook, self._parts, self._memory))
        self._rows, done = split_done(rows)
        evaluated = read_notes(done, EVALUATED)
        self.evaluated = (outlook.mark, evaluated) if evaluated else None
        return read_notes(done)

    def evaluate(self, job: Job, turn: Turn) -> list[Note]:
        if self.evaluated is not None and self.evaluated[0] == turn.mark:
            return self.evaluated[1]
        return super().evaluate(job, turn)


def setting_of(
    description: EventDescription,
    horizon: Horizon,
    buckets: int,
    report: Report = "eager",
    form: str = "rtec",
    tuning: Tuning = DEFAULT,
) -> Setting:
    description = description.with_input()
    program = replace(make_program(plan(description)), tuning=tuning)
    return Setting(
        program,
        router(program.plan, buckets),
        description.inputs,
        LineReader(form),
        Times(horizon.window, horizon.step, horizon.start, horizon.end, horizon.sample_every),
        report,
    )


def with_times(setting: Setting, **times: int | None) -> Setting:
    return replace(setting, times=replace(setting.times, **times))


def in_steps(lines: Sequence[str], horizon: Horizon, random: Random) -> list[str]:
    """In the order of the query times that see them first, otherwise in any; rows of one arrival stay in order."""
    ranks: dict[int, float] = {}

    def place(line: str) -> tuple[int, bool, float]:
        when = arrival(line)
        step = max(-((horizon.start - when) // horizon.step), 1)
        return step, when > horizon.end, ranks.setdefault(when, random.random())

    return sorted(lines, key=place)


def cuts(ordered: Sequence[str], random: Random) -> Iterator[Sequence[str]]:
    """Cut anywhere, also into nothing."""
    places = sorted(random.randint(0, len(ordered)) for _ in range(random.randint(0, 8)))
    for low, high in zip([0, *places], [*places, len(ordered)], strict=True):
        yield ordered[low:high]


def shared_out(rows: Sequence[str], random: Random) -> Iterator[Sequence[str]]:
    """Rows over the partitions of a batch, each in its order."""
    middle = random.randint(0, len(rows))
    yield from (rows[:middle], rows[middle:])


def arrival(line: str) -> int:
    """What does not say when it arrives goes first: it is refused anyway."""
    if " @ " in line:
        return term_arrival(line)
    fields = line.split("|")
    place = 2 if fields[0] in ("insert", "retract") else 1
    try:
        return int(fields[place])
    except (IndexError, ValueError):
        return -(1 << 60)


def lines_table(lines: Sequence[str]) -> pa.Table:
    return pa.table({"value": pa.array(list(lines), pa.string())})
