"""All measurements, one after the other: python -m benchmarks."""

from __future__ import annotations

import os

from benchmarks import (
    ablation,
    cyclic,
    deduction,
    engine,
    facts,
    first_result,
    flights,
    incremental,
    kernels,
    live,
    maritime,
    mqtt,
    pattern_stream,
    patterns,
    reading,
    rtec,
    rules,
    spark_batch,
    spark_start,
    start,
    stream,
    threads,
    unbounded,
)

IN_PROCESS = (
    kernels,
    reading,
    flights,
    rules,
    facts,
    deduction,
    engine,
    cyclic,
    patterns,
    rtec,
    start,
    first_result,
    maritime,
    threads,
    incremental,
)
ON_SPARK_AND_LIVE = (ablation, spark_batch, spark_start, stream, pattern_stream, live, unbounded, mqtt)

for measurement in (*IN_PROCESS, *ON_SPARK_AND_LIVE):
    if measurement is rtec and "RTEC" not in os.environ:  # a checkout of RTEC
        continue
    print(f"\n== {measurement.__name__}: {(measurement.__doc__ or '').splitlines()[0]}")
    measurement.main()
