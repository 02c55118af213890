"""A stream on local[2]: 21 fluents over 5,000 vessels from files, batch by batch, for minutes; then single events.

python -m benchmarks.stream [MINUTES]: what a batch of 100,000 events takes, events a second of larger batches, bytes of
state and memory over time (a day of stream time is about 1.9M events), and what a batch of one event takes.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import holdsfor
import holdsfor.spark
from benchmarks.spark_batch import family, resident_mb
from examples.maritime.simulate import simulate
from holdsfor.io.metrics import BatchMetrics
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.job.live.input.files import FileReader
from holdsfor.spark.live.files import file_stream
from holdsfor.spark.live.query import SparkQuery

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "maritime"
VESSELS = 5_000
DAY = 86_400
FILE = 100_000
WINDOW, STEP = 14_400, 3_600


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].replace(".", "").isdigit() else 1.0
    with tempfile.TemporaryDirectory() as folder:
        Measurement(Path(folder), minutes).run()


class Measurement:
    """Files are written while the stream runs, always some ahead of it, so that it never waits."""

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder, self.minutes = folder, minutes
        self.incoming = folder / "incoming"
        self.incoming.mkdir()
        self.seen: list[BatchMetrics] = []
        self.memory: list[float] = []
        self.written = 0

    def run(self) -> None:
        begun = time.perf_counter()
        fleet = simulate(hours=24, vessels=VESSELS)
        fleet.write(self.folder / "fleet")
        spent = time.perf_counter() - begun
        print(f"a day of {VESSELS:,} vessels: {fleet.table.num_rows:,} events, made in {spent:.0f} s")
        files = days(fleet.table)
        spark = holdsfor.spark.session(master="local[2]")
        try:
            self._batches(spark, files, "100,000 events a batch", 1, 20)
            self._sustained(spark, files)
            self._single(spark, files)
        finally:
            spark.stop()

    def _live(self, spark: object, most_files: int) -> SparkQuery:
        data = self.folder / "fleet"
        frame = file_stream(spark, self.incoming, str(self.folder / "seen.jsonl"), maxFiles=most_files)  # type: ignore[arg-type]
        return holdsfor.spark.stream(
            spark,  # type: ignore[arg-type]
            holdsfor.load(EXAMPLE / "rules.ec", EXAMPLE / "background.ec", data / "fleet.ec"),
            frame,
            window=WINDOW,
            step=STEP,
            checkpoint=self.folder / "state",
            out=self.folder / "tables",
            format=FileReader(as_mapping(data / "mapping.toml")),
            watch=self._watch,
        )

    def _watch(self, metrics: BatchMetrics) -> None:
        self.seen.append(metrics)
        self.memory.append(sum(map(resident_mb, family(os.getpid()))))

    def _put(self, table: pa.Table) -> None:
        name = f"{self.written:06d}.parquet"
        pq.write_table(table, self.incoming / f".{name}")
        os.rename(self.incoming / f".{name}", self.incoming / name)
        self.written += 1

    def _batches(self, spark: object, files: Iterator[pa.Table], title: str, most: int, count: int) -> None:
        for _ in range(count):
            self._put(next(files))
        live = self._live(spark, most)
        self._wait(live, lambda: len(self.seen) >= count)
        durations = batch_durations(live)[5:]
        live.stop()
        tell(title, durations, self.seen[5:])

    def _sustained(self, spark: object, files: Iterator[pa.Table]) -> None:
        first = len(self.seen)
        stop = threading.Event()
        writer = threading.Thread(target=self._keep_ahead, args=(files, stop), daemon=True)
        writer.start()
        live = self._live(spark, 4)
        end = time.perf_counter() + 60 * self.minutes
        begun = time.perf_counter()
        self._wait(live, lambda: time.perf_counter() > end)
        spent = time.perf_counter() - begun
        durations = batch_durations(live)
        live.stop()
        stop.set()
        writer.join()
        seen = self.seen[first:]
        events = sum(one.counts.events_in for one in seen)
        tell(f"{spent:.0f} s on end: {events / spent:,.0f} events/s", durations, seen)
        print(f"  {((seen[-1].stream_time or 0) - (seen[0].stream_time or 0)) / 3600:,.0f} hours of stream time")
        tenth = max(1, len(seen) // 10)
        for name, column in (
            ("state, MB", [one.state_bytes / 1e6 for one in seen]),
            ("memory, MB", self.memory[first:]),
        ):
            parts = [statistics.mean(column[low : low + tenth]) for low in range(0, len(column) - tenth + 1, tenth)]
            print(f"  {name} over time: {' '.join(f'{part:,.0f}' for part in parts)}")

    def _keep_ahead(self, files: Iterator[pa.Table], stop: threading.Event) -> None:
        while not stop.is_set():
            done = sum(one.counts.events_in for one in self.seen) // FILE
            if self.written - done < 16:
                self._put(next(files))
            else:
                time.sleep(0.05)

    def _single(self, spark: object, files: Iterator[pa.Table]) -> None:
        """One event a batch, every fourth of which makes a query time due."""
        live = self._live(spark, 1_000)
        self._wait(live, lambda: self.written * FILE <= sum(one.counts.events_in for one in self.seen))
        template = next(files).slice(0, 1)
        arrival = pc.max(next(files)["arrival"]).as_py()
        quick: list[float] = []
        due: list[float] = []
        for number in range(24):
            arrival += STEP if number % 4 == 3 else 1
            count = len(self.seen)
            self._put(_moved(template, arrival - template["arrival"][0].as_py()))
            self._wait(live, lambda count=count: len(self.seen) > count)
            (due if self.seen[-1].counts.query_times else quick).append(self.seen[-1].latency_ms / 1000)
        live.stop()
        print(f"one event a batch: {median(quick)} without, {median(due)} with a query time (all entities advance)")

    def _wait(self, live: SparkQuery, done: object) -> None:
        while not done():  # type: ignore[operator]
            live.awaitTermination(1) if not live.isActive else time.sleep(0.02)


def days(table: pa.Table) -> Iterator[pa.Table]:
    """The same day again and again, each a day later, cut into files in the order of arrival."""
    table = table.sort_by("arrival")
    day = 0
    while True:
        moved = _moved(table, day * DAY)
        for low in range(0, table.num_rows - FILE + 1, FILE):
            yield moved.slice(low, FILE)
        day += 1


def _moved(table: pa.Table, by: int) -> pa.Table:
    for name in ("time", "end", "arrival"):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pc.add(table[name], by))
    return table


def batch_durations(live: SparkQuery) -> list[float]:
    """What Spark needed for each batch, from looking for files to its own commit, in seconds."""
    told = [json.loads(progress.json) for progress in live.query.recentProgress]
    return [progress["batchDuration"] / 1000 for progress in told if progress["numInputRows"]]


def median(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} s" if seconds else "-"


def tell(title: str, durations: list[float], seen: list[BatchMetrics]) -> None:
    kernels = statistics.median(one.kernel_ms for one in seen)
    latency = statistics.median(one.latency_ms for one in seen)
    print(
        f"{title}: median {median(durations)} a batch with Spark's own book-keeping, {latency:,.0f} ms from its rows "
        f"to its commit, of which {kernels:,.0f} ms in kernels of both cores together; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
