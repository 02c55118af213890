"""What more stages cost: the maritime rules with and without definitions about areas, triples, and one of a pair.

    python -m benchmarks.stages [events] [hub]

`hub`: a vessel has 30 % of the events, and another 10,000 partners.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import holdsfor
import holdsfor.spark
from benchmarks.spark_batch import EXAMPLE, Memory
from examples.maritime.simulate import simulate

RUNS = 3
MORE = """
initiatedAt(suspect(A)=true, T) :- happensAt(start(rendezVous(A, _)=true), T).
terminatedAt(suspect(A)=true, T) :- happensAt(stop_start(A), T).

initiatedAt(insideArea(V, Area)=true, T) :- happensAt(entersArea(V, Area), T).
terminatedAt(insideArea(V, Area)=true, T) :- happensAt(leavesArea(V, Area), T).
terminatedAt(insideArea(V, _)=true, T) :- happensAt(gap_start(V), T).
initiatedAt(crowded(Area)=true, T) :-
    happensAt(start(insideArea(_, Area)=true), T),
    findall(V, holdsAt(insideArea(V, Area)=true, T), Inside), length(Inside, N), N >= 10.
terminatedAt(crowded(Area)=true, T) :-
    happensAt(end(insideArea(_, Area)=true), T),
    findall(V, holdsAt(insideArea(V, Area)=true, T), Inside), length(Inside, N), N < 11.

holdsFor(convoy(A, B, C)=true, I) :-
    holdsFor(proximity(A, B)=true, I1), holdsFor(proximity(B, C)=true, I2), intersect_all([I1, I2], I).
"""


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        simulate(events=events).write(data)
        if "hub" in sys.argv:
            make_hub(data)
        more = Path(folder) / "more.ec"
        more.write_text(MORE)
        spark = holdsfor.spark.session(master="local[2]")
        memory = Memory()
        memory.start()
        plain, extended = [EXAMPLE / "rules.ec", EXAMPLE / "background.ec", data / "fleet.ec"], more
        for run in range(RUNS):
            for files in (plain, [*plain, extended]):
                begun = time.perf_counter()
                description = holdsfor.load(*files)
                source = holdsfor.read_events(data, format="columns", mapping=data / "mapping.toml")
                out = Path(folder) / "out"
                result = holdsfor.spark.recognise(spark, description, source, window=14_400, step=3_600, out=out)
                seconds = time.perf_counter() - begun
                print(f"run {run + 1}, {len(files)} files: {seconds:.1f} s, {loads(result.metrics)}", flush=True)
        memory.stop = True
        print(f"greatest resident memory of driver and workers together: {memory.most / 1024:.1f} GB")
        spark.stop()


def loads(metrics: dict[str, float]) -> str:
    """For each stage its rows, the share of them that the largest task has, and how often the mean that is."""
    parts = []
    number = 1
    while (rows := metrics.get(f"rows_in_stage_{number}")) is not None:
        share = metrics[f"most_rows_in_stage_{number}"] / max(rows, 1)
        parts.append(f"stage {number}: {rows:,} rows, most {share:.0%} = {share * metrics['buckets']:.1f}x")
        number += 1
    return "; ".join(parts)


def make_hub(data: Path) -> None:
    """v0 takes over 30 % of all events but meetings; v1 meets up to 10,000 others, for half an hour each."""
    for file in sorted(data.glob("*.parquet")):
        table = pq.read_table(file)
        random = np.random.default_rng(1)
        names = table["vessel"].combine_chunks().dictionary
        vessel = table["vessel"].cast(pa.string()).combine_chunks()
        is_meeting = pc.equal(table["event"].cast(pa.string()), "proximity").combine_chunks()
        chosen = pc.and_(pa.array(random.random(len(table)) < 0.3), pc.invert(is_meeting))
        table = _with(table, "vessel", pc.if_else(chosen, "v0", vessel))
        partners = names.slice(2, min(10_000, len(names) - 2))
        meetings = table.filter(is_meeting).slice(0, 1).take(pa.array(np.zeros(len(partners), np.int64)))
        low, high = pc.min(table["time"]).as_py(), pc.max(table["time"]).as_py()
        start = random.integers(low, max(high - 1800, low + 1), len(partners))
        meetings = _with(meetings, "vessel", pa.array(["v1"] * len(partners)))
        meetings = _with(meetings, "other", partners)
        for name, values in (("time", start), ("end", start + 1800), ("arrival", start)):
            place = meetings.column_names.index(name)
            meetings = meetings.set_column(place, name, pa.array(values).cast(meetings[name].type))
        pq.write_table(pa.concat_tables([table, meetings.cast(table.schema)]).unify_dictionaries(), file)


def _with(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    encoded = column.cast(pa.string()).dictionary_encode()
    return table.set_column(table.column_names.index(name), name, encoded.cast(table[name].type))


if __name__ == "__main__":
    main()
