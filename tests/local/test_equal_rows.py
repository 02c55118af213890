"""Rows of events that are equal to another are counted, whoever evaluates."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.engine.tuning import Tuning
from holdsfor.io.readers.read import read_events
from holdsfor.job.batch import run_batch
from holdsfor.job.live.batch.after_commit import metrics_of
from holdsfor.job.parts import parts_of
from holdsfor.plan import plan
from holdsfor.view.live import Minute
from tests.conformance.streamed import setting_of
from tests.job.alone_in_batch import AloneInBatch
from tests.kernels.packed import law
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand
from tests.tuned import tuned

RULES = holdsfor.parse(
    """
    happensAt(late(O), T) :- happensAt(departure(O, _, D), T), D >= 60.
    happensAt(late_there(O, To), T) :- happensAt(departure(O, To, D), T), D >= 60.
    """
)
MAPPING = {"event": "departure", "events": {"departure": ["origin", "to", "delay"]}}
SEEN = holdsfor.parse("happensAt(seen(X), T) :- happensAt(a(X), T). initiatedAt(on(X)=true, T) :- happensAt(a(X), T).")
LINES = st.tuples(st.integers(1, 3), st.sampled_from("xyz"))
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
    for options in ({}, {"threads": 2}, {"changes": True, "window": 10, "step": 1}):
        result = holdsfor.recognise(RULES, table(rows), mapping=MAPPING, start=0, end=4, **options)
        assert result.metrics["events_equal"] == equal
    crew = AloneInBatch(parts_of(read_events(table(rows), mapping=MAPPING)), RULES.inputs)
    for buckets in (1, 2, 8):
        counts = run_batch(make_program(plan(RULES)), Ticks(None, None, 0, 4, 1), buckets, crew)
        assert counts["events_equal"] == equal


@law
@given(st.lists(st.lists(ROWS, max_size=6), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_equal_rows_are_counted_in_sessions(
    adds: list[list[tuple[int, str, str, float | None]]], incremental: bool, many: bool
) -> None:
    """Whenever they come: with the first, or late, or after the session was saved."""
    live = tuned(
        holdsfor.session(RULES, window=100, step=2, start=0, incremental=incremental),
        Tuning(few_stored=1, changed_share=1) if many else Tuning(),
    )
    for number, rows in enumerate(adds, 1):
        if rows:
            live.add(table(rows), mapping=MAPPING)
        live.advance(2 * number)
    live.advance(100)
    every = [row for rows in adds for row in rows]
    assert live.metrics["events_equal"] == len(every) - len(set(every))


@law
@given(st.lists(st.lists(LINES, max_size=5), min_size=1, max_size=4), st.sampled_from([1, 2, 8]), st.booleans())
def test_equal_rows_are_counted_in_streams(batches: list[list[tuple[int, str]]], buckets: int, remembers: bool) -> None:
    """In each batch those that it adds, also where a batch is repeated or the driver begins anew."""
    with TemporaryDirectory() as folder:
        live = ByHand(setting_of(SEEN, Horizon(100, 2, 0, 60), buckets), Path(folder), remembers=remembers)
        told = list[float]()
        for number, rows in enumerate(batches):
            lines = [f"a|{2 * number + 1}|{time}|{name}" for time, name in rows]
            told.append(live.run(number, [lines]).counts.get("events_equal", 0))
            if number == 1:
                live.restart()
                live.run(number, [lines])
        told.append(live.close().counts["events_equal"])
    every = [row for rows in batches for row in rows]
    assert sum(told) == len(every) - len(set(every))


def test_the_figures_of_a_batch_tell_how_many(tmp_path: Path) -> None:
    live = ByHand(setting_of(SEEN, Horizon(100, 10, 0, 60), 2), tmp_path)
    figures = metrics_of(live.run(0, [["a|1|1|x", "a|1|1|x", "a|1|1|y", "a|15|15|z"]]))
    assert (figures.counts.equal, figures.to_json()["numEqualRows"]) == (1, 1)
    assert " equal=1 " in str(figures)
    minute = Minute("ticks", 0.0)
    minute.add(figures)
    assert "1 equal to another" in minute.text()


def test_the_summary_tells_how_many(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text("happensAt(seen(X), T) :- happensAt(a(X), T).")
    (tmp_path / "events.txt").write_text("a(1) @ 1\na(1) @ 1\na(2) @ 1\na(1) @ 2\n")
    files = [str(tmp_path / name) for name in ("rules.ec", "events.txt", "out")]
    outcome = CliRunner().invoke(app, ["run", files[0], "--events", files[1], "--out", files[2]])
    (line,) = [line for line in outcome.output.splitlines() if "equal to another, counted once" in line]
    assert "1" in line
