"""Intervals as lists of spans [from, to): the algebra of holdsFor rules, and how the parts of patterns stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from holdsfor.checker.terms import NUMBERS

Span = tuple[float, float]
Spans = list[Span]
ALWAYS: Spans = [(-math.inf, math.inf)]
LASTING = {
    **{"intDurGreater": ">", "intDurGreaterEqual": ">=", "intDurLess": "<", "intDurLessEqual": "=<"},
    **{"longer_than": ">", "at_least": ">=", "shorter_than": "<", "at_most": "=<"},
}
#: Whether a source stands so to a target. last: the last point of the source.
ALLEN: dict[str, Callable[[Span, Span, float], bool]] = {
    "before": lambda s, t, last: s[1] <= t[0],
    "meets": lambda s, t, last: s[0] != last and last == t[0],
    "starts": lambda s, t, last: s[0] == t[0] and s[1] < t[1],
    "finishes": lambda s, t, last: s[0] > t[0] and s[1] == t[1],
    "during": lambda s, t, last: s[0] > t[0] and s[1] < t[1],
    "overlaps": lambda s, t, last: s[0] < t[0] < last and s[1] < t[1],
    "equal": lambda s, t, last: s == t,
}
#: Whether two parts of a pattern, each from its first to its last point, stand as the operator asks.
PARTS: dict[str, Callable[[Span, Span], bool]] = {
    "seq": lambda p, q: p[1] < q[0],
    "not": lambda p, q: p[1] < q[0],
    "and": lambda p, q: True,
    "par": lambda p, q: max(p[0], q[0]) < min(p[1], q[1]),
    "equals": lambda p, q: p == q,
    "meets": lambda p, q: p[1] == q[0],
    "during": lambda p, q: q[0] < p[0] < p[1] < q[1],
    "starts": lambda p, q: p[0] == q[0] and p[1] < q[1],
    "finishes": lambda p, q: p[1] == q[1] and q[0] < p[0],
}


def union(pieces: Iterable[Span]) -> Spans:
    """Join pieces that overlap or touch."""
    joined: Spans = []
    for begin, end in sorted(pieces):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif begin < end:
            joined.append((begin, end))
    return joined


def intersect(one: Spans, other: Spans) -> Spans:
    """Return what is in both."""
    return union((max(a, c), min(b, d)) for a, b in one for c, d in other)


def without(one: Spans, other: Spans) -> Spans:
    """Return what is in the first alone."""
    edges = [-math.inf, *(edge for span in union(other) for edge in span), math.inf]
    return intersect(one, list(zip(edges[::2], edges[1::2], strict=True)))


def covers(spans: Spans, span: Span) -> bool:
    """Whether all points of a span are in the others."""
    return any(begin <= span[0] and span[1] <= end for begin, end in union(spans))


def related(relation: str, mode: str, left: Spans, right: Spans, tick: int) -> Spans:
    """Return the intervals that stand so to each other, put together as the mode says."""
    pairs = [(s, t) for s in left for t in right if ALLEN[relation](s, t, s[1] - (s[1] % tick or tick))]
    one, other = union(s for s, _ in pairs), union(t for _, t in pairs)
    chosen = {
        "source": one,
        "target": other,
        "union": union([*one, *other]),
        "intersection": intersect(one, other),
        "relative_complement": without(one, other),
        "relative_complement_inverse": without(other, one),
    }
    return chosen[{"lhs": "source", "rhs": "target"}.get(mode, mode)]


def lasting(op: str, spans: Spans, bound: float, now: float, first: float) -> Spans:
    """Return the spans that last so long; one that is open lasts until now."""
    return [(a, b) for a, b in spans if NUMBERS[op]((now if b == math.inf else b) - max(a, first), bound)]
