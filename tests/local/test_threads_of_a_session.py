"""A live session that several threads use: each call is done before the next begins, and no row is lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

import holdsfor
from holdsfor.local import session

ADDERS, ROUNDS = 3, 20
RULES = "happensAt(seen(X), T) :- happensAt(a(X), T)."


def names_seen(live: holdsfor.Session) -> list[str]:
    return sorted(row["args"][0] for row in live.current().occurrences.to_pylist())


def test_a_row_that_is_added_while_time_goes_on_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=100, step=10, start=0)
    live.add(["a(first) @ 1"], format="terms")
    live.advance(10)
    adding, told = Event(), session.changes

    def add() -> None:
        adding.set()
        live.add(["a(meanwhile) @ 2"], format="terms")

    other = Thread(target=add)

    def tell_while_another_adds(*arguments: object, **options: object) -> object:
        if not adding.is_set():
            other.start()
            adding.wait()
            other.join(0.5)  # without a lock it is done by then
        return told(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "changes", tell_while_another_adds)
    live.add(["a(second) @ 12"], format="terms")
    live.advance(20)
    other.join()
    live.advance(30)
    assert names_seen(live) == ["first", "meanwhile", "second"]


def test_several_threads_add_advance_look_and_save(tmp_path: Path) -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=10_000, step=1, start=0)

    def add(adder: int) -> Callable[[], object]:
        return lambda: [live.add([f"a(r{adder}x{number}) @ 1"], format="terms") for number in range(ROUNDS)]

    def advance() -> None:
        for time in range(ROUNDS):
            live.advance(time)

    def look() -> None:
        for _ in range(ROUNDS // 5):
            names = names_seen(live)
            assert len(set(names)) == len(names)
            assert len(live.table("seen")) <= ADDERS * ROUNDS
            live.progress()
            live.save(tmp_path / "saved")

    calls = [*map(add, range(ADDERS)), advance, look]
    with ThreadPoolExecutor(len(calls)) as pool:
        for done in [pool.submit(call) for call in calls]:
            done.result()
    live.advance(2 * ROUNDS)
    assert names_seen(live) == sorted(f"r{adder}x{number}" for adder in range(ADDERS) for number in range(ROUNDS))
    assert live.metrics["events_in"] == ADDERS * ROUNDS
