"""Reordering chains: which operators may come next, for the passes that change their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace

from holdsfor.plan.compiler.prefixes import Prefixes
from holdsfor.plan.definitions import Definition, Derived, Group, Recursion, Simple, Static
from holdsfor.plan.operators import At, Chain, Conclude, Holding, HoldsForRule, Let, Op, Tally, Where, Without
from holdsfor.plan.variables import binds, mentions, needs, renamed
from holdsfor.plan.walk import conclusions, defines, flat
from holdsfor.plan.whole_plan import Plan

Reordering = Callable[[Chain, Set[str], Prefixes], Chain]
"""A chain in another order. The variables are those that are bound before it; the prefixes: of all rules."""

Known = Callable[[Chain, Set[str]], Chain]


class Placing:
    """The operators of a chain, by number, while they are being placed in another order.

    Every order that this allows means the same: rows are sets of bindings, so joins and tests may trade places as long
    as each finds bound what it found bound as it was written. joins: what looks at relations and facts. others:
    comparisons, and calculations. The first join of a chain with nothing given is a scan, and stays with all before it.
    What several rules begin with is worked out once, so an operator does not overtake a join that more rules share.
    """

    def __init__(self, chain: Chain, bound: Set[str], prefixes: Prefixes) -> None:
        self._chain = chain
        self._uses = prefixes.uses(chain)
        outer = {name for op in chain for name in binds(op)} | bound
        self._mentions = [tuple(dict.fromkeys(mentions(op))) for op in chain]
        self._needs = [frozenset(needs(op, outer)) for op in chain]
        self._bound = set(bound)
        self._reachable: Set[str] | None = None
        self._order: list[int] = []
        self._made_by = {op.variable: n for n, op in enumerate(chain) if isinstance(op, Let | Tally)}
        self._left = set(range(len(chain)))
        self.joins = [number for number, op in enumerate(chain) if not is_filter(op)]
        self.others = [number for number, op in enumerate(chain) if is_filter(op)]
        if not bound:
            first = self.joins[0] if self.joins else -1
            for number in range(first + 1):
                self._add(number)

    def reachable(self) -> Set[str]:
        """The variables that are bound, or that calculations on them would bind."""
        if self._reachable is None:
            reachable = set(self._bound)
            for number in self.others:  # written in an order in which each comes after what it needs
                op = self._chain[number]
                if isinstance(op, Let) and self._may_come(number, reachable):
                    reachable.add(op.variable)
            self._reachable = reachable
        return self._reachable

    def ready(self, number: int) -> bool:
        # Longer beginnings are no more common than shorter ones: the first join that is overtaken tells for all.
        overtaken = self.joins[0] if self.joins else number
        shared = overtaken < number and self._uses[overtaken] != self._uses[number]
        return not shared and self._may_come(number, self.reachable())

    def place(self, number: int) -> None:
        """This operator next, after the calculations that it needs; nothing if it is there already."""
        if number not in self._left:
            return
        for name in self._mentions[number]:
            made = self._made_by.get(name, number)
            if made < number and made in self._left:
                self.place(made)
        self._add(number)

    def placed(self) -> Chain:
        return tuple(self._chain[number] for number in self._order)

    def _add(self, number: int) -> None:
        self._order.append(number)
        self._left.discard(number)
        (self.others if is_filter(self._chain[number]) else self.joins).remove(number)
        self._reachable = None
        self._bound.update(binds(self._chain[number]))

    def _may_come(self, number: int, bound: Set[str]) -> bool:
        """Has all that it needs, and is on the same side as before of what calculates a variable that it mentions."""
        op = self._chain[number]
        if not self._needs[number] <= bound:
            return False
        if isinstance(op, Let | Tally):  # not before an operator that has bound its variable so far
            earlier = (n for n in self._left if n < number)
            if any(op.variable in self._mentions[n] for n in earlier):
                return False
        made = (self._made_by.get(name, number) for name in self._mentions[number])
        return all(n >= number or n not in self._left or self._calculated(n, bound) for n in made)

    def _calculated(self, number: int, bound: Set[str]) -> bool:
        op = self._chain[number]
        return isinstance(op, Let) and op.variable in bound


def is_filter(op: Op) -> bool:
    """Looks at the row alone: a comparison, a calculation, or the negation of such."""
    if isinstance(op, Without):
        return all(isinstance(inner, Where | Let) for inner in op.chain)
    return isinstance(op, Where | Let)


# ---------------------------------------------------------------- the chains of a plan


def each_chain(plan: Plan, reorder: Reordering) -> Plan:
    """The plan with its rules and the conditions of its rules in another order."""
    prefixes = beginnings(plan.definitions)

    def known(chain: Chain, bound: Set[str]) -> Chain:
        return reorder(chain, bound, prefixes) if len(chain) > (1 if bound else 2) else chain  # a scan and one more

    return replace(plan, definitions=tuple(_definition(definition, known) for definition in plan.definitions))


def beginnings(definitions: Iterable[Definition]) -> Prefixes:
    """How many rules begin with each chain.

    The rules of a group are not among them: part of their conditions is asked of a state that changes as it goes.
    """
    alone = (definition for definition in definitions if not isinstance(definition, Group | Recursion))
    return Prefixes(rule.chain for definition in alone for rule in conclusions(definition))


def _definition(definition: Definition, reorder: Known) -> Definition:
    match definition:
        case Simple():
            return _fluent(definition, lambda rule: _rule(rule, reorder))
        case Derived():
            return _event(definition, reorder)
        case Recursion():
            events = (
                replace(event, rules=tuple(_rule(rule, reorder) for rule in event.rules)) for event in definition.events
            )
            return Recursion(tuple(events))
        case Static():
            return replace(definition, rules=tuple(_holds_for_rule(rule, reorder) for rule in definition.rules))
        case Group():
            return _group(definition, reorder)


def _fluent(fluent: Simple, change: Callable[[Conclude], Conclude]) -> Simple:
    initiations, terminations = (
        tuple(tuple(dict.fromkeys(map(change, rules))) for rules in table)
        for table in (fluent.initiations, fluent.terminations)
    )
    return replace(fluent, initiations=initiations, terminations=terminations)


def _group(group: Group, reorder: Known) -> Group:
    """Rules that ask for the state of the group are left alone: it is asked for part of their conditions."""
    members = frozenset(defines(group))

    def change(rule: Conclude) -> Conclude:
        relations = (op.relation for op in flat(rule.chain) if isinstance(op, At | Holding))
        return rule if members.intersection(relations) else _rule(rule, reorder)

    return replace(group, fluents=tuple(_fluent(fluent, change) for fluent in group.fluents))


def _event(event: Derived, reorder: Known) -> Derived:
    return replace(event, rules=tuple(_rule(rule, reorder) for rule in event.rules))


def _rule(rule: Conclude, reorder: Known) -> Conclude:
    chain = tuple(_inside(reorder(rule.chain, frozenset()), frozenset(), reorder))
    return rule if chain == rule.chain else renamed(replace(rule, chain=chain))


def _holds_for_rule(rule: HoldsForRule, reorder: Known) -> HoldsForRule:
    bound = frozenset(rule.variables)
    return replace(rule, conditions=tuple(_inside(reorder(rule.conditions, bound), bound, reorder)))


def _inside(chain: Chain, outer: frozenset[str], reorder: Known) -> Iterator[Op]:
    """The chain with what stands inside negations and tallies reordered, too."""
    bound = outer
    for op in chain:
        if isinstance(op, Without | Tally) and len(op.chain) > 1:
            yield replace(op, chain=tuple(_inside(reorder(op.chain, bound), bound, reorder)))
        else:
            yield op
        bound |= set(binds(op))
