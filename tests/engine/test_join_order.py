"""Sequences of several parts: any order of joining them gives the same, and the cheapest is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

import holdsfor
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import find_windows
from holdsfor.engine.patterns.joins import END, START, join_sequence, match_pattern
from holdsfor.engine.patterns.policies import cheapest_pair
from holdsfor.engine.stepping.history import prepare
from holdsfor.plan import plan
from holdsfor.plan.definitions import Derived
from holdsfor.plan.operators import Occurring
from holdsfor.plan.patterns import Pairs, Pattern, sequence_parts

RULE = "m(X, A, B, C, D) <- (a(X, A) SEQ b(X, B) SEQ c(C) SEQ d(X, D)).30."


def pattern_of(rule: str) -> Pattern:
    definition = plan(holdsfor.parse(rule)).definitions[-1]
    assert isinstance(definition, Derived)
    op = definition.rules[0].chain[0]
    assert isinstance(op, Occurring)
    return op.pattern


def world_of(rule: str, rows: Sequence[str]) -> World:
    description = holdsfor.parse(rule)
    read = holdsfor.read_events(list(rows), format="terms").read(description.inputs)
    return prepare(make_program(plan(description)), read.blocks, find_windows(read.blocks, None, None, 0, 60, 1))


def random_rows(seed: int) -> list[str]:
    random = Random(seed)

    def row() -> str:
        name, time = random.choice("abcd"), random.randint(1, 40)
        args = f"{time}" if name == "c" else f"{random.choice('xy')}, {time}"
        return f"{name}({args}) @ [{time},{time + random.randint(1, 4)}]" if seed % 2 else f"{name}({args}) @ {time}"

    return [row() for _ in range(90)]


@pytest.mark.parametrize("seed", range(12))
def test_any_order_gives_the_same(seed: int) -> None:
    world, pattern = world_of(RULE, random_rows(seed)), pattern_of(RULE)
    parts = [match_pattern(part, world) for part in sequence_parts(pattern)]

    def found(choose: Callable[[Sequence[Rows]], int]) -> set[tuple[int, ...]]:
        rows = join_sequence(parts, 30, world, choose)
        names = [name for name in sorted(rows.names) if name not in (START, END)]
        columns = [rows.codes(name).tolist() for name in names]
        return set(zip(*columns, rows.times(START).tolist(), rows.times(END).tolist(), strict=True))

    expected = found(lambda left: 0)
    assert len(parts) == 4
    assert expected, "there is something to find"
    assert found(lambda left: len(left) - 2) == expected
    assert found(cheapest_pair) == expected
    random = Random(seed)
    assert all(found(lambda left: random.randrange(len(left) - 1)) == expected for _ in range(4))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((9, 9, 9), 0), ((9, 9, 1), 1), ((1, 9, 9), 0), ((9, 8, 7), 0), ((9, 1, 1), 1), ((3, 9, 2), 0)],
)
def test_the_rare_are_joined_first(counts: tuple[int, int, int], expected: int) -> None:
    rule = "m(X) <- a(X) SEQ b(X) SEQ c(X)."
    rows = [f"{name}(x) @ {time}" for name, count in zip("abc", counts, strict=True) for time in range(1, count + 1)]
    world = world_of(rule, rows)
    assert cheapest_pair([match_pattern(part, world) for part in sequence_parts(pattern_of(rule))]) == expected


def test_those_that_share_a_variable_are_joined_first() -> None:
    rule = "m(X) <- a SEQ b(X) SEQ c(X)."
    world = world_of(rule, ["a @ 1", "b(x) @ 2", "b(y) @ 2", "c(x) @ 3", "c(y) @ 4"])
    assert cheapest_pair([match_pattern(part, world) for part in sequence_parts(pattern_of(rule))]) == 1


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("(a(X) SEQ b(X) SEQ c(X)).9", 3),
        ("a(X) SEQ b(X) SEQ c(X)", 3),
        ("(a(X) SEQ b(X)).9 SEQ c(X)", 2),
        ("((a(X) SEQ b(X)).5 SEQ c(X)).9", 2),
        ("((a(X) SEQ b(X)).15 SEQ c(X)).9", 3),
        ("(a(X) AND b(X)) SEQ c(X)", 2),
        ("(a(X) SEQ b(Y) WHERE X < Y) SEQ c(X)", 2),
    ],
)
def test_only_what_may_be_joined_in_any_order(pattern: str, parts: int) -> None:
    assert len(sequence_parts(pattern_of(f"m(X) <- {pattern}."))) == parts


def test_a_policy_chooses_from_the_left() -> None:
    pattern = pattern_of(":- policy(recent).\nm(X) <- a(X) SEQ b(X) SEQ c(X).")
    assert isinstance(pattern, Pairs)
    assert sequence_parts(pattern) == (pattern,)
