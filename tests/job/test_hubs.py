"""A term that has many of the rows has a bucket of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.job.batch import run_batch
from holdsfor.job.exchange import Buckets, hash_terms
from holdsfor.job.parts import ROWS_A_BUCKET, parts_of, suggest_buckets
from holdsfor.plan import plan
from holdsfor.plan.whole_plan import Plan
from tests.conformance.engines import in_tasks
from tests.job.alone_in_batch import AloneInBatch
from tests.laws.test_programs import explain, wrong
from tests.naive.shapes import random_shapes
from tests.spark.batch_by_hand import bag

BUCKETS = 4
RULES = """
initiatedAt(on(V)=true, T) :- happensAt(up(V, _), T).
terminatedAt(on(V)=true, T) :- happensAt(down(V, _), T).
initiatedAt(met(A, B)=true, T) :- happensAt(meet(A, B), T), holdsAt(on(A)=true, T).
terminatedAt(met(A, B)=true, T) :- happensAt(meet(A, B), T), holdsAt(on(B)=true, T), \\+ holdsAt(on(A)=true, T).
"""


def events(hub_share: float, rows: int = BUCKETS * ROWS_A_BUCKET) -> pa.Table:
    random = np.random.default_rng(7)
    names = np.array(["up", "down", "meet"])[random.choice(3, rows, p=[0.4, 0.4, 0.2])]
    vessel = np.where(random.random(rows) < hub_share, 0, random.integers(1, 2_000, rows))
    other = random.integers(1, 2_000, rows)
    columns = {"event": names, "a": [f"v{i}" for i in vessel], "b": [f"v{i}" for i in other]}
    return pa.table({**columns, "time": np.sort(random.integers(1, 10_000, rows))})


def share_of_largest(metrics: dict[str, Any], stage: int) -> float:
    return metrics[f"most_rows_in_stage_{stage}"] / metrics[f"rows_in_stage_{stage}"]


def test_a_hub_shares_its_bucket_with_no_one() -> None:
    description = holdsfor.parse(RULES)
    source = holdsfor.read_events(events(0.3), format="columns")
    crew = AloneInBatch(parts_of(source), description.inputs)
    metrics = run_batch(make_program(plan(description)), Ticks(100, 100, 0, 10_000, 1), BUCKETS, crew)
    assert metrics["buckets"] == BUCKETS + 1
    assert share_of_largest(metrics, 1) < 1 / 3
    expected = holdsfor.recognise(description, source, window=100, step=100, start=0, end=10_000)
    assert bag(crew.table("intervals")) == bag(expected.intervals)


@pytest.mark.parametrize(("share", "rows"), [(0.0, BUCKETS * ROWS_A_BUCKET), (0.3, 1_000)])
def test_no_bucket_more_without_a_hub_or_with_few_rows(share: float, rows: int) -> None:
    description = holdsfor.parse(RULES)
    crew = AloneInBatch(parts_of(holdsfor.read_events(events(share, rows), format="columns")), description.inputs)
    assert crew.find_hubs(plan(description), BUCKETS) == ()


def test_hubs_come_first_and_all_others_after_them() -> None:
    terms = hash_terms(pa.array([f"v{number}" for number in range(1_000)]))
    hubs = (int(terms[3]), int(terms[5]))
    buckets = Buckets(9, hubs).of_keys([terms])
    assert buckets[[3, 5]].tolist() == [0, 1]
    others = np.delete(buckets, [3, 5])
    assert set(others.tolist()) == set(range(2, 9))


class WithHubs(AloneInBatch):
    """Three terms of `random_shapes` have a bucket each, as if they had most rows."""

    def find_hubs(self, plan: Plan, buckets: int) -> tuple[int, ...]:
        return tuple(hash_terms(pa.array(["p0", "p4", "r1"])).tolist())


@pytest.mark.parametrize("seed", range(20))
def test_hubs_change_no_answer(seed: int) -> None:
    program, host = random_shapes(seed), in_tasks(2, WithHubs)
    lines = wrong(host, program)
    assert not lines, explain(host, program, lines)


@pytest.mark.parametrize(
    ("rows", "buckets"), [(0, 2), (150_000, 3), (10_000_000, 8), (24_000_000, 8), (100_000_000, 34), (None, 16)]
)
def test_buckets_are_four_a_core_and_of_at_most_three_million_rows(rows: int | None, buckets: int) -> None:
    assert suggest_buckets(rows, cores=2) == buckets
