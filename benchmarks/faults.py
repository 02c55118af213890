"""A stream that is killed again and again, and one with a million bad rows: nothing lost, nothing doubled.

python -m benchmarks.faults [KILLS]: maritime files to tables, with late rows and retractions; driver, JVM and workers
get SIGKILL at random moments and the stream is started again until it is done; then single workers are killed while it
runs; then a second process is started on its checkpoint again and again. Tables and log are those of an undisturbed
run.
python -m benchmarks.faults rejects: a million malformed rows among two million.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import holdsfor
import holdsfor.spark
from benchmarks import bad_rows
from benchmarks.bad_rows import rows
from benchmarks.spark_batch import family
from examples.maritime.simulate import simulate
from holdsfor.io.storage.changelog import committed, read_changes, read_current
from holdsfor.io.storage.fold import fold_intervals, fold_occurrences
from holdsfor.io.storage.store import Store

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "maritime"
FILES, FILE_EVENTS, VESSELS = 40, 4_000, 300
WORKER_KILLS = 8
SECOND_STARTS = 6
DAEMON = "holdsfor.startup.daemon"  # forks the workers; see `holdsfor.spark.session`
MASTER = "local[2,4]"  # a task may fail four times; with local[2] the first worker that dies ends the stream


def main() -> None:
    match sys.argv[1:]:
        case ["stream", data, place]:
            run_stream(Path(data), Path(place))
        case ["rejects"]:
            bad_rows.main()
        case asked:
            kills(int(asked[0]) if asked else 20)


# ---------------------------------------------------------------- what is killed


def write_files(data: Path) -> None:
    sea = simulate(events=FILES * FILE_EVENTS, vessels=VESSELS, seed=7, delayed=0.1)
    (data / "in").mkdir(parents=True)
    (data / "fleet.ec").write_text(sea.facts)
    table = with_retractions(sea.table, random.Random(7)).sort_by("arrival")
    for number in range(FILES):
        size = -(-table.num_rows // FILES)
        file = data / "in" / f"events-{number:03d}.parquet"
        pq.write_table(table.slice(number * size, size), file)
        os.utime(file, (1_700_000_000 + number,) * 2)  # the order in which Spark reads them


def with_retractions(table: pa.Table, chance: random.Random) -> pa.Table:
    """One row in fifty is taken back, up to two hours after it came."""
    taken = table.take(chance.sample(range(table.num_rows), table.num_rows // 50))
    delays = pa.array([chance.randint(0, 7200) for _ in range(taken.num_rows)])
    place = table.column_names.index("arrival")
    gone = taken.set_column(place, "arrival", pc.add(taken["arrival"], delays))
    ops = [pa.repeat(pa.scalar(op, pa.int8()), rows.num_rows) for op, rows in ((1, table), (-1, gone))]
    return pa.concat_tables([table.append_column("op", ops[0]), gone.append_column("op", ops[1])])


def run_stream(data: Path, place: Path) -> None:
    """In a process of its own."""
    spark = holdsfor.spark.session(master=MASTER)
    description = holdsfor.load(EXAMPLE / "rules.ec", EXAMPLE / "background.ec", data / "fleet.ec")
    schema = spark.read.parquet(str(data / "in")).schema
    events = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(data / "in"))
    live = holdsfor.spark.stream(
        spark,
        description,
        events,
        window=14_400,
        step=3_600,
        checkpoint=place / "checkpoint",
        out=place / "tables",
        mapping=EXAMPLE / "mapping.toml",
        once=True,
    )
    print("begun", flush=True)
    live.awaitTermination()
    print("done", flush=True)


@dataclass
class Child:
    """A process that runs the stream, with all the processes below it."""

    data: Path
    place: Path
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        command = [sys.executable, "-m", "benchmarks.faults", "stream", str(self.data), str(self.place)]
        with open(self.place.with_suffix(".log"), "a") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
            )

    def wait_for(self, word: str) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.strip() == word:
                return
        raise SystemExit(f"the stream ended by itself: see {self.place.with_suffix('.log')}")

    def newest(self) -> int:
        found = committed(Store(self.place / "checkpoint" / "holdsfor"))
        return found[-1] if found else -1

    def kill(self) -> None:
        """Workers are in a group of their own, so that each process is named."""
        for process in family(self.process.pid):
            end(process)
        self.process.wait()

    def workers(self) -> list[int]:
        """Python processes that do tasks: below the one that forks them."""
        found = [process for process in family(self.process.pid) if DAEMON in command_of(process)]
        return [process for process in found if DAEMON in command_of(parent_of(process))]


def end(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return  # it was faster


def command_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def parent_of(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


# ---------------------------------------------------------------- killing


def kills(count: int, workers: int = WORKER_KILLS, starts: int = SECOND_STARTS) -> list[str]:
    """What differs from an undisturbed run after so many kills, of all processes and of workers, and second starts."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        data, plain = Path(folder) / "data", Path(folder) / "plain"
        write_files(data)
        seconds = undisturbed(data, plain)
        expected, chance = Outcome.of(plain), random.Random(1)
        print(f"undisturbed: {FILES} files of {FILE_EVENTS:,} events in {seconds:.0f} s; {expected}")

        def compare(what: str, place: Path) -> None:
            differences = expected.differences(Outcome.of(place))
            differences += ["nothing was disturbed"] * what.startswith("0 ")
            wrong.extend(f"{what}: {difference}" for difference in differences)
            print(f"{what}: " + ("; ".join(differences) or "the same tables and log"), flush=True)

        done = rounds = 0
        while done < count:
            place = Path(folder) / f"killed-{rounds}"
            number = killed(data, place, count - done, seconds, chance)
            compare(f"round {rounds + 1}: driver, JVM and workers killed {number} times", place)
            done, rounds = done + number, rounds + 1
        number = workers_killed(data, Path(folder) / "workers", workers, seconds, chance)
        compare(f"{number} workers killed in one run", Path(folder) / "workers")
        number = second_starts(data, Path(folder) / "second", starts, seconds, chance)
        compare(f"{number} second starts refused in one run", Path(folder) / "second")
    return wrong


def undisturbed(data: Path, place: Path) -> float:
    """Seconds from the beginning of the stream to its end."""
    child = Child(data, place)
    child.wait_for("begun")
    begun = time.perf_counter()
    child.wait_for("done")
    child.process.wait()
    return time.perf_counter() - begun


def killed(data: Path, place: Path, most: int, seconds: float, chance: random.Random) -> int:
    """Until it is done; how many kills that were."""
    for number in range(most):
        child = Child(data, place)
        when = wait_for_a_moment(child, seconds, chance)
        if child.process.poll() is not None:
            return number  # it was done before
        child.kill()
        print(f"  kill {number + 1}: {when}, after batch {child.newest()}", flush=True)
    child = Child(data, place)
    child.wait_for("done")
    child.process.wait()
    return most


def wait_for_a_moment(child: Child, seconds: float, chance: random.Random) -> str:
    """One kill in five comes while the process starts, the others some batches later, anywhere in one."""
    if chance.random() < 0.2:
        time.sleep(chance.uniform(0, 10))
        return "starting"
    child.wait_for("begun")
    goal = child.newest() + chance.randint(0, 3)
    while child.newest() < goal and child.process.poll() is None:
        time.sleep(0.02)
    time.sleep(chance.uniform(0, 3 * seconds / FILES))
    return "running"


def workers_killed(data: Path, place: Path, most: int, seconds: float, chance: random.Random) -> int:
    child, done = Child(data, place), 0
    child.wait_for("begun")
    while child.process.poll() is None:
        time.sleep(chance.uniform(0, 2 * seconds / most))
        found = child.workers()
        if found and done < most:
            end(chance.choice(found))
            done += 1
    if child.process.returncode:
        raise SystemExit(f"the stream ended by itself: see {place.with_suffix('.log')}")
    return done


def second_starts(data: Path, place: Path, most: int, seconds: float, chance: random.Random) -> int:
    """While it runs, others are started on its checkpoint: each must be refused, and the first one go on."""
    child, done = Child(data, place), 0
    child.wait_for("begun")
    while child.process.poll() is None and done < most:
        time.sleep(chance.uniform(0, seconds / most))
        other = Child(data, place)
        if other.process.wait() == 0 and child.process.poll() is None:
            raise SystemExit("a second process was let in")
        done += child.process.poll() is None
    child.wait_for("done")
    if child.process.wait():
        raise SystemExit(f"the stream ended by itself: see {place.with_suffix('.log')}")
    return done


# ---------------------------------------------------------------- comparing


@dataclass
class Outcome:
    """What a stream has left: the current tables, the log, and how many late rows."""

    tables: tuple[Counter[str], Counter[str]]
    log: tuple[Counter[str], Counter[str]]
    folded: tuple[Counter[str], Counter[str]]
    late: int

    @staticmethod
    def of(place: Path) -> Outcome:
        store = Store(place / "tables")
        intervals, occurrences = read_changes(store)
        current, happened = read_current(store)
        late = sum(pq.read_metadata(path).num_rows for path in (place / "tables" / "late").rglob("*.parquet"))
        return Outcome(
            (rows(current), rows(happened)),
            (rows(intervals), rows(occurrences)),
            (rows(fold_intervals(intervals)), rows(fold_occurrences(occurrences))),
            late,
        )

    def differences(self, other: Outcome) -> list[str]:
        found = [name for name in ("tables", "log", "late") if getattr(self, name) != getattr(other, name)]
        wrong = [f"{name} differ" for name in found]
        return wrong if other.folded == other.tables else [*wrong, "folding the log does not give the tables"]

    def __str__(self) -> str:
        intervals, occurrences = (counts.total() for counts in self.tables)
        changes = sum(counts.total() for counts in self.log)
        return f"{intervals:,} intervals, {occurrences:,} occurrences, {changes:,} changes, {self.late:,} late rows"


if __name__ == "__main__":
    main()
