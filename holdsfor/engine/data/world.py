"""The world of one evaluation: what is known so far, by relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.facts import Facts, no_facts
from holdsfor.engine.data.intervals import Intervals, no_intervals
from holdsfor.engine.data.points import EMPTY, Points, no_points
from holdsfor.engine.data.relation import Data
from holdsfor.language.description import Signature, Unreported
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation


@dataclass(frozen=True, slots=True)
class Running:
    """Deadlines that were set: of which key, when, for when, and when they were dropped. Times are on the axis."""

    keys: Ints
    made: Ints
    due: Ints
    dropped: Ints


class Cuts(Protocol):
    """Where the conclusions about different keys begin at different times."""

    def of(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        """The cut of each row, relative to the origin of the axis. codes: of the arguments at a position."""

    def known_before(self, relation: Relation) -> Intervals | None:
        """What was known of a relation that is defined; None: it is no fluent, or cuts follow from more than a code."""

    def divide(self, relation: Relation) -> tuple[Data, Ints]:
        """What was settled before the cuts, and the keys that hold at them."""

    def since(self, relation: Relation, one: Ints, other: Ints, arity: int) -> Ints:
        """Of two sorted lists of points, those after the cut of their key, as one. arity: of the keys."""

    def leading(self, relations: Iterable[Relation]) -> tuple[Ints, int, int, int] | None:
        """Where cuts follow from the leading code of a point, alike for all relations: an edge for each code, by how
        many bits the code stands before the rest, how long before its edge the cut is, and the earliest cut. None:
        they do not.
        """


@dataclass(slots=True)
class World:
    """start: the history begins after it; now: the query time; after: conclusions are drawn for later times only.

    cuts: where each key has a cut of its own, `after` being the earliest of them.
    carried: for each simple fluent the keys that hold when conclusions begin; settled: what was concluded before: both
    where one cut is for all, see `carried_keys`;
    carried_running, running: deadlines, when conclusions begin and as they are set.
    unreported: definitions, and values of fluents, that rules see, and results do not have.
    counts: `overflows`, how often arithmetic came to an integer of more than 64 bits.
    """

    axis: Axis
    dictionary: Dictionary
    facts: Mapping[Signature, Facts]
    start: int
    now: int
    after: int
    carried: Mapping[Relation, Ints] = field(default_factory=dict)
    settled: Mapping[Relation, Data] = field(default_factory=dict)
    carried_running: Mapping[Due, Running] = field(default_factory=dict)
    relations: dict[Relation, Data] = field(default_factory=dict)
    running: dict[Due, Running] = field(default_factory=dict)
    shared: dict[object, object] = field(default_factory=dict)  # what was worked out of Plan.shared
    unreported: frozenset[Unreported] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)
    cuts: Cuts | None = None

    @property
    def grid_start(self) -> int:
        """Return the last tick at or before the start of the history: what begins with the history has begun there."""
        return self.start - self.start % self.axis.tick

    @property
    def first_points(self) -> tuple[int, int]:
        """Return the ticks between which the history begins, relative to the origin of the axis.

        What begins with the history has begun by the first, so that nothing happens then; it counts from the second on.
        """
        start = self.grid_start - self.axis.origin
        return start, start + self.axis.tick

    def from_cuts(
        self,
        after: int,
        cuts: Cuts | None,
        carried: Mapping[Relation, Ints],
        settled: Mapping[Relation, Data],
        running: Mapping[Due, Running],
    ) -> World:
        """The same world, of which a definition sees what comes after its cuts. (`replace` takes ten times as long.)"""
        return World(
            *(self.axis, self.dictionary, self.facts, self.start, self.now, after),
            *(carried, settled, running, self.relations, self.running, self.shared),
            *(self.unreported, self.counts, cuts),
        )

    def with_relations(self, more: Mapping[Relation, Data]) -> World:
        """The same world, in which more is known; what is concluded in it stays there."""
        return World(
            *(self.axis, self.dictionary, self.facts, self.start, self.now, self.after),
            *(self.carried, self.settled, self.carried_running, {**self.relations, **more}, self.running, self.shared),
            *(self.unreported, self.counts, self.cuts),
        )

    def with_only(self, relations: dict[Relation, Data]) -> World:
        """The same world, in which this is all that is known, and nothing has been worked out yet."""
        return World(
            *(self.axis, self.dictionary, self.facts, self.start, self.now, self.after),
            *(self.carried, self.settled, self.carried_running, relations, {}, {}),
            *(self.unreported, self.counts, self.cuts),
        )

    def carried_keys(self, relation: Relation) -> Ints:
        """The keys that hold when conclusions begin."""
        return self.carried.get(relation, EMPTY) if self.cuts is None else self.cuts.divide(relation)[1]

    def settled_rows(self, relation: Relation) -> Data | None:
        """What was concluded before; None: nothing was."""
        return self.settled.get(relation) if self.cuts is None else self.cuts.divide(relation)[0]

    def reports(self, relation: Relation) -> bool:
        """Whether results may have the relation."""
        return not relation.is_part and (relation.signature, None) not in self.unreported

    def points_of(self, relation: Relation) -> Points:
        data = self.relations.get(relation)
        return data if isinstance(data, Points) else no_points(self.axis, self.dictionary, relation.arity)

    def intervals_of(self, relation: Relation) -> Intervals:
        data = self.relations.get(relation)
        return data if isinstance(data, Intervals) else no_intervals(self.axis, self.dictionary, relation.arity)

    def nothing_of(self, relation: Relation) -> Data:
        """A relation in which nothing is."""
        if relation.kind == "event":
            return no_points(self.axis, self.dictionary, relation.arity)
        return no_intervals(self.axis, self.dictionary, relation.arity)

    def cut_of_keys(self, relation: Relation, keys: Ints) -> Ints:
        """Conclusions about each key are drawn for times after this, relative to the origin."""
        if self.cuts is None:
            return np.full(len(keys), self.after - self.axis.origin)
        return self.cuts.of(relation, lambda position: self.axis.code(keys, position, relation.arity))

    def since_cut(self, relation: Relation, packed: Ints, arity: int | None = None) -> Ints:
        """Of sorted points that are all after `after`, those after the cut of their key. arity: of the keys."""
        if self.cuts is None or not packed.size:
            return packed
        return self.cuts.since(relation, packed, EMPTY, relation.arity if arity is None else arity)

    def put_intervals(self, relation: Relation, s: Ints, e: Ints) -> None:
        self.relations[relation] = Intervals(self.axis, self.dictionary, relation.arity, s, e)

    def facts_of(self, signature: Signature) -> Facts:
        return self.facts.get(signature) or Facts(self.dictionary, no_facts(signature.arity))
