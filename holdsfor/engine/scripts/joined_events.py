"""Starts and ends of a fluent while another holds, as events of their own: rules about pairs begin with such joins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from holdsfor.engine.chain import points
from holdsfor.engine.literals import Arguments, shape
from holdsfor.engine.points import EMPTY, Points
from holdsfor.engine.world import World
from holdsfor.kernels import add_last_code, interval_join, take
from holdsfor.plan.operators import At, Conclude, Holding, Leaf, Op, Relation, Structure
from holdsfor.plan.structures import names_in
from holdsfor.plan.variables import binds, mentions

Joins = Mapping[tuple[Op, Op], "JoinedEvent"]


@dataclass(frozen=True, slots=True)
class JoinedEvent:
    """relation: of the arguments of the first operator, and those that the other one binds. wanted: of the other."""

    relation: Relation
    first: At
    held: Holding
    wanted: Arguments

    def join(self, world: World) -> Points:
        axis, arity = world.axis, self.relation.arity
        edges, intervals = points(self.first, world), world.intervals_of(self.held.relation)
        packed = EMPTY
        if len(edges) and len(intervals):
            s, e, source = intervals.spread(self.wanted.picks, self.wanted.positions)
            i, j = interval_join(edges.packed, s, e)
            packed, rows = take(edges.packed, i), take(source, j)
            for position, _ in self.wanted.new:
                packed = add_last_code(packed, intervals.codes(position)[rows], axis.time_bits, axis.code_bits)
            packed.sort()
        return Points(axis, world.dictionary, arity, tuple(range(arity)), packed, {})

    def begins_with(self) -> At:
        args = (*self.first.args, *(name for _, name in self.wanted.new))
        return At("occurrence", self.relation, args, self.first.time)


def find_joins(rules: Iterable[Conclude], world: World) -> Joins:
    """Those that some rule begins with: no condition comes before them, so that they are made of all rows anyhow."""
    joins: dict[tuple[Op, Op], JoinedEvent] = {}
    for first, held in dict.fromkeys(rule.chain[:2] for rule in rules if len(rule.chain) > 1):
        join = _make_join(first, held, world)
        if join is not None:
            joins[first, held] = join
    return joins


def _make_join(first: Op, held: Op, world: World) -> JoinedEvent | None:
    if not isinstance(first, At) or not isinstance(held, Holding) or first.what == "occurrence":
        return None
    names, args = _names_in_order(first), _leaves(held)
    if names is None or args is None or held.time != first.time or held.time in args:
        return None
    wanted = shape(args, frozenset(names), world.dictionary)
    arity = len(names) + len(wanted.new)
    if not wanted.new or wanted.names != names or wanted.picks.equal or world.axis.is_wide(arity):
        return None
    relation = Relation(f"{first} while {held}", arity, None, "event", first.relation.definition)
    return JoinedEvent(relation, first, held, wanted)


def _names_in_order(first: At) -> tuple[str, ...] | None:
    """The arguments, if all of them are different variables."""
    names = tuple(arg for arg in first.args if isinstance(arg, str))
    return names if len({*names, first.time}) == len(first.args) + 1 else None


def _leaves(held: Holding) -> tuple[Leaf, ...] | None:
    """The arguments, if none of them is open or has variables inside."""
    args = tuple(arg for arg in held.args if arg is not None and not isinstance(arg, Structure))
    return args if len(args) == len(held.args) else None


def begin_with_join(rule: Conclude, joins: Joins) -> Conclude:
    """The rule with its join first, if it is one of these, and if all that comes before only tests rows."""
    for place, op in enumerate(rule.chain):
        join = joins.get((rule.chain[0], op))
        if join is not None and all(_only_tests(test, join) for test in rule.chain[1:place]):
            return replace(rule, chain=(join.begins_with(), *rule.chain[1:place], *rule.chain[place + 1 :]))
    return rule


def _only_tests(op: Op, join: JoinedEvent) -> bool:
    """Whether an operator binds nothing, and asks for nothing that the join binds."""
    bound = {*names_in(join.first.args), join.first.time}
    return bound.issuperset(binds(op)) and not any(name in mentions(op) for _, name in join.wanted.new)
