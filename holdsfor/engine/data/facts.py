"""Background facts as columns, indexed by whichever arguments are bound."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from holdsfor.engine.bodies.structure import cut_columns
from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.column import Column, Mask
from holdsfor.engine.data.dictionary import Dictionary, Numbers
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.points import Picks
from holdsfor.io.facts import Columns, fact_columns
from holdsfor.kernels.rows.holding import member_search
from holdsfor.kernels.rows.joining import expand
from holdsfor.language.facts import FactTable
from holdsfor.plan.structures import Forms

if TYPE_CHECKING:
    from holdsfor.engine.data.world import World


class Facts:
    """The facts of one predicate. Views are made once and kept."""

    def __init__(
        self,
        dictionary: Dictionary,
        table: Table,
        codes: Sequence[Ints | None] | None = None,
        shared: Memo | None = None,
    ) -> None:
        """codes: of the columns, where the dictionary knows their terms already. shared: views by these codes, which
        count in all copies of the dictionary."""
        self._coded = frozenset(p for p, each in enumerate(codes or ()) if each is not None)
        self._shared = Memo() if shared is None else shared
        if codes is None:
            codes = table.codes(dictionary, range(len(table.columns)))
        self.dictionary = dictionary
        self.size = table.size
        self.columns = [Column(dictionary, c, _numbers(column)) for c, column in zip(codes, table.columns, strict=True)]
        self._views = Memo()

    @classmethod
    def of_codes(cls, dictionary: Dictionary, columns: list[Ints], size: int) -> Facts:
        facts = cls(dictionary, Table(size, ()))
        facts.columns = [Column(dictionary, codes) for codes in columns]
        return facts

    def picked(self, picks: Picks) -> Ints:
        return self._views.find(picks, lambda: self._pick(picks))

    def _pick(self, picks: Picks) -> Ints:
        mask = np.ones(self.size, np.bool_)
        for position, code in picks.constants:
            mask &= self.columns[position].codes() == code
        for position, other in picks.equal:
            mask &= self.columns[position].codes() == self.columns[other].codes()
        return np.flatnonzero(mask)

    def by_parts(self, forms: Forms) -> Facts:
        """With a column for each part of the arguments; without the facts whose arguments have other forms."""
        return self._views.find(forms, lambda: self._by_parts(forms))

    def _by_parts(self, forms: Forms) -> Facts:
        kept, cut = cut_columns(dict(enumerate(self.columns)), forms, self.dictionary)
        facts = Facts(self.dictionary, Table(len(kept), ()))
        facts.columns = list(cut.columns.values())
        return facts

    def about(self, picks: Picks, positions: tuple[int, ...], bound: list[Ints], world: World) -> Facts:
        """Return facts that have all with these terms in these positions."""
        return self

    def find(self, axis: Axis, picks: Picks, positions: tuple[int, ...], bound: list[Ints]) -> tuple[Ints | None, Ints]:
        """Match facts to rows of bound codes, as pairs (row, fact); rows None: exactly one fact for every row."""
        if len(positions) == 1:
            return self._find_dense(picks, positions[0], bound[0])
        keys, rows = self._index(axis, picks, positions)
        key = axis.key(bound)
        index, place = expand(np.searchsorted(keys, key, "left"), np.searchsorted(keys, key, "right"))
        return index, rows[place]

    def contains(self, axis: Axis, picks: Picks, positions: tuple[int, ...], bound: list[Ints]) -> Mask:
        """For which rows of bound codes some fact matches."""
        if len(positions) == 1:
            table, code = self._dense(picks, positions[0]), bound[0]
            return table.only[code] >= 0 if table.only is not None else table.first[code + 1] > table.first[code]
        keys, _ = self._index(axis, picks, positions)
        return member_search(axis.key(bound), keys)

    def only(self, picks: Picks, position: int) -> Ints | None:
        """The one fact of each code, -1 where there is none; None if some have several.

        Terms that came after the facts have codes beyond its end, and no fact.
        """
        dense = self._views.get(("dense", picks, position))
        return (dense if isinstance(dense, _Dense) else self._dense(picks, position)).only

    def _find_dense(self, picks: Picks, position: int, code: Ints) -> tuple[Ints | None, Ints]:
        table = self._dense(picks, position)
        if table.only is not None:
            fact = table.only[code]
            index = (fact >= 0).nonzero()[0]
            return (None, fact) if fact.size and index.size == fact.size else (index, fact[index])
        index, place = expand(table.first[code], table.first[code + 1])
        return index, table.rows[place]

    def _index(self, axis: Axis, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints]:
        return self._views.find(("index", picks, positions), lambda: self._sort(axis, picks, positions))

    def _sort(self, axis: Axis, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints]:
        rows = self.picked(picks)
        key = axis.key([self.columns[p].codes()[rows] for p in positions])
        order = np.argsort(key, kind="stable")
        return key[order], rows[order]

    def _dense(self, picks: Picks, position: int) -> _Dense:
        """By code; made anew when the dictionary has grown."""
        view = ("dense", picks, position)
        dense = self._views.get(view)
        if not isinstance(dense, _Dense) or len(dense.first) <= len(self.dictionary):
            compared = {position, *(p for p, _ in picks.constants), *(p for each in picks.equal for p in each)}
            views = self._shared if compared <= self._coded else Memo()
            whole = views.find(view, lambda: self._sort_by_code(picks, position))
            dense = self._views[view] = whole.widened(len(self.dictionary))
        return dense

    def _sort_by_code(self, picks: Picks, position: int) -> _Dense:
        rows = self.picked(picks)
        code = self.columns[position].codes()[rows]
        size = len(self.dictionary)
        count = np.bincount(code, minlength=size)
        first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        if count.max(initial=0) > 1:
            return _Dense(first, rows[np.argsort(code, kind="stable")], None)
        only = np.full(size, -1, np.int64)
        only[code] = rows
        return _Dense(first, rows, only)


@dataclass(frozen=True, slots=True)
class _Dense:
    """Facts by the code of one argument: where they begin in rows, and if there is at most one each, which."""

    first: Ints
    rows: Ints
    only: Ints | None

    def widened(self, size: int) -> _Dense:
        """Return it with room for more codes, of which there are no facts."""
        more = max(size + 1 - len(self.first), 0)
        only = self.only if self.only is None else np.pad(self.only, (0, more), constant_values=-1)
        return _Dense(np.pad(self.first, (0, more), "edge"), self.rows, only) if more else self


@dataclass(frozen=True, slots=True)
class Table:
    """Facts before they meet a dictionary: made once, used by every block."""

    size: int
    columns: Columns

    def codes(self, dictionary: Dictionary, positions: Collection[int]) -> tuple[Ints | None, ...]:
        """The codes of its columns; of numbers only at these positions, others have none until they are asked for."""
        return tuple(
            _encode(column, dictionary) if p in positions or pa.types.is_dictionary(column.type) else None
            for p, column in enumerate(self.columns)
        )


def make_table(facts: FactTable) -> Table:
    columns = fact_columns(facts)
    return Table(len(columns[0]) if columns else min(len(facts), 1), columns)


def no_facts(arity: int) -> Table:
    return Table(0, tuple(pa.array([], pa.int64()) for _ in range(arity)))


def _encode(column: pa.Array, dictionary: Dictionary) -> Ints:
    if pa.types.is_dictionary(column.type):
        return dictionary.encode_array(column)
    return dictionary.encode(column.to_numpy())


def _numbers(column: pa.Array) -> Numbers | None:
    return None if pa.types.is_dictionary(column.type) else column.to_numpy()
