"""Matches of patterns: values of variables, from a start to an end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdsfor.language.terms import Term


@dataclass(frozen=True)
class Match:
    values: Mapping[str, Term]
    start: int
    end: int

    @property
    def key(self) -> tuple[frozenset[tuple[str, Term]], int, int]:
        return frozenset(self.values.items()), self.start, self.end


def merged(one: Match, other: Match) -> dict[str, Term] | None:
    """The values of both, if they agree."""
    if any(name in other.values and other.values[name] != term for name, term in one.values.items()):
        return None
    return {**one.values, **other.values}


def unique(matches: Iterable[Match]) -> list[Match]:
    """Results are sets: several ways to one match count once."""
    return list({each.key: each for each in matches}.values())
