"""Results as tables of one fluent or event, ready to be joined with the tables that events came from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.output.argument_types import kinds_of_terms
from holdsfor.io.tables.wide import BOOLEAN, FLOAT, INTEGER, LARGE, TEXT

HOT = """
initiatedAt(hot(Machine)=true, T) :- happensAt(reading(Machine, Degrees), T), Degrees > 90.
terminatedAt(hot(Machine)=true, T) :- happensAt(reading(Machine, Degrees), T), Degrees =< 90.
happensAt(alarm(Machine, Degrees), T) :- happensAt(reading(Machine, Degrees), T), Degrees > 99.
"""
MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)
READINGS = {
    "machine": ["M-004", "M-004", "Line 1", "it's"],
    "degrees": [95.5, 80.0, 99.5, 91.0],
    "time": [MORNING + timedelta(minutes=minutes) for minutes in (0, 10, 20, 30)],
}
MAPPING = {"event": "reading", "events": {"reading": ["machine", "degrees"]}}


def hot(events: Any, **more: Any) -> holdsfor.Result:
    return holdsfor.recognise(holdsfor.parse(HOT), events, mapping=MAPPING, **more)


def test_names_come_back_as_they_were() -> None:
    result = hot(pa.table(READINGS))
    assert sorted(result.intervals["args"].to_pylist()) == [["Line 1"], ["M-004"], ["it's"]]
    assert result.occurrences["args"].to_pylist() == [["Line 1", "99.5"]]


def test_changes_and_late_rows_have_plain_names() -> None:
    rows = pa.table({"machine": ["M-004", "M-004", "M-004"], "degrees": [95.5, 80.0, 96.0], "time": [1, 2, 50]})
    assert hot(rows, changes=True).changes["args"].to_pylist() == [["M-004"]] * 2
    late = rows.append_column("arrival", pa.array([1, 50, 50]))
    assert hot(late, window=10, step=10).late["args"].to_pylist() == [["M-004", "80.0"]]


def test_a_number_and_its_text_are_two_entities_with_one_plain_name() -> None:
    rules = "initiatedAt(on(X)=true, T) :- happensAt(up(X), T). terminatedAt(on(X)=true, T) :- happensAt(down(X), T)."
    events = ["up(7) @ 1", "up('7') @ 2", "down('7') @ 5"]
    live = holdsfor.session(holdsfor.parse(rules), window=10, step=10)
    live.add(events, format="terms")
    live.advance(to=20)
    found = live.current().intervals
    assert sorted(map(tuple, found.select(["start", "end"]).to_pandas(types_mapper=pd.ArrowDtype).values)) == [
        (2, pd.NA),
        (3, 6),
    ]
    assert found["args"].to_pylist() == [["7"], ["7"]]


def test_a_live_session_has_the_same_tables() -> None:
    live = holdsfor.session(holdsfor.parse(HOT), window="1h", step="10min")
    live.add(pa.table(READINGS), mapping=MAPPING)
    live.advance(to=int(MORNING.timestamp()) + 3600)
    expected = hot(pa.table(READINGS))
    for name in ("hot", "alarm"):
        known = sorted(expected.table(name).to_pylist(), key=lambda row: row["start"])
        assert sorted(live.table(name).to_pylist(), key=lambda row: row["start"]) == known
    with pytest.raises(holdsfor.HoldsforError, match=r"no rule defines 'cold'\. Rules define alarm, hot\."):
        live.table("cold")


def test_a_table_of_one_fluent() -> None:
    table = hot(pa.table(READINGS)).table("hot").to_arrow()
    assert table.column_names == ["Machine", "value", "start", "end", "duration"]
    second = timedelta(seconds=1)
    first = next(row for row in table.to_pylist() if row["Machine"] == "M-004")
    assert first == {
        "Machine": "M-004",
        "value": True,
        "start": MORNING + second,
        "end": MORNING + timedelta(minutes=10) + second,
        "duration": timedelta(minutes=10),
    }
    still = next(row for row in table.to_pylist() if row["Machine"] == "it's")
    assert still["end"] is None
    assert still["duration"] is None


def test_a_table_of_one_event_has_typed_columns() -> None:
    table = hot(pa.table(READINGS)).table("alarm")
    assert table.to_pylist() == [
        {
            "Machine": "Line 1",
            "Degrees": 99.5,
            "start": READINGS["time"][2],
            "end": READINGS["time"][2],
            "duration": timedelta(0),
        }
    ]
    assert len(table) == 1


def test_ticks_stay_ticks() -> None:
    result = hot(pa.table({"machine": ["m", "m"], "degrees": [95.0, 96.0], "time": [10, 20]}))
    assert result.table("hot").to_pylist() == [
        {"Machine": "m", "value": True, "start": 11, "end": None, "duration": None}
    ]


@pytest.mark.parametrize(
    ("times", "unit"),
    [
        (pa.array(["2026-03-01T08:00:00", "2026-03-01T08:10:00"]), "s"),
        (pa.array(["2026-03-01 09:00:00+01:00", "2026-03-01 09:10:00+01:00"]), "ms"),
        (pa.array([MORNING, MORNING + timedelta(minutes=10)], pa.timestamp("us", "UTC")), "min"),
    ],
)
def test_times_come_back_as_time_stamps(times: pa.Array, unit: str) -> None:
    events = pa.table({"machine": ["m", "m"], "degrees": [100.0, 100.0], "time": times})
    result = holdsfor.recognise(holdsfor.parse(HOT), events, mapping=MAPPING | {"tick_unit": unit})
    assert result.table("alarm").to_arrow()["start"].to_pylist() == [MORNING, MORNING + timedelta(minutes=10)]


def test_numbers_given_as_text_stay_text_and_join() -> None:
    machines = pa.table({"machine": ["17", "18"], "degrees": [95.0, 96.0], "time": [1, 2]})
    found = hot(machines).table("hot").to_pandas()
    joined = found.merge(pd.DataFrame({"machine": ["17", "18"], "line": [1, 2]}), left_on="Machine", right_on="machine")
    assert sorted(joined["line"]) == [1, 2]
    numbers = machines.set_column(0, "machine", pa.array([17, 18]))
    assert sorted(hot(numbers).table("hot").to_arrow()["Machine"].to_pylist()) == [17, 18]


def test_ends_are_integers_in_pandas_and_polars() -> None:
    table = hot(pa.table({"machine": ["a", "a", "b"], "degrees": [95.0, 80.0, 96.0], "time": [1, 5, 7]})).table("hot")
    frame = table.to_pandas().sort_values("Machine")
    assert frame["end"].tolist() == [6, pd.NA]
    assert str(frame["end"].dtype) == "Int64"
    assert str(frame["start"].dtype) == "int64"
    assert table.to_polars().sort("Machine")["end"].to_list() == [6, None]
    assert pl.DataFrame(table).shape == (2, 5)


def test_results_may_be_events_again() -> None:
    """Whatever reads Arrow can read a table, and so can we."""
    table = hot(pa.table(READINGS)).table("hot")
    rules = holdsfor.parse("happensAt(warned(M), T) :- happensAt(hot(M), T).")
    mapping = {"event": "hot", "time": "start", "events": {"hot": ["Machine"]}}
    again = holdsfor.recognise(rules, table, mapping=mapping).table("warned")
    assert sorted(again.to_arrow()["M"].to_pylist()) == ["Line 1", "M-004", "it's"]


def test_arguments_without_a_name_are_numbered() -> None:
    rules = "happensAt(seen(X, X, _, fixed), T) :- happensAt(e(X), T). input event e/1."
    result = holdsfor.recognise(holdsfor.parse(rules.replace("_, fixed", "7, fixed")), ["e(a) @ 1"], format="terms")
    assert result.table("seen").to_pylist() == [
        {"X": "a", "arg2": "a", "arg3": 7, "arg4": "fixed", "start": 1, "end": 1, "duration": 0}
    ]


def test_an_unknown_table_is_told() -> None:
    result = hot(pa.table(READINGS))
    with pytest.raises(holdsfor.HoldsforError, match=r"no rule defines 'hott'\. Did you mean 'hot'\?"):
        result.table("hott")


def test_several_of_one_name_need_their_arity() -> None:
    rules = """
        happensAt(seen(X), T) :- happensAt(e(X), T).
        happensAt(seen(X, X), T) :- happensAt(e(X), T).
    """
    result = holdsfor.recognise(holdsfor.parse(rules), ["e(a) @ 1"], format="terms")
    with pytest.raises(holdsfor.HoldsforError, match="ask for 'seen/1' or 'seen/2'"):
        result.table("seen")
    assert result.table("seen/2").to_arrow().column_names == ["X", "arg2", "start", "end", "duration"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("7", INTEGER),
        ("-7", INTEGER),
        ("7.5", FLOAT),
        ("-1.0e-7", FLOAT),
        ("1e+16", FLOAT),
        ("'7'", TEXT),
        ("v7", TEXT),
        ("-", TEXT),
        ("'-7'", TEXT),
        ("f(7)", TEXT),
        ("9" * 30, LARGE),
        ("9" * 40, TEXT),
        ("true", BOOLEAN),
    ],
)
def test_kinds_of_terms(text: str, kind: int) -> None:
    assert kinds_of_terms(pa.array(["x", text, "7"]).slice(1)).tolist() == [kind, INTEGER]
    assert kinds_of_terms(pa.array(["x", text])).tolist() == [TEXT, kind]


def test_short_in_a_shell_and_readable_in_a_notebook() -> None:
    description = holdsfor.parse(HOT)
    assert repr(description) == "<EventDescription: 3 rules that define alarm/2, hot/1>"
    result = hot(pa.table(READINGS))
    assert repr(result) == "<Result: 3 intervals, 1 occurrence: alarm 1, hot 3>"
    assert '<td>hot</td><td style="text-align:right">3</td>' in result._repr_html_()
    table = result.table("alarm")
    assert repr(table) == "<ResultTable: 1 row of Machine, Degrees, start, end, duration>"
    assert "<td>Line 1</td>" in table._repr_html_()
    live = holdsfor.session(description, window=10, step=10)
    assert repr(live) == "<Session: not begun, 0 events in>"


def test_names_cannot_put_markup_into_a_notebook() -> None:
    machine = "<script>alert(1)</script>"
    table = hot(pa.table({"machine": [machine], "degrees": [95.0], "time": [1]})).table("hot")
    assert "<script>" not in table._repr_html_()
    assert "&lt;script&gt;" in table._repr_html_()


def test_times_without_a_zone_are_of_the_zone_of_the_mapping() -> None:
    """Athens is two hours ahead of UTC in winter and three in summer, from 03:00 on 29 March 2026 on."""
    stamps = ["2026-03-01 10:00", "2026-03-29 02:30", "2026-03-29 04:30", "2026-07-01 10:00", "2026-07-01 10:00+01:00"]
    utc = ["03-01 08:00", "03-29 00:30", "03-29 01:30", "07-01 07:00", "07-01 09:00"]
    rules = holdsfor.parse("happensAt(seen(X), T) :- happensAt(e(X), T).")
    naive = pa.array(pd.to_datetime(pd.Series(stamps[:4])))
    for times in (naive, pa.array(stamps[:4]), pa.array(stamps)):
        table = pa.table({"time": times, "x": range(len(times))})
        mapping = {"event": "e", "zone": "Europe/Athens"}
        found = holdsfor.recognise(rules, table, mapping=mapping).table("seen").to_pandas().sort_values("X")
        assert found["start"].dt.strftime("%m-%d %H:%M").tolist() == utc[: len(times)]
    result = holdsfor.recognise(rules, table, mapping=mapping)
    athens = result.table("seen", zone="Europe/Athens").to_pandas().sort_values("X")
    assert athens["start"].dt.strftime("%H:%M%z").tolist()[0] == "10:00+0200"
    with pytest.raises(holdsfor.HoldsforError, match="the zone 'Athens' is not known"):
        result.table("seen", zone="Athens")
    with pytest.raises(holdsfor.HoldsforError, match="the zone 'Mars' is not known"):
        holdsfor.recognise(rules, table, mapping={"event": "e", "zone": "Mars"})


def test_the_history_from_and_to_a_date() -> None:
    for start, end in (
        ("2026-03-01T08:05", "2026-03-01T08:25"),
        (MORNING + timedelta(minutes=5), pd.Timestamp("2026-03-01T09:25", tz="Europe/Berlin")),
    ):
        found = hot(pa.table(READINGS), start=start, end=end).table("hot").to_pylist()
        assert [(row["Machine"], row["end"]) for row in found] == [("Line 1", None)]
    live = holdsfor.session(holdsfor.parse(HOT), window="1h", step="10min", start="2026-03-01T08:00")
    live.add(pa.table(READINGS), mapping=MAPPING)
    live.advance(to="2026-03-01T08:20")
    assert {row["Machine"] for row in live.table("hot").to_pylist()} == {"Line 1"}


UNNAMED = """
happensAt(overheats('M-004', Degrees), T) :- happensAt(reading('M-004', Degrees), T), Degrees > 90.
happensAt(cools(soon, 'M-004'), T) :- happensAt(reading('M-004', Degrees), T), Degrees < 85.
initially(watched('Line 1')=true).
terminatedAt(watched(_)=true, T) :- happensAt(reading('it''s', _), T).
happensAt(seen(M), T) :- happensAt(reading(M, _), T), holdsAt(watched(M)=true, T).
"""


def test_arguments_without_a_variable_are_called_as_the_columns_they_come_from() -> None:
    result = holdsfor.recognise(holdsfor.parse(UNNAMED), pa.table(READINGS), mapping=MAPPING)
    columns = {name: result.table(name).to_arrow().column_names for name in ("overheats", "cools", "watched", "seen")}
    assert columns["overheats"][:2] == ["machine", "Degrees"]
    assert columns["cools"][:2] == ["arg1", "machine"]  # what no input gives has a number
    assert columns["watched"][0] == "machine"  # through what reads it
    assert columns["seen"][0] == "M"
    assert [row["machine"] for row in result.table("overheats").to_pylist()] == ["M-004"]


def test_so_are_those_of_a_live_session_also_when_it_is_resumed(tmp_path: Path) -> None:
    description = holdsfor.parse(UNNAMED)
    live = holdsfor.session(description, window="1h", step="10min")
    live.add(pa.table(READINGS), mapping=MAPPING)
    live.advance(to=int(MORNING.timestamp()) + 3600)
    live.save(tmp_path)
    for session in (live, holdsfor.resume(description, tmp_path)):
        assert session.table("overheats").to_arrow().column_names[:2] == ["machine", "Degrees"]
        assert [row["machine"] for row in session.table("overheats").to_pylist()] == ["M-004"]
