"""Circles of intervals by what changes: only the groundings that may depend on what differs are evaluated again.

What differs is joined with the rows that a rule reads beside it, whatever their times, and gives heads; these differ in
the next round. Then the circle is evaluated for all such heads, on the rows that their rules read; what it says of
other groundings is as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.heads import head_codes
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.static import join_evidence
from holdsfor.engine.incremental.arrivals import Stores
from holdsfor.engine.incremental.known import Differences
from holdsfor.engine.incremental.stored import Difference, Gathered
from holdsfor.kernels.rows.holding import member_search
from holdsfor.kernels.rows.joining import TooManyPairs
from holdsfor.kernels.rows.moving import distinct
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Term
from holdsfor.plan.definitions import Fixpoint
from holdsfor.plan.growth import Evidence, affected_part, find_items, find_readers, restrict_circle
from holdsfor.plan.operators import HoldsForRule, Lookup, Of, Relation

#: So many groundings, or that share of all, may be affected; with more, all is evaluated again.
FEW_AFFECTED, AFFECTED_SHARE = 1000, 8

Limits = dict[str, Ints]
"""The codes that variables may have, sorted."""

Keys = dict[Relation, Ints]
"""The groundings of each relation that may have changed, sorted."""


class Unlimited(Exception):
    """A rule reads all rows of a relation, whatever has changed."""


@dataclass(frozen=True, slots=True)
class Dependents:
    """Groundings of a circle that may have changed, and the rows that they depend on.

    circle: evaluated for them only. rows: what their rules read, and they themselves. beside: what of the circle is as
    it was. before: what was known of them.
    """

    circle: Fixpoint
    keys: Keys
    rows: dict[Relation, Data]
    beside: dict[Relation, Intervals]
    before: dict[Relation, Gathered]


def find_dependents(
    circle: Fixpoint, stores: Stores, differences: Differences, world: World, edge: int
) -> Dependents | None:
    """Find what may have changed after a time, relative to the origin; None if that may be most of it."""
    if not all(rule.evidence for part in circle.parts for rule in part.rules):
        return None
    search = _Search(circle, stores, differences, world, edge, dict.fromkeys(circle.defines, EMPTY))
    try:
        return search.gather() if search.spread() else None
    except (Unlimited, TooManyPairs):
        return None


@dataclass(slots=True)
class _Search:
    circle: Fixpoint
    stores: Stores
    differences: Differences
    world: World
    edge: int
    keys: Keys

    # ------------------------------------------------------------ what is affected

    def spread(self) -> bool:
        """Find the groundings that may have changed; tell whether these are few."""
        own = [self.stores[relation] for relation in self.keys if relation in self.stores]
        most = max(FEW_AFFECTED, sum(map(len, own)) // AFFECTED_SHARE)
        read = {operand.relation for operand in find_all(self.circle, Of)} - self.keys.keys()
        newest = {r: _unite(self.differences[r]) for r in read & self.differences.keys()}
        while newest:
            newest = {
                part.relation: self._whenever(part.relation, keys)
                for part in self.circle.parts
                if len(keys := self._add(part.relation, [*self._find_heads(part.rules, newest)]))
            }
            if sum(map(len, self.keys.values())) > most:
                return False
        return True

    def _find_heads(self, rules: Iterable[HoldsForRule], newest: Mapping[Relation, Data]) -> Iterator[Ints]:
        """Iterate over the heads that rules give with rows that differ."""
        for rule in rules:
            for operand, joins in find_readers(rule):
                if operand.relation in newest:
                    yield from (self._join(rule, operand, join, newest[operand.relation]) for join in joins)

    def _join(self, rule: HoldsForRule, operand: Of, join: Evidence, newest: Data) -> Ints:
        first, *others = join
        assert isinstance(first, Of)
        beside = self._read(others, _limit({}, operand, newest), as_it_was=True)
        world = self.world.with_only({**beside, first.relation: newest})
        rows = run(rule.conditions, world, join_evidence(join, world), stops=True)
        if not rows.size:
            return EMPTY
        codes = [head_codes(rows, arg, world) for arg in rule.args]
        return rows.axis.key(codes) if codes else np.zeros(1, np.int64)

    def _add(self, relation: Relation, lists: list[Ints]) -> Ints:
        """Add groundings to those that may have changed; return which of them are new."""
        fresh = distinct(np.concatenate([EMPTY, *lists]))
        fresh = fresh[~member_search(fresh, self.keys[relation])]
        self.keys[relation] = np.sort(np.concatenate([self.keys[relation], fresh]))
        return fresh

    def _whenever(self, relation: Relation, keys: Ints) -> Intervals:
        """Return rows with these keys that hold all the time."""
        base = keys << self.world.axis.time_bits
        return Intervals(self.world.axis, self.world.dictionary, relation.arity, base, base | self.world.axis.mask)

    # ------------------------------------------------------------ what they depend on

    def gather(self) -> Dependents:
        """Gather the rows that the rules read for the groundings."""
        rows: dict[Relation, Data] = {}
        for part in self.circle.parts:
            keys = self._whenever(part.relation, self.keys[part.relation])
            rows[affected_part(part.relation)] = keys
            for head, items in find_items(part) if len(keys) else ():
                for relation, data in self._read(items, _limit({}, head, keys)).items():
                    rows[relation] = rows[relation].unite(data) if relation in rows else data
        beside = {relation: self._without_keys(relation, rows.pop(relation, None)) for relation in self.keys}
        before = {relation: self._known(relation) for relation in self.keys}
        return Dependents(restrict_circle(self.circle), self.keys, rows, beside, before)

    def _without_keys(self, relation: Relation, data: Data | None) -> Intervals:
        if not isinstance(data, Intervals):
            return self.world.intervals_of(relation)
        return data.where(~member_search(data.keys(), self.keys[relation]))

    def _known(self, relation: Relation) -> Gathered:
        """Gather the rows of the groundings that may have changed."""
        stored, keys = self.stores.get(relation), self.keys[relation]
        if stored is None:
            return Gathered(self.world.nothing_of(relation), EMPTY)
        return stored.gather(lambda data: as_intervals(data).places_of_keys(keys, self.edge))

    def _read(self, items: Iterable[Of | Lookup], limits: Limits, as_it_was: bool = False) -> dict[Relation, Data]:
        """Read the rows of each item that the limits allow; these limit those after it."""
        read: dict[Relation, Data] = {}
        for item in items:
            if isinstance(item, Of):
                data = self._find(item, limits, as_it_was)
                limits = _limit(limits, item, data)
                read[item.relation] = read[item.relation].unite(data) if item.relation in read else data
        return read

    def _find(self, operand: Of, limits: Limits, as_it_was: bool) -> Data:
        """Find rows as they are, and also as they were; of the circle itself also what may be there now."""
        relation, code_of = operand.relation, self.world.dictionary.code_of
        codes = {p: limits[arg] for p, arg in enumerate(operand.args) if isinstance(arg, str) and arg in limits}
        codes |= {p: np.array([code_of(arg)]) for p, arg in enumerate(operand.args) if isinstance(arg, Term)}
        if not codes:
            raise Unlimited

        def choose(data: Data) -> Ints:
            return as_intervals(data).places_of_codes(codes, self.edge)

        stored = self.stores.get(relation)
        data = self.world.nothing_of(relation) if stored is None else stored.gather(choose).data
        if relation in self.keys:
            more: Data = self._whenever(relation, self.keys[relation])
        elif as_it_was and relation in self.differences:
            more = self.differences[relation].removed
        else:
            return data
        return data.unite(more.take(choose(more)))


def as_intervals(data: Data) -> Intervals:
    assert isinstance(data, Intervals), "circles are made of intervals"
    return data


def _unite(difference: Difference) -> Data:
    return difference.removed.unite(difference.added)


def _limit(limits: Limits, operand: Of, data: Data) -> Limits:
    """Limit the variables of an operand to what its rows have; those that are limited already stay as they are."""
    fresh = {arg: np.unique(data.codes(p)) for p, arg in enumerate(operand.args) if isinstance(arg, str)}
    return fresh | limits
