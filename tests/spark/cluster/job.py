"""The driver of a stream on a cluster, as a process of its own: `python -m tests.spark.cluster.job MASTER FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import holdsfor
import holdsfor.spark
from holdsfor.spark.shipping import ship, warm

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), S >= 5.
holdsFor(meeting(A,B)=true, I) :- holdsFor(near(A,B)=true, I1), holdsFor(slow(A)=true, I2), holdsFor(slow(B)=true, I3),
    intersect_all([I1, I2, I3], I).
"""


def main() -> None:
    master, folder = sys.argv[1], Path(sys.argv[2])
    # The driver's address may be told by name on a cluster; here all of it is on loopback.
    spark = holdsfor.spark.session(master, {"spark.executor.memory": "700m", "spark.task.maxFailures": "8"})
    ship(spark)
    print("warm", warm(spark), flush=True)
    events = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "in"))
    live = holdsfor.spark.stream(
        spark,
        holdsfor.parse(RULES),
        events,
        window=200,
        step=50,
        start=0,
        checkpoint=folder / "state",
        out=folder / "tables",
        format="rtec",
        buckets=4,
        once=True,
        watch=lambda metrics: print("batch", metrics.batch, flush=True),
    )
    live.awaitTermination()
    print("done", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
