"""The order of rows never matters: they are ordered by arrival, whatever their place."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from holdsfor import Result
from tests.engine.blocks import history, late, recognise
from tests.engine.random_runs import run
from tests.naive.programs import random_program

RULES = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
initiatedAt(level(X)=L, T) :- happensAt(set(X,L), T).
happensAt(lit(X), T) :- happensAt(start(lamp(X)=on), T).
holdsFor(close(X)=true, I) :- holdsFor(near(X)=true, I).
"""


def tables(found: Result) -> tuple[list[str], list[str]]:
    return history(found), late(found)


@pytest.mark.parametrize("seed", range(15))
def test_of_rows_with_retractions(seed: int) -> None:
    """Each row has its own arrival, so that there is a last word."""
    random = Random(seed)
    rows = []
    for arrival in range(1, 80):
        t = max(1, arrival - random.choice((0, 0, 3, 20)))
        text = random.choice((f"press({{}}) @ {t}", f"cut({{}}) @ {t}", f"set({{}},{random.choice((7, 7.5))}) @ {t}"))
        text = text if random.random() < 0.8 else f"near({{}})=true @ [{t},{t + 9})"
        rows.append(f"{text.format(random.choice('ab'))} arrives {arrival}")
    for arrival in range(80, 100):
        rows.append(f"retract {random.choice(rows[40:79]).split(' arrives')[0]} arrives {arrival}")
    windows = {"window": 40, "step": 10}
    expected = recognise(RULES, rows, **windows)
    assert expected.late.num_rows or seed  # the streams do have late rows
    random.shuffle(rows)
    for stepped in (False, True):
        assert tables(recognise(RULES, rows, **windows, changes=stepped)) == tables(expected)


@pytest.mark.parametrize("seed", range(20))
def test_of_random_programs(seed: int) -> None:
    program = random_program(seed)
    rows = list(program.rows)
    Random(seed).shuffle(rows)
    assert tables(run(program)) == tables(run(replace(program, rows=tuple(rows)))), str(program)
