"""All measurements, one after the other: python -m benchmarks."""

from __future__ import annotations

from benchmarks import (
    engine,
    kernels,
    live,
    maritime,
    mqtt,
    patterns,
    reading,
    rtec,
    rules,
    spark_batch,
    start,
    stream,
)

for measurement in (kernels, reading, rules, engine, patterns, start, maritime, rtec, spark_batch, stream, live, mqtt):
    print(f"\n== {measurement.__name__}: {(measurement.__doc__ or '').splitlines()[0]}")
    measurement.main()
