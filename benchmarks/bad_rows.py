"""Two million rows through a stream, half of them malformed: python -m benchmarks.faults rejects."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import holdsfor
import holdsfor.spark
from holdsfor.io.storage.changelog import read_current
from holdsfor.io.storage.store import Store

SLOW = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
"""
GOOD = 1_000_000
LINES_A_FILE = 100_000


def bad(chance: random.Random, time: int) -> tuple[str, str]:
    """A malformed row, and how its reason begins."""
    return chance.choice(
        (
            (f"velocity|{time}|soon|v1|3.5", "time is not an integer"),
            (f"velocity|{time}|{time}|v1", "wrong arity"),
            (f"velocity|{time}|{time}|v1|fast", "bad number"),
            (f"velocity|{time}|{time}||3.5", "empty field"),
            (f"hover|{time}", "no event"),
        )
    )


def main() -> None:
    chance = random.Random(2)
    good, lines, refused = list[str](), list[str](), Counter[tuple[str, str]]()
    for number in range(GOOD):
        moment = number // 50 + 1
        good.append(f"velocity|{moment}|{moment}|v{chance.randrange(500)}|{chance.uniform(0, 15):.1f}")
        row, reason = bad(chance, moment)
        lines += (good[-1], row)
        refused[row, reason] += 1
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / "in", lines)
        begun = time.perf_counter()
        counted = _stream(Path(folder))
        print(f"{len(lines):,} rows in {time.perf_counter() - begun:.0f} s; counted as rejected: {counted:,}")
        _compare_rejects(refused, _rejects(Path(folder) / "tables" / "rejects"))
        _compare_tables(good, Store(Path(folder) / "tables"))


def _write(folder: Path, lines: list[str]) -> None:
    folder.mkdir()
    for number, low in enumerate(range(0, len(lines), LINES_A_FILE)):
        file = folder / f"{number:03d}.csv"
        file.write_text("\n".join(lines[low : low + LINES_A_FILE]) + "\n")
        os.utime(file, (1_700_000_000 + number,) * 2)  # the order in which Spark reads them


def _stream(place: Path) -> int:
    """How many rows the figures of the batches call rejected."""
    spark = holdsfor.spark.session(master="local[2]")
    rejected: list[int] = []
    live = holdsfor.spark.stream(
        spark,
        holdsfor.parse(SLOW),
        spark.readStream.option("maxFilesPerTrigger", 1).text(str(place / "in")),
        window=1_000,
        step=500,
        start=0,
        checkpoint=place / "checkpoint",
        out=place / "tables",
        format="rtec",
        once=True,
        watch=lambda metrics: rejected.append(metrics.counts.rejected),
    )
    live.awaitTermination()
    spark.stop()
    return sum(rejected)


def _rejects(folder: Path) -> Counter[tuple[str, str]]:
    """The texts of the rows, with the beginnings of their reasons."""
    found: Counter[tuple[str, str]] = Counter()
    for path in folder.rglob("*.parquet"):
        table = pq.read_table(path)
        reasons = (reason.partition(":")[0] for reason in table["reason"].to_pylist())
        found.update(zip(table["text"].to_pylist(), reasons, strict=True))
    return found


def _compare_rejects(expected: Counter[tuple[str, str]], found: Counter[tuple[str, str]]) -> None:
    print(f"in rejects: {found.total():,}; of them rightly, with the right reason: {(found & expected).total():,}")
    reasons: Counter[str] = Counter()
    for (_, reason), count in found.items():
        reasons[reason] += count
    for reason, count in reasons.most_common():
        print(f"  {count:9,}  {reason}")


def _compare_tables(good: list[str], tables: Store) -> None:
    events = holdsfor.read_events(good, format="rtec")
    result = holdsfor.recognise(holdsfor.parse(SLOW), events, start=0, window=1_000, step=500)
    same = rows(result.intervals) == rows(read_current(tables)[0])
    print(f"the rest: {result.intervals.num_rows:,} intervals, {'' if same else 'NOT '}those of a batch run")


def rows(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))
