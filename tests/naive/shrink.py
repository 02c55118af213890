"""Makes a failing program small: drop rules, declarations, background clauses and rows while it still fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.naive.programs import Program

PARTS = ("rules", "rows", "declarations", "background")


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    smaller = True
    while smaller:
        smaller = False
        for part in PARTS:
            shorter = _shorten(program, part, fails)
            smaller = smaller or shorter is not program
            program = shorter
    return program


def _shorten(program: Program, part: str, fails: Callable[[Program], bool]) -> Program:
    """Drop pieces of half the length first, then ever smaller ones."""
    size = max(1, len(getattr(program, part)) // 2)
    while True:
        place = 0
        while place < len(items := getattr(program, part)):
            candidate = replace(program, **{part: items[:place] + items[place + size :]})
            if fails(candidate):
                program = candidate
            else:
                place += size
        if size == 1:
            return program
        size //= 2
