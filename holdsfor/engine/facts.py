"""Background facts as columns, indexed by whichever arguments are bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.column import Column
from holdsfor.engine.dictionary import Dictionary, Numbers
from holdsfor.engine.relation import Picks
from holdsfor.kernels import expand
from holdsfor.language.terms import Float, Int, Term


class Facts:
    """The facts of one predicate. Views are made once and kept."""

    def __init__(self, dictionary: Dictionary, arity: int, rows: Sequence[tuple[Term, ...]]) -> None:
        self.dictionary = dictionary
        self.size = len(rows)
        terms = list(zip(*rows, strict=True)) if rows else [()] * arity
        self.columns = [_column(dictionary, column) for column in terms]
        self._views: dict[object, object] = {}

    def picked(self, picks: Picks) -> Ints:
        found = self._views.get(picks)
        if not isinstance(found, np.ndarray):
            mask = np.ones(self.size, np.bool_)
            for position, code in picks.constants:
                mask &= self.columns[position].codes() == code
            for position, other in picks.equal:
                mask &= self.columns[position].codes() == self.columns[other].codes()
            found = self._views[picks] = np.flatnonzero(mask)
        return found

    def find(self, axis: Axis, picks: Picks, positions: tuple[int, ...], bound: list[Ints]) -> tuple[Ints | None, Ints]:
        """Which facts match each row of bound codes: (row, fact) pairs; rows None: exactly one fact for every row."""
        keys, rows = self._index(axis, picks, positions)
        if len(positions) == 1:
            first, count = self._dense(picks, positions, keys)
            code = bound[0]
            known = np.where((code >= 0) & (code < len(first)), code, len(first) - 1)
            low, many = first[known], count[known]
            if len(many) and many.min() == 1 and many.max() == 1:
                return None, rows[low]
            index, fact = expand(low, low + many)
        else:
            key = axis.key(bound)
            index, fact = expand(np.searchsorted(keys, key, "left"), np.searchsorted(keys, key, "right"))
        return index, rows[fact]

    def _index(self, axis: Axis, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints]:
        view = ("index", picks, positions)
        found = self._views.get(view)
        if not isinstance(found, tuple):
            rows = self.picked(picks)
            key = axis.key([self.columns[p].codes()[rows] for p in positions])
            order = np.argsort(key, kind="stable")
            found = self._views[view] = (key[order], rows[order])
        return found

    def _dense(self, picks: Picks, positions: tuple[int, ...], keys: Ints) -> tuple[Ints, Ints]:
        """For each code the first matching place and how many; the last entry stands for every unknown code."""
        view = ("dense", picks, positions)
        found = self._views.get(view)
        if not isinstance(found, tuple):
            size = int(keys[-1]) + 2 if len(keys) else 1
            count = np.bincount(keys, minlength=size).astype(np.int64) if len(keys) else np.zeros(1, np.int64)
            first = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.int64)
            found = self._views[view] = (first, count)
        return found


def _column(dictionary: Dictionary, terms: Sequence[Term]) -> Column:
    codes = np.fromiter((dictionary.code_of(term) for term in terms), np.int64, len(terms))
    numbers: Numbers | None = None
    if terms and all(isinstance(term, Int) for term in terms):
        numbers = np.array([term.value for term in terms if isinstance(term, Int)], np.int64)
    elif terms and all(isinstance(term, Float) for term in terms):
        numbers = np.array([term.value for term in terms if isinstance(term, Float)], np.float64)
    return Column(dictionary, codes, numbers)
