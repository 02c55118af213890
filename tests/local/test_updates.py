"""Rules of a session change while it runs: what is told, what stays, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.output.changes import REPORTS
from holdsfor.io.storage.fold import fold_intervals

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
holdsFor(drifting(V)=true, I) :- holdsFor(slow(V)=true, J), intDurGreater(J, 10, I).
initiatedAt(moored(V)=true, T) :- happensAt(mooring(V), T).
"""
FASTER = RULES.replace("K < 5", "K < 8").replace("K >= 5", "K >= 8")
ROWS = ["velocity(v1, 3) @ 12", "velocity(v1, 6) @ 31", "velocity(v2, 7) @ 52", "mooring(v9) @ 60"]


def begin(rules: str = RULES, **options: Any) -> holdsfor.Session:
    live = holdsfor.session(holdsfor.parse(rules), window=40, step=10, start=0, **options)
    live.add(ROWS, format="terms")
    live.advance(80)
    return live


def intervals(live: holdsfor.Session) -> set[tuple[Any, ...]]:
    rows = live.current().intervals.to_pylist()
    return {(row["fluent"], *row["args"], row["start"], row["end"]) for row in rows}


def test_what_changed_is_told_and_marked() -> None:
    live = begin()
    update = live.update(holdsfor.parse(FASTER))
    rows = {row["name"]: row for row in update.definitions.to_pylist()}
    assert (rows["slow/1"]["change"], rows["drifting/1"]["change"]) == ("changed", "affected")
    assert rows["moored/1"] == {"name": "moored/1", "change": "untouched", "valid_from": None, "is_whole": True}
    # The input is kept from the last window's beginning on: 80 + 10 - 40. Of a duration of 10, 11 more ticks are.
    assert (rows["slow/1"]["valid_from"], rows["drifting/1"]["valid_from"]) == (50, 61)
    told = [
        (row["op"], row["fluent"], *row["args"], row["start"], row["update"]) for row in update.intervals.to_pylist()
    ]
    assert told == [("insert", "slow", "v2", 53, 1), ("insert", "drifting", "v2", 62, 1)]
    past = {("slow", "v1", 13, 32), ("drifting", "v1", 13, 32), ("moored", "v9", 61, None)}
    assert intervals(live) == past | {("slow", "v2", 53, None), ("drifting", "v2", 62, None)}


def test_back_again_takes_back_what_was_told() -> None:
    live = begin()
    before = intervals(live)
    live.update(holdsfor.parse(FASTER))
    update = live.update(holdsfor.parse(RULES))
    assert update.number == 2
    assert {(row["op"], row["fluent"]) for row in update.intervals.to_pylist()} == {
        ("withdraw", "slow"),
        ("withdraw", "drifting"),
    }
    assert intervals(live) == before


def test_an_update_that_changes_nothing_tells_nothing_and_keeps_everything() -> None:
    live = begin()
    before = live.evaluation
    assert before is not None
    update = live.update(
        holdsfor.parse("% the same rules\n" + RULES.replace("(V)", "(Vessel)").replace("(V,", "(Vessel,"))
    )
    assert set(update.definitions["change"].to_pylist()) == {"untouched"}
    assert len(update.intervals) == len(update.occurrences) == 0
    after = live.evaluation
    assert after is not None
    assert blocks_of(before.save()) == blocks_of(after.save())


def blocks_of(carried: Any) -> list[Any]:
    blocks = (*carried.inputs, *carried.known, *carried.running)
    return [
        (b.name, [a.to_pylist() for a in b.args], b.start.tolist(), None if b.end is None else b.end.tolist())
        for b in blocks
    ]


def test_what_is_gone_ends_at_the_update() -> None:
    live = begin()
    update = live.update(
        holdsfor.parse(RULES.replace("initiatedAt(moored(V)=true, T) :- happensAt(mooring(V), T).", ""))
    )
    assert [(r["op"], r["fluent"], r["end"]) for r in update.intervals.to_pylist()] == [("end", "moored", 81)]
    live.advance(120)
    assert ("moored", "v9", 61, 81) in intervals(live)


def test_inertia_brings_from_before_what_no_rule_contradicts() -> None:
    """Nobody knows what the new rules would have said long ago: it stays as it was until a rule says something."""
    live = begin()
    live.add(["velocity(v3, 1) @ 81"], format="terms")
    live.advance(200)
    live.update(holdsfor.parse(RULES.replace("K < 5", "K < 0").replace("K >= 5", "K >= 2")))
    assert ("slow", "v3", 82, None) in intervals(live)
    live.add(["velocity(v3, 2) @ 205"], format="terms")
    live.advance(210)
    assert ("slow", "v3", 82, 206) in intervals(live)


def test_rules_that_are_refused_change_nothing(tmp_path: Path) -> None:
    live = begin()
    before = intervals(live)
    (tmp_path / "bad.ec").write_text("initiatedAt(slow(V)=true, T) :- happensAt(velocity(V), T), K < 5.")
    with pytest.raises(holdsfor.DescriptionError, match="K"):
        live.update(tmp_path / "bad.ec")
    with pytest.raises(holdsfor.HoldsforError, match="tick"):
        live.update(holdsfor.parse(":- tick(ms).\n" + RULES.replace("10, I", "10 ms, I")))
    live.add(["velocity(v2, 9) @ 95"], format="terms")
    live.advance(100)
    assert intervals(live) == before


def test_input_that_nobody_read_before_is_known_from_the_update_on() -> None:
    live = begin()
    live.add(["horn(v1) @ 70", "horn(v1) @ 97"], format="terms")
    update = live.update(holdsfor.parse(RULES + "happensAt(loud(V), T) :- happensAt(horn(V), T)."))
    row = next(row for row in update.definitions.to_pylist() if row["name"] == "loud/1")
    assert row == {"name": "loud/1", "change": "added", "valid_from": 97, "is_whole": True}
    live.add(["horn(v1) @ 98"], format="terms")
    live.advance(100)
    assert live.current().occurrences["start"].to_pylist() == [98]


def test_a_session_that_has_not_begun_takes_the_new_rules() -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=40, step=10, start=0)
    live.update(holdsfor.parse(FASTER))
    live.add(ROWS, format="terms")
    live.update(holdsfor.parse(FASTER.replace("10, I", "12, I")))
    live.advance(80)
    assert ("drifting", "v2", 53, None) in intervals(live)


def test_a_session_goes_on_with_the_rules_that_it_had_last(tmp_path: Path) -> None:
    live = begin()
    live.update(holdsfor.parse(FASTER))
    live.save(tmp_path)
    with pytest.raises(holdsfor.HoldsforError, match="slow/1"):
        holdsfor.resume(holdsfor.parse(RULES), tmp_path)
    again = holdsfor.resume(holdsfor.parse(FASTER), tmp_path)
    assert intervals(again) == intervals(live)
    assert again.update(holdsfor.parse(RULES)).number == 2


@pytest.mark.parametrize("report", REPORTS)
def test_no_report_takes_back_what_it_calls_final(report: holdsfor.engine.output.changes.Report) -> None:
    live = begin(report=report)
    log = [live.results.intervals.recent(None)]
    log += [live.update(holdsfor.parse(FASTER)).intervals.drop_columns(["update"])]
    if report != "eager":
        assert not log[-1].num_rows
    log += [live.advance(200).intervals]
    assert fold_intervals(pa.concat_tables(log)).num_rows == len(intervals(live))


def test_results_that_were_internal_are_told_and_the_others_are_taken_back() -> None:
    live = begin(RULES + "internal slow/1.\n")
    assert not any(row[0] == "slow" for row in intervals(live))
    told = live.update(holdsfor.parse(RULES)).intervals.to_pylist()
    assert {row["op"] for row in told} <= {"insert"}
    live.add(["velocity(v4, 1) @ 85"], format="terms")
    live.advance(90)
    gone = live.update(holdsfor.parse(RULES + "internal slow/1.\n")).intervals.to_pylist()
    assert ("withdraw", "slow", "v4") in {(row["op"], row["fluent"], *row["args"]) for row in gone}


def test_a_function_that_is_another_one_changes_what_calls_it() -> None:
    text = """
    initiatedAt(hot(X)=true, T) :- happensAt(temperature(X, V), T), W is converted(V), W > 10.
    initiatedAt(seen(X)=true, T) :- happensAt(temperature(X, _), T).
    """

    def begin_with(factor: int) -> holdsfor.EventDescription:
        return holdsfor.parse(text, functions={"converted": lambda value: value * factor})

    live = holdsfor.session(begin_with(1), window=40, step=10, start=0)
    live.add(["temperature(x, 7) @ 5"], format="terms")
    live.advance(10)
    update = live.update(begin_with(2))
    assert {row["name"]: row["change"] for row in update.definitions.to_pylist()} == {
        "hot/1": "changed",
        "seen/1": "untouched",
    }
    assert intervals(live) == {("hot", "x", 6, None), ("seen", "x", 6, None)}


def test_facts_that_are_others_change_what_asks_for_them() -> None:
    text = "initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, K), T), limit(V, M), K > M.\n"
    live = holdsfor.session(holdsfor.parse(text + "limit(v1, 5). limit(v2, 9)."), window=40, step=10, start=0)
    live.add(ROWS, format="terms")
    live.advance(60)
    update = live.update(holdsfor.parse(text + "limit(v1, 5). limit(v2, 6)."))
    assert {row["name"]: row["change"] for row in update.definitions.to_pylist()} == {
        "fast/1": "affected",
        "limit/2": "changed",
    }
    assert ("fast", "v2", 53, None) in intervals(live)
