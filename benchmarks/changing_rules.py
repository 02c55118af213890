"""What `diff` and `sweep` take in a warm process, over 1M maritime rows and 21 fluents.

Usage: python -m benchmarks.changing_rules [VESSELS ROWS]. Prints seconds, by the clock and of CPU, for two versions
that differ in a threshold on which six other definitions depend, and for fifty thresholds.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import holdsfor
from benchmarks.maritime import measure
from benchmarks.rtec_fleet import write_fleet
from examples.maritime.simulate import simulate

THRESHOLD = "    threshold(underWayMin, Min),\n    Speed {} Min."


def main(vessels: int = 5_000, rows: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = write_fleet(simulate(rows, vessels=vessels), Path(folder))
        text = files.rules.read_text()
        for sign in (">=", "<"):
            text = text.replace(THRESHOLD.format(sign), f"    Speed {sign} LIMIT.")
        for limit in ("2.7", "4.5"):
            (Path(folder) / f"limit {limit}.ec").write_text(text.replace("LIMIT", limit))
        paths = [Path(folder) / f"limit {limit}.ec" for limit in ("2.7", "4.5")]
        old, new = (holdsfor.load(path, files.background) for path in paths)
        events = holdsfor.read_events(files.events, format="rtec")
        measure("diff", lambda: holdsfor.diff(old, new, events))
        values = "Speed >= {1.0..5.9..0.1}"
        measure("50 thresholds", lambda: holdsfor.sweep(paths[0], values, events, background=[files.background]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
