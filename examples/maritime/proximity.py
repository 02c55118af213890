"""Which vessels are near each other, and from when to when."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NO_INTS: Ints = np.empty(0, np.int64)


def near_pairs(x: Floats, y: Floats, radius: float) -> tuple[Ints, Ints]:
    """Pairs (i, j), i < j, of points at most `radius` apart. Points are sorted into square cells of that side,
    so each is compared only with those of its own and the adjacent cells."""
    if len(x) < 2:
        return _NO_INTS, _NO_INTS
    column, row = np.floor(x / radius).astype(np.int64), np.floor(y / radius).astype(np.int64)
    column -= column.min()
    row -= row.min()
    stride = int(row.max()) + 2  # one empty row keeps the top of a column apart from the next
    cell = column * stride + row
    order = np.argsort(cell, kind="stable")
    cells = cell[order]
    first, second = [], []
    for shift in (0, 1, stride - 1, stride, stride + 1):  # the cell itself and half of its neighbours
        low = np.arange(1, len(cells) + 1) if shift == 0 else np.searchsorted(cells, cells + shift, "left")
        high = np.searchsorted(cells, cells + shift, "right")
        left, right = _ranges(low, high)
        first.append(order[left])
        second.append(order[right])
    i, j = np.concatenate(first), np.concatenate(second)
    near = np.hypot(x[i] - x[j], y[i] - y[j]) <= radius
    return np.minimum(i, j)[near], np.maximum(i, j)[near]


def _ranges(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Row k with each of low[k] .. high[k]-1."""
    count = np.maximum(high - low, 0)
    owner = np.repeat(np.arange(len(low)), count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return owner, within + low[owner]


class Meetings:
    """Collects what `near_pairs` sees at successive times into intervals [first seen near, first seen apart)."""

    def __init__(self, vessels: int) -> None:
        self._vessels = vessels
        self._near, self._since = _NO_INTS, _NO_INTS  # sorted pair numbers, and since when
        self._ended: list[tuple[Ints, Ints, Ints]] = []
        self.count = 0

    def observe(self, time: int, first: Ints, second: Ints) -> None:
        near = np.sort(first * self._vessels + second)
        stays = np.isin(self._near, near, assume_unique=True)
        self._end(~stays, time)
        since = np.full(len(near), time, np.int64)
        since[np.isin(near, self._near, assume_unique=True)] = self._since[stays]
        self._near, self._since = near, since

    def finish(self, time: int) -> tuple[Ints, Ints, Ints, Ints]:
        """First vessel, second vessel, start, end of all intervals; those still going on end now."""
        self._end(np.ones(len(self._near), np.bool_), time)
        self._near, self._since = _NO_INTS, _NO_INTS
        pair, start, end = (np.concatenate(parts) for parts in zip(*self._ended, strict=True))
        return pair // self._vessels, pair % self._vessels, start, end

    def _end(self, which: npt.NDArray[np.bool_], time: int) -> None:
        which = which & (self._since < time)
        self.count += int(which.sum())
        self._ended.append((self._near[which], self._since[which], np.full(int(which.sum()), time, np.int64)))
