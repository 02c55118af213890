"""A live session: what it takes, what it tells, what it refuses, and what a saved one goes on from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.tuning import Tuning
from holdsfor.errors import HoldsforError
from tests.tuned import tuned

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(opens(D), T).
terminatedAt(open(D)=true, T) :- happensAt(closes(D), T).
happensAt(slam(D), T) :- happensAt(closes(D), T), happensAt(wind(D), T).
"""


def begin(**given: object) -> holdsfor.Session:
    return holdsfor.session(holdsfor.parse(RULES), **{"window": 20, "step": 10, "start": 0} | given)  # type: ignore[arg-type]


def told(log: pa.Table) -> list[tuple[object, ...]]:
    names = [name for name in log.column_names if name not in ("id", "fluent", "event", "value")]
    return [tuple(row[name] for name in names) for row in log.to_pylist()]


def test_changes_and_what_is_current() -> None:
    live = begin()
    live.add(["opens(hall) @ 4", "opens(attic) @ 13"])
    assert told(live.advance(9).intervals) == [], "no query time is due"
    assert told(live.advance(10).intervals) == [(10, "insert", ["hall"], 5, None)]
    live.add(["closes(hall) @ 12", "wind(hall) @ 12"])
    changes = live.advance(20)
    assert told(changes.intervals) == [
        (20, "insert", ["attic"], 14, None),
        (20, "end", ["hall"], 5, 13),
    ]
    assert told(changes.occurrences) == [(20, "insert", ["hall"], 12, 12)]
    assert told(live.current().intervals) == [(["attic"], 14, None), (["hall"], 5, 13)]
    assert told(live.current().occurrences) == [(["hall"], 12, 12)]
    assert live.last_query_time == 20
    assert told(live.advance(20).intervals) == [], "a query time is over"
    assert told(live.advance(5).intervals) == [], "time does not go back"


def test_late_rows_and_rejects_are_told_where_they_are_added() -> None:
    live = begin()
    live.advance(30)
    added = live.add(["opens|31|5|hall", "opens|31|25|attic", "opens|x|25|attic", "unheard|31|25|attic"])
    assert [row["args"] for row in added.late.to_pylist()] == [["hall"]]
    assert added.late["late_by"].to_pylist() == [16]
    assert added.rejects["row"].to_pylist() == [3]
    assert added.events_unused == 1  # no rule reads it
    assert (added.events_in, live.metrics["events_late"], live.metrics["events_rejected"]) == (4, 1, 1)
    assert told(live.advance(40).intervals) == [(40, "insert", ["attic"], 26, None)]


def test_a_row_of_the_far_future_waits_and_harms_nothing() -> None:
    live = begin()
    live.add(["opens(hall) @ 4", f"opens(attic) @ {1 << 60}"])
    assert told(live.advance(10).intervals) == [(10, "insert", ["hall"], 5, None)]


def test_the_history_begins_before_the_first_events() -> None:
    live = begin(start=None)
    assert told(live.advance(1000).intervals) == []
    live.add(["opens(hall) @ 1004"])
    assert told(live.advance(1013).intervals) == [(1013, "insert", ["hall"], 1005, None)]
    late = live.add(["opens(attic) @ 900"]).late
    assert late.num_rows == 0, "it lies before the history: not late, but no part of it"


def test_tables_and_mappings() -> None:
    live = begin()
    table = pa.table({"what": ["opens"], "door": ["hall"], "at": [4]})
    mapping = {"name": "what", "time": "at", "events": {"opens": ["door"]}}
    assert live.add(table, mapping=mapping).events_in == 1
    assert told(live.advance(10).intervals) == [(10, "insert", ["hall"], 5, None)]


def test_what_is_said_of_it_is_short() -> None:
    live = begin()
    added = live.add(["opens(hall) @ 4", "opens(hall, wide) @ 5"])
    changes = live.advance(10)
    assert repr(live) == "<Session: up to 10, 2 events in>"
    assert repr(added) == "<Added: 2 in, 0 unused, 0 late, 1 rejected>"
    assert repr(changes) == "<Changes: 1 of intervals, 0 of occurrences>"
    assert repr(live.current()) == "<Current: 1 interval, 0 occurrences>"


@pytest.mark.parametrize("step", ["10s", timedelta(seconds=10), 10, "10"])
def test_durations(step: object) -> None:
    live = begin(step=step, window="1min", tick_unit="s")
    live.add(["opens(hall) @ 4"])
    assert told(live.advance("10s").intervals) == [(10, "insert", ["hall"], 5, None)]


def test_ticks_of_a_millisecond() -> None:
    live = begin(window="1s", step="0.5s", tick_unit="ms")
    live.add(["opens(hall) @ 4"])
    assert told(live.advance("500ms").intervals) == [(500, "insert", ["hall"], 5, None)]


def test_final_reports_tell_only_what_will_not_change() -> None:
    live = begin(report="final", end=40)
    live.add(["opens(hall) @ 4", "closes(hall) @ 12", "opens(attic) @ 13"])
    assert told(live.advance(20).intervals) == []
    assert told(live.advance(30).intervals) == [(30, "insert", ["hall"], 5, 13)]
    assert told(live.advance(100).intervals) == [(40, "insert", ["attic"], 14, None)], "the history ends"


def test_what_is_over_is_known_as_long_as_asked_for() -> None:
    live = begin(keep=30)
    live.add(["opens(hall) @ 4", "closes(hall) @ 12", "opens(attic) @ 13"])
    live.advance(40)
    assert sorted(told(live.current().intervals)) == [(["attic"], 14, None), (["hall"], 5, 13)]
    live.advance(50)
    assert told(live.current().intervals) == [(["attic"], 14, None)]


@pytest.mark.parametrize(("incremental", "few_rows", "scratch"), [(True, 10_000, 1), (True, 0, 2), (False, 10_000, 2)])
def test_a_query_time_that_changes_most_is_evaluated_from_scratch(
    incremental: bool, few_rows: int, scratch: int
) -> None:
    """The first one always is. Of many rows, the second one would look at twice as many as there were."""
    live = tuned(begin(window=20, incremental=incremental), Tuning(few_rows=few_rows))
    live.add(["opens(hall) @ 4"])
    live.advance(10)
    live.add(["closes(hall) @ 12", "opens(hall) @ 14"])
    changes = told(live.advance(20).intervals)
    assert changes == [(20, "insert", ["hall"], 15, None), (20, "end", ["hall"], 5, 13)]
    assert live.metrics["query_times_from_scratch"] == scratch


def test_metrics_say_how_much_was_looked_at() -> None:
    """Doors that nothing happens to are not looked at, however many there are."""
    gathered = []
    for doors in (1, 50):
        live = begin(incremental=True)
        live.add([f"opens(d{number}) @ 4" for number in range(doors)])
        live.advance(10)
        assert live.metrics["query_times_from_scratch"] == 1
        assert live.metrics["rows_gathered"] == 0
        live.add(["closes(d0) @ 12"])
        live.advance(20)
        assert (live.metrics["query_times"], live.metrics["query_times_from_scratch"]) == (2, 1)
        assert (live.metrics["blocks_evaluated"], live.metrics["definitions_evaluated"]) == (1, 3)
        gathered.append(live.metrics["rows_gathered"])
    assert gathered[0] == gathered[1] > 0
    skipped = live.metrics["definitions_skipped"]
    live.advance(30)
    live.advance(40)
    assert live.metrics["definitions_skipped"] > skipped, "nothing has happened"
    scratch = begin(incremental=False)
    scratch.add(["opens(hall) @ 4"])
    scratch.advance(20)
    assert (scratch.metrics["query_times_from_scratch"], scratch.metrics["rows_gathered"]) == (2, 0)


def save_and_resume(live: holdsfor.Session, folder: Path) -> holdsfor.Session:
    live.save(folder)
    return holdsfor.resume(holdsfor.parse(RULES), folder)


def test_a_saved_session_goes_on(tmp_path: Path) -> None:
    live = begin(keep=1000, report="eager", tick_unit="ms")
    live.add(["opens(hall) @ 4", "closes(hall) @ 25", "junk @ 3"])
    live.advance(10)
    again = save_and_resume(live, tmp_path)
    assert again.terms == live.terms
    assert again.metrics == live.metrics
    assert told(again.current().intervals) == [(["hall"], 5, None)]
    assert told(again.advance(30).intervals) == [(30, "end", ["hall"], 5, 26)], "the row that waited is there"
    assert told(live.advance(30).intervals) == [(30, "end", ["hall"], 5, 26)], "saving changes nothing"
    assert told(save_and_resume(again, tmp_path).current().intervals) == [(["hall"], 5, 26)]


def test_a_session_that_has_not_begun_can_be_saved(tmp_path: Path) -> None:
    live = save_and_resume(begin(start=None), tmp_path)
    live.add(["opens(hall) @ 1004"])
    assert told(live.advance(1013).intervals) == [(1013, "insert", ["hall"], 1005, None)]


def test_a_save_that_fails_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = begin()
    live.add(["opens(hall) @ 4"])
    live.advance(10)
    live.save(tmp_path)
    live.add(["closes(hall) @ 12"])
    live.advance(20)
    monkeypatch.setattr("holdsfor.io.storage.store.Store.write_record", _fails)
    with pytest.raises(OSError, match="full"):
        live.save(tmp_path)
    monkeypatch.undo()
    again = holdsfor.resume(holdsfor.parse(RULES), tmp_path)
    assert (again.last_query_time, told(again.current().intervals)) == (10, [(["hall"], 5, None)])


def _fails(*_: object) -> None:
    raise OSError("the disk is full")


def test_a_damaged_session_is_refused(tmp_path: Path) -> None:
    begin().save(tmp_path)
    (state,) = tmp_path.glob("state-*")
    state.write_bytes(state.read_bytes()[:-1] + b"x")
    with pytest.raises(HoldsforError, match=r"state-0000001.arrow is not what was written"):
        holdsfor.resume(holdsfor.parse(RULES), tmp_path)


def test_other_rules_and_other_folders_are_refused(tmp_path: Path) -> None:
    begin().save(tmp_path)
    with pytest.raises(
        HoldsforError, match=r"begun with other rules or facts \(open/1 changed, slam/1 changed, input shuts/1 is new, "
    ):
        holdsfor.resume(holdsfor.parse(RULES.replace("closes", "shuts")), tmp_path)
    with pytest.raises(HoldsforError, match=r"has no session\.json"):
        holdsfor.resume(holdsfor.parse(RULES), tmp_path / "elsewhere")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: begin(step="ten"), "'ten' is not a duration"),
        (lambda: begin(step=None), "a stream needs a window and a step"),
        (lambda: begin(step=1.5), "the step must be a whole number of ticks, such as 3600, or a duration"),
        (lambda: begin(end=-5), r"the end \(-5\) is before the start \(0\)"),
        (lambda: begin(report="egaer"), "Did you mean 'eager'"),
        (lambda: begin(tick_unit="min"), "unknown tick_unit 'min'"),
        (lambda: begin().advance(True), "the time to advance to True is not a time"),
        (lambda: begin().advance(2**62), r"the time to advance to \(4611686018427387904\) is out of range"),
    ],
)
def test_what_cannot_be_used_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        call()


def test_a_failed_advance_leaves_all_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    live = begin()
    live.add(["opens(hall) @ 4"])
    live.advance(10)
    live.add(["closes(hall) @ 12"])
    monkeypatch.setattr("holdsfor.local.session.changes", _fails)
    with pytest.raises(OSError, match="full"):
        live.advance(20)
    monkeypatch.undo()
    assert live.last_query_time == 10
    assert told(live.advance(20).intervals) == [(20, "end", ["hall"], 5, 13)]


def test_a_window_shorter_than_the_step_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    begin(window=5)
    assert "the window (5) is shorter than the step (10)" in caplog.text


def test_an_absence_is_told_at_the_query_time_after_its_deadline_without_any_further_event() -> None:
    live = holdsfor.session(holdsfor.parse("late(K) <- NOT(b(K)).[a(K), 25 s]."), window=10, step=10, start=0)
    live.add(["a(k) @ 5", "a(m) @ 6", "b(m) @ 7"], format="terms")
    assert [live.advance(time).occurrences.num_rows for time in (10, 20, 29)] == [0, 0, 0]
    (row,) = live.advance(30).occurrences.to_pylist()
    assert (row["op"], row["event"], row["args"], row["start"], row["end"]) == ("insert", "late", ["k"], 5, 30)
    assert [live.advance(time).occurrences.num_rows for time in (40, 4000)] == [0, 0]


def test_facts_without_a_date_are_saved_before_any_other_row(tmp_path: Path) -> None:
    rules = holdsfor.parse("input fact linked/2. happensAt(near(A), T) :- happensAt(ask(A), T), linked(A, _).")
    always = pa.table({"name": ["linked"], "a": ["x"], "b": ["y"]})
    mapping = {"name": "name", "facts": {"linked": ["a", "b"]}}
    live = holdsfor.session(rules, window=20, step=10)
    live.add(always, mapping=mapping)
    for _ in range(2):  # and again
        live.save(tmp_path)
        live = holdsfor.resume(rules, tmp_path)
    live.add(["ask(x) @ 5", "ask(y) @ 5"])
    assert live.advance(20).occurrences.column("args").to_pylist() == [["x"]]
