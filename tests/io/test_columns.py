"""Tables: which column is which, and what its values are as terms."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.read import read_events
from tests.io.expect import args, block, inputs, rejects, rows

MARITIME = inputs("event velocity/2#1, event gap/1, interval prox/2")
TABLE = pa.table(
    {
        "event": ["velocity", "gap", "prox", "velocity"],
        "t": [1, 2, 3, 4],
        "until": pa.array([None, None, 9, None], pa.int64()),
        "vessel": ["v1", "v1", "v1", "V 2"],
        "speed": [1.5, None, None, 2.0],
        "other": [None, None, "v2", None],
    }
)
MAPPING: dict[str, Any] = {
    "end": "until",
    "events": {"velocity": ["vessel", "speed"], "gap": ["vessel"]},
    "fluents": {"prox": ["vessel", "other"]},
}


def check_maritime(source: object, **how: object) -> None:
    events = read_events(source, mapping=MAPPING, **how).read(MARITIME)  # type: ignore[arg-type]
    assert rejects(events) == []
    assert rows(block(events, "velocity")) == [(("v1", "1.5"), None, 1, None, 1), (("'V 2'", "2.0"), None, 4, None, 4)]
    assert rows(block(events, "gap")) == [(("v1",), None, 2, None, 2)]
    assert rows(block(events, "prox")) == [(("v1", "v2"), "true", 3, 9, 9)]


def test_a_mapping_says_which_column_is_which() -> None:
    check_maritime(TABLE)


def test_data_frames() -> None:
    check_maritime(TABLE.to_pandas())
    check_maritime(pl.from_arrow(TABLE))
    check_maritime(pl.from_arrow(TABLE).lazy())  # type: ignore[union-attr]
    check_maritime(pl.from_arrow(TABLE).with_columns(pl.col("vessel").cast(pl.Categorical)))  # type: ignore[union-attr]


@pytest.mark.parametrize("index", ["t", "vessel", ["t", "vessel"]])
def test_the_index_of_a_frame_is_a_column_if_it_has_a_name(index: str | list[str]) -> None:
    check_maritime(TABLE.to_pandas().set_index(index))
    check_maritime(TABLE.to_pandas().set_index(index, drop=False))


def test_encoded_columns_stay_encoded() -> None:
    encoded = TABLE.set_column(
        3, "vessel", TABLE["vessel"].dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    )
    check_maritime(encoded)
    check_maritime(encoded.to_batches()[0])


def test_files_and_folders_of_parquet(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "all.parquet", row_group_size=1)
    check_maritime(tmp_path / "all.parquet")
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "_temporary").mkdir()
    pq.write_table(TABLE.slice(2), parts / "part-1.parquet")
    pq.write_table(TABLE.slice(0, 2), parts / "part-0.parquet")
    (parts / "_temporary" / "x.parquet").write_text("half a file")
    check_maritime(parts)
    check_maritime(str(parts / "*.parquet"))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_with_a_header(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    TABLE.to_pandas().astype({"until": "Int64"}).to_csv(path, sep=separator, index=False)
    check_maritime(path)
    check_maritime(path.read_text().splitlines(), format="columns")


def test_a_mapping_from_a_toml_file(tmp_path: Path) -> None:
    path = tmp_path / "columns.toml"
    path.write_text(
        'end = "until"\n[events]\nvelocity = ["vessel", "speed"]\ngap = ["vessel"]\n'
        '[fluents]\nprox = ["vessel", "other"]\n'
    )
    events = read_events(TABLE, mapping=path).read(MARITIME)
    assert [b.name for b in events.blocks] == ["velocity", "gap", "prox"]


def test_without_a_mapping_arguments_are_numbered_columns() -> None:
    table = pa.table(
        {"arg2": [None, 5], "name": ["gap", "velocity"], "time": [1, 2], "note": ["x", "y"], "arg1": ["a", "b"]}
    )
    events = read_events(table).read(MARITIME)
    assert args(block(events, "gap")) == [("a",)]
    assert args(block(events, "velocity")) == [("b", "5")]


def test_a_table_of_one_event_takes_the_other_columns_in_order() -> None:
    table = pa.table({"sensor": ["s1"], "time": [1], "value": [7.5], "end": ["x"]})
    events = read_events(table, mapping=Mapping(event="reading")).read(inputs("event reading/3"))
    assert args(block(events, "reading")) == [("s1", "7.5", "x")]


def test_the_only_listed_event_needs_no_name_column() -> None:
    table = pa.table({"sensor": ["s1"], "time": [1], "level": [7]})
    events = read_events(table, mapping={"events": {"reading": ["sensor", "level"]}}).read(inputs("event reading/2"))
    assert args(block(events, "reading")) == [("s1", "7")]


def test_one_name_with_several_arities() -> None:
    table = pa.table(
        {
            "event": ["e", "e", "e"],
            "time": [1, 2, 3],
            "arg1": ["a", "b", "c"],
            "arg2": ["x", None, "y"],
            "arg3": [1, None, None],
        }
    )
    events = read_events(table).read(inputs("event e/1, event e/2"))
    assert args(block(events, "e", arity=1)) == [("b",)]
    assert args(block(events, "e", arity=2)) == [("c", "y")]
    assert rejects(events) == [(1, "wrong arity: the row has values in columns beyond the arguments of e/1 or e/2")]


@pytest.mark.parametrize(
    ("column", "terms", "kind"),
    [
        (pa.array([1, 2], pa.int8()), ["1", "2"], pa.int64()),
        (pa.array([1, 2**64 - 1], pa.uint64()), ["1", "18446744073709551615"], None),
        (pa.array([1.0, 0.1], pa.float64()), ["1.0", "0.1"], pa.float64()),
        (pa.array([Decimal("1.50"), Decimal("2.00")]), ["1.5", "2.0"], pa.float64()),
        (pa.array([True, False]), ["true", "false"], None),
        (pa.array(["7", ""]), ["'7'", "''"], None),
        (pa.array(["a", "B"], pa.large_string()), ["a", "'B'"], None),
        (pa.array(["a", "B"], pa.string_view()), ["a", "'B'"], None),
        (pa.array([7, 7]).dictionary_encode(), ["7", "7"], pa.int64()),
        (pa.array([datetime(1970, 1, 1, 0, 1), datetime(1970, 1, 2)]), ["60", "86400"], pa.int64()),
        (pa.array([date(1970, 1, 2), date(1969, 12, 31)]), ["86400", "-86400"], pa.int64()),
    ],
)
def test_values_follow_the_type_of_their_column(column: pa.Array, terms: list[str], kind: pa.DataType | None) -> None:
    table = pa.table({"event": ["e", "e"], "time": [1, 2], "arg1": column})
    found = block(read_events(table).read(inputs("event e/1")), "e")
    assert args(found) == [(term,) for term in terms]
    assert found.args[0].type == (kind or pa.dictionary(pa.int32(), pa.string()))


@pytest.mark.parametrize(
    ("fields", "terms"),
    [
        (("7", "7.50", "1e-3"), ["7", "7.5", "0.001"]),
        (("7", "007", "True", "x y", '"a, ""b"""', '""'), ["'7'", "'007'", "true", "'x y'", "'a, \"b\"'", "''"]),
    ],
)
def test_csv_columns_are_numbers_or_names(fields: tuple[str, ...], terms: list[str]) -> None:
    lines = ["event,time,arg1", *(f"e,1,{field}" for field in fields)]
    found = block(read_events(lines, "columns").read(inputs("event e/1")), "e")
    assert [x for (x,) in args(found)] == terms


def test_not_a_number_is_null() -> None:
    table = pa.table({"event": ["e"] * 3, "time": [1, 2, 3], "arg1": [float("nan"), float("inf"), 1.0]})
    events = read_events(table).read(inputs("event e/1"))
    assert rejects(events) == [(2, "argument 1 of e/1 is out of range")]
    assert args(block(events, "e")) == [("NULL",), ("1.0",)]


def test_a_string_is_never_a_number() -> None:
    table = pa.table({"event": ["e"], "time": [1], "arg1": ["7"]})
    events = read_events(table).read(inputs("event e/1#0"))
    assert rejects(events) == [(1, "bad number: argument 1 of e/1 is not a number")]


def test_good_numbers_stay_numbers_beside_bad_ones() -> None:
    lines = ["event,time,arg1", "e,1,7", "e,2,abc", "e,3,9"]
    events = read_events(lines, "columns").read(inputs("event e/1#0"))
    assert block(events, "e").args[0].equals(pa.array([7, 9]))
    assert rejects(events) == [(3, "bad number: argument 1 of e/1 is not a number")]


def test_fluents_open_ends_values_and_arrivals() -> None:
    table = pa.table(
        {
            "name": ["p"] * 5,
            "start": [1, 2, 3, 4, 5],
            "end": pa.array([9, None, 8, 4, 7]),
            "value": ["low", "Very high", "low", "low", "low"],
            "arrival": pa.array([None, None, 20, None, None], pa.int64()),
            "arg1": ["a"] * 5,
        }
    )
    events = read_events(table).read(inputs("interval p/1"))
    assert rejects(events) == []
    a = ("a",)
    assert rows(block(events, "p")) == [
        (a, "low", 1, 9, 9),
        (a, "'Very high'", 2, None, 2),
        (a, "low", 3, 8, 20),
        (a, "low", 5, 7, 7),
    ]


def test_numbers_and_booleans_as_values() -> None:
    table = pa.table({"name": ["p", "p"], "t": [1, 2], "value": [True, False], "arg1": [1, 2]})
    assert rows(block(read_events(table).read(inputs("point p/1")), "p")) == [
        (("1",), "true", 1, None, 1),
        (("2",), "false", 2, None, 2),
    ]
    table = table.set_column(2, "value", pa.array([1.0, 2.5]))
    found = rows(block(read_events(table).read(inputs("point p/1")), "p"))
    assert [value for _, value, *_ in found] == ["1.0", "2.5"]


def test_rows_without_an_end_column_are_points() -> None:
    table = pa.table({"name": ["walking"], "t": [40], "arg1": ["p1"]})
    found = block(read_events(table).read(inputs("interval walking/1")), "walking")
    assert (found.kind, rows(found)) == ("point", [(("p1",), "true", 40, None, 40)])


@pytest.mark.parametrize(
    "op", [pa.array([1, -1, None], pa.int8()), pa.array([1.0, -1.0, None]), pa.array(["insert", "retract", None])]
)
def test_operations(op: pa.Array) -> None:
    table = pa.table({"event": ["e"] * 3, "time": [1, 1, 2], "op": op})
    found = block(read_events(table).read(inputs("event e/0")), "e").op
    assert found is not None
    assert found.tolist() == [1, -1, 1]


def test_a_column_that_is_an_argument_has_no_other_meaning() -> None:
    table = pa.table({"event": ["trade"], "time": [1], "op": ["buy"], "arrival": ["x"]})
    events = read_events(table, mapping={"events": {"trade": ["op", "arrival"]}}).read(inputs("event trade/2"))
    assert args(block(events, "trade")) == [("buy", "x")]


def test_what_no_rule_reads_is_counted_whether_declared_or_listed() -> None:
    table = pa.table({"event": ["a", "b", "c", "d"], "time": [1, 2, 3, 4], "arg1": ["x"] * 4})
    events = read_events(table, mapping={"events": {"c": ["arg1"]}}).read(inputs("event a/1, unread event b/1"))
    assert (events.read, events.unused, rejects(events)) == (4, 3, [])


def test_row_numbers_of_a_part_of_a_table() -> None:
    table = pa.table({"event": ["e", "e"], "time": [1, None]})
    events = blocks_from_table(table, Mapping(), inputs("event e/0"), "part-7", 1001)
    assert events.rejects.to_pylist() == [{"source": "part-7", "row": 1002, "text": "event=e", "reason": "no time"}]


def test_tables_join_whatever_the_types_of_their_columns() -> None:
    one = pa.table({"event": ["e"], "time": [1], "arg1": [7]})
    two = pa.table({"event": ["e"], "time": [2], "arg1": ["seven"]})
    events = read_events([one, two.to_pandas(), pd.DataFrame({"event": ["e"], "time": [3], "arg1": [7.0]})]).read(
        inputs("event e/1")
    )
    assert args(block(events, "e")) == [("'7'",), ("seven",), ("'7'",)]


def test_an_empty_table() -> None:
    events = read_events(TABLE.slice(0, 0), mapping=MAPPING).read(MARITIME)
    assert (events.blocks, events.read, len(events.rejects)) == ((), 0, 0)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"time": "tme"}, r"no such column for the time: 'tme'\. Did you mean 't'\? It has event, t, until"),
        ({"events": {"gap": ["vesel"]}}, r"no such column for an argument of gap: 'vesel'\. Did you mean 'vessel'\?"),
        (
            {"events": {"velocity": ["vessel"]}},
            r"lists 1 column for velocity \(vessel\), but the rules use velocity/2",
        ),
        ({"events": {"prox": ["vessel", "other"]}}, r"prox is listed under \[events\] .* for the rules it is a fluent"),
        ({"fluents": {"gap": ["vessel"]}}, r"gap is listed under \[fluents\] .* for the rules it is an event"),
        ({"events": {"gap": ["vessel"]}, "fluents": {"gap": ["vessel"]}}, "gap is both"),
        ({"name": "event", "event": "gap"}, "not both"),
        ({"tick_unit": "fortnight"}, "tick_unit = 'fortnight' is not known. Write one of ns, us, ms, s, min, h, d"),
        ({"tiem": "t"}, r"unknown key 'tiem'\. Did you mean 'time'\?"),
        ({"time": 3}, "time is the name of a column, in quotes; found 3"),
        ({"events": {"gap": "vessel"}}, r"\[events\] lists columns by name"),
        (["vessel"], r"a mapping is a dict or the path of a TOML file, not list\. Write \{"),
    ],
)
def test_mistakes_in_a_mapping(mapping: Any, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        read_events(TABLE, mapping=mapping).read(MARITIME)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"time": [1], "arg1": ["x"]}, r"no column says which event a row is \(columns: time, arg1\)"),
        ({"event": ["gap"], "arg1": ["x"]}, "no column holds the time"),
        (
            {"event": ["velocity"], "time": [1], "arg1": ["x"]},
            "velocity/2 needs 2 argument columns, the table has 1: arg1",
        ),
        ({"event": ["gap"], "time": [[1]], "arg1": ["x"]}, "column 'time' of type .* cannot be a time"),
        ({"event": ["gap"], "time": [1], "arg1": [[1]]}, "column 'arg1' of type .* cannot be an argument"),
    ],
)
def test_tables_that_do_not_fit(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        read_events(pa.table(columns)).read(MARITIME)


def test_a_name_that_is_event_and_fluent_must_be_listed() -> None:
    table = pa.table({"event": ["x"], "time": [1], "arg1": ["a"]})
    both = inputs("event x/1, point x/1")
    with pytest.raises(HoldsforError, match="both an event and a fluent"):
        read_events(table).read(both)
    found = block(read_events(table, mapping={"events": {"x": ["arg1"]}}).read(both), "x")
    assert found.kind == "event"
