"""The passes change no answer: with and without them the same results, on random rules and random histories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

import holdsfor
from holdsfor.plan import Plan, optimise
from holdsfor.plan.compiler.compile import compiled
from holdsfor.plan.definitions import Static
from holdsfor.plan.passes.boolean import boolean
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program

Pass = tuple[str, Callable[[Plan], Plan]]
COUNTED = ("events_in", "events_unused", "events_rejected", "events_late", "groundings_outside_domain")
ALL, NONE = optimise.PASSES, ()


def answer(patch: pytest.MonkeyPatch, passes: tuple[Pass, ...], rules: str, rows: list[str], **how: Any) -> Any:
    """Intervals, occurrences, changes and counts, with these passes only."""
    patch.setattr(optimise, "PASSES", passes)
    description = holdsfor.parse(rules, functions=FUNCTIONS)
    result = holdsfor.recognise(description, holdsfor.read_events(rows, format="rtec"), **how)
    tables = (result.intervals, result.occurrences, result.changes)
    return [sorted(map(str, table.to_pylist())) for table in tables], [result.metrics[name] for name in COUNTED]


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = random_program(70_000 + seed)
    where = program.horizon
    how = {
        "window": where.window,
        "step": where.step,
        "start": where.start,
        "end": where.end,
        "sample_every": where.sample_every,
    }
    for stepped in (False, True):
        found = answer(monkeypatch, ALL, program.text, list(program.rows), **how, changes=stepped)
        assert found == answer(monkeypatch, NONE, program.text, list(program.rows), **how, changes=stepped)


# ---------------------------------------------------------------- Boolean combinations

NAMES = ("a", "b", "c")
DRIVERS = "".join(
    f"initiatedAt({name}(X)=true, T) :- happensAt(on_{name}(X), T).\n"
    f"terminatedAt({name}(X)=true, T) :- happensAt(off_{name}(X), T).\n"
    for name in NAMES
)


def combination(random: Random, size: int) -> list[str]:
    """Rules for a random function of so many fluents that is false where none holds: one rule for each step."""
    states = list(product((False, True), repeat=size))
    table = {state: any(state) and random.random() < 0.5 for state in states}
    table[random.choice(states[1:])] = True
    rules = []
    for before, after in product(states, states):
        if table[before] != table[after]:
            head = "initiatedAt" if table[after] else "terminatedAt"
            rules.append(f"{head}(f(X)=true, T) :- {', '.join(step(before, after))}.")
    return rules


def step(before: tuple[bool, ...], after: tuple[bool, ...]) -> Iterator[str]:
    """What happens from one state to the next, the changes first."""
    pairs = list(zip(NAMES, before, after, strict=False))
    for name, old, new in pairs:
        if old != new:
            yield f"happensAt({'start' if new else 'end'}({name}(X)=true), T)"
    for name, old, new in pairs:
        if old == new:
            yield f"holdsAt({name}(X)=true, T)" if old else f"\\+ holdsAt({name}(X)=true, T)"
            yield f"\\+ happensAt({'end' if old else 'start'}({name}(X)=true), T)"


def history(random: Random, length: int) -> list[str]:
    kinds = [f"{edge}_{name}" for edge in ("on", "off") for name in NAMES]
    times = sorted(random.randint(1, length) for _ in range(40))
    return [f"{random.choice(kinds)}|{t}|{t}|x{random.randint(1, 2)}" for t in times]


@pytest.mark.parametrize("seed", range(20))
def test_boolean_combinations(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a rule too few, which may or may not mean the same; in one pass and stepped, on and off the grid."""
    random = Random(seed)
    rules = combination(random, random.choice((1, 2, 2, 2, 3)))
    whole = DRIVERS + "\n".join(rules)
    assert is_rewritten(whole)
    less = DRIVERS + "\n".join(random.sample(rules, len(rules) - 1))
    tick, start = random.choice(((1, 0), (1, 7), (5, 10), (5, 7)))
    how = {"window": 6 * tick, "step": 4 * tick, "start": start, "end": 40, "sample_every": tick}
    rows = history(random, 40)
    for text, stepped in product((whole, less), (False, True)):
        found = answer(monkeypatch, (("boolean", boolean),), text, rows, **how, changes=stepped)
        assert found == answer(monkeypatch, NONE, text, rows, **how, changes=stepped)


def test_a_history_that_begins_between_two_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that begins at the tick before, so that f is a from the first tick on."""
    rules = DRIVERS + "\n".join(
        f"{head}(f(X)=true, T) :- happensAt({edge}(a(X)=true), T)."
        for head, edge in (("initiatedAt", "start"), ("terminatedAt", "end"))
    )
    assert is_rewritten(rules)
    rows = ["on_a|8|8|x", "off_a|21|21|x", "on_a|31|31|x"]
    for passes, stepped in product((ALL, NONE), (False, True)):
        how = {"window": 10, "step": 10, "start": 7, "end": 57, "sample_every": 5, "changes": stepped}
        (intervals, *_), _ = answer(monkeypatch, passes, rules, rows, **how)
        assert [line for line in intervals if "'fluent': 'f'" in line] == [
            "{'fluent': 'f', 'args': ['x'], 'value': 'true', 'start': 10, 'end': 25}",
            "{'fluent': 'f', 'args': ['x'], 'value': 'true', 'start': 35, 'end': None}",
        ]


def is_rewritten(text: str) -> bool:
    return isinstance(boolean(compiled(holdsfor.parse(text))).definitions[-1], Static)


# ---------------------------------------------------------------- what no rule asks for


def test_facts_and_closures_that_no_rule_looks_up() -> None:
    made = compiled(
        holdsfor.parse(
            "initiatedAt(f(X)=true, T) :- happensAt(e(X), T), reached(X, a), known(X).\n"
            "reached(X, Y) :- road(X, Y).\nreached(X, Y) :- road(X, Z), reached(Z, Y).\n"
            "away(X, Y) :- flight(X, Y).\naway(X, Y) :- flight(X, Z), away(Z, Y).\n"
            "road(a, b).\nroad(b, a).\nflight(a, b).\nflight(b, a).\nknown(a).\nknown(b).\n"
        )
    )
    assert [str(name) for closure in made.closures for name, _ in closure.rules] == ["reached/2", "reached/2"]
    assert {str(name) for name, _ in made.facts} == {"road/2", "known/1"}


def test_a_plan_is_known_by_its_rules_and_not_by_what_the_optimiser_makes_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = "initiatedAt(f(X)=true, T) :- happensAt(e(X, K), T), holdsAt(g(X)=true, T), K > {}."
    five, six = (optimise.plan(holdsfor.parse(rule.format(bound))) for bound in (5, 6))
    monkeypatch.setattr(optimise, "PASSES", ())
    plain = optimise.plan(holdsfor.parse("% a comment\n\n" + rule.format(5)))
    assert plain != five
    assert plain.identity == five.identity != six.identity
