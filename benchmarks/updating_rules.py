"""Measure what it costs to change one definition after the other of 21 in a live session over maritime rows.

Usage: python -m benchmarks.updating_rules [VESSELS ROWS WINDOW]. Prints seconds of CPU for a query time at which
everything is evaluated; and for rules of which one clause is gone: compiling them, `live.update` without that, the
query time after it; then the medians.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import holdsfor
from benchmarks.rtec_fleet import write_fleet
from examples.maritime.simulate import simulate
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.plan import plan

CLAUSE = re.compile(r"^(?:initiatedAt|terminatedAt|holdsFor)\((\w+)\(.*?\.\s*$", re.M | re.S)


def cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def variants(text: str, background: str) -> Iterator[tuple[str, holdsfor.EventDescription]]:
    """Yield for each fluent the rules without its last clause, as far as they load."""
    clauses = {match[1]: match for match in CLAUSE.finditer(text)}
    for name, match in clauses.items():
        try:
            yield name, holdsfor.parse(text[: match.start()] + text[match.end() :], background)
        except holdsfor.HoldsforError:
            continue


def main(vessels: int = 5_000, rows: int = 1_000_000, window: int = 14_400) -> None:
    step = window // 4
    with tempfile.TemporaryDirectory() as folder:
        files, saved = write_fleet(simulate(rows, vessels=vessels), Path(folder)), Path(folder) / "saved"
        text, background = files.rules.read_text(), files.background.read_text()
        rules = holdsfor.parse(text, background)
        live = holdsfor.session(rules, window=window, step=step, start=0)
        live.add(holdsfor.read_events(files.events, format="rtec"))
        live.advance(window + step)
        live.save(saved)
        again = holdsfor.resume(rules, saved, incremental=False)
        again.advance(window + 2 * step)
        full = cpu(lambda: again.advance(window + 3 * step))
        live.update(rules)  # warm
        taken: list[tuple[float, float, float]] = []
        for name, changed in variants(text, background):
            again = holdsfor.resume(rules, saved)
            again.advance(window + 3 * step)
            compiling = cpu(lambda rules=changed: make_program(plan(rules.with_input())))  # type: ignore[misc]
            update = cpu(lambda live=again, rules=changed: live.update(rules))  # type: ignore[misc]
            following = cpu(lambda live=again: live.advance(window + 4 * step))  # type: ignore[misc]
            taken.append((compiling, max(update - compiling, 0.0), following))
            print(f"  {name}: " + ", ".join(f"{each:.3f}" for each in taken[-1]))
        medians = [statistics.median(column) for column in zip(*taken, strict=True)]
        print(f"full evaluation {full:.3f}; medians of compiling, update, next: {medians}; {medians[1] / full:.0%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
