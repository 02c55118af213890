"""Events of the input that only come, and are forgotten: rows in sorted runs, one for each time that some came.

Nothing that is there is copied when rows come: they are written behind it, into room that is left for them. A run goes
when all of it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdsfor.engine.data.axis import INT64, Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.points import EMPTY, Points, unite_parts
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.stored import (
    Gathered,
    Stored,
    estimate_keys,
    keep,
)
from holdsfor.engine.tuning import Tuning
from holdsfor.kernels.rows.moving import take
from holdsfor.kernels.rows.searching import gather_from_runs

Kinds = Mapping[tuple[int, str], np.dtype[Any]]
"""Of the packed rows, and of the numbers and codes of columns by their position."""

PACKED = (-1, "packed")


@dataclass(slots=True)
class Buffer:
    """Arrays of equal length, written up to `used`. What is written stays as it is: those who read it may be many."""

    arrays: Mapping[tuple[int, str], Numbers]
    used: int = 0

    def write(self, points: Points) -> None:
        """Behind what is there. Numbers that have not been worked out yet are worked out here, and stay here."""
        end = self.used + len(points)
        for (position, kind), array in self.arrays.items():
            place = array[self.used : end]
            if position < 0:
                place[:] = points.packed
            elif kind == "codes":
                place[:] = points.codes(position)
            else:
                points.column(position).move_numbers(place)
        self.used = end

    def kinds(self) -> Kinds:
        return {name: array.dtype for name, array in self.arrays.items()}

    def room(self) -> int:
        return len(self.arrays[PACKED]) - self.used


@dataclass(frozen=True, slots=True)
class Runs:
    """starts, stops: where the runs begin and end in the buffer; latest: the last time in each.

    nothing: a relation of this kind without rows. keys: about how many groundings there are.
    """

    nothing: Points
    buffer: Buffer
    starts: Ints
    stops: Ints
    latest: Ints
    keys: int
    _whole: list[tuple[Points, Ints]] = field(default_factory=list)  # made once, with the places of its rows

    def __len__(self) -> int:
        return int((self.stops - self.starts).sum())

    @property
    def tuning(self) -> Tuning:
        return self.nothing.dictionary.tuning

    def parts(self) -> Iterator[Points]:
        for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True):
            yield _make_points(self.nothing, {name: each[start:stop] for name, each in self.buffer.arrays.items()})

    def largest(self) -> Points:
        return max(self.parts(), key=len, default=self.nothing)

    def count_keys(self) -> int:
        return self.keys

    def gather(self, choose: Callable[[Data], Ints]) -> Gathered:
        """choose: gives the places of rows in sorted data."""
        chosen = [start + choose(part) for start, part in zip(self.starts.tolist(), self.parts(), strict=True)]
        return self._take_in_order(np.concatenate([EMPTY, *chosen]))

    def gather_keys(self, keys: Ints, until: Ints, ends: Ints, shift: int, reach: int) -> Gathered:
        """The rows of sorted keys that are not over so long before a time, and do not begin after an end."""
        runs = self.buffer.arrays[PACKED].view(np.int64), self.starts, self.stops, self.latest
        places = gather_from_runs(*runs, keys, until, ends, shift, self.nothing.axis.time_bits, reach)
        return Gathered(self._take(places), places)

    def _take(self, places: Ints) -> Points:
        arrays = self.buffer.arrays.items()
        return _make_points(self.nothing, {name: take(each, places) for name, each in arrays})

    def _take_in_order(self, places: Ints) -> Gathered:
        order = np.argsort(self.buffer.arrays[PACKED][places], kind="stable")
        return Gathered(self._take(places[order]), places[order])

    def change(self, removed: Ints, added: Data, edge: int | None = None) -> Stored | Runs:
        """Remove and add rows; a relation that is read as a whole, or taken back in part, becomes one piece."""
        assert isinstance(added, Points)
        if removed.size or self.is_whole_known() or not _are_alike(self.nothing, self.buffer.kinds(), added):
            whole, places = self._find_whole()
            kept = whole.where(~np.isin(places, removed)) if removed.size else whole
            return keep(kept if edge is None else kept.beyond(edge)).change(EMPTY, added, edge)
        runs = self._forget(edge)
        return runs._add(added, edge) if len(added) else runs

    def is_whole_known(self) -> bool:
        """Whether somebody has asked for all rows in one piece, and they stay so."""
        return bool(self._whole) and self.tuning.keeps_whole

    def whole(self) -> Points:
        return self._find_whole()[0]

    def _find_whole(self) -> tuple[Points, Ints]:
        if not self._whole:
            places = [np.arange(start, stop) for start, stop in zip(self.starts, self.stops, strict=True)]
            parts = list(self.parts()) or [self.nothing]
            whole, order = unite_parts(parts)
            self._whole.append((whole, np.concatenate([EMPTY, *places])[order]))
        return self._whole[0]

    def beyond(self, edge: int) -> Points:
        """All rows that were not over at the edge."""
        return self.whole().beyond(edge)

    def _forget(self, edge: int | None) -> Runs:
        """Without the first runs of which all is over."""
        if edge is None or not self.latest.size or self.latest[0] > edge:
            return self
        over = next((run for run, last in enumerate(self.latest.tolist()) if last > edge), self.latest.size)
        return self._with(self.buffer, self.starts[over:], self.stops[over:], self.latest[over:])

    def _add(self, points: Points, edge: int | None) -> Runs:
        """Some rows as one more run."""
        runs = self._join_newer(edge) if len(self.starts) >= self.tuning.most_runs else self
        runs = runs._with_room(len(points), edge)
        start = runs.buffer.used
        runs.buffer.write(points)
        return runs._with(
            runs.buffer,
            np.append(runs.starts, start),
            np.append(runs.stops, runs.buffer.used),
            np.append(runs.latest, points.latest()),
        )

    def _join_newer(self, edge: int | None) -> Runs:
        newer = self.tuning.most_runs // 2
        older = self._with(self.buffer, self.starts[:-newer], self.stops[:-newer], self.latest[:-newer])
        return older._add(unite_parts(list(self.parts())[-newer:])[0], edge)

    def _with_room(self, rows: int, edge: int | None) -> Runs:
        """With room for more rows behind the last: in a new buffer if there is none, or others have written there.

        What is copied to a new one is what was not over at the edge.
        """
        is_last = len(self.stops) and self.buffer.used == self.stops.max()
        if is_last and self.buffer.room() >= rows:
            return self
        buffer, stops = _make_buffer(self.buffer.kinds(), len(self) + rows, self.tuning), []
        for part in self.parts():
            buffer.write(part if edge is None else part.beyond(edge))
            stops.append(buffer.used)
        return self._with(buffer, np.array([0, *stops], np.int64)[:-1], np.array(stops, np.int64), self.latest)

    def _with(self, buffer: Buffer, starts: Ints, stops: Ints, latest: Ints) -> Runs:
        return Runs(self.nothing, buffer, starts, stops, latest, self.keys)


def add_events(stored: Stored | Runs, removed: Ints, added: Points, edge: int) -> Stored | Runs:
    """Change a relation of events, which goes over to runs if many rows come and none are taken back."""
    if isinstance(stored, Stored) and not removed.size and _fits_runs(stored, added):
        base, more = stored.base, stored.more
        assert isinstance(base, Points)
        assert isinstance(more, Points)
        return _begin_runs(base).change(EMPTY, more).change(EMPTY, added, edge)
    return stored.change(removed, added, edge)


def _fits_runs(stored: Stored, added: Points) -> bool:
    """Whether so many rows have come that a new base would be made, and nobody has asked for all rows in one piece."""
    base, more, size, tuning = stored.base, stored.more, len(stored.base), stored.tuning
    is_small = size < tuning.many_in_runs or len(more) + len(added) <= size // tuning.changed_share
    if is_small or stored.gone.size or stored.is_whole_known():
        return False
    assert isinstance(base, Points)
    assert isinstance(more, Points)
    return base.begun is None and all(_are_alike(base, _find_kinds(base), part) for part in (more, added))


def _begin_runs(base: Points) -> Runs:
    kinds = _find_kinds(base)
    nothing = _make_points(base, {name: np.empty(0, kind) for name, kind in kinds.items()})
    none = Runs(
        nothing, _make_buffer(kinds, len(base), base.dictionary.tuning), EMPTY, EMPTY, EMPTY, estimate_keys(base)
    )
    return none._add(base, None)


def _make_buffer(kinds: Kinds, rows: int, tuning: Tuning) -> Buffer:
    """With room for more than these rows."""
    return Buffer({name: np.empty(int(rows * (1 + tuning.spare_rows)), kind) for name, kind in kinds.items()})


def _find_kinds(points: Points) -> Kinds:
    kinds: dict[tuple[int, str], np.dtype[Any]] = {PACKED: points.packed.dtype}
    for position in range(points.arity):
        if position not in points.key:
            column = points.column(position)
            if column.is_number:
                kinds[position, "numbers"] = column.kind_of_numbers()
            if column.is_coded or not column.is_number:
                kinds[position, "codes"] = INT64
    return kinds


def _make_points(like: Points, arrays: Mapping[tuple[int, str], Numbers]) -> Points:
    columns = {
        position: Column(like.dictionary, arrays.get((position, "codes")), arrays.get((position, "numbers")))  # type: ignore[arg-type]
        for position in range(like.arity)
        if position not in like.key
    }
    packed = np.asarray(arrays[PACKED], np.int64)
    return Points(like.axis, like.dictionary, like.arity, like.key, packed, columns)


def _are_alike(like: Points, kinds: Kinds, points: Points) -> bool:
    """Whether rows have the same columns, of the same kinds, and are sorted alike. No rows are like any."""
    if not len(points):
        return True
    return points.key == like.key and points.begun is None and kinds == _find_kinds(points)
