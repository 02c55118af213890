"""Explanations in a session: the same as those of the whole history, or said to rest on input that is not kept."""

from __future__ import annotations

import pytest

import holdsfor
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
