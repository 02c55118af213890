"""How far back from the end of a pattern's occurrence the occurrences lie that it is made of."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.plan.patterns import (
    Absent,
    Moment,
    OneOfSeveral,
    Pairs,
    Pattern,
    Scan,
    Selected,
    Sliding,
    operands,
    subpatterns,
)


def distances_back(pattern: Pattern) -> Iterator[int | None]:
    """None: any distance. All that a pattern is made of lies within its span, so a limit on that limits all."""
    if any(
        isinstance(part, Pairs | Absent) and part.choosing.policy == "chronological" for part in subpatterns(pattern)
    ):
        yield None  # what was used depends on what was used before, and so on
    width = width_of(pattern)
    match pattern:
        case Scan():
            yield 0
        case Moment():
            return
        case Selected() | OneOfSeveral():
            for operand in operands(pattern):
                yield from distances_back(operand)
        case Pairs(kind="equals" | "finishes", within=None):
            for operand in operands(pattern):
                yield from distances_back(operand)
        case Absent(last=int() as duration):
            for operand in operands(pattern):
                yield from (_sum(duration, distance) for distance in distances_back(operand))
        case Sliding(duration=int() as duration):
            yield from (_sum(duration, distance) for distance in distances_back(pattern.pattern))
        case _:
            yield width


def width_of(pattern: Pattern) -> int | None:
    """How long an occurrence lasts at most; None: any time."""
    match pattern:
        case Moment():
            return 0
        case Scan():
            return pattern.within
        case Selected():
            return width_of(pattern.pattern)
        case OneOfSeveral():
            return _most([width_of(one) for one in pattern.alternatives])
        case Absent(last=int() as duration, within=None):
            return _sum(width_of(pattern.first), duration)
        case Pairs(kind="equals", within=None):
            return _least([width_of(pattern.left), width_of(pattern.right)])
        case Pairs(kind="during" | "starts" | "finishes", within=None):
            return width_of(pattern.right)
        case Pairs(kind="meets" | "par", within=None):
            return _sum(width_of(pattern.left), width_of(pattern.right))
        case Sliding(duration=int() as duration, within=None):
            return _sum(duration, width_of(pattern.pattern))
        case _:
            return pattern.within


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _most(amounts: list[int | None]) -> int | None:
    return None if None in amounts else max((amount for amount in amounts if amount is not None), default=0)


def _least(amounts: list[int | None]) -> int | None:
    return min((amount for amount in amounts if amount is not None), default=None)
