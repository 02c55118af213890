"""The laws of explanations, for random rules and streams: the leaves of a tree, evaluated alone, yield the fact again;
what is proposed as a change that makes something true does so.

HOLDSFOR_PROGRAMS sets how many programs are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

import holdsfor
from holdsfor.language import DescriptionError
from tests.naive.circles import random_circles
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import Program, random_program
from tests.naive.rows import line_format
from tests.why.evidence import facts_of, yields

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PROGRAMS", "10")))
#: So many facts of a program are asked about.
FACTS = 8
DENIED_FACTS = 3


def recognised(program: Program, events: object, **window: Any) -> holdsfor.Result:
    horizon = program.horizon
    times = {"start": horizon.start, "end": horizon.end, "sample_every": horizon.sample_every}
    return holdsfor.recognise(holdsfor.parse(program.text, functions=FUNCTIONS), events, **times, **window)


def recognised_or_skipped(program: Program, events: object, **window: Any) -> holdsfor.Result:
    try:
        return recognised(program, events, **window)
    except DescriptionError as error:
        if all(each.code == "too-large" for each in error.diagnostics if each.severity == "error"):
            pytest.skip("its conditions make more combinations than a plan may have")
        raise


def broken(program: Program, most: int = FACTS) -> list[str]:
    """Return the facts whose leaves do not yield them, and those that are not explained."""
    events = holdsfor.read_events(list(program.rows), format=line_format(program.rows))
    result = recognised_or_skipped(program, events, window=program.horizon.window, step=program.horizon.step)
    facts = facts_of(result, program.horizon.end)
    failures = []
    for fact in Random(len(facts)).sample(facts, min(most, len(facts))):
        derivation = result.why(fact.text, at=fact.at)
        if derivation.unexplained or not yields(recognised(program, derivation.inputs()), fact):
            failures.append(f"{fact}\n{derivation}")
    return failures


@pytest.mark.parametrize("seed", SEEDS)
def test_the_leaves_of_a_tree_yield_the_fact(seed: int) -> None:
    program = random_program(seed)
    failures = broken(program)
    assert not failures, "\n\n".join([str(program), *failures])


@pytest.mark.parametrize("mixed", [False, True], ids=["patterns", "with fluents"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_leaves_of_a_pattern_yield_its_event(seed: int, mixed: bool) -> None:
    program = random_patterns(seed, mixed)
    failures = broken(program)
    assert not failures, "\n\n".join([str(program), *failures])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_leaves_of_intervals_that_depend_on_themselves_yield_them(seed: int) -> None:
    """No fact is explained by itself."""
    program = random_circles(seed)
    failures = broken(program)
    assert not failures, "\n\n".join([str(program), *failures])


@pytest.mark.parametrize("mixed", [None, False, True], ids=["rules", "patterns", "with fluents"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_proposed_change_makes_the_fact_true(seed: int, mixed: bool | None) -> None:
    program = random_program(seed) if mixed is None else random_patterns(seed, mixed)
    events = holdsfor.read_events(list(program.rows), format=line_format(program.rows))
    window = {"window": program.horizon.window, "step": program.horizon.step}
    result = recognised_or_skipped(program, events, **window)
    tick = program.horizon.sample_every
    times = range(program.horizon.start - program.horizon.start % tick + tick, program.horizon.end + 1, tick)
    random = Random(seed)
    facts = {fact._replace(at=random.choice(times)) for fact in facts_of(result, program.horizon.end)}
    absent = sorted((fact for fact in facts if not yields(result, fact)), key=str)
    for fact in random.sample(absent, min(DENIED_FACTS, len(absent))):
        for change in result.why_not(fact.text, at=fact.at).changes:
            horizon = program.horizon
            ticks = {"start": horizon.start, "end": horizon.end, "sample_every": horizon.sample_every}
            changed = holdsfor.recognise(change.description, change.events, **ticks, **window)
            assert yields(changed, fact), f"{program}\n{fact}\n{change}"
