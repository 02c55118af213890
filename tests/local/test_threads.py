"""However many threads share the entities, the answer is that of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import holdsfor
from holdsfor.duration import GivenTimes
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.output.result import Result
from holdsfor.engine.tuning import Tuning
from holdsfor.local import threads
from holdsfor.local.recognise import recognise_for
from holdsfor.local.threads import choose_threads
from holdsfor.plan import plan
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program

BY_ENTITY = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), S > 20.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
"""
TABLES = ("intervals", "occurrences", "rejects", "late")
TOGETHER = "initiatedAt(party=on, T) :- happensAt(speed(_,S), T), S > 20."


def rows(result: Result) -> dict[str, Any]:
    """All that does not depend on the order of rows or on the clock.

    What a domain leaves out is counted in each bucket that sees it, as on Spark; equal rows only where each comes once.
    """
    tables = {name: sorted(map(str, getattr(result, name).to_pylist())) for name in TABLES}
    counts = {name: count for name, count in result.metrics.items() if not name.startswith("seconds")}
    return tables | counts | {"groundings_outside_domain": None, "events_equal": None}


@pytest.mark.parametrize("seed", range(700, 740))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    description = holdsfor.parse(program.text, functions=FUNCTIONS)
    source = holdsfor.read_events(list(program.rows), format="rtec")
    times = {name: getattr(program.horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    expected = rows(holdsfor.recognise(description, source, **times, threads=1))
    found = rows(holdsfor.recognise(description, source, **times, threads=3))
    assert found == expected


def test_many_rows_are_shared_out_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 5_000
    rng = np.random.default_rng(3)
    vessels = pa.array([f"v{number}" for number in range(50)]).take(pa.array(rng.integers(0, 50, size)))
    table = pa.table({"event": ["speed"] * size, "time": np.arange(size), "v": vessels, "s": rng.random(size) * 30})
    expected = rows(holdsfor.recognise(holdsfor.parse(BY_ENTITY), table))
    monkeypatch.setattr(pa, "cpu_count", lambda: 2)
    made: list[int] = []
    evaluate = threads.evaluate_parcels
    monkeypatch.setattr(
        threads,
        "evaluate_parcels",
        lambda job, number, bucket, parts: (made.append(bucket), evaluate(job, number, bucket, parts))[1],
    )
    tuning = Tuning(many_rows_for_threads=1_000)
    found = recognise_for(holdsfor.parse(BY_ENTITY), table, GivenTimes(), tuning=tuning)
    assert rows(found) == expected
    assert sorted(made) == [0, 1]


def test_how_many_threads() -> None:
    by_entity, together = (make_program(plan(holdsfor.parse(rules))) for rules in (BY_ENTITY, TOGETHER))
    assert choose_threads(None, by_entity, 10) == 1
    assert choose_threads(None, by_entity, 10**9) == pa.cpu_count()
    assert choose_threads(None, together, 10**9) == 1
    assert choose_threads(3, by_entity, 10) == 3
    with pytest.raises(holdsfor.HoldsforError, match="at least one thread"):
        choose_threads(0, by_entity, 10)
