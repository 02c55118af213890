"""A stream with one Allen relation, which has no bound, beside 20 fluents that have one: what a batch takes over time.

    python -m benchmarks.unbounded [windows]

The rows of each window are the same but for their times. With the relation, state and time grow by what it looks at
itself: the intervals of two fluents, one of each for every vessel and window. Without it both stay as they are.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import holdsfor
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.local.stream import LocalQuery, stream_feed

FLUENTS, VESSELS, WINDOW, STEP = 20, 500, 3600, 1800
FLUENT = """
initiatedAt(f{0}(V)=true, T) :- happensAt(on{0}(V), T).
terminatedAt(f{0}(V)=true, T) :- happensAt(off{0}(V), T).
"""
BEFORE = "holdsFor(first(V)=true, I) :- holdsFor(f0(V)=true, A), holdsFor(f1(V)=true, B), before(A, B, source, I).\n"


def main() -> None:
    windows = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for title, rules in (("20 fluents", ""), ("20 fluents and an Allen relation", BEFORE)):
        with tempfile.TemporaryDirectory() as folder:
            tell(title, *run(Path(folder), "".join(map(FLUENT.format, range(FLUENTS))) + rules, windows))


def rows_of_window(number: int) -> list[str]:
    """Every fluent of every vessel begins and ends once."""
    rows = []
    for vessel in range(VESSELS):
        for fluent in range(FLUENTS):
            begin = number * WINDOW + 1 + (vessel * 7 + fluent * 131) % (WINDOW - 400)
            rows += [f"on{fluent}|{begin}|{begin}|v{vessel}", f"off{fluent}|{begin + 300}|{begin + 300}|v{vessel}"]
    return rows


def run(folder: Path, rules: str, windows: int) -> tuple[list[float], list[float]]:
    """Milliseconds of CPU and megabytes of state, batch by batch; a batch has the rows of one window."""
    incoming, checkpoint = folder / "incoming", folder / "state"
    incoming.mkdir()
    with open_feed(str(incoming), checkpoint) as (feed, reader):
        live = stream_feed(
            holdsfor.parse(rules), feed, reader, window=WINDOW, step=STEP, start=0, checkpoint=checkpoint
        )
        taken: list[float] = []
        sizes: list[float] = []
        for number in range(windows):
            (incoming / ".next").write_text("\n".join(rows_of_window(number)) + "\n")
            begun = time.process_time()
            os.rename(incoming / ".next", incoming / f"{number:04d}.csv")
            progress = wait_for_batch(live, number)
            taken.append(1000 * (time.process_time() - begun))
            sizes.append(progress["stateBytes"] / 1e6)
        live.stop()
    return taken, sizes


def wait_for_batch(live: LocalQuery, number: int) -> dict[str, float]:
    while live.lastProgress is None or live.lastProgress["batchId"] < number:
        if not live.isActive:
            live.awaitTermination()
        time.sleep(0.02)
    return live.lastProgress


def tell(title: str, taken: list[float], sizes: list[float]) -> None:
    tenth = max(1, len(taken) // 10)
    parts = [slice(low, low + tenth) for low in range(0, len(taken) - tenth + 1, tenth)]
    times = " ".join(f"{statistics.median(taken[part]):,.0f}" for part in parts)
    print(f"{title}, {len(taken)} windows: ms of CPU a batch {times}; load {os.getloadavg()[0]:.1f}")
    print(f"  state, MB: {' '.join(f'{statistics.median(sizes[part]):.1f}' for part in parts)}", flush=True)


if __name__ == "__main__":
    main()
