"""Policies: which of the pairs that pass their conditions a join makes.

Of a pair, the operand that ends later came second (of two that end together, the right one): it chooses. Those that
choose do so in the order in which they end, then start, then of their values, each from its candidates, which came
before it. The rule's preferences leave one candidate of those that ended together (`recent`) or began together
(`chronological`). `recent` takes the one that ended last, then began last; it stays, for others to choose.
`chronological` takes the one that ended first, then began first, of the candidates that have not been used; both of the
pair are used up, and so are the candidates that a preference has put behind the one that was taken. What is still equal
is decided by the order of the values.
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
        free = [_first(pair) for pair in by_second[name] if policy == "recent" or _name(_first(pair)) not in used]
        if free:
            taken = min(_preferred(policy, prefers, free, orders), key=lambda side: _rank(policy, side, orders))
            chosen += [pair for pair in by_second[name] if _name(_first(pair)) == _name(taken)][:1]
            if policy == "chronological":
                used |= {name, _name(taken)}
                used |= {_name(side) for side in free if prefers and side[1].start == taken[1].start}
    return chosen


def _preferred(
    policy: Policy, prefers: Sequence[Preference], candidates: Sequence[Side], orders: tuple[list[str], list[str]]
) -> list[Side]:
    """One candidate for each end (recent) or start (chronological); all of them if the rule prefers nothing."""
    if not prefers:
        return list(candidates)
    together: dict[int, list[Side]] = {}
    for side in candidates:
        together.setdefault(side[1].end if policy == "recent" else side[1].start, []).append(side)

    def wished(side: Side) -> tuple[object, ...]:
        return *(_wish(each, side[1]) for each in prefers), _rank(policy, side, orders)

    return [min(sides, key=wished) for sides in together.values()]


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


def _rank(policy: Policy, side: Side, orders: tuple[list[str], list[str]]) -> tuple[object, ...]:
    """The least is chosen."""
    sign = -1 if policy == "recent" else 1
    return sign * side[1].end, sign * side[1].start, _values(side, orders)


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
