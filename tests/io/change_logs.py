"""Random change logs, made by a naive world that changes from query time to query time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa
from hypothesis import strategies as st

from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG
from tests.io.naive_ids import interval_id, occurrence_id

Key: TypeAlias = tuple[str, tuple[str, ...], str, int]
World: TypeAlias = dict[Key, int | None]
Row: TypeAlias = tuple[int, str, str, tuple[str, ...], str, int, int | None]
Point: TypeAlias = tuple[str, tuple[str, ...], int, int]
PointRow: TypeAlias = tuple[int, str, str, tuple[str, ...], int, int]

KEYS = st.tuples(
    st.sampled_from(["near", "idle"]),
    st.lists(st.sampled_from(["v1", "v2", "'Two, words'"]), max_size=2).map(tuple),
    st.sampled_from(["true", "7.0"]),
    st.integers(0, 3),
)
WORLDS = st.dictionaries(KEYS, st.none() | st.integers(4, 9), max_size=6)
POINTS = st.tuples(
    st.sampled_from(["alarm", "gap"]),
    st.lists(st.sampled_from(["v1", "v2"]), max_size=2).map(tuple),
    st.integers(0, 2),
    st.integers(2, 4),
)


@dataclass(frozen=True)
class Steps:
    """What was so at each query time, and how the log tells it."""

    worlds: list[World]
    logs: list[pa.Table]


def steps(max_size: int = 8) -> st.SearchStrategy[Steps]:
    return st.lists(WORLDS, max_size=max_size).map(lambda worlds: Steps(worlds, interval_logs(worlds)))


def interval_logs(worlds: list[World]) -> list[pa.Table]:
    """A log for each query time 10, 20, ...: how it differs from the one before."""
    logs, before = [], World()
    for n, world in enumerate(worlds):
        rows: list[Row] = [((n + 1) * 10, "withdraw", *key, before[key]) for key in before if key not in world]
        for key, end in world.items():
            if key not in before:
                rows.append(((n + 1) * 10, "insert", *key, end))
            elif before[key] != end:
                shorter = (end or 99) < (before[key] or 99)
                rows.append(((n + 1) * 10, "shorten" if shorter else "extend", *key, end))
        logs.append(interval_log(rows))
        before = world
    return logs


def interval_log(rows: list[Row]) -> pa.Table:
    names = [name for name in INTERVAL_LOG.names if name != "id"]
    return _with_ids(rows, pa.schema([INTERVAL_LOG.field(name) for name in names])).select(INTERVAL_LOG.names)


def occurrence_logs(worlds: list[set[Point]]) -> list[pa.Table]:
    logs, before = [], set[Point]()
    for n, world in enumerate(worlds):
        rows: list[PointRow] = [((n + 1) * 10, "withdraw", *point) for point in sorted(before - world)]
        rows += [((n + 1) * 10, "insert", *point) for point in sorted(world - before)]
        names = [name for name in OCCURRENCE_LOG.names if name != "id"]
        schema = pa.schema([OCCURRENCE_LOG.field(name) for name in names])
        logs.append(_with_ids(rows, schema).select(OCCURRENCE_LOG.names))
        before = world
    return logs


def _with_ids(rows: list[Row] | list[PointRow], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    table = pa.table(
        [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)], schema
    )
    return table.append_column("id", pa.array([_find_id(row) for row in table.to_pylist()], pa.string()))


def _find_id(row: dict[str, Any]) -> str:
    if "event" in row:
        return occurrence_id(row["event"], row["args"], row["start"], row["end"])
    return interval_id(row["fluent"], row["args"], row["value"], row["start"])


def as_world(intervals: pa.Table) -> World:
    rows = intervals.to_pylist()
    world = {(r["fluent"], tuple(r["args"]), r["value"], r["start"]): r["end"] for r in rows}
    assert len(world) == len(rows), "an interval is there twice"
    return world


def as_points(occurrences: pa.Table) -> set[Point]:
    rows = occurrences.to_pylist()
    points = {(r["event"], tuple(r["args"]), r["start"], r["end"]) for r in rows}
    assert len(points) == len(rows), "an occurrence is there twice"
    return points
