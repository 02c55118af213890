"""Checking and planning take work in proportion to the rules, counted in calls of functions and not in seconds."""

from __future__ import annotations

import cProfile
import pstats

import pytest

from holdsfor.language import parse
from holdsfor.plan import plan


def fluents(count: int) -> str:
    """A chain of fluents of which each asks for the one before."""
    rule = "initiatedAt(f{0}(V)=true, T) :- happensAt(e(V), T), holdsAt(f{1}(V)=true, T).\n"
    return "".join(rule.format(number + 1, number) for number in range(count))


def unions(count: int) -> str:
    rule = "holdsFor(f{0}(V)=true, I) :- holdsFor(f{1}(V)=true, I).\n"
    return "".join(rule.format(number + 1, number) for number in range(count))


def patterns(count: int) -> str:
    return "".join(f"e{number + 1}(V) <- e{number}(V) SEQ b(V).\n" for number in range(count))


def comparisons(count: int) -> str:
    tests = "".join(f", X > {number}" for number in range(count))
    return f"happensAt(x(V), T) :- happensAt(a(V, X), T){tests}.\n"


def alternatives(count: int) -> str:
    tests = " ; ".join(f"X = {number}" for number in range(count))
    return f"happensAt(x(V), T) :- happensAt(a(V, X), T), ({tests}).\n"


def calls(text: str) -> int:
    profile = cProfile.Profile()
    profile.runcall(lambda: plan(parse(text)))
    statistics = pstats.Stats(profile)
    return int(statistics.total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("write", [fluents, unions, patterns, comparisons, alternatives])
def test_four_times_the_rules_take_about_four_times_the_work(write: object) -> None:
    assert callable(write)
    calls(write(5))  # reads the grammar
    assert calls(write(200)) < 6 * calls(write(50))
