"""The law of incremental evaluation over long windows: few late rows among many.

Random rules about one entity, many rows that are there, and then a few late ones and retractions at a time.
HOLDSFOR_LATE_ROWS sets how many runs are made, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest

import holdsfor
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.incremental import late
from holdsfor.engine.scripts.confirming import Conclusions, Readers, conclude_alone
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.kernels.changes.touching import find_contradictions
from tests.laws.test_incremental import Told, tell
from tests.tuned import tuned

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_LATE_ROWS", "20")))
LENGTH, STEPS, MOST_LATE = 600, 6, 5
ENTITIES = ("a", "b", "c", "d")
LEVELS = ("low", "mid", "high")


@pytest.mark.parametrize("seed", SEEDS)
def test_late_rows_change_what_they_change_from_scratch(seed: int) -> None:
    rules, batches = draw_rules(Random(seed)), draw_batches(Random(seed))
    tuning = Tuning(
        many_late=(1, 1, DEFAULT.many_late)[seed // 2 % 3],
        script_arrays=(DEFAULT.script_arrays, 4)[seed // 3 % 2],  # fewer: several scripts
    )
    tick = (1, 1, 5)[seed % 3]
    by_changes, from_scratch = (list(run(rules, batches, tick, each, tuning)) for each in (True, False))
    for number, (one, other) in enumerate(zip(by_changes, from_scratch, strict=True)):
        assert one == other, f"after call {number}\n{rules}\n{batches}"


def test_late_rows_confirm_and_contradict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the law above would say nothing of them."""
    asked, contradicting = [], []

    def watch_late(readers: Readers, world: World, floor: int) -> list[Conclusions] | None:
        asked.append(len(world.points_of(readers.event)))
        return conclude_alone(readers, world, floor)

    def watch_contradictions(*args: object) -> tuple[Ints, Ints]:
        keys, until = find_contradictions(*args)
        contradicting.append(len(keys))
        return keys, until

    monkeypatch.setattr(late, "conclude_alone", watch_late)
    monkeypatch.setattr(late, "find_contradictions", watch_contradictions)
    for seed in range(40):
        list(run(draw_rules(Random(seed)), draw_batches(Random(seed)), 1, True, Tuning(many_late=1)))
    assert sum(asked) > 100
    assert 10 < sum(contradicting) < sum(asked)


TWO_READERS = """
initiatedAt(one(X)=true, T) :- happensAt(e(X), T), holdsAt(left(X)=true, T).
terminatedAt(one(X)=true, T) :- happensAt(e(X), T), \\+ holdsAt(left(X)=true, T).
initiatedAt(other(X)=true, T) :- happensAt(e(X), T), holdsAt(right(X)=true, T).
terminatedAt(other(X)=true, T) :- happensAt(e(X), T), \\+ holdsAt(right(X)=true, T).
initiatedAt(left(X)=true, T) :- happensAt(begin(X), T).
terminatedAt(left(X)=true, T) :- happensAt(finish(X), T).
initiatedAt(right(X)=true, T) :- happensAt(finish(X), T).
terminatedAt(right(X)=true, T) :- happensAt(begin(X), T).
"""


@pytest.mark.parametrize(("slots", "count"), [(5, 1), (4, 2)])
def test_one_script_judges_late_rows_or_several_do(slots: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tuning, scripts = Tuning(many_late=1, script_arrays=slots), []

    def watch(readers: Readers, world: World, floor: int) -> list[Conclusions] | None:
        parts = conclude_alone(readers, world, floor)
        scripts.append(len(parts or ()))
        return parts

    monkeypatch.setattr(late, "conclude_alone", watch)
    kept = [f"{name}(a) @ {time}" for name, time in (("begin", 9), ("e", 50), ("finish", 99), ("e", 200))]
    batches = [kept, [f"e(a) @ {time} arrives {LENGTH + 1}" for time in (20, 60, 120, 250)]]
    by_changes, from_scratch = (list(run(TWO_READERS, batches, 1, each, tuning)) for each in (True, False))
    assert by_changes == from_scratch
    assert scripts == [count]


def run(rules: str, batches: list[list[str]], tick: int, incremental: bool, tuning: Tuning) -> Iterator[Told]:
    times = {"window": 20 * LENGTH, "step": LENGTH, "start": 0, "sample_every": tick}
    live = tuned(holdsfor.session(holdsfor.parse(rules), **times, incremental=incremental), tuning)
    for number, batch in enumerate(batches):
        if batch:
            live.add(batch)
        yield tell(live, live.advance((number + 1) * LENGTH))


# ---------------------------------------------------------------- rows


def draw_batches(random: Random) -> list[list[str]]:
    """The first batch has nearly all rows, in time; the others have some that are late, or taken back."""
    kept = [draw_row(random) for _ in range(random.choice((150, 400)))]
    batches = [[f"{row} arrives {LENGTH}" for row in kept]]
    for number in range(1, STEPS + 1):
        rows = [draw_row(random) for _ in range(random.randint(0, MOST_LATE))]
        words = [f"{row} arrives {number * LENGTH + 1}" for row in rows]
        if random.random() < 0.5:
            words += [f"retract {row} arrives {number * LENGTH + 1}" for row in random.sample(kept, 2)]
        if random.random() < 0.3:
            words.append(f"{draw_row(random, number * LENGTH)} arrives {(number + 1) * LENGTH}")
        batches.append(words)
    return batches


def draw_row(random: Random, after: int = 0) -> str:
    entity, time = random.choice(ENTITIES), after + random.randint(1, LENGTH)
    event = random.choice(
        (
            f"press({entity})",
            f"drop({entity})",
            f"load({entity},{random.choice(LEVELS)})",
            f"reading({entity},{random.randint(0, 9)})",
        )
    )
    return f"{event} @ {time}"


# ---------------------------------------------------------------- rules


def draw_rules(random: Random) -> str:
    """Fluents and events about one entity, each of what comes before it."""
    rules: list[str] = ["input event press/1, drop/1, load/2, reading/2."]
    fluents: list[str] = []
    for number in range(random.randint(2, 5)):
        kind = random.choice((draw_simple, draw_simple, draw_valued, draw_static, draw_event))
        drawn = kind(random, number, fluents)
        rules += drawn[0]
        fluents += drawn[1]
    return "\n".join(rules)


def draw_trigger(random: Random, fluents: list[str]) -> str:
    triggers = ["happensAt(press(X), T)", "happensAt(drop(X), T)", f"happensAt(load(X,{random.choice(LEVELS)}), T)"]
    triggers += [f"happensAt(reading(X,N), T), N > {random.randint(1, 8)}"]
    triggers += [f"happensAt({random.choice(('start', 'end'))}({fluent}), T)" for fluent in fluents]
    return random.choice(triggers)


def draw_body(random: Random, fluents: list[str]) -> str:
    body = [draw_trigger(random, fluents)]
    for _ in range(random.choice((0, 0, 1, 2))):
        conditions = [f"\\+ happensAt({random.choice(('press', 'drop'))}(X), T)"]
        conditions += [f"{sign}holdsAt({fluent}, T)" for fluent in fluents for sign in ("", "\\+ ")]
        conditions += [f"happensAt(drop(X), T{len(body)}), T{len(body)} < T, T - T{len(body)} =< 20"]
        conditions += [f"happensAt(press(X), T{len(body)}), T{len(body)} > T, T{len(body)} - T =< 15"]
        body.append(random.choice(conditions))
    return ", ".join(body)


def draw_simple(random: Random, number: int, fluents: list[str]) -> tuple[list[str], list[str]]:
    fluent = f"f{number}(X)=true"
    rules = [f"initiatedAt({fluent}, T) :- {draw_body(random, fluents)}." for _ in range(random.randint(1, 2))]
    rules += [f"terminatedAt({fluent}, T) :- {draw_body(random, fluents)}." for _ in range(random.randint(1, 2))]
    return rules, [fluent]


def draw_valued(random: Random, number: int, fluents: list[str]) -> tuple[list[str], list[str]]:
    values = random.sample(LEVELS, 2)
    rules = [f"initiatedAt(v{number}(X)={value}, T) :- {draw_body(random, fluents)}." for value in values]
    if random.random() < 0.5:
        rules += [f"initiatedAt(v{number}(X)=L, T) :- happensAt(load(X,L), T)."]
    rules += [f"terminatedAt(v{number}(X)={values[0]}, T) :- {draw_body(random, fluents)}."]
    return rules, [f"v{number}(X)={value}" for value in values]


def draw_static(random: Random, number: int, fluents: list[str]) -> tuple[list[str], list[str]]:
    if not fluents:
        return draw_simple(random, number, fluents)
    one, other = random.choice(fluents), random.choice(fluents)
    least = random.randint(5, 60)
    expression = random.choice(
        (
            "union_all([I1,I2], I)",
            "intersect_all([I1,I2], I)",
            "relative_complement_all(I1, [I2], I)",
            f"union_all([I1,I2], I3), intDurGreater(I3, {least}, I)",
            f"relative_complement_all(I1, [I2], I3), intDurLess(I3, {least}, I)",
            f"intersect_all([I1,I2], I3), intDurGreater(I3, {least}, I)",
        )
    )
    fluent = f"s{number}(X)=true"
    return [f"holdsFor({fluent}, I) :- holdsFor({one}, I1), holdsFor({other}, I2), {expression}."], [fluent]


def draw_event(random: Random, number: int, fluents: list[str]) -> tuple[list[str], list[str]]:
    return [f"happensAt(e{number}(X), T) :- {draw_body(random, fluents)}."], []
