"""Rows of events that are equal to another are counted, whoever evaluates."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import check_ticks
from holdsfor.io.readers.read import read_events
from holdsfor.job.batch import AloneInBatch, run_batch
from holdsfor.job.parts import parts_of
from holdsfor.plan import plan
from tests.kernels.packed import law

RULES = holdsfor.parse(
    """
    happensAt(late(O), T) :- happensAt(departure(O, _, D), T), D >= 60.
    happensAt(late_there(O, To), T) :- happensAt(departure(O, To, D), T), D >= 60.
    """
)
MAPPING = {"constant": "departure", "events": {"departure": ["origin", "to", "delay"]}}
ROWS = st.tuples(st.integers(1, 3), st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from([60.0, 70.5, None]))


def table(rows: list[tuple[int, str, str, float | None]]) -> pa.Table:
    names = ["time", "origin", "to", "delay"]
    types = [pa.int64(), pa.string(), pa.string(), pa.float64()]
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


@law
@given(st.lists(ROWS, min_size=1, max_size=20))
def test_equal_rows_are_counted_on_every_host(rows: list[tuple[int, str, str, float | None]]) -> None:
    equal = len(rows) - len(set(rows))
    for options in ({}, {"threads": 2}, {"stepped": True, "window": 10, "step": 1}):
        result = holdsfor.recognise(RULES, table(rows), mapping=MAPPING, start=0, end=4, **options)
        assert result.metrics["events_equal"] == equal
    crew = AloneInBatch(parts_of(read_events(table(rows), mapping=MAPPING)), RULES.inputs)
    for buckets in (1, 2, 8):
        counts = run_batch(make_program(plan(RULES)), check_ticks(None, None, 0, 4, 1), buckets, crew)
        assert counts["events_equal"] == equal


def test_the_summary_tells_how_many(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text("happensAt(seen(X), T) :- happensAt(a(X), T).")
    (tmp_path / "events.txt").write_text("a(1) @ 1\na(1) @ 1\na(2) @ 1\na(1) @ 2\n")
    files = [str(tmp_path / name) for name in ("rules.ec", "events.txt", "out")]
    outcome = CliRunner().invoke(app, ["run", files[0], "--events", files[1], "--out", files[2]])
    (line,) = [line for line in outcome.output.splitlines() if "equal to another, counted once" in line]
    assert "1" in line
