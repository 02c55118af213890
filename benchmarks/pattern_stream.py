"""Ten patterns on a stream, local[2]: what a batch of 100,000 events takes.

python -m benchmarks.pattern_stream [BATCHES]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import holdsfor
import holdsfor.spark
from benchmarks.stream import batch_durations
from holdsfor.io.metrics import BatchMetrics
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.job.live.input.files import FileReader
from holdsfor.spark.live.files import file_stream

BATCH, KEYS = 100_000, 1_000
MAPPING = {"name": "event", "time": "time", "events": {name: ["key", "amount"] for name in "abcd"}}
RULES = """
ab(K) <- (a(K, _) SEQ b(K, _)).2000.
abc(K) <- (a(K, _) SEQ b(K, _) SEQ c(K, _)).3000.
both(K) <- (c(K, _) AND d(K, _)).500.
rise(K, X, Y) <- (a(K, X) SEQ a(K, Y)).2000 WHERE Y > X + 900.
alone(K) <- (NOT(b(K, _)).[a(K, _), a(K, _)]).2000.
silent(K) <- NOT(d(K, _)).[c(K, _), 20000 s].
large(K) <- (a(K, X) OR b(K, X)) WHERE X > 995.
total(K, S) <- d(K, X) AGGREGATE S = sum(X) OVER LAST 2000 s.
twice(K) <- (large(K) SEQ large(K)).20000.
over(K) <- ((a(K, _) SEQ b(K, _)).500 PAR (c(K, _) SEQ d(K, _)).500).1000.
"""


def main() -> None:
    batches = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 15
    seen: list[BatchMetrics] = []
    with tempfile.TemporaryDirectory() as folder:
        incoming = Path(folder) / "incoming"
        incoming.mkdir()
        for number in range(batches):
            pq.write_table(make_events(number), incoming / f"{number:04d}.parquet")
        spark = holdsfor.spark.session(master="local[2]")
        try:
            live = holdsfor.spark.stream(
                spark,
                holdsfor.parse(RULES),
                file_stream(spark, incoming, str(Path(folder) / "seen.jsonl"), maxFiles=1),
                window=BATCH,
                step=BATCH // 2,
                checkpoint=Path(folder) / "state",
                format=FileReader(as_mapping(MAPPING)),
                watch=seen.append,
            )
            while len(seen) < batches:
                if live.exception() is not None:
                    raise RuntimeError(live.exception())
                time.sleep(0.1)
            took = batch_durations(live)
            live.stop()
        finally:
            spark.stop()
    later = took[3:]
    print(f"load {os.getloadavg()[0]:.1f}; ten patterns, {BATCH:,} events a batch, {KEYS:,} keys")
    print(f"a batch takes {statistics.median(later):.2f} s (least {min(later):.2f}, most {max(later):.2f})")
    print(f"state {seen[-1].state_bytes / 1e6:.1f} MB after {batches} batches, {seen[4].state_bytes / 1e6:.1f} after 5")


def make_events(number: int) -> pa.Table:
    random = np.random.default_rng(number)
    names = pa.array(["a", "b", "c", "d"])
    kinds = pa.array(random.integers(0, 4, BATCH).astype(np.int32))
    return pa.table(
        {
            "event": pa.DictionaryArray.from_arrays(kinds, names),
            "time": np.arange(number * BATCH, (number + 1) * BATCH) + 1,
            "key": random.integers(0, KEYS, BATCH),
            "amount": random.integers(0, 1_000, BATCH),
        }
    )


if __name__ == "__main__":
    main()
