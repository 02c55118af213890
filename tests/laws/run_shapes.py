"""Random descriptions with many stages on every host, as many as there is time for.

    python -m tests.laws.run_shapes JOURNAL [--first 0] [--count 2000] [--without-spark] [--one-of-each]

The journal has a line for each description that agreed with the naive evaluator everywhere, and one for each that did
not. Those in it are not tried again, so that a run may be interrupted and begun anew, with the same command.
`--one-of-each` tries one host of each kind: a history in this process, tasks, a stream, each with its own buckets.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.engines import LOCAL, Engine, in_session, in_stream, in_tasks, on_spark
from tests.laws.test_programs import explain, wrong
from tests.naive.shapes import random_shapes

#: In this process, as the tasks of Spark's workers, live in this process, and as the batches of a stream.
HOSTS = (*LOCAL, in_tasks(2), in_tasks(7), in_session(), in_stream(1), in_stream(3))
ONE_OF_EACH = (LOCAL[0], in_tasks(7), in_stream(3))


@dataclass(frozen=True)
class Journal:
    path: Path

    def seeds(self) -> set[int]:
        if not self.path.exists():
            return set()
        return {json.loads(line)["seed"] for line in self.path.read_text().splitlines()}

    def write(self, seed: int, hosts: Sequence[str], difference: str | None) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps({"seed": seed, "hosts": hosts, "difference": difference}) + "\n")


def try_seeds(seeds: Sequence[int], hosts: Callable[[int], Sequence[Engine]], journal: Journal) -> Iterator[str]:
    """Tries each description on the hosts; yields how those differ that do."""
    done = journal.seeds()
    for seed in seeds:
        if seed in done:
            continue
        difference = find_difference(seed, hosts(seed))
        journal.write(seed, [str(host) for host in hosts(seed)], difference)
        if difference is not None:
            yield f"seed {seed}: {difference}"


def find_difference(seed: int, hosts: Sequence[Engine]) -> str | None:
    program = random_shapes(seed)
    for host in hosts:
        lines = wrong(host, program)
        if lines:
            return explain(host, program, lines)
    return None


@contextmanager
def open_hosts(local: Sequence[Engine], with_spark: bool) -> Iterator[Callable[[int], Sequence[Engine]]]:
    """The hosts for a seed. Spark has another number of buckets each time."""
    if not with_spark:
        yield lambda seed: local
        return
    import holdsfor.spark

    session = holdsfor.spark.session()
    try:
        yield lambda seed: (*local, on_spark(session, (2, 7)[seed % 2]))
    finally:
        session.stop()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--without-spark", action="store_true")
    parser.add_argument("--one-of-each", action="store_true")
    options = parser.parse_args(arguments)
    local = ONE_OF_EACH if options.one_of_each else HOSTS
    journal, begun, different = Journal(options.journal), time.perf_counter(), 0
    with open_hosts(local, not options.without_spark) as hosts:
        for text in try_seeds(range(options.first, options.first + options.count), hosts, journal):
            different += 1
            print(text, flush=True)
    print(f"{len(journal.seeds()):,} in the journal, {different} differ now; {time.perf_counter() - begun:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
