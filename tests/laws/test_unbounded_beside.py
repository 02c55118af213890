"""A definition without a bound keeps what it looks at, and nothing else pays for it: counted in rows, over 100 windows.

The input repeats itself, window by window, so that what does not grow is exactly the same from window to window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from holdsfor.engine.data.world import World
from holdsfor.engine.stepping import query_times as stepping
from holdsfor.language import parse
from tests.conformance.streamed import setting_of
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand

pytestmark = pytest.mark.xdist_group("unbounded")  # so that the stream is run once
FLUENTS = 20
WINDOW, STEP, WINDOWS = 40, 20, 100
SETTLED = 5  # windows after which nothing new comes about
FLUENT = """
initiatedAt(f{0}(P)=true, T) :- happensAt(on{0}(P), T).
terminatedAt(f{0}(P)=true, T) :- happensAt(off{0}(P), T).
"""
BEFORE = "holdsFor(first(P)=true, I) :- holdsFor(f0(P)=true, A), holdsFor(f1(P)=true, B), before(A, B, source, I).\n"
RULES = "".join(map(FLUENT.format, range(FLUENTS))) + BEFORE
LOOKED_AT = {"f0", "f1", "first"}


def rows_of_window(number: int) -> Iterator[str]:
    """Every fluent begins and ends once a window, each at times of its own."""
    for entity in ("p1", "p2", "p3"):
        for fluent in range(FLUENTS):
            for event, place in (("on", fluent), ("off", fluent + 7)):
                time = number * WINDOW + 1 + place % WINDOW
                yield f"{event}{fluent}|{time}|{time}|{entity}"


def carried_rows(live: ByHand) -> Counter[str]:
    assert live.memory is not None
    carried = live.memory._places[f"{live.state.location}/stage0-0"].held.save()
    rows: Counter[str] = Counter()
    for block in (*carried.inputs, *carried.known, *carried.running):
        rows[block.name] += len(block)
    return rows


def evaluated_rows(world: World) -> Counter[str]:
    rows: Counter[str] = Counter()
    for relation, data in world.relations.items():
        rows[relation.name] += len(data)
    return rows


def others(rows: Counter[str]) -> dict[str, int]:
    return {name: count for name, count in rows.items() if name not in LOOKED_AT}


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Counter[str], Counter[str]]]:
    """For each window the rows that are carried after it, and those of its last evaluation.

    What is carried stays in memory, and now and then is read from its files, as after a restart.
    """
    worlds: list[World] = []
    evaluate = stepping.evaluate

    def counting(program: Any, world: World, *rest: Any) -> int:
        worlds.append(world)
        return evaluate(program, world, *rest)

    setting = setting_of(parse(RULES), Horizon(WINDOW, STEP, 0, 1 << 40), 1)
    live = ByHand(setting, tmp_path_factory.mktemp("stream"), remembers=True)
    told = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stepping, "evaluate", counting)
        for number in range(WINDOWS):
            if number % 10 == 9:
                live.restart()
            live.run(number, [list(rows_of_window(number))])
            if worlds:
                told.append((carried_rows(live), evaluated_rows(worlds[-1])))
                worlds.clear()
    return told


def test_what_is_carried_beside_it_stays_the_same(windows: list[tuple[Counter[str], Counter[str]]]) -> None:
    carried = [others(rows) for rows, _ in windows[SETTLED:]]
    assert {"f2", "f19", "on0"} <= carried[0].keys()
    assert all(rows == carried[0] for rows in carried)


def test_what_is_evaluated_beside_it_stays_the_same(windows: list[tuple[Counter[str], Counter[str]]]) -> None:
    evaluated = [others(rows) for _, rows in windows[SETTLED:]]
    assert {"f2", "f19", "on0"} <= evaluated[0].keys()
    assert all(rows == evaluated[0] for rows in evaluated)


def test_it_keeps_what_it_looks_at_itself(windows: list[tuple[Counter[str], Counter[str]]]) -> None:
    """Else the tests above would hold for a stream that forgets."""
    last = windows[-1][0]
    assert min(last["f0"], last["f1"]) >= 3 * (WINDOWS - SETTLED)
    assert windows[SETTLED][0]["f0"] <= 3 * (SETTLED + 3)
