"""Policies as the paper tells them: goals wait in a list, and events take from it one after the other."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from holdsfor.kernels.patterns.policies import choose_in_turn, choose_recent
from tests.kernels.packed import Axis, Ints, axes, ints, law
from tests.kernels.spans import span_columns

Side: TypeAlias = tuple[Ints, Ints, Ints]
Numbers: TypeAlias = list[tuple[int, int]]


@st.composite
def ranked(draw: DrawFn, axis: Axis) -> Side:
    start, end = draw(span_columns(axis))
    return start, end, ints(draw(st.permutations(range(start.size))))


def recent(pairs: Numbers, left: Side) -> Numbers:
    """The newest goal first, and it stays."""
    chosen = []
    for right in sorted({j for _, j in pairs}):
        goals = [i for i, j in pairs if j == right]
        chosen.append((max(goals, key=lambda i: (left[1][i], -left[2][i])), right))
    return sorted(chosen)


def chronological(pairs: Numbers, left: Side, right: Side, rival: Ints, rank: Ints) -> tuple[Numbers, set[int]]:
    """The oldest goal first, and it goes, and its rivals with it: the pairs, and all goals that are gone."""
    used: set[int] = set()
    chosen = []
    for event in sorted({j for _, j in pairs}, key=lambda j: (right[1][j], right[2][j])):
        goals = [i for i, j in pairs if j == event and i not in used]
        best = [i for i in goals if all(rank[i] <= rank[other] for other in goals if rival[other] == rival[i])]
        if best:
            goal = min(best, key=lambda i: (left[1][i], left[2][i]))
            used |= {i for i in goals if rival[i] == rival[goal]}
            chosen.append((goal, event))
    return sorted(chosen), used


def order_of(side: Side) -> Ints:
    """The place of each row by end and rank."""
    places = np.empty(side[1].size, np.int64)
    places[np.lexsort((side[2], side[1]))] = np.arange(side[1].size)
    return places


def as_list(i: Ints, j: Ints) -> Numbers:
    return sorted(zip(i.tolist(), j.tolist(), strict=True))


@law
@given(st.data(), axes())
def test_choices_among_any_pairs(data: st.DataObject, axis: Axis) -> None:
    """Pairs as WHERE leaves them: some of one key, in any order."""
    left, right = data.draw(ranked(axis)), data.draw(ranked(axis))
    of_key = [
        (i, j)
        for i, a in enumerate(left[0].tolist())
        for j, b in enumerate(right[0].tolist())
        if a >> axis.bits == b >> axis.bits
    ]
    kept = data.draw(st.lists(st.sampled_from(of_key), unique=True)) if of_key else []
    i, j = ints(i for i, _ in kept), ints(j for _, j in kept)
    chosen = choose_recent(i, j, left[1], left[2])
    assert chosen.tolist() == sorted(chosen.tolist())
    assert as_list(i[chosen], j[chosen]) == recent(kept, left)
    turn = np.concatenate([np.zeros(left[1].size, np.int64), order_of(right)])
    place = np.concatenate([order_of(left), np.zeros(right[1].size, np.int64)])
    rival = ints(data.draw(st.lists(st.integers(0, 3), min_size=place.size, max_size=place.size)))
    rank = ints(data.draw(st.permutations(range(place.size))))
    chosen, used = choose_in_turn(i, j + left[1].size, place, turn, rival, rank)
    assert chosen.tolist() == sorted(chosen.tolist())
    expected, used_left = chronological(kept, left, right, rival, rank)
    assert as_list(i[chosen], j[chosen]) == expected
    assert set(np.flatnonzero(used).tolist()) == used_left | {left[1].size + event for _, event in expected}
