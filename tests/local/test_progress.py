"""Partial matches: what has occurred, what is awaited, and until when."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.errors import HoldsforError

ORDERS = ["ordered(o1,book) @ 10", "paid(o1) @ 20", "ordered(o2,pen) @ 30", "shipped(o1) @ 40", "ordered(o3,cup) @ 90"]


def partial(rules: str, events: list[str], end: int) -> list[tuple[Any, ...]]:
    source = holdsfor.read_events(events, format="terms")
    table = holdsfor.progress(holdsfor.parse(rules), source, start=0, end=end)
    return [
        (row["event"], dict(row["bindings"]), row["start"], row["end"], row["matched"], row["awaited"], row["until"])
        for row in table.to_pylist()
    ]


def test_a_sequence_waits_for_its_next_event_as_long_as_its_window_is_open() -> None:
    rules = "done(O,T) <- (ordered(O,T) SEQ paid(O) SEQ shipped(O)).80."
    first, second = "ordered(O,T)", "(ordered(O,T) seq paid(O) within 80)"
    assert partial(rules, ORDERS, 95) == [
        ("done", {"O": "o2", "T": "pen"}, 30, 30, first, "paid(O)", 110),
        ("done", {"O": "o3", "T": "cup"}, 90, 90, first, "paid(O)", 170),
    ], "o1 began more than 80 ticks ago"
    assert ("done", {"O": "o1", "T": "book"}, 10, 20, second, "shipped(O)", 90) in partial(rules, ORDERS, 89)


@pytest.mark.parametrize(
    ("pattern", "shares"),
    [
        ("a SEQ b SEQ c SEQ d", [0.25, 0.5]),  # a alone, and a with b
        ("NOT(c).[a SEQ b, 9 ticks]", [1 / 3, 2 / 3]),  # the deadline is a part
        ("(a SEQ b) SEQ (c OR (d SEQ e))", [1 / 3, 2 / 3]),  # c is enough
        ("a SEQ NOT(c).[b, d]", [1 / 3, 1 / 3]),  # what is absent is no part
    ],
)
def test_which_share_has_occurred(pattern: str, shares: list[float]) -> None:
    source = holdsfor.read_events(["a @ 3", "b @ 4"], format="terms")
    table = holdsfor.progress(holdsfor.parse(f"out <- {pattern}."), source, start=0, end=8)
    assert sorted(table["share"].to_pylist()) == shares


def test_without_a_window_it_waits_for_ever() -> None:
    assert partial("out <- a SEQ b.", ["a @ 3"], 50) == [("out", {}, 3, 3, "a", "b", None)]


def test_an_absence_waits_for_its_deadline() -> None:
    rules = "late(O) <- NOT(shipped(O)).[ordered(O,_), 50 s]."
    assert partial(rules, ORDERS, 79) == [("late", {"O": "o2"}, 30, 30, "ordered(O,_)", "no shipped(O)", 80)]
    assert partial(rules, ORDERS, 89) == [], "o1 was shipped, and o2 is late by now"


def test_what_lies_between_ends_the_waiting() -> None:
    rules = "out(X) <- NOT(c(X)).[a(X), b(X)]."
    awaited = "b(X), and no c(X) before"
    assert partial(rules, ["a(1) @ 1", "a(2) @ 2", "c(1) @ 5"], 9) == [("out", {"X": "2"}, 2, 2, "a(X)", awaited, None)]


def test_both_sides_of_and_wait() -> None:
    found = partial("out <- (a AND b).10.", ["a @ 3", "b @ 20"], 21)
    assert found == [("out", {}, 20, 20, "b", "a", 30)]


def test_a_chronological_policy_uses_occurrences_up() -> None:
    rules = ":- policy(chronological).\nout(X) <- a(X) SEQ b."
    assert [row[1] for row in partial(rules, ["a(1) @ 1", "a(2) @ 2", "b @ 3"], 9)] == [{"X": "2"}]


def test_a_live_session_tells_it() -> None:
    live = holdsfor.session(holdsfor.parse("out(K) <- (a(K) SEQ b(K)).20."), window=20, step=10, start=0)
    assert live.progress().num_rows == 0
    live.add(["a(k) @ 5", "a(m) @ 8", "b(m) @ 9"], format="terms")
    live.advance(10)
    assert [dict(row["bindings"]) for row in live.progress().to_pylist()] == [{"K": "k"}, {"K": "m"}]
    live.advance(30)
    assert live.progress().num_rows == 0


def test_the_command(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    rules, events = tmp_path / "orders.ec", tmp_path / "orders.txt"
    rules.write_text("late(O) <- NOT(shipped(O)).[ordered(O,_), 50 s].\n")
    events.write_text("\n".join(ORDERS) + "\n")
    told = CliRunner().invoke(
        app, ["progress", str(rules), "--events", str(events), "--format", "terms", "--end", "79"]
    )
    assert told.exit_code == 0, told.output
    assert all(part in told.output for part in ("late", "O=o2", "30", "no shipped(O)", "80"))


def test_a_saved_session_by_the_command(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    rules = tmp_path / "rules.ec"
    rules.write_text("out(K) <- (a(K) SEQ b(K)).20.\n")
    live = holdsfor.session(holdsfor.load(rules), window=20, step=10, start=0)
    live.add(["a(k) @ 5"], format="terms")
    live.advance(10)
    live.save(tmp_path / "saved")
    told = CliRunner().invoke(app, ["progress", str(rules), "--checkpoint", str(tmp_path / "saved")])
    assert told.exit_code == 0, told.output
    assert all(part in told.output for part in ("out", "K=k", "5", "b(K)", "25"))


def test_a_checkpoint_of_other_rules_or_none(tmp_path: Any) -> None:
    one, other = holdsfor.parse("out <- a SEQ b."), holdsfor.parse("out <- b SEQ a.")
    live = holdsfor.session(one, window=20, step=10, start=0)
    live.save(tmp_path)
    with pytest.raises(HoldsforError, match="begun with other rules"):
        holdsfor.progress(other, checkpoint=tmp_path)
    with pytest.raises(HoldsforError, match="there is no stream in"):
        holdsfor.progress(one, checkpoint=tmp_path / "elsewhere")
    with pytest.raises(HoldsforError, match="either events or a checkpoint"):
        holdsfor.progress(one, ["a @ 1"], checkpoint=tmp_path)
    with pytest.raises(HoldsforError, match="give events, or a checkpoint"):
        holdsfor.progress(one)
