"""Policies: which of the pairs that pass their conditions a join makes.

Of a pair, the operand that ends later came second (of two that end together, the right one): it chooses. Those that
choose do so in the order in which they end, then start, then of their values. `recent`: the latest that came before;
it stays, for others to choose. `chronological`: the oldest that has not been used; both are used up. The latest is
the one that ended last, the oldest the one that ended first; of several that ended together the rule's preferences
decide, then the later (recent) or earlier (chronological) start, then the order of their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.language.patterns import Policy, Preference
from tests.naive.calculate import standard_order
from tests.naive.match import Match


@dataclass(frozen=True)
class Pair:
    """outcomes: what the conditions and windows around the join make of it."""

    left: Match
    right: Match
    outcomes: list[Match]


Side = tuple[str, Match]


def choose(
    policy: Policy, prefers: Sequence[Preference], pairs: Sequence[Pair], orders: tuple[list[str], list[str]]
) -> list[Pair]:
    """orders: the variables of the left and of the right operand, in the order of the text."""
    by_second: dict[object, list[Pair]] = {}
    seconds: dict[object, Side] = {}
    for pair in pairs:
        second = _second(pair)
        seconds[_name(second)] = second
        by_second.setdefault(_name(second), []).append(pair)
    used: set[object] = set()
    chosen: list[Pair] = []
    for name in sorted(by_second, key=lambda each: _turn(seconds[each], orders)):
        if name in used:
            continue
        free = [pair for pair in by_second[name] if policy == "recent" or _name(_first(pair)) not in used]
        if free:
            best = min(free, key=lambda pair: _rank(policy, prefers, _first(pair), orders))
            chosen.append(best)
            if policy == "chronological":
                used |= {name, _name(_first(best))}
    return chosen


def _second(pair: Pair) -> Side:
    return ("right", pair.right) if pair.right.end >= pair.left.end else ("left", pair.left)


def _first(pair: Pair) -> Side:
    return ("left", pair.left) if pair.right.end >= pair.left.end else ("right", pair.right)


def _name(side: Side) -> object:
    return side[0], side[1].key


def _values(side: Side, orders: tuple[list[str], list[str]]) -> tuple[object, ...]:
    names = orders[0] if side[0] == "left" else orders[1]
    return tuple(standard_order(side[1].values[name]) for name in names if name in side[1].values)


def _turn(side: Side, orders: tuple[list[str], list[str]]) -> tuple[object, ...]:
    return side[1].end, side[1].start, side[0], _values(side, orders)


def _rank(
    policy: Policy, prefers: Sequence[Preference], side: Side, orders: tuple[list[str], list[str]]
) -> tuple[object, ...]:
    """The least is chosen."""
    sign = -1 if policy == "recent" else 1
    match = side[1]
    wishes = tuple(_wish(each, match) for each in prefers)
    return sign * match.end, wishes, sign * match.start, _values(side, orders)


def _wish(preference: Preference, match: Match) -> tuple[object, ...]:
    if isinstance(preference, str):
        length = match.end - match.start
        return (-length if preference == "longest" else length,)
    way, variable = preference
    if variable.name not in match.values:
        return ()
    ordered = standard_order(match.values[variable.name])
    return tuple(map(_reversed, ordered)) if way == "greatest" else ordered


class _reversed:
    """Sorts the other way round, whatever it is."""

    def __init__(self, what: object) -> None:
        self.what = what

    def __lt__(self, other: _reversed) -> bool:
        return bool(other.what < self.what)  # type: ignore[operator]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _reversed) and self.what == other.what

    __hash__ = None  # type: ignore[assignment]
