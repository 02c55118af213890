"""Explanations in a session: the same as those of the whole history, or said to rest on input that is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from tests.why.test_why import MOVING, ROWS, whats


def session(rows: list[str], *, incremental: bool = True, window: int = 20, step: int = 5) -> holdsfor.Session:
    live = holdsfor.session(holdsfor.parse(MOVING), window=window, step=step, start=0, incremental=incremental)
    for row in rows:
        live.add([row], format="terms")
    return live


@pytest.mark.parametrize("incremental", [False, True])
@pytest.mark.parametrize(("fact", "at"), [("moving(v1)=true", 6), ("alarm(v1)", 3), ("near(v1,p1)=true", 10)])
def test_a_session_explains_what_its_kept_input_says(fact: str, at: int, incremental: bool) -> None:
    live = session(ROWS, incremental=incremental)
    live.advance(15)
    expected = holdsfor.recognise(holdsfor.parse(MOVING), holdsfor.read_events(ROWS, format="terms"), start=0, end=15)
    found, whole = live.why(fact, at=at), expected.why(fact, at=at)
    assert found.unexplained == ()
    assert [node.what for node in found.nodes()] == [node.what for node in whole.nodes()]
    assert (found.since, found.until) == (whole.since, whole.until)


@pytest.mark.parametrize("incremental", [False, True])
def test_what_was_decided_on_input_that_is_gone_is_said_to_be(incremental: bool) -> None:
    live = session(["speed(v1,7) @ 3", "enter(v1,p1) @ 58"], incremental=incremental, window=10)
    live.advance(60)
    found = live.why("moving(v1)=true", at=60)
    assert (found.since, found.notes, found.causes) == (4, ("decided on input that is no longer kept",), ())
    assert whats(live.why("near(v1,p1)=true", at=60)) == ["enter(v1,p1)"]


def test_what_is_forgotten_is_not_denied() -> None:
    live = session(["enter(v1,p1) @ 1", "speed(v1,7) @ 3", "speed(v1,7) @ 58"], window=10)
    live.advance(60)
    try:
        told = str(live.why("alarm(v1)", at=3))
    except holdsfor.HoldsforError as error:
        told = str(error)
    assert "no longer kept" in told


def test_a_session_that_has_not_begun_knows_nothing() -> None:
    with pytest.raises(holdsfor.HoldsforError, match="advance the session"):
        session([]).why("moving(v1)=true", at=3)


def test_a_saved_session_explains_the_same(tmp_path: Path) -> None:
    live = session(ROWS)
    live.advance(15)
    live.save(tmp_path / "saved")
    (tmp_path / "rules.ec").write_text(MOVING)
    again = holdsfor.resume(tmp_path / "rules.ec", tmp_path / "saved")
    found, whole = again.why("alarm(v1)", at=3), live.why("alarm(v1)", at=3)
    assert [node.what for node in found.nodes()] == [node.what for node in whole.nodes()]
    command = ["why", str(tmp_path / "rules.ec"), "alarm(v1)", "--session", str(tmp_path / "saved")]
    told = CliRunner().invoke(app, [*command, "--at", "3"])
    assert told.exit_code == 0, told.output
    assert told.stdout == f"{found}\n"
    assert CliRunner().invoke(app, command).exit_code == 2
    assert CliRunner().invoke(app, [*command, "--at", "3", "--events", "events.txt"]).exit_code == 2
    bundle = tmp_path / "bundle.json"
    assert CliRunner().invoke(app, [*command, "--at", "3", "--bundle", str(bundle)]).exit_code == 0
    checked = CliRunner().invoke(app, ["verify", str(bundle), "--strict"])
    assert checked.exit_code == 0, checked.output


def test_while_all_input_is_kept_a_session_answers_every_question_as_the_history_does() -> None:
    live = session(ROWS)
    live.advance(15)
    events = holdsfor.read_events(ROWS, format="terms")
    whole = holdsfor.recognise(holdsfor.parse(MOVING), events, start=0, end=15, window=20, step=5)
    for fact, at in (("moving(v1)=true", 12), ("alarm(v2)", 5), ("near(v2,p1)=true", 9)):
        found, expected = live.why_not(fact, at=at), whole.why_not(fact, at=at)
        assert str(found) == str(expected).replace("<lines>", "input")
        assert found.changes
    changes = live.why_changed("moving(v1)=true")
    assert [str(each) for each in changes] == [str(each) for each in whole.why_changed("moving(v1)=true")] != []
    early = live.why("near(v1,p1)=true", at=5, as_of=10)
    assert (early.until, live.why("near(v1,p1)=true", at=5).until) == (None, 13)


@pytest.mark.parametrize("incremental", [False, True])
def test_a_row_that_was_taken_back_is_no_reason(incremental: bool) -> None:
    live = session(["lost(v1) @ 2", "speed(v1,7) @ 3"], incremental=incremental, window=40)
    live.advance(10)
    live.add(["retract speed(v1,7) @ 3 arrives 12", "speed(v1,8) @ 3 arrives 13"], format="terms")
    live.advance(15)
    assert "speed(v1,8)" in (told := str(live.why("moving(v1)=true", at=5)))
    assert "speed(v1,7)" not in told
    with pytest.raises(holdsfor.HoldsforError, match="did not happen at 3"):
        live.why("speed(v1,7)", at=3)


FORGETFUL = ["enter(v1,p1) @ 1", "speed(v1,7) @ 3", "speed(v1,2) @ 55", "speed(v1,3) @ 58"]


def test_what_is_forgotten_makes_no_claim_and_no_change() -> None:
    live = session(FORGETFUL, window=10)
    live.advance(60)
    told = live.why_not("moving(v1)=true", at=60)
    assert told.changes == ()
    assert "input up to 55 is no longer kept; so no change was tried" in str(told)
    assert "did not happen from 56 to 57" not in str(told)
    assert "at no time" not in str(told).replace("at no time after", "")
    with pytest.raises(holdsfor.HoldsforError, match="no longer kept"):
        live.why_not("moving(v1)=true", at=30)
    for ask in (lambda: live.why_changed("moving(v1)=true"), lambda: live.why("moving(v1)=true", at=5, as_of=10)):
        with pytest.raises(holdsfor.HoldsforError, match="input up to 55 is no longer kept"):
            ask()


@pytest.mark.parametrize("buckets", [1, 3])
def test_a_checkpoint_explains_what_the_history_says(tmp_path: Path, buckets: int) -> None:
    (tmp_path / "rules.ec").write_text(MOVING)
    (tmp_path / "events.txt").write_text("\n".join([*ROWS, "speed(v9,1) @ 21"]))
    state, rules = str(tmp_path / "state"), str(tmp_path / "rules.ec")
    times = {"window": 40, "step": 5, "start": 0}
    holdsfor.stream(
        rules, tmp_path / "events.txt", format="terms", once=True, checkpoint=state, buckets=buckets, **times
    ).awaitTermination()
    asked = ["why", rules, "alarm(v1)", "--at", "3", "--checkpoint", state]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    events = holdsfor.read_events(ROWS, format="terms")
    whole = holdsfor.recognise(holdsfor.parse(MOVING), events, start=0, end=25)
    assert told.stdout.replace(rules, "<text>") == f"{whole.why('alarm(v1)', at=3)}\n".replace("<lines>", "input")
    denied = CliRunner().invoke(app, ["why", rules, "alarm(v2)", "--at", "5", "--not", "--checkpoint", state])
    assert "one row more: enter(v2,p1) @ 4" in denied.stdout, denied.output
    other = CliRunner().invoke(app, ["why", rules, "alarm(v1)", "--at", "3", "--checkpoint", str(tmp_path)])
    assert other.exit_code == 1
    assert "no stream in" in other.stderr


def test_a_folder_of_a_run_explains_itself_until_its_rules_change(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(MOVING)
    (tmp_path / "events.txt").write_text("\n".join(ROWS))
    paths = [str(tmp_path / name) for name in ("rules.ec", "events.txt", "out")]
    run = ["run", paths[0], "--events", paths[1], "--start", "0", "--end", "20", "--engine", "local", "-o", paths[2]]
    assert CliRunner().invoke(app, run).exit_code == 0
    asked = ["why", paths[2], "moving(v1)=true", "--at", "6"]
    told = CliRunner().invoke(app, asked)
    assert told.stdout.startswith("moving(v1)=true from 4 until 10"), told.output
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("rules.ec", "events.txt", "out"):
        (tmp_path / name).rename(moved / name)
    again = CliRunner().invoke(app, ["why", str(moved / "out"), *asked[2:]])
    assert again.exit_code == 0, again.output
    (moved / "rules.ec").write_text(MOVING + "% changed\n")
    changed = CliRunner().invoke(app, ["why", str(moved / "out"), *asked[2:]])
    assert changed.exit_code == 1
    assert "is not what it was" in changed.stderr
