"""Whatever comes, the stream goes on, and what comes beside it gives what it gives without it.

HOLDSFOR_FUZZ=10000 sends as many files and messages; `make test-long` does.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.io.storage.changelog import read_current
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.after_commit import metrics_of
from holdsfor.job.live.batch.batch_decision import Outlook
from holdsfor.job.live.batch.clock import WallClock
from holdsfor.job.live.batch.crew import Alone, Note
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.input.feeds import MessageReader
from holdsfor.job.live.input.files import FileReader
from holdsfor.job.live.input.reading import LineReader, Reader, Reading
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.ledger import Commit, Ledger
from holdsfor.job.routing import router
from holdsfor.job.tasks import Job
from holdsfor.job.times import Times
from holdsfor.language import parse
from holdsfor.language.description import Input
from holdsfor.plan import plan
from holdsfor.spark.live.files import FileStreamReader
from tests.attack.damage import damaged
from tests.attack.test_poison_reading import CSV, JSON, PARQUET, RTEC, TERMS, message_table

COUNT = int(os.environ.get("HOLDSFOR_FUZZ", "200"))
FIRST = int(os.environ.get("HOLDSFOR_FUZZ_FROM", "0"))
STEP = 10

DESCRIPTION = parse("""
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
""")
READY = make_program(plan(DESCRIPTION))
MAPPING = as_mapping({"events": {"velocity": ["vessel", "speed"]}})
#: What a damaged file is called: how it is read follows from the name.
NAMES = {"rtec.csv": RTEC, "header.csv": CSV, "terms.txt": TERMS, "p.parquet": PARQUET, "what.bin": [*RTEC, *PARQUET]}


@dataclass
class Live:
    """A stream by a clock that goes on by a step a batch, in this process."""

    folder: Path
    reader: Reader
    quarantines: bool = True
    now: int = 0
    stream: Stream = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A process that knows only what is on disk."""
        self.state, self.tables = (Store(self.folder / name, sync=False) for name in ("state", "tables"))
        clock = WallClock("s", lambda: float(self.now))
        inputs, ways = tuple(DESCRIPTION.inputs), router(READY.plan, 2)
        times = Times(50, STEP, 0)
        setting = Setting(READY, ways, inputs, self.reader, times, clock=clock, quarantines=self.quarantines)
        self.stream = Stream(setting, Ledger(self.state), self.tables)

    def run(self, batch: int, crew: Alone) -> Commit:
        self.now = (batch + 1) * STEP
        return self.stream.run(batch, crew)

    def answer(self) -> list[tuple[Any, ...]]:
        """What is known of those whose names begin with `good`."""
        found = read_current(self.tables)[0].to_pylist()
        rows = [(row["fluent"], *row["args"], row["value"], row["start"], row["end"]) for row in found]
        return sorted((row for row in rows if row[1].startswith("good")), key=repr)

    def table(self, commit: Commit, name: str) -> list[dict[str, Any]]:
        files = [file for file in commit.files if file.name.startswith(f"{name}/")]
        return [row for file in files for row in self.tables.read_table(file.name, file.crc).to_pylist()]


def good_line(batch: int) -> str:
    return f"velocity|{batch * STEP}|{batch * STEP + 5}|good{batch % 3}|{batch % 10}"


def good_message(batch: int) -> bytes:
    time, name, speed = batch * STEP + 5, f"good{batch % 3}", batch % 10
    return f'{{"event":"velocity","time":{time},"vessel":"{name}","speed":{speed}}}'.encode()


def expected(batches: int) -> list[tuple[Any, ...]]:
    """By thought: a vessel is slow from the tick after a speed below 5 to that after one of 5 or more."""
    found = []
    for vessel in range(3):
        start = None
        for batch in range(vessel, batches, 3):
            slow = batch % 10 < 5
            if slow and start is None:
                start = batch * STEP + 6
            elif not slow and start is not None:
                found.append(("slow", f"good{vessel}", "true", start, batch * STEP + 6))
                start = None
        if start is not None:
            found.append(("slow", f"good{vessel}", "true", start, None))
    return sorted(found, key=repr)


@dataclass
class Incoming:
    """A folder of files as the source of a stream reads it."""

    folder: Path
    seen: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.reader = FileStreamReader({"folder": str(self.folder), "seen": str(self.seen)})
        self.offset = self.reader.initialOffset()

    def listed(self) -> Callable[[], Alone]:
        """What the next batch reads, and when."""
        start = self.offset
        end = self.offset = self.reader.latestOffset(start, ReadAllAvailable())

        def crew() -> Alone:
            parts = self.reader.partitions(start, end)
            return Alone([pa.Table.from_batches(self.reader.read(part)) for part in parts])

        return crew


def incoming(tmp_path: Path) -> tuple[Incoming, Live]:
    return Incoming(tmp_path / "in", tmp_path / "seen.jsonl"), Live(tmp_path, FileReader(MAPPING))


# ---------------------------------------------------------------- any bytes


def send_files(tmp_path: Path, count: int) -> None:
    source, live = incoming(tmp_path)
    size = 50
    batches = max(count // size, 1)
    for batch in range(batches):
        for seed in range(FIRST + batch * size, FIRST + (batch + 1) * size):
            random = Random(seed)
            name = random.choice(list(NAMES))
            (source.folder / f"{seed}-{name}").write_bytes(damaged(random, NAMES[name]))
        (source.folder / f"{batch}-good.csv").write_text(good_line(batch) + "\n")
        assert live.run(batch, source.listed()()).batch == batch
    assert live.answer() == expected(batches)


def send_messages(tmp_path: Path, count: int) -> None:
    live = Live(tmp_path, MessageReader(MAPPING))
    size = 50
    batches = max(count // size, 1)
    for batch in range(batches):
        seeds = range(FIRST + batch * size, FIRST + (batch + 1) * size)
        payloads = [damaged(Random(seed), [*JSON, *RTEC]) for seed in seeds]
        payloads[25:25] = [good_message(batch)]
        assert live.run(batch, Alone([message_table(payloads, ["t"] * len(payloads))])).batch == batch
    assert live.answer() == expected(batches)


def test_any_files_in_a_stream(tmp_path: Path) -> None:
    send_files(tmp_path, COUNT)


def test_any_messages_in_a_stream(tmp_path: Path) -> None:
    send_messages(tmp_path, COUNT)


@pytest.mark.slow
def test_ten_thousand_files(tmp_path: Path) -> None:
    send_files(tmp_path, 10_000)


@pytest.mark.slow
def test_ten_thousand_messages(tmp_path: Path) -> None:
    send_messages(tmp_path, 10_000)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("bad.csv", "event,time,vessel,speed\nvelocity,1,v,1\n".encode("utf-16"), "UTF-16"),
        ("bad.csv", b"event,time,\xff\n", "header is not UTF-8"),
        ("bad.csv", b"who,when\nv,1\n", "no such column"),
        ("bad.csv.gz", b"\x1f\x8b\x08\x00junk", "complete gzip file"),
        ("bad.parquet", b"PAR1junk", "Is it a Parquet file"),
        ("bad.bin", b"\x00\x01\x02", "cannot tell the format"),
        (os.fsdecode(b"bad\xff.csv"), b"who,when\nv,1\n", "no such column"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_reject(name: str, content: bytes, reason: str, tmp_path: Path) -> None:
    source, live = incoming(tmp_path)
    (source.folder / name).write_bytes(content)
    (source.folder / "good.csv").write_text(good_line(0) + "\n")
    commit = live.run(0, source.listed()())
    (row,) = live.table(commit, "rejects")
    assert (row["row"], "bad" in row["source"], reason in row["reason"]) == (0, True, True)
    assert metrics_of(commit).counts.rejected == 1
    (source.folder / "later.csv").write_text(good_line(1) + "\n")
    live.run(1, source.listed()())
    assert live.answer() == expected(2)


@pytest.mark.parametrize("name", ["gone.csv", "gone.parquet"])
def test_a_file_that_is_gone_when_it_is_to_be_read(name: str, tmp_path: Path) -> None:
    """A11: removing the file helps, whether its batch is planned already or not."""
    source, live = incoming(tmp_path)
    gone = source.folder / name
    gone.write_bytes(PARQUET[0] if name.endswith("parquet") else b"velocity|1|1|v|1\n")
    (source.folder / "good.csv").write_text(good_line(0) + "\n")
    crew = source.listed()
    if name.endswith("parquet"):
        planned = crew()  # its row groups are known
        gone.unlink()
        commit = live.run(0, planned)
    else:
        gone.unlink()
        commit = live.run(0, crew())
    (row,) = live.table(commit, "rejects")
    assert (row["source"], row["row"]) == (str(gone), 0)
    assert "No such file" in row["reason"]
    assert live.answer() == expected(1)


def test_a_mistake_in_the_mapping_stops(tmp_path: Path) -> None:
    source, live = incoming(tmp_path)
    live.reader = FileReader(as_mapping({"events": {"velocity": ["vessel"]}}))
    live.start()
    (source.folder / "good.csv").write_text(good_line(0) + "\n")
    with pytest.raises(HoldsforError, match="the mapping lists 1 column for velocity"):
        live.run(0, source.listed()())


# ---------------------------------------------------------------- quarantine


def lines(*texts: str) -> pa.Table:
    return pa.table({"value": list(texts)})


@dataclass(frozen=True)
class Fragile:
    """Reads lines, and fails on some as a reader with a mistake in it would."""

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        if any("poison" in text for text in table["value"].to_pylist()):
            raise IndexError("list index out of range")
        return LineReader("rtec").read(table, inputs, source, row)


class Dying(Alone):
    """Workers that die of some rows: when they read them, or when they evaluate what was read."""

    def __init__(self, parts: Sequence[pa.Table], when: str, error: type[BaseException] = RuntimeError) -> None:
        super().__init__(parts)
        self.when, self.error, self.trials = when, error, 0
        self.tables = parts
        self.poisoned = False

    def read(self, job: Job, reading: Reading, outlook: Outlook | None = None) -> list[Note]:
        self.trials += 1
        skipped = {(skip.part, at) for skip in reading.skip for at in range(skip.first, skip.stop)}
        texts = [
            (part, at, text) for part, t in enumerate(self.tables) for at, text in enumerate(t["value"].to_pylist())
        ]
        self.poisoned = any("poison" in text and (part, at) not in skipped for part, at, text in texts)
        if self.poisoned and self.when == "read":
            raise self.error("the worker has died")
        return super().read(job, reading, outlook)

    def evaluate(self, job: Job, turn: Turn) -> list[Note]:
        if self.poisoned and self.when == "evaluate":
            raise self.error("the worker has died")
        return super().evaluate(job, turn)


def parts(batch: int) -> list[pa.Table]:
    others = [f"velocity|1|{batch * STEP + 1}|other{n}|1" for n in range(20)]
    return [lines(*others[:10], "velocity|1|1|poison|1", good_line(batch)), lines(*others[10:], "poison 2")]


def kept(live: Live, commit: Commit) -> list[tuple[Any, ...]]:
    found = []
    for row in live.table(commit, "quarantine"):
        (unit,) = pa.ipc.open_stream(row["data"]).read_all().to_pylist()
        found.append((row["source"], row["row"], row["reason"], row["attempts"], unit))
    return sorted(found)


def test_rows_on_which_a_reader_fails(tmp_path: Path) -> None:
    live = Live(tmp_path, Fragile())
    for batch in range(12):
        commit = live.run(batch, Alone(parts(batch)))
        reason = "IndexError: list index out of range"
        assert kept(live, commit) == [
            (f"<batch {batch}, partition 0>", 11, reason, 1, {"value": b"velocity|1|1|poison|1"}),
            (f"<batch {batch}, partition 1>", 11, reason, 1, {"value": b"poison 2"}),
        ]
        assert metrics_of(commit).counts.units_quarantined == 2
        assert metrics_of(commit).counts.events_in == 21
    assert live.answer() == expected(12)


@pytest.mark.parametrize("when", ["read", "evaluate"])
def test_rows_of_which_workers_die(when: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    live = Live(tmp_path, LineReader("rtec"))
    for batch in range(6):
        crew = Dying(parts(batch), when)
        with caplog.at_level(logging.WARNING):
            commit = live.run(batch, crew)
        assert [(row[0], row[1], row[2], row[3]) for row in kept(live, commit)] == [
            (f"<batch {batch}, partition 0>", 11, "RuntimeError: the worker has died", 3),
            (f"<batch {batch}, partition 1>", 11, "RuntimeError: the worker has died", 3),
        ]
        assert crew.trials <= 3 + 2 + 2 * 7 + 2
        listed = [file.name for file in commit.files if file.name.startswith("quarantine/")]
        assert sorted(live.tables.names(f"quarantine/batch={batch:07d}/")) == sorted(listed)  # none of a trial
        assert metrics_of(commit).counts.units_quarantined == 2
        assert "set aside in quarantine after 3 attempts" in caplog.text
    assert live.answer() == expected(6)
    assert not list(live.state.names("attempts/"))


@pytest.mark.parametrize("when", ["read", "evaluate"])
def test_who_prefers_to_stop(when: str, tmp_path: Path) -> None:
    live = Live(tmp_path, LineReader("rtec"), quarantines=False)
    crew = Dying(parts(0), when)
    with pytest.raises(RuntimeError, match="has died"):
        live.run(0, crew)
    assert crew.trials == 1
    live = Live(tmp_path, Fragile(), quarantines=False)
    with pytest.raises(IndexError):
        live.run(0, Alone(parts(0)))


def test_what_fails_without_any_row_stops(tmp_path: Path) -> None:
    class Broken(Alone):
        def evaluate(self, job: Job, turn: Turn) -> list[Note]:
            raise RuntimeError("a mistake in the program")

    live = Live(tmp_path, LineReader("rtec"))
    with pytest.raises(RuntimeError, match="a mistake in the program"):
        live.run(0, Broken(parts(0)))
    assert live.stream.ledger.last() is None
    live.start()  # once the mistake is put right, nothing of it is left
    assert kept(live, live.run(0, Alone(parts(0)))) == []


def test_a_full_disk_is_no_poison(tmp_path: Path) -> None:
    live = Live(tmp_path, LineReader("rtec"))
    crew = Dying(parts(0), "read", OSError)
    with pytest.raises(OSError, match="has died"):
        live.run(0, crew)
    assert crew.trials == 1


class Killed(BaseException):
    """The whole process has ended."""


@pytest.mark.parametrize("when", ["read", "evaluate"])
def test_rows_that_end_the_process(when: str, tmp_path: Path) -> None:
    """Each start gets a little further, for it knows how the ones before it ended."""
    live = Live(tmp_path, LineReader("rtec"))
    live.run(0, Alone([lines(good_line(0))]))
    commit, starts = None, 0
    while commit is None:
        try:
            commit = live.run(1, Dying(parts(1), when, Killed))
        except Killed:
            starts += 1
            assert starts < 50
            live.start()
    assert starts >= 3
    assert [(row[0], row[1]) for row in kept(live, commit)] == [
        ("<batch 1, partition 0>", 11),
        ("<batch 1, partition 1>", 11),
    ]
    live.run(2, Alone([lines(good_line(2))]))
    assert live.answer() == expected(3)


def test_the_start_is_found_beside_poison(tmp_path: Path) -> None:
    live = Live(tmp_path, Fragile())
    live.stream.setting = replace(live.stream.setting, clock=None, times=Times(50, STEP))
    commit = live.stream.run(0, Alone([lines("velocity|7|7|good0|1", "poison", "velocity|40|40|good0|9")]))
    assert commit.start == 6
    assert metrics_of(commit).counts.units_quarantined == 1
