"""Laws of bounds: a definition with one means the same everywhere, and needs no more than its bound says.

HOLDSFOR_PROGRAMS and HOLDSFOR_SEED as for the laws of programs.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from holdsfor.language import parse
from holdsfor.plan import plan
from holdsfor.plan.reach import unbounded
from tests.conformance.compare import compared, differences
from tests.conformance.engines import in_process, in_stream, naive, stepped
from tests.conformance.streamed import setting_of
from tests.laws.test_programs import SEEDS
from tests.naive.interval_rules import MODES, RELATIONS
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand

INPUTS = """
input fluent a/1. input fluent b/1. input event e/1. input event h/1.
limit(x, 3). limit(y, 12). limit(z, 30).
"""
GIVEN = "holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), "
RULES = (
    GIVEN + "complement_all([A, B], I).",
    GIVEN + "complement_all([A, B], J), shorter_than(J, 9, I).",
    GIVEN + "before(A, B, union, J), complement_all([J], I).",
    GIVEN + "union_all([A, B], J), limit(X, N), at_least(J, N, I).",
    GIVEN + "union_all([A, B], J), limit(X, N), at_most(J, N, I).",
    "initiatedAt(c(X)=true, T) :- happensAt(e(X), T), happensAt(h(X), T2).",
    "initiatedAt(c(X)=true, T) :- happensAt(e(X), T), \\+ happensAt(h(X), T2).",
    "happensAt(c(X), T) :- happensAt(e(X), T), happensAt(h(X), T2), T2 < T.",
    "happensAt(c(X), T) :- happensAt(e(X), T), findall(T2, happensAt(h(X), T2), L), length(L, N), N > 1.",
    "happensAt(c(X), T) :- happensAt(e(X), T), happensAt(h(X), T2), T3 is T2 + 4, holdsAt(a(X)=true, T3).",
    "happensAt(c(X), T) :- happensAt(e(X), T), (happensAt(h(X), T2) ; happensAt(start(a(X)=true), T2)), T2 >= T.",
    *(f"{GIVEN}{relation}(A, B, {mode}, I)." for relation in RELATIONS for mode in MODES if mode not in ("lhs", "rhs")),
)
READERS = """
happensAt(begun(X), T) :- happensAt(start(c(X)=true), T).
happensAt(over(X), T) :- happensAt(end(c(X)=true), T).
"""


def program(seed: int) -> str:
    random, rule = Random(f"bound {seed}"), RULES[seed % len(RULES)]
    readers = "" if rule.startswith("happensAt") else READERS
    return f"{INPUTS}{rule}\nbound(c/1, {random.choice((4, 10, 10, 20, 30))}).\n{readers}"


def random_horizon(random: Random) -> Horizon:
    """With a window that is small beside the bound: what is settled too early shows."""
    tick = random.choice((1, 1, 1, 5))
    step = tick * random.choice((2, 2, 3))
    start = random.choice((0, 0, -20))
    return Horizon(step * random.choice((1, 1, 1, 2)), step, start, start + random.randint(50, 70), tick)


def random_rows(random: Random, horizon: Horizon) -> list[str]:
    """Few, so that much depends on each; and someone with whom something happens all the time."""
    times = range(horizon.start + 1, horizon.end, 3)
    rows = [row for t in times for row in (f"e|{t}|{t}|w", f"h|{t}|{t}|w", f"a|{t}|{t}|{t + 1}|true|w")]
    for _ in range(random.choice((6, 10, 15))):
        entity, time = random.choice("xxyz"), random.randint(horizon.start - 3, horizon.end)
        came = time + random.choice((0, 0, random.randint(0, horizon.window - horizon.step)))
        if random.random() < 0.4:
            rows.append(f"{random.choice('eh')}|{came}|{time}|{entity}")
        else:
            end = time + random.choice((1, 2, 3, 3, 10, 30))
            rows.append(f"{random.choice('ab')}|{came}|{time}|{end}|true|{entity}")
    return rows


@pytest.mark.parametrize("seed", range(SEEDS.start, SEEDS.start + max(2 * len(RULES), len(SEEDS) // 2)))
def test_the_same_everywhere(seed: int) -> None:
    random = Random(seed)
    text, horizon = program(seed), random_horizon(random)
    description, rows = parse(text), random_rows(random, horizon)
    assert not unbounded(plan(description).definitions)
    expected = compared(naive(description, rows, horizon), horizon)
    ways = (in_process, stepped, in_stream(2).recognise)
    for number, way in enumerate(ways):
        lines = differences(expected, compared(way(description, rows, horizon), horizon))
        assert not lines, "\n".join([str(number), *lines, text, f"rows = {rows}", str(horizon)])


LONG = 40  # windows


@pytest.mark.parametrize(
    "rule", [GIVEN + "before(A, B, source, I).", GIVEN + "complement_all([A, B], I).", RULES[7], RULES[8]]
)
def test_the_state_is_bounded(rule: str, tmp_path: Path) -> None:
    """Without the bound it grows with every batch, because each brings new entities."""
    random, horizon = Random(3), Horizon(40, 20, 0, 1 << 40, 1)
    sizes = {}
    for bound in ("", "bound(c/1, 30)."):
        setting = setting_of(parse(f"{INPUTS}{rule}\n{bound}"), horizon, 1)
        live = ByHand(setting, tmp_path / (bound and "bound"))
        sizes[bound] = [live.run(number, [_some_rows(random, number)]).state.size for number in range(LONG)]
    free, bounded = sizes.values()
    assert max(free[-5:]) > 1.5 * max(free[5:10])
    assert max(bounded[-5:]) < 1.2 * max(bounded[5:10])


def _some_rows(random: Random, batch: int) -> list[str]:
    rows = []
    for number in range(20):
        entity, time = f"p{batch}_{number % 5}", 20 * batch + random.randint(1, 20)
        rows.append(f"{random.choice('eh')}|{time}|{time}|{entity}")
        rows.append(f"{random.choice('ab')}|{time}|{time}|{time + 3}|true|{entity}")
    return rows


def test_a_bound_of_all_of_the_history_changes_nothing() -> None:
    horizon = Horizon(40, 20, 0, 200, 1)
    for seed, rule in enumerate(rule for rule in RULES if "[J]" not in rule):  # near nothing is nothing
        rows = random_rows(Random(seed), horizon)
        free = in_process(parse(f"{INPUTS}{rule}"), rows, horizon)
        bounded = in_process(parse(f"{INPUTS}{rule}\nbound(c/1, 1000)."), rows, horizon)
        assert not differences(free, bounded), rule
