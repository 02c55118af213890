"""The arrays that a script is given: each is fetched from a world in a way that was settled when it was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.argument_layout import Arguments
from holdsfor.engine.bodies.chain import points
from holdsfor.engine.data.axis import EMPTY, INT64, Ints
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.points import Picks, Points
from holdsfor.engine.data.world import World
from holdsfor.language.description import Signature
from holdsfor.plan.operators import At, Relation

Fetch = Callable[[World], Ints]


class Reshaped(Exception):
    """Rows are not of the shape that a script was written for."""


@dataclass(frozen=True, slots=True)
class EventShape:
    """How the rows of an event lie. key: what they are sorted by. numbers: the kinds of columns of numbers, by
    position; coded: the columns whose codes are known.
    """

    key: tuple[int, ...]
    numbers: tuple[tuple[int, str], ...]
    coded: frozenset[int]


def find_shape(events: Points) -> EventShape:
    others = {p: events.column(p) for p in range(events.arity) if p not in events.key}
    return EventShape(
        events.key,
        tuple((p, column.numbers().dtype.str) for p, column in others.items() if column.is_number),
        frozenset(p for p, column in others.items() if column.is_coded or not column.is_number),
    )


def as_plain(values: Numbers) -> Ints:
    """Return values as kernels take them: contiguous and writeable integers; floats by their bits."""
    if not values.flags.carray:
        values = np.array(values)
    return values if values.dtype == INT64 else values.view(INT64)  # type: ignore[return-value]


# ---------------------------------------------------------------- events


def fetch_nothing(relation: Relation) -> Fetch:
    """Return a fetch for an event of which no row has been seen yet."""

    def fetch(world: World) -> Ints:
        if len(world.relations.get(relation, ())):
            raise Reshaped
        return EMPTY

    return fetch


def fetch_packed(relation: Relation, key: tuple[int, ...]) -> Fetch:
    def read(events: Points) -> Numbers | None:
        return events.packed if events.key == key else None

    return _fetch_events(relation, read)


def fetch_numbers(relation: Relation, position: int, kind: str) -> Fetch:
    def read(events: Points) -> Numbers | None:
        column = events.column(position)
        return column.numbers() if column.is_number and column.numbers().dtype.str == kind else None

    return _fetch_events(relation, read)


def fetch_codes(relation: Relation, position: int) -> Fetch:
    def read(events: Points) -> Numbers | None:
        column = events.column(position)
        return column.codes() if column.is_coded or not column.is_number else None

    return _fetch_events(relation, read)


def _fetch_events(relation: Relation, read: Callable[[Points], Numbers | None]) -> Fetch:
    """read: gives an array of the rows; None: they are of another shape. No rows are of any shape."""

    def fetch(world: World) -> Ints:
        events = world.relations.get(relation)
        if events is None or not len(events):
            return EMPTY
        assert isinstance(events, Points)
        values = read(events)
        if values is None:
            raise Reshaped
        return as_plain(values)

    return fetch


def fetch_occurrences(op: At, wanted: Arguments) -> Fetch:
    """Sorted by what is bound."""

    def fetch(world: World) -> Ints:
        return as_plain(points(op, world).pick(wanted.picks, wanted.read).ordered(wanted.positions)[0])

    return fetch


# ---------------------------------------------------------------- fluents


def fetch_starts(relation: Relation) -> Fetch:
    return lambda world: as_plain(world.intervals_of(relation).s)


def fetch_ends(relation: Relation) -> Fetch:
    return lambda world: as_plain(world.intervals_of(relation).e)


def fetch_projected(relation: Relation, wanted: Arguments, side: int) -> Fetch:
    """Starts (0) or ends (1) of what holds of the bound arguments, whatever the others are."""
    return lambda world: as_plain(world.intervals_of(relation).project(wanted.picks, wanted.positions)[side])


# ---------------------------------------------------------------- facts


def fetch_only_facts(facts: Signature, picks: Picks, position: int) -> Fetch:
    """The one fact of each code."""

    def fetch(world: World) -> Ints:
        only = world.facts_of(facts).only(picks, position)
        assert only is not None, "a script asks where there is at most one"
        return as_plain(only)

    return fetch


def fetch_fact_codes(facts: Signature, position: int) -> Fetch:
    return lambda world: as_plain(world.facts_of(facts).columns[position].codes())


def fetch_fact_numbers(facts: Signature, position: int) -> Fetch:
    return lambda world: as_plain(world.facts_of(facts).columns[position].numbers())
