"""A relation that stays from query time to query time: a sorted base, what has gone of it, and what has been added.

Nothing here takes time in proportion to the base unless so much has changed that a new base is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.relation import Data
from holdsfor.engine.tuning import Tuning


class Gathered(NamedTuple):
    """Some rows of a relation, and where each comes from: its place in the base, or -1 minus its place in the rest."""

    data: Data
    origin: Ints


class Difference(NamedTuple):
    """The rows that a query time takes from a relation, and those that it adds."""

    removed: Data
    added: Data

    def __bool__(self) -> bool:
        return bool(len(self.removed) or len(self.added))


def merge_differences(one: Difference, other: Difference) -> Difference:
    """Merge two differences that have no rows in common."""
    return Difference(one.removed.change(EMPTY, other.removed), one.added.change(EMPTY, other.added))


class Stored:
    """base: sorted; gone: places in it, sorted, that count no more; more: rows that were added since, sorted.

    changed: how many rows have changed since what was over has been forgotten.
    """

    __slots__ = ("_whole", "base", "changed", "gone", "more")

    def __init__(self, base: Data, more: Data, gone: Ints = EMPTY, changed: int = 0) -> None:
        self.base, self.more, self.gone, self.changed = base, more, gone, changed
        self._whole: Data | None = None  # made once

    def __len__(self) -> int:
        return len(self.base) - len(self.gone) + len(self.more)

    @property
    def tuning(self) -> Tuning:
        return self.base.dictionary.tuning

    def parts(self) -> tuple[Data, Data]:
        """Sorted each; some of the rows may be gone."""
        return self.base, self.more

    def is_in_one_piece(self) -> bool:
        return not self.gone.size and not len(self.more)

    def lists(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Return starts and last times of the base, the places that are gone, and the same times of added rows."""
        return self.base.begins(), self.base.lasts(), self.gone, self.more.begins(), self.more.lasts()

    def count_open(self) -> int:
        """Count the intervals that have no end yet."""
        base = self.base
        return base.count_open() - base.take(self.gone).count_open() + self.more.count_open()

    def gather(self, choose: Callable[[Data], Ints]) -> Gathered:
        """choose: gives the places of rows in sorted data."""
        in_base = choose(self.base) if len(self.base) else EMPTY
        if len(self.gone) and len(in_base):
            in_base = in_base[~_is_member(in_base, self.gone)]
        in_more = choose(self.more) if len(self.more) else EMPTY
        if not len(in_more):
            return Gathered(self.base.take(in_base), in_base)
        if not len(in_base):
            return Gathered(self.more.take(in_more), -1 - in_more)
        data, order = self.base.take(in_base).merge(self.more.take(in_more))
        return Gathered(data, np.concatenate([in_base, -1 - in_more])[order])

    def take(self, in_base: Ints, in_more: Ints, order: Ints) -> Gathered:
        """Rows of the base and rows that were added, in an order that sorts them one after the other."""
        if not len(in_more):
            return Gathered(self.base.take(in_base), in_base)
        if not len(in_base):
            return Gathered(self.more.take(in_more), -1 - in_more)
        data = self.base.take(in_base).join_in_order(self.more.take(in_more), order)
        return Gathered(data, np.concatenate([in_base, -1 - in_more])[order])

    def change(self, removed: Ints, added: Data, edge: int | None = None) -> Stored:
        """Without the rows of these origins, with others. edge: what was over there is forgotten now and then."""
        size = len(self.base)
        if size <= self.tuning.few_stored and self.is_in_one_piece():
            whole, count = self.base.change(removed, added), self.changed + len(removed) + len(added)
            if edge is None or count <= len(whole) // self.tuning.changed_share:
                return Stored(whole, self.more, changed=count)
            return keep(whole.beyond(edge))
        more, gone = self.more, self.gone
        of_more = np.sort(-1 - removed[removed < 0]) if removed.size else EMPTY
        if of_more.size or len(added):
            more = more.change(of_more, added)
        if (of_base := removed[removed >= 0]).size:
            gone = np.sort(np.concatenate([gone, of_base]))
        return Stored(self.base, more, gone)._join_many(edge)

    def _join_many(self, edge: int | None) -> Stored:
        """In one piece, if so much has changed, or there is so little."""
        size, tuning = len(self.base), self.tuning
        if size > tuning.few_stored and len(self.more) + self.gone.size <= size // tuning.changed_share:
            return self
        return keep(self.whole() if edge is None else self.beyond(edge))

    def whole(self) -> Data:
        if self._whole is None:
            self._whole = self._make_whole()
        return self._whole

    def beyond(self, edge: int) -> Data:
        """All rows that were not over at the edge."""
        is_over = (self.base.lasts() & self.base.axis.mask) <= edge
        is_over[self.gone] = True
        return self.base.change(is_over.nonzero()[0], self.more.beyond(edge))

    def _make_whole(self) -> Data:
        return self.base if self.is_in_one_piece() else self.base.change(self.gone, self.more)


def keep(data: Data) -> Stored:
    return Stored(data, data.none())


def keep_added(stored: Stored) -> Stored:
    """Only the rows that were added since the base was made."""
    return Stored(stored.base.none(), stored.more)


def _is_member(values: Ints, known: Ints) -> Mask:
    """known: sorted, not empty."""
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.equal(known[place], values)
