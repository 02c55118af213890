"""Checking and planning take work in proportion to the rules, counted in calls of functions and not in seconds."""

from __future__ import annotations

import cProfile
import pstats
from contextlib import suppress

import pytest

from holdsfor.language import DescriptionError
from holdsfor.loading import parse_rules


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


def differences(count: int) -> str:
    """More than a rule may have: nothing is planned, so that checking is what is counted."""
    tests = "".join(f", X \\= {number}" for number in range(16 * count))
    return f"happensAt(x(V), T) :- happensAt(a(V, X), T){tests}.\n"


def alternatives(count: int) -> str:
    tests = " ; ".join(f"X = {number}" for number in range(count))
    return f"happensAt(x(V), T) :- happensAt(a(V, X), T), ({tests}).\n"


def unbound(count: int) -> str:
    """A mistake in each clause."""
    return "".join(f"happensAt(x{number}(V), T) :- happensAt(a(V), T), L > {number}.\n" for number in range(count))


def unknown(count: int) -> str:
    """A chain of predicates that ends nowhere."""
    chain = "".join(f"p{number + 1}(X) :- p{number}(X).\n" for number in range(count))
    return chain + "happensAt(x(V), T) :- happensAt(a(V), T), p1(V).\n"


def misspelt(count: int) -> str:
    return "".join(f"happensAt(x{number}(Vesel), T) :- happensAt(a(Vessel), T).\n" for number in range(count))


def calls(text: str) -> int:
    profile = cProfile.Profile()
    with suppress(DescriptionError):
        profile.runcall(parse_rules, text)
    statistics = pstats.Stats(profile)
    return int(statistics.total_calls)  # type: ignore[attr-defined]


CHAINS = [fluents, unions, patterns, comparisons, differences, alternatives, unbound, unknown, misspelt]


@pytest.mark.parametrize("write", CHAINS)
def test_four_times_the_rules_take_about_four_times_the_work(write: object) -> None:
    assert callable(write)
    calls(write(5))  # reads the grammar
    assert calls(write(300)) < 6 * calls(write(75))
