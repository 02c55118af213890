"""The calls that DESIGN.md writes out, beside the names that are documented."""

from __future__ import annotations

from pathlib import Path

import holdsfor

RULES = holdsfor.parse("holdsFor(walks(P)=true, I) :- holdsFor(walking(P)=true, I).")
READINGS = ["walking(p1) @ 10", "walking(p1) @ 20"]


def spans(result: holdsfor.Result) -> list[tuple[int, int | None]]:
    return [(row["start"], row["end"]) for row in result.intervals.to_pylist()]


def test_tick_is_sample_every() -> None:
    times = {"start": 0, "end": 100}
    documented = spans(holdsfor.recognise(RULES, READINGS, **times, sample_every=10))
    assert documented == [(10, 30)]
    assert spans(holdsfor.recognise(RULES, READINGS, **times, tick=10)) == documented  # type: ignore[call-arg]


def test_live_is_a_session(tmp_path: Path) -> None:
    live = holdsfor.live(RULES, window=40, step=20, start=0, tick=10)
    live.add(READINGS)
    live.advance(60)
    assert [row["end"] for row in live.current().intervals.to_pylist()] == [30]
    live.save(tmp_path)
    for again in (holdsfor.resume(RULES, tmp_path), holdsfor.resume(tmp_path, RULES)):
        assert again.last_query_time == live.last_query_time == 60


def test_american_spelling() -> None:
    assert holdsfor.recognize is holdsfor.recognise
    assert holdsfor.vectorized is holdsfor.vectorised
