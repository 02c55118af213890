"""Reordering chains: which operators may come next, for the passes that change their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace

from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Circle, Definition, Group
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import Chain, Conclude, HoldsForRule, Let, Op, Relation, Tally, Without
from holdsfor.plan.walk import conclusions
from holdsfor.plan.whole_plan import Plan

ROOT = 0


class Prefixes:
    """A tree of the beginnings of chains, with the number of chains that begin so."""

    def __init__(self, chains: Iterable[Chain]) -> None:
        self._numbers: dict[Op, int] = {}
        self._children: dict[tuple[int, int], int] = {}
        self._uses = [0]
        self._first: list[tuple[Chain, int]] = [((), 0)]  # a chain that begins so, and how long the beginning is
        for chain in chains:
            self._insert(chain)

    def _insert(self, chain: Chain) -> None:
        node = ROOT
        for length, op in enumerate(chain, 1):
            step = node, self._numbers.setdefault(op, len(self._numbers))
            node = self._children.setdefault(step, len(self._uses))
            if node == len(self._uses):
                self._uses.append(0)
                self._first.append((chain, length))
            self._uses[node] += 1

    def uses(self, chain: Chain) -> list[int]:
        """For each beginning of the chain, the shortest first: how many chains have it. They never increase."""
        counts: list[int] = []
        node: int | None = ROOT
        for op in chain:
            number = self._numbers.get(op)
            node = None if number is None or node is None else self._children.get((node, number))
            counts.append(0 if node is None else self._uses[node])
        return counts

    def shared(self) -> Iterator[tuple[Chain, int]]:
        """Beginnings that more chains have than have them with one operator more; shorter ones first."""
        longer = {parent for (parent, _), node in self._children.items() if self._uses[node] == self._uses[parent]}
        nodes = [node for node, uses in enumerate(self._uses) if uses > 1 and node not in longer]
        for node in sorted(nodes, key=lambda node: self._first[node][1]):
            chain, length = self._first[node]
            yield chain[:length], self._uses[node]


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
        outer = {name for op in chain for name in op.binds()} | bound
        self._mentions = [tuple(dict.fromkeys(op.mentions())) for op in chain]
        self._needs = [frozenset(op.needs(outer)) for op in chain]
        self._bound = set(bound)
        self._reachable: Set[str] | None = None
        self._order: list[int] = []
        self._made_by = {op.variable: n for n, op in enumerate(chain) if isinstance(op, Let | Tally)}
        self._left = set(range(len(chain)))
        self.joins = [number for number, op in enumerate(chain) if not op.is_filter]
        self.others = [number for number, op in enumerate(chain) if op.is_filter]
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

    def is_ready(self, number: int) -> bool:
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
        (self.others if self._chain[number].is_filter else self.joins).remove(number)
        self._reachable = None
        self._bound.update(self._chain[number].binds())

    def _may_come(self, number: int, bound: Set[str]) -> bool:
        """Has all that it needs, and is on the same side as before of what calculates a variable that it mentions."""
        if not self._needs[number] <= bound:
            return False
        made = (self._made_by.get(name, number) for name in self._mentions[number])
        return all(n >= number or n not in self._left or self._calculated(n, bound) for n in made)

    def _calculated(self, number: int, bound: Set[str]) -> bool:
        op = self._chain[number]
        return isinstance(op, Let) and op.variable in bound


# ---------------------------------------------------------------- the chains of a plan


def each_chain(plan: Plan, reorder: Reordering) -> Plan:
    """The plan with its rules and the conditions of its rules in another order."""
    prefixes = beginnings(plan.definitions)

    def reorder_long(chain: Chain, bound: Set[str]) -> Chain:
        return reorder(chain, bound, prefixes) if len(chain) > (1 if bound else 2) else chain  # a scan and one more

    return replace(plan, definitions=tuple(_reordered(definition, reorder_long) for definition in plan.definitions))


def beginnings(definitions: Iterable[Definition]) -> Prefixes:
    """How many rules begin with each chain.

    The rules of a group are not among them: part of their conditions is asked of a state that changes as it goes.
    """
    alone = (definition for definition in definitions if not isinstance(definition, Group | Circle))
    return Prefixes(rule.chain for definition in alone for rule in conclusions(definition))


def _reordered(definition: Definition, reorder: Known) -> Definition:
    """Reorder the rules of a definition, but those of a group that ask for its state: part of their conditions do."""
    own = frozenset(definition.defines) if isinstance(definition, Group) else frozenset[Relation]()

    def change(rules: tuple[Conclude | HoldsForRule, ...]) -> tuple[Conclude | HoldsForRule, ...]:
        return tuple(dict.fromkeys(rule if _asks(rule, own) else _rule(rule, reorder) for rule in rules))

    changed: Definition = definition.map_rules(change)
    return changed


def _asks(rule: Conclude | HoldsForRule, relations: Set[Relation]) -> bool:
    """Whether a rule depends on one of the relations."""
    return bool(relations) and any(node.relation in relations for node in find_all(rule, RelationNode))


def _rule(rule: Conclude | HoldsForRule, reorder: Known) -> Conclude | HoldsForRule:
    if isinstance(rule, HoldsForRule):
        bound = frozenset(rule.variables)
        return replace(rule, conditions=tuple(_inside(reorder(rule.conditions, bound), bound, reorder)))
    chain = tuple(_inside(reorder(rule.chain, frozenset()), frozenset(), reorder))
    return rule if chain == rule.chain else _renamed(replace(rule, chain=chain))


def _renamed(rule: Conclude) -> Conclude:
    """Return the rule with v0, v1, ... by first use, so that rules that begin alike have equal beginnings."""
    order = dict.fromkeys(name for op in rule.chain for name in op.mentions())
    names = {name: f"v{number}" for number, name in enumerate(order)}
    if all(name == new for name, new in names.items()):
        return rule
    return replace(rule.renamed(names), names=())


def _inside(chain: Chain, outer: frozenset[str], reorder: Known) -> Iterator[Op]:
    """The chain with what stands inside negations and tallies reordered, too."""
    bound = outer
    for op in chain:
        if isinstance(op, Without | Tally) and len(op.chain) > 1:
            yield replace(op, chain=tuple(_inside(reorder(op.chain, bound), bound, reorder)))
        else:
            yield op
        bound |= set(op.binds())
