"""Live without a JVM: how soon a stream tells its first result, and what one more event takes among 5,000 vessels.

python -m benchmarks.live: a session in this process, and `holdsfor stream --engine local`, each with 21 fluents, a
window of 4 hours that is full, and a query time every 10 minutes; then single events, each with a query time. The first
of them is left out: its arrival makes the query time due at which a stream sees the rows of the 10 minutes before.
python -m benchmarks.live [spark] [BUCKETS]: a stream only, with so many buckets (1 unless given), in this process or on
Spark, local[2].
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import holdsfor
import holdsfor.spark
from benchmarks.stream import EXAMPLE, VESSELS, WINDOW
from examples.maritime.simulate import simulate
from holdsfor.io.storage.store import Store
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.job.live.query import StreamQuery
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.local.stream import stream_feed

HOURS = 5
STEP = 600
SINGLES = 24  # Java becomes faster for some time
RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "spark" not in sys.argv:
            first_result(folder)
        fleet = simulate(hours=HOURS, vessels=VESSELS)
        fleet.write(folder / "fleet")
        buckets = next((int(text) for text in sys.argv[1:] if text.isdigit()), 1)
        if "spark" in sys.argv:
            on_spark(folder, fleet.table, buckets)
            return
        if len(sys.argv) == 1:
            in_a_session(folder, fleet.table)
        in_a_stream(folder, fleet.table, buckets)


def first_result(folder: Path) -> None:
    (folder / "rules.ec").write_text(RULES)
    (folder / "few.csv").write_text("velocity|100|100|v1|3.5\nvelocity|160|160|v1|9.0\n")
    for attempt in range(3):
        command = [sys.executable, "-m", "holdsfor", "stream", "rules.ec", "--engine", "local", "--from", "few.csv"]
        command += ["--window", "100", "--step", "30", "--start", "0", "--once", "--to", "console"]
        command += ["--checkpoint", f"few-{attempt}"]
        begun = time.perf_counter()
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            process.stdout.readline()
            print(f"first result of a stream after {time.perf_counter() - begun:.2f} s; load {os.getloadavg()[0]:.1f}")


def steps(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each step with its query time; then single rows, which come with the steps after it."""
    start = pc.min(table["arrival"]).as_py() - 1
    query_time = start
    while query_time < start + HOURS * 3600:
        query_time += STEP
        arrival = table["arrival"]
        within = pc.and_(pc.greater(arrival, query_time - STEP), pc.less_equal(arrival, query_time))
        yield query_time, table.filter(within)
    single = table.slice(0, 1)
    for _ in range(SINGLES):
        query_time += STEP
        for name in ("time", "arrival"):
            place = single.column_names.index(name)
            single = single.set_column(place, name, pa.array([query_time - STEP + 1]))
        yield query_time, single


def load(folder: Path) -> holdsfor.EventDescription:
    return holdsfor.load(EXAMPLE / "rules.ec", EXAMPLE / "background.ec", folder / "fleet" / "fleet.ec")


def in_a_session(folder: Path, table: pa.Table) -> None:
    start = pc.min(table["arrival"]).as_py() - 1
    live = holdsfor.session(load(folder), window=WINDOW, step=STEP, start=start, keep=WINDOW)
    taken: list[tuple[int, float, float]] = []
    for query_time, rows in steps(table):
        begun, worked = time.perf_counter(), time.process_time()
        live.add(rows, mapping=folder / "fleet" / "mapping.toml")
        live.advance(query_time)
        taken.append((rows.num_rows, time.perf_counter() - begun, time.process_time() - worked))
    tell("a session", taken)


def in_a_stream(folder: Path, table: pa.Table, buckets: int) -> None:
    incoming, checkpoint = folder / "incoming", folder / "state"
    incoming.mkdir()
    start = pc.min(table["arrival"]).as_py() - 1
    with open_feed(str(incoming), checkpoint, mapping=folder / "fleet" / "mapping.toml") as (feed, reader):
        times = {"window": WINDOW, "step": STEP, "start": start}
        live = stream_feed(load(folder), feed, reader, **times, checkpoint=checkpoint, buckets=buckets)
        taken = feed_steps(live, incoming, steps(table))
    tell(f"a stream in this process, buckets: {buckets}", taken)
    tell_bytes(checkpoint)


def on_spark(folder: Path, table: pa.Table, buckets: int) -> None:
    """The first window comes as one file."""
    incoming, checkpoint = folder / "incoming", folder / "state"
    incoming.mkdir()
    start = pc.min(table["arrival"]).as_py() - 1
    spark = holdsfor.spark.session(master="local[2]")
    sample = folder / "sample.parquet"
    pq.write_table(table.slice(0, 1), sample)
    frame = spark.readStream.schema(spark.read.parquet(str(sample)).schema).parquet(str(incoming))
    live = holdsfor.spark.stream(
        spark,
        load(folder),
        frame,
        window=WINDOW,
        step=STEP,
        start=start,
        checkpoint=checkpoint,
        mapping=folder / "fleet" / "mapping.toml",
        buckets=buckets,
    )
    every = list(steps(table))
    full = pa.concat_tables([rows for _, rows in every[: WINDOW // STEP]])
    taken = feed_steps(live, incoming, [(0, full), *every[WINDOW // STEP :]])
    tell(f"a stream on Spark, buckets: {buckets}", taken[1:])
    tell_bytes(checkpoint)
    spark.stop()


def feed_steps(
    live: StreamQuery, incoming: Path, every: Iterable[tuple[int, pa.Table]]
) -> list[tuple[int, float, float]]:
    """A file a step; for each its rows, and the seconds and the seconds of a core (of this process) that it took."""
    taken = []
    for number, (_, rows) in enumerate(every):
        pq.write_table(rows, incoming / ".next")
        worked = time.process_time()
        os.rename(incoming / ".next", incoming / f"{number:03d}.parquet")
        while len(live.recentProgress) <= number and live.isActive:
            time.sleep(0.001)
        seconds = live.recentProgress[-1]["latencyMs"] / 1000
        taken.append((rows.num_rows, seconds, time.process_time() - worked))
    live.stop()
    return taken


def tell_bytes(checkpoint: Path) -> None:
    """What the last batch, one event, has written: its input, its commit (twice) and its tables."""
    ledger = Ledger(Store(checkpoint / "holdsfor"))
    last = ledger.last()
    assert last is not None
    logged = sum(file.size for entry in last.state.log if entry.batch == last.batch for file in entry.files)
    commit = len(json.dumps(last.as_json()))
    tables = sum(file.size for file in last.files)
    print(f"  the last event writes {logged:,} bytes of state, {2 * commit:,} of commits and {tables:,} of tables")


def tell(title: str, taken: list[tuple[int, float, float]]) -> None:
    full = [wall for rows, wall, _ in taken if rows > 1]
    _, first, *later = [(1000 * wall, 1000 * cpu) for rows, wall, cpu in taken if rows == 1]
    walls = [wall for wall, _ in later]
    print(
        f"{title}: {1000 * statistics.median(full):,.0f} ms a step of {max(rows for rows, *_ in taken):,} events; one "
        f"event with a query time {first[0]:,.1f} ms ({first[1]:,.1f} of a core) while the window is full, then "
        f"{statistics.median(walls):,.1f} ms ({min(walls):,.1f} to {max(walls):,.1f}); load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
