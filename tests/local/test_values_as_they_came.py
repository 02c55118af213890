"""Tables of one fluent or event give booleans, dates, decimals and large integers back as they came."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import holdsfor

LARGE = 2**63 + 7
COLUMNS: dict[str, tuple[pa.Array, Any]] = {
    "boolean": (pa.array([True, False]), [True, False]),
    "date": (pa.array([date(2026, 3, 1), date(1969, 12, 31)]), [date(2026, 3, 1), date(1969, 12, 31)]),
    "stamp": (
        pa.array([datetime(2026, 3, 1, 8), datetime(2026, 3, 1, 9)], pa.timestamp("us")),
        [datetime(2026, 3, 1, 8, tzinfo=UTC), datetime(2026, 3, 1, 9, tzinfo=UTC)],
    ),
    "decimal": (
        pa.array([Decimal("1.10"), Decimal("-7.00")], pa.decimal128(10, 2)),
        [Decimal("1.10"), Decimal("-7.00")],
    ),
    "unsigned": (pa.array([LARGE, 7], pa.uint64()), [LARGE, 7]),
    "integer": (pa.array([2**62, 7]), [2**62, 7]),
    "text": (pa.array(["true", "x"]), ["true", "x"]),
}
RULES = "happensAt(seen(X), T) :- happensAt(reading(X), T). initiatedAt(on(X)=true, T) :- happensAt(seen(X), T)."


def table(column: pa.Array) -> pa.Table:
    return pa.table({"event": ["reading"] * 2, "time": [1, 2], "x": column})


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("options", [{}, {"threads": 2}])
def test_arguments(kind: str, options: dict[str, Any]) -> None:
    column, expected = COLUMNS[kind]
    mapping = {"events": {"reading": ["x"]}}
    result = holdsfor.recognise(holdsfor.parse(RULES), table(column), mapping=mapping, **options)
    for name in ("seen", "on"):
        rows = result.table(name).to_arrow().sort_by("start")
        assert rows["X"].to_pylist() == expected
        if kind not in ("stamp", "integer", "text"):
            assert rows["X"].type == column.type
    assert {row[0] for row in result.intervals["args"].to_pylist()} != set()  # the list form stays text


@pytest.mark.parametrize("kind", COLUMNS)
def test_arguments_of_a_session(kind: str, tmp_path: Any) -> None:
    column, expected = COLUMNS[kind]
    description = holdsfor.parse(RULES)
    session = holdsfor.session(description, window=10, step=1, start=0)
    session.add(table(column), mapping={"events": {"reading": ["x"]}})
    session.advance(5)
    session.save(tmp_path / "saved")
    for each in (session, holdsfor.resume(description, tmp_path / "saved")):
        rows = each.table("seen").to_arrow().sort_by("start")
        assert rows["X"].to_pylist() == expected


def values(rules: str, lines: list[str]) -> pa.Array:
    return holdsfor.recognise(holdsfor.parse(rules), lines, format="terms").table("f").to_arrow()["value"]


def test_a_value_that_is_true_or_false_is_boolean() -> None:
    rules = "initiatedAt(f(X)=true, T) :- happensAt(a(X), T). initiatedAt(f(X)=false, T) :- happensAt(b(X), T)."
    assert values(rules, ["a(1) @ 1", "b(1) @ 5"]).to_pylist() == [True, False]
    frame = holdsfor.recognise(holdsfor.parse(rules), ["a(1) @ 1", "b(1) @ 5"], format="terms").table("f").to_pandas()
    assert len(frame[frame.value]) == 1


def test_a_value_among_others_is_text_whatever_came() -> None:
    rules = "initiatedAt(f(X)=true, T) :- happensAt(a(X), T). initiatedAt(f(X)=unknown, T) :- happensAt(b(X), T)."
    assert values(rules, ["a(1) @ 1"]).to_pylist() == ["true"]
    session = holdsfor.session(holdsfor.parse(rules), window=10, step=1, start=0)
    session.add(["a(1) @ 1"], format="terms")
    session.advance(5)
    assert session.table("f").to_arrow()["value"].to_pylist() == ["true"]


def test_a_value_from_the_data_is_typed_as_it_came() -> None:
    rules = "initiatedAt(f(X)=V, T) :- happensAt(a(X, V), T)."
    assert values(rules, ["a(1, 7) @ 1"]).to_pylist() == [7]
    days = pa.table({"event": ["a"], "time": [1], "x": [1], "v": pa.array([date(2026, 3, 1)])})
    result = holdsfor.recognise(holdsfor.parse(rules), days, mapping={"events": {"a": ["x", "v"]}})
    assert result.table("f").to_arrow()["value"].to_pylist() == [date(2026, 3, 1)]
