"""The world of one evaluation: what is known so far, by relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.facts import Facts, no_facts
from holdsfor.engine.relation import Data, Intervals, Points, no_intervals, no_points
from holdsfor.language.description import Signature
from holdsfor.language.terms import Term
from holdsfor.plan.operators import Due, Relation


@dataclass(frozen=True, slots=True)
class Running:
    """Deadlines that were set: of which key, when, for when, and when they were dropped. Times are on the axis."""

    keys: Ints
    made: Ints
    due: Ints
    dropped: Ints


@dataclass(slots=True)
class World:
    """start: the history begins after it; now: the query time; after: conclusions are drawn for later times only.

    carried: for each simple fluent the keys that hold when conclusions begin; settled: what was concluded before;
    carried_running, running: deadlines, when conclusions begin and as they are set.
    unreported: values of fluents that rules see, and results do not have.
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
    unreported: frozenset[tuple[Signature, Term]] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)

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

    def put_intervals(self, relation: Relation, s: Ints, e: Ints) -> None:
        self.relations[relation] = Intervals(self.axis, self.dictionary, relation.arity, s, e)

    def facts_of(self, signature: Signature) -> Facts:
        return self.facts.get(signature) or Facts(self.dictionary, no_facts(signature.arity))
