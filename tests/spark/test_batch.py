"""The batch job on Spark: whatever the input and the buckets, the answer is that of one process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from examples.maritime.simulate import Simulation, simulate
from holdsfor.job import parts as sources
from holdsfor.language import EventDescription
from tests.conformance.cases import application
from tests.spark.batch_by_hand import TABLES, Answer, tables_of
from tests.spark.test_batch_tasks import NAMES, PEOPLE, TOGETHER, stream

pytestmark = pytest.mark.spark

MARITIME = Path(__file__).resolve().parents[2] / "examples" / "maritime"
RULES = """
initiatedAt(calm(P)=true, T) :- happensAt(sit(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(run(P), T).
initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(P,Q), T), holdsAt(calm(P)=true, T), holdsAt(calm(Q)=true, T).
terminatedAt(meeting(P,_)=true, T) :- happensAt(run(P), T).
"""


def check(
    spark: SparkSession,
    description: EventDescription,
    events: Any,
    buckets: int = 2,
    mapping: Any = None,
    out: Path | None = None,
    **asked: Any,
) -> Answer:
    """All tables are those of one process; gives what it gave."""
    source = holdsfor.read_events(events, mapping=mapping)
    expected = tables_of(holdsfor.recognise(description, source, **asked))
    result = holdsfor.spark.recognise(spark, description, events, buckets=buckets, mapping=mapping, out=out, **asked)
    assert not expected.differences(tables_of(result)), f"{buckets} buckets"
    not_counted = {"events_equal"} - set(result.metrics)  # where rows come to tasks in several ways
    for name in set(expected.counts) - {"seconds_reading", "seconds_recognising"} - not_counted:
        assert result.metrics.get(name, 0) == expected.counts[name], name
    return expected


# ---------------------------------------------------------------- applications


@pytest.fixture(scope="module")
def sea() -> Simulation:
    return simulate(events=20_000, vessels=60, seed=3, delayed=0.1)


@pytest.mark.parametrize("buckets", [1, 2, 7])
def test_maritime(
    buckets: int, sea: Simulation, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a Parquet file with several row groups, shared out over several tasks; with files of results there are files
    between the stages, too."""
    monkeypatch.setattr(sources, "ROWS", 6000)
    pq.write_table(sea.table, tmp_path / "events.parquet", row_group_size=2500)
    texts = [(MARITIME / name).read_text() for name in ("rules.ec", "background.ec")]
    found = check(
        spark,
        holdsfor.parse(*texts, sea.facts),
        tmp_path / "events.parquet",
        buckets,
        MARITIME / "mapping.toml",
        tmp_path / "out" if buckets == 7 else None,
        window=3600,
        step=1800,
    )
    assert len(found.tables["intervals"]) > 1000
    assert len(found.tables["late"]) > 10


def test_caviar(spark: SparkSession) -> None:
    case = application("caviar_20k_d20")
    horizon = case.horizon
    asked = {name: getattr(horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    found = check(spark, holdsfor.parse(*case.texts), list(case.lines), 7, **asked)
    assert len(found.tables["intervals"]) > 5000


def test_all_stages_with_a_skewed_entity(spark: SparkSession, tmp_path: Path) -> None:
    """p0 has a third of the events; fluents of entities, of pairs with wildcards, and without arguments."""
    rows = [row.replace("|p1", "|p0").replace("|p2", "|p0") for row in stream(1, 3000, NAMES, PEOPLE)]
    share = sum("|p0" in row for row in rows) / len(rows)
    assert 0.3 < share < 0.6
    files = [tmp_path / name for name in ("one.csv", "two.csv")]
    for number, file in enumerate(files):
        file.write_text("\n".join(rows[number::2]) + "\n")
    found = check(spark, holdsfor.parse(TOGETHER), files, 7, window=30, step=10, start=0, end=200)
    fluents = {row[0] for row in found.tables["intervals"]}
    assert fluents == {"calm", "meeting", "quiet", "party"}


# ---------------------------------------------------------------- kinds of input


def people() -> pa.Table:
    """Rows in any order, some of them late and some of them wrong."""
    rows: list[dict[str, Any]] = []
    for line in stream(4, 400, ("sit/1", "run/1", "greet/2"), PEOPLE):
        name, arrival, time, *args = line.split("|")
        rows.append({"event": name, "time": int(time), "arrival": int(arrival), "arg1": args[0], "arg2": None})
        rows[-1]["arg2"] = args[1] if len(args) > 1 else None
    for place in range(0, 400, 40):
        rows[place]["arrival"] += 35
    rows[7]["event"] = "hover"
    rows[17]["time"] = None
    rows[27] |= {"event": "greet", "arg2": None}
    rows[37] |= {"event": "sit", "arg2": "p1"}
    return pa.Table.from_pylist(rows)


def as_parquet(table: pa.Table, folder: Path, spark: SparkSession) -> Any:
    pq.write_table(table, folder / "people.parquet", row_group_size=90)
    return folder / "people.parquet"


def as_csv(table: pa.Table, folder: Path, spark: SparkSession) -> Any:
    pc.write_csv(table, folder / "people.csv")
    return folder / "people.csv"


def as_rtec(table: pa.Table, folder: Path, spark: SparkSession) -> Any:
    lines = []
    for row in table.to_pylist():
        fields = [row["event"], row["arrival"], row["time"], row["arg1"], row["arg2"]]
        lines.append("|".join(str(field) for field in fields if field is not None))
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return [folder / "people.csv"]


def as_table(table: pa.Table, folder: Path, spark: SparkSession) -> Any:
    return table


@pytest.mark.parametrize("form", [as_parquet, as_csv, as_rtec, as_table])
def test_kinds_of_input(
    form: Callable[..., Any], spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "ROWS", 150)
    events = form(people(), tmp_path, spark)
    found = check(spark, holdsfor.parse(RULES), events, 3, window=30, step=10, start=0, end=200)
    # No time, and an argument too many; in RTEC's form the missing argument of a greeting is one too few.
    assert sum(found.tables["rejects"].values()) == (3 if form is as_rtec else 2)
    assert found.tables["late"]


def test_a_frame(spark: SparkSession) -> None:
    """The source of a rejected row is a partition here; everything else is as in one process."""
    table = people()
    asked: dict[str, Any] = {"window": 30, "step": 10}
    expected = tables_of(holdsfor.recognise(holdsfor.parse(RULES), table, **asked))
    frame = spark.createDataFrame(table).repartition(3)
    result = holdsfor.spark.recognise(spark, holdsfor.parse(RULES), frame, buckets=3, **asked)
    found = tables_of(result)
    for name in ("intervals", "occurrences", "late"):
        assert found.tables[name] == expected.tables[name], name
    reasons = sorted((text, reason) for _, _, text, reason in found.tables["rejects"].elements())
    assert reasons == sorted((text, reason) for _, _, text, reason in expected.tables["rejects"].elements())
    assert (result.metrics["start"], result.metrics["end"]) == (expected.counts["start"], expected.counts["end"])


# ---------------------------------------------------------------- results as files, and the span of the stream


def test_files_of_an_earlier_run_are_replaced(spark: SparkSession, tmp_path: Path) -> None:
    """A run with fewer rows leaves none of the earlier ones."""
    description = holdsfor.parse(RULES)
    table, out = people(), tmp_path / "out"
    asked: dict[str, Any] = {"window": 30, "step": 10, "start": 0, "end": 200}
    for events, buckets in ((table, 7), (table.slice(50, 60), 2)):
        expected = tables_of(holdsfor.recognise(description, events, **asked))
        result = holdsfor.spark.recognise(spark, description, events, buckets=buckets, out=out, **asked)
        written = Answer({name: tables_of(Written(out)).tables[name] for name in TABLES})
        assert not expected.differences(written)
        assert not expected.differences(tables_of(result))
    assert sorted(path.name for path in out.iterdir()) == sorted(f"{name}.parquet" for name in TABLES)


class Written:
    """The tables of a folder, as those of a result."""

    metrics: dict[str, Any] = {}  # noqa: RUF012 (never changed)

    def __init__(self, folder: Path) -> None:
        for name in TABLES:
            setattr(self, name, pq.read_table(folder / f"{name}.parquet"))


def test_time_passes_with_rows_that_no_rule_reads(spark: SparkSession, tmp_path: Path) -> None:
    """Footers tell of all rows; what is written is right too."""
    names = ["hover", "sit", "greet", "greet", "run", "hover"]
    times = [-500, 10, 20, 25, 40, 9000]
    table = pa.table({"event": names, "time": times, "arg1": ["a"] * 6, "arg2": [None, None, "b", "a", None, None]})
    pq.write_table(table, tmp_path / "events.parquet")
    found = check(spark, holdsfor.parse(RULES), tmp_path / "events.parquet", out=tmp_path / "out")
    assert (found.counts["start"], found.counts["end"]) == (-501, 9000)
    assert not found.differences(tables_of(Written(tmp_path / "out")))


def test_one_end_given(spark: SparkSession) -> None:
    events = ["sit|10|10|a", "run|40|40|a", "sit|90|50|a"]
    found = check(spark, holdsfor.parse(RULES), events, start=20)
    assert (found.counts["start"], found.counts["end"]) == (20, 90)


@pytest.mark.parametrize("rows", [0, 3], ids=["an empty stream", "no input occurs"])
def test_nothing_to_recognise(rows: int, spark: SparkSession) -> None:
    types = {"event": pa.string(), "time": pa.int64(), "arg1": pa.string(), "arg2": pa.string()}
    table = pa.table([["rain"] * rows, [5] * rows, ["a"] * rows, ["b"] * rows], schema=pa.schema(types))
    found = check(spark, holdsfor.parse(RULES), table)
    assert not found.tables["intervals"]
    assert not found.tables["rejects"]
    assert found.counts["events_unused"] == rows


def test_functions_of_a_user_on_the_workers(spark: SparkSession) -> None:
    """Functions of this file, which workers need not have, and one of a library."""
    rule = "m(K, R, D, M) <- x(K, N) AGGREGATE R = rise(N), D = double(N), M = median(N) OVER LAST 2."
    functions = {
        "rise": lambda values: values[-1] - values[0],
        "double": lambda values: 2 * int(values[-1]),
        "median": np.median,
    }
    description = holdsfor.parse(rule, functions=functions)
    events = holdsfor.read_events(["x(a, 3) @ 1", "x(a, 8) @ 2", "x(b, 1) @ 1", "x(b, 0.5) @ 3"], format="terms")
    found = holdsfor.spark.recognise(spark, description, events).occurrences.toArrow()
    assert sorted(found["args"].to_pylist()) == [["a", "5", "16", "5.5"], ["b", "-0.5", "0", "0.75"]]
