"""All measurements, one after the other: python -m benchmarks."""

from __future__ import annotations

from benchmarks import engine, kernels, live, mqtt, reading, rules, spark_batch, start, stream, unbounded

for measurement in (kernels, reading, rules, engine, start, spark_batch, stream, live, unbounded, mqtt):
    print(f"\n== {measurement.__name__}: {(measurement.__doc__ or '').splitlines()[0]}")
    measurement.main()
