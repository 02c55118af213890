"""Times out of the world: a row with one is set aside, and what the other rows say stays as it is.

In process, as tasks of the batch job, and as a stream, each without a JVM; one run on Spark itself.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from holdsfor.engine.data.axis import AxisFull
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.fence import EVERYTHING, Sample, join_samples, narrowed, sample_of
from holdsfor.engine.input.window import find_windows_over
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import read_current
from holdsfor.job.batch import merge_counts
from holdsfor.job.routing import router
from holdsfor.job.tasks import Job
from holdsfor.plan import plan
from tests.conformance.streamed import setting_of, with_times
from tests.naive.rows import Horizon
from tests.spark.batch_by_hand import by_hand, crew_of
from tests.spark.live.by_hand import ByHand

NOW = 1_700_000_000
GOOD = 2_000
MOST = 2**63 - 1
RULES = """
    initiatedAt(fast(V)=true, T) :- happensAt(velocity(V,K), T), K > 5.
    terminatedAt(fast(V)=true, T) :- happensAt(velocity(V,K), T), K =< 5.
    holdsFor(together(A,B)=true, I) :- holdsFor(close(A,B)=true, I).
"""
#: Beyond what any axis holds, with the smallest one that is.
NO_TIME = (-MOST - 1, -MOST, -(2**62), -(2**61) - 1, 2**61 + 1, 2**62, MOST - 1, MOST, MOST + 1, 10**30)
#: Nanoseconds and others that no axis holds together with seconds.
FAR = (NOW * 10**9, -NOW * 10**9, 2**60, -(2**60), 2**61, -(2**61))
#: Where an extreme time may stand. The entities are those of no good row.
SHAPES = (
    "velocity|{x}|{x}|w|9",
    "velocity|{x}|{now}|w|9",
    "velocity|{now}|{x}|w|9",
    "close|{now}|{x}|inf|true|w|u",
    "close|{now}|{now}|{x}|true|w|u",
    "close|{x}|{now}|{later}|true|w|u",
    "retract|velocity|{now}|{x}|w|9",
)
OWN = {"w", "u"}


def good_rows() -> list[str]:
    random = Random(8)
    rows = [f"velocity|{t}|{t}|v{random.randrange(40)}|{random.randrange(10)}" for t in range(NOW, NOW + GOOD - 20)]
    return rows + [f"close|{NOW + 900}|{NOW + t}|{NOW + t + 50}|true|v1|v2" for t in range(0, 800, 40)]


LINES = good_rows()
DESCRIPTION = holdsfor.parse(RULES)


def extreme_row(shape: str, x: int) -> str:
    return shape.format(x=x, now=NOW + 1000, later=NOW + 1010)


def recognise(lines: list[str], **asked: Any) -> holdsfor.Result:
    return holdsfor.recognise(DESCRIPTION, holdsfor.read_events(lines, format="rtec"), **asked)


def of_the_good(intervals: pa.Table) -> list[tuple[Any, ...]]:
    rows = intervals.to_pylist()
    return sorted(
        (row["fluent"], tuple(row["args"]), row["value"], row["start"], row["end"] or MOST)
        for row in rows
        if not OWN & set(row["args"])
    )


def of_the_extreme(intervals: pa.Table) -> list[tuple[int, int | None]]:
    return [(row["start"], row["end"]) for row in intervals.to_pylist() if OWN & set(row["args"])]


@pytest.fixture(scope="module")
def undisturbed() -> list[tuple[Any, ...]]:
    found = recognise(LINES)
    assert found.metrics["events_rejected"] == 0
    assert len(found.intervals) > 300
    return of_the_good(found.intervals)


# ---------------------------------------------------------------- in process


@pytest.mark.parametrize("x", NO_TIME + FAR)
@pytest.mark.parametrize("asked", [{}, {"window": 1200, "step": 100}], ids=["one window", "windows"])
def test_in_process(x: int, asked: dict[str, int], undisturbed: list[tuple[Any, ...]]) -> None:
    for shape in SHAPES:
        row = extreme_row(shape, x)
        found = recognise([*LINES, row], **asked)
        assert of_the_good(found.intervals) == undisturbed, row
        if (
            not of_the_extreme(found.intervals) and f"|{NOW + 1000}|{x}|" not in row
        ):  # a row before the start is dropped
            set_aside = found.rejects.num_rows + found.late.num_rows
            assert set_aside == 1, row


@pytest.mark.parametrize("x", NO_TIME)
def test_no_time_is_a_reject_with_its_row(x: int) -> None:
    for shape in SHAPES:
        found = recognise([*LINES[:5], extreme_row(shape, x)])
        (reject,) = found.rejects.to_pylist()
        assert (reject["row"], reject["text"]) == (6, extreme_row(shape, x))
        assert (
            "is out of range: more than 2^61 ticks from 0" in reject["reason"] or reject["reason"] == "end before start"
        )


def test_rows_far_off_are_rejects_with_a_reason() -> None:
    found = recognise([*LINES, f"velocity|{NOW + 5}|{NOW * 10**9}|w|9"])
    (reject,) = found.rejects.to_pylist()
    assert reject["text"] == f"velocity(w,9) @ {NOW * 10**9} arrives {NOW + 5}"
    assert reject["reason"].startswith(f"time {NOW * 10**9} is 16999999982999")
    assert reject["reason"].endswith(" ticks from most others. Is it in another unit than the others?")
    assert found.metrics["events_rejected"] == 1
    assert (found.metrics["start"], found.metrics["end"]) == (NOW - 1, NOW + GOOD - 21)


def test_rows_far_ahead_of_their_arrival_are_rejects_where_there_is_a_window() -> None:
    micros = NOW * 10**6
    found = recognise([*LINES, f"velocity|{NOW + 5}|{micros}|w|9"], window=2000, step=100)
    (reject,) = found.rejects.to_pylist()
    assert reject["reason"].startswith(f"time {micros} is {micros - NOW - 5} ticks after its arrival.")
    assert not of_the_extreme(found.intervals)


@pytest.mark.parametrize("x", [0, NOW * 1000, NOW * 10**6])
def test_what_fits_is_believed(x: int, undisturbed: list[tuple[Any, ...]]) -> None:
    found = recognise([*LINES, f"velocity|{x}|{x}|w|9"])
    assert of_the_good(found.intervals) == undisturbed
    assert of_the_extreme(found.intervals) == [(x + 1, None)]
    assert found.rejects.num_rows == 0


def test_rows_that_are_really_far_apart_are_not_taken_for_outliers() -> None:
    lines = [f"velocity|{t << 52}|{t << 52}|v{t}|9" for t in range(300)]
    with pytest.raises(AxisFull, match="coarser time unit"):
        recognise(lines)


def test_two_rows_and_no_majority() -> None:
    found = recognise(["velocity|5|5|v1|9", f"velocity|{2**60}|{2**60}|v2|9"])
    assert found.rejects.num_rows == 1
    assert found.intervals.column("start").to_pylist() == [6]


def test_nothing_but_extremes() -> None:
    found = recognise([f"velocity|{x}|{x}|v1|9" for x in NO_TIME])
    assert found.rejects.num_rows == len(NO_TIME)
    assert found.intervals.num_rows == 0
    alone = recognise([f"velocity|{2**61}|{2**61}|v1|9"])
    assert alone.intervals.column("start").to_pylist() == [2**61 + 1]


ANY = st.one_of(
    st.integers(-(2**64), 2**64),
    st.builds(lambda power, off: 2**power + off, st.integers(0, 64), st.integers(-2, 2)),
    st.builds(lambda power, off: -(2**power) + off, st.integers(0, 64), st.integers(-2, 2)),
    st.sampled_from([NOW * 10**k for k in range(12)]),
)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
@given(ANY, st.sampled_from(SHAPES), st.sampled_from([{}, {"window": 1200, "step": 100}]))
def test_any_time(undisturbed: list[tuple[Any, ...]], x: int, shape: str, asked: dict[str, int]) -> None:
    """The good rows say what they say without it; the row itself is set aside, or means what it says."""
    row = extreme_row(shape, x)
    found = recognise([*LINES, row], **asked)
    assert of_the_good(found.intervals) == undisturbed
    told, set_aside = of_the_extreme(found.intervals), found.rejects.num_rows + found.late.num_rows
    assert set_aside <= 1
    if set_aside:
        assert not told
    elif told and row.startswith("velocity"):
        start = int(row.split("|")[2])
        assert told == [(start + 1, None)]


# ---------------------------------------------------------------- the tasks of the batch job


@pytest.mark.parametrize("x", NO_TIME[::4] + FAR[::2])
def test_in_tasks(x: int, undisturbed: list[tuple[Any, ...]]) -> None:
    asked = {"start": NOW - 1, "end": NOW + GOOD, "window": GOOD + 100, "step": 100}
    for shape in SHAPES[2:5]:
        lines = [*LINES, extreme_row(shape, x)]
        found = by_hand(DESCRIPTION, holdsfor.read_events(lines, format="rtec"), 3, **asked)
        mine = recognise(lines, **asked)
        intervals = sorted(found.tables["intervals"].elements(), key=str)
        assert [row for row in intervals if not OWN & set(row[1])] == sorted(
            ((f, a, v, s, None if e == MOST else e) for f, a, v, s, e in undisturbed), key=str
        )
        assert found.counts["events_rejected"] == mine.metrics["events_rejected"]
        assert found.tables["late"].total() == mine.late.num_rows


def test_a_task_whose_axis_is_full_tells_the_driver() -> None:
    lines = [f"velocity|{t << 52}|{t << 52}|v{t}|9" for t in range(300)]
    program = make_program(plan(DESCRIPTION))
    windows = find_windows_over(None, None, None, -1, 300 << 52, 1)
    crew = crew_of(DESCRIPTION, holdsfor.read_events(lines, format="rtec"))
    assert 50 < merge_counts(crew.run(Job(program, windows, router(program.plan, 3))))["time_bits_left"] < 60
    with pytest.raises(AxisFull):
        by_hand(DESCRIPTION, holdsfor.read_events(lines, format="rtec"), 3, start=-1, end=300 << 52)


def test_samples_of_parts_give_the_fence_of_the_whole() -> None:
    blocks = holdsfor.read_events([*LINES, f"velocity|9|{2**60}|w|9"], format="rtec").read(DESCRIPTION.inputs).blocks
    whole = narrowed(EVERYTHING, sample_of(blocks), 52)
    parts = narrowed(EVERYTHING, join_samples([sample_of([block]) for block in blocks]), 52)
    assert whole is not None
    assert parts is not None
    assert abs(whole.low - parts.low) < GOOD
    assert NOW - 2**50 <= whole.low <= NOW + GOOD - 2**50
    assert narrowed(EVERYTHING, Sample(np.empty(0, np.int64), np.empty(0, np.int64)), 52) is None


# ---------------------------------------------------------------- a stream


def in_stream(folder: Path, lines: list[str], start: int | None) -> ByHand:
    horizon = Horizon(window=1200, step=600, start=NOW - 1, end=NOW + GOOD)
    stream = ByHand(with_times(setting_of(DESCRIPTION, horizon, 2), start=start), folder)
    stream.run_all([[lines[i : i + 700]] for i in range(0, len(lines), 700)])
    return stream


@pytest.mark.parametrize("start", [NOW - 1, None])
def test_stream(start: int | None, tmp_path: Path, undisturbed: list[tuple[Any, ...]]) -> None:
    """Arrivals ahead of the clock are not the matter here: `--max-future`."""
    shapes = [shape for shape in SHAPES if not shape.startswith(("velocity|{x}", "close|{x}", "close|{now}|{x}"))]
    bad = [extreme_row(shape, x) for shape in shapes for x in NO_TIME + FAR]
    bad += [extreme_row(shape, x) for shape in SHAPES for x in NO_TIME]
    good = sorted(LINES, key=lambda line: int(line.split("|")[1]))
    mixed = [*good[:1000], *bad, *good[1000:]]
    stream = in_stream(tmp_path, mixed, start)
    intervals, _ = read_current(stream.tables)
    assert of_the_good(intervals) == undisturbed
    assert of_the_extreme(intervals) == []


def test_a_row_of_the_far_past_does_not_tell_where_a_stream_begins(tmp_path: Path) -> None:
    setting = setting_of(DESCRIPTION, Horizon(window=10, step=10, start=0, end=NOW + 50), 2)
    stream = ByHand(with_times(setting, start=None), tmp_path)
    rows = [f"velocity|{NOW}|{-(2**60)}|w|9", f"velocity|{NOW}|{NOW}|v1|9", f"velocity|{NOW + 20}|{NOW + 20}|v1|2"]
    stream.run(0, [rows])
    stream.close()
    assert stream.answer().intervals == {("fast", ("v1",), "true"): [(NOW + 1, NOW + 21)]}


def test_stream_counts_what_it_sets_aside(tmp_path: Path) -> None:
    horizon = Horizon(window=100, step=10, start=0, end=1000)
    stream = ByHand(setting_of(DESCRIPTION, horizon, 2), tmp_path)
    rows = ["velocity|5|5|v1|9", f"velocity|5|{NOW * 10**9}|w|9", f"velocity|{MOST}|6|w|9", "velocity|50|50|v1|2"]
    commit = stream.run(0, [rows])
    assert commit.counts["events_rejected"] == 2
    (file,) = [file for file in commit.files if file.name.startswith("rejects/")]
    table = stream.tables.read_table(file.name, file.crc)
    assert table.column("text").to_pylist() == [
        f"velocity|{MOST}|6|w|9",
        f"velocity(w,9) @ {NOW * 10**9} arrives 5",
    ]
    assert commit.fired == 40


@pytest.mark.parametrize("duration", [10**9, 10**18, MOST])
def test_deadlines_that_never_come_do_not_fill_the_axis(duration: int, tmp_path: Path) -> None:
    rules = f"""
        initiatedAt(f(X)=on, T) :- happensAt(go(X), T).
        terminatedAt(f(X)=on, T) :- happensAt(stop(X), T).
        fi(f(X)=on, f(X)=off, {duration}).
    """
    horizon = Horizon(window=10, step=5, start=0, end=100)
    stream = ByHand(setting_of(holdsfor.parse(rules), horizon, 2), tmp_path)
    stream.run_all([[["go|3|3|a", "go|7|7|b"]], [["go|20|20|c"]], [["stop|41|41|a"]], [["go|60|60|d"]]])
    assert stream.answer().intervals == {
        ("f", ("a",), "on"): [(4, 42)],
        ("f", ("b",), "on"): [(8, None)],
        ("f", ("c",), "on"): [(21, None)],
        ("f", ("d",), "on"): [(61, None)],
    }


# ---------------------------------------------------------------- times in rules


@pytest.mark.parametrize("far", [10**15, 2**61, MOST])
@pytest.mark.parametrize("stepped", [False, True])
def test_times_that_rules_work_out(far: int, stepped: bool) -> None:
    rules = f"""
        initiatedAt(f(X)=true, U) :- happensAt(go(X), T), U is T + {far}.
        initiatedAt(g(X)=true, U) :- happensAt(go(X), T), U is T * {far}.
        initiatedAt(h(X)=true, T) :- happensAt(go(X), T), U is T - {far}, \\+ holdsAt(f(X)=true, U).
        holdsFor(long(X)=true, I) :- holdsFor(h(X)=true, J), intDurGreater(J, {far}, I).
        holdsFor(short(X)=true, I) :- holdsFor(h(X)=true, J), intDurLess(J, {far}, I).
    """
    events = holdsfor.read_events(["go|3|3|a", "go|20|20|b"], format="rtec")
    found = holdsfor.recognise(holdsfor.parse(rules), events, window=10, step=5, changes=stepped).intervals
    told = sorted((row["fluent"], *row["args"], row["start"], row["end"]) for row in found.to_pylist())
    assert told == [("h", "a", 4, None), ("h", "b", 21, None), ("short", "a", 4, None), ("short", "b", 21, None)]


# ---------------------------------------------------------------- times in tables

ONE = holdsfor.parse("happensAt(out(X), T) :- happensAt(velocity(X), T).")


def times_of(column: pa.Array, unit: str = "s") -> tuple[list[tuple[str, int]], list[str]]:
    size = len(column)
    table = pa.table({"event": ["velocity"] * size, "time": column, "x": [f"v{i}" for i in range(size)]})
    found = holdsfor.recognise(ONE, holdsfor.read_events(table, mapping={"tick_unit": unit}))
    rejects = [reason.partition(":")[0] for reason in found.rejects.column("reason").to_pylist()]
    return [(row["args"][0], row["start"]) for row in found.occurrences.to_pylist()], rejects


OUT = "time is out of range"


@pytest.mark.parametrize(
    ("column", "unit", "told", "rejects"),
    [
        (pa.array([2**63, 2**64 - 1, 3], pa.uint64()), "s", [("v2", 3)], [OUT] * 2),
        (pa.array([MOST, -MOST - 1, 3]), "s", [("v2", 3)], [OUT] * 2),
        (pa.array([1e30, -1e19, 2.0**63, 3.0]), "s", [("v3", 3)], [OUT] * 3),
        (pa.array([Decimal(10) ** 30, Decimal(3)]), "s", [("v1", 3)], [OUT]),
        (pa.array([Decimal(NOW * 10**9 + 1)]), "s", [("v0", NOW * 10**9 + 1)], []),
        (pa.array([2**62, 10**13, 3], pa.timestamp("s")), "us", [("v2", 3_000_000)], [OUT] * 2),
        (pa.array([2**62, 3], pa.timestamp("us")), "ns", [("v1", 3000)], [OUT]),
        (pa.array([2**31 - 1, 1], pa.date32()), "ns", [("v1", 86400 * 10**9)], [OUT]),
        (pa.array([86_400_001, 5], pa.date64()), "s", [("v0", 86400), ("v1", 0)], []),
        (pa.array(["9223372036854775808", "9" * 50, f"{NOW}000000000"]), "s", [("v2", NOW * 10**9)], [OUT] * 2),
        (pa.array(["9999-12-31T00:00:00", "1970-01-01T00:00:01"]), "ns", [("v1", 10**9)], [OUT]),
    ],
)
def test_no_column_wraps(column: pa.Array, unit: str, told: list[tuple[str, int]], rejects: list[str]) -> None:
    assert times_of(column, unit) == (told, rejects)


def test_an_end_of_int64_max_is_not_open() -> None:
    description = holdsfor.parse("holdsFor(out(X)=true, I) :- holdsFor(zone(X)=true, I).")
    table = pa.table({"event": ["zone"] * 3, "time": [1, 2, 3], "end": [MOST, None, 9], "x": ["a", "b", "c"]})
    found = holdsfor.recognise(description, holdsfor.read_events(table))
    assert sorted(map(str, found.intervals.column("args").to_pylist())) == ["['b']", "['c']"]
    assert found.rejects.num_rows == 1
    lines = [f"zone(a) @ [1,{MOST})", "zone(b) @ [1,inf)", f"zone(c) @ [1,5) arrives {-MOST - 1}", f"zone(d) @ {2**63}"]
    found = holdsfor.recognise(description, holdsfor.read_events(lines, format="terms"))
    assert found.intervals.column("args").to_pylist() == [["b"]]
    assert found.rejects.num_rows == 3


# ---------------------------------------------------------------- odd parameters


@pytest.mark.parametrize(
    "asked",
    [
        {"window": 2**63},
        {"window": "4 fortnights"},
        {"window": datetime.timedelta(milliseconds=4)},
        {"window": 0},
        {"step": True},
        {"step": -5},
        {"start": 1.5},
        {"start": "2024-13-01"},
        {"end": float("nan")},
        {"end": 2**61 + 1},
        {"end": Decimal(5)},
        {"sample_every": 2**70},
        {"sample_every": None},
        {"sample_every": 2**60},
        {"start": -(2**61), "end": 2**61},
        {"start": 0, "end": 2**60},
        {"start": 9, "end": 3},
    ],
    ids=str,
)
def test_odd_parameters_are_told(asked: dict[str, Any]) -> None:
    with pytest.raises(HoldsforError):
        recognise(["velocity|5|5|v1|9", "velocity|9|9|v1|2"], **asked)


@pytest.mark.parametrize(
    "asked",
    [{"window": np.int64(10), "step": np.int32(5)}, {"window": 2**61, "step": 2**61}, {"window": 2**61, "step": 1}],
    ids=str,
)
def test_large_and_numpy_parameters_are_fine(asked: dict[str, Any]) -> None:
    found = recognise(["velocity|5|5|v1|9", "velocity|9|9|v1|2"], **asked)
    assert found.intervals.select(["start", "end"]).to_pylist() == [{"start": 6, "end": 10}]


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.table([["velocity"], [1], ["a"], ["b"]], names=["event", "time", "x", "x"])
    pq.write_table(table, tmp_path / "twice.parquet")
    frame = pd.DataFrame([["velocity", 1, "a", "b"]], columns=["event", "time", "x", "x"])
    for source in (table, tmp_path / "twice.parquet", frame):
        with pytest.raises(HoldsforError, match="2 columns called 'x'"):
            holdsfor.recognise(ONE, holdsfor.read_events(source))


@pytest.mark.parametrize("values", [["a", 3], [1, "noon"], [1, 10**30]], ids=str)
def test_a_pandas_column_of_mixed_types(values: list[object]) -> None:
    frame = pd.DataFrame({"event": ["velocity"] * 2, "time": [1, 2], "x": pd.Series(values, dtype=object)})
    with pytest.raises(HoldsforError, match="not of one type"):
        holdsfor.read_events(frame)


# ---------------------------------------------------------------- on Spark itself


@pytest.fixture
def far_parquet(tmp_path: Path) -> Path:
    rows = [(NOW + t, f"v{t % 7}") for t in range(200)] + [(MOST, "w"), (NOW * 10**9, "w"), (-MOST - 1, "w")]
    columns = {"event": ["velocity"] * len(rows), "time": [t for t, _ in rows], "x": [x for _, x in rows]}
    pq.write_table(pa.table(columns), tmp_path / "events.parquet")
    return tmp_path / "events.parquet"


@pytest.mark.slow
@pytest.mark.spark
def test_on_spark(spark: SparkSession, far_parquet: Path) -> None:
    found = holdsfor.spark.recognise(spark, ONE, far_parquet, buckets=2)
    mine = holdsfor.recognise(ONE, holdsfor.read_events(far_parquet))
    names = ("window", "step", "start", "end", "events_rejected", "occurrences_out", "arithmetic_overflows")
    assert {name: found.metrics[name] for name in names} == {name: mine.metrics[name] for name in names}
    assert found.metrics["events_rejected"] == 3
    assert found.occurrences.count() == 200
