"""Rules as distribution sees them: a head, and conditions on events and fluents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

from holdsfor.language.literals import Compare
from holdsfor.language.nodes import Node, find_all, walk
from holdsfor.language.terms import Term, Var, variables
from holdsfor.plan.definitions import Declared, Definition, Due, Group
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    NOTHING,
    Arg,
    Chain,
    Conclude,
    Expression,
    HoldsForRule,
    Occurring,
    Of,
    Relation,
    RuleNode,
    Where,
)
from holdsfor.plan.patterns import OneOfSeveral, PatternNode, Scan, Sliding
from holdsfor.plan.walk import conclusions, interval_rules, reads
from holdsfor.plan.whole_plan import Plan


@dataclass(frozen=True, slots=True)
class Body:
    """A rule. evidence: alternatives, one of which must be there for the rule to conclude anything."""

    head: tuple[Arg, ...]
    atoms: tuple[RelationNode, ...]
    evidence: tuple[tuple[RelationNode, ...], ...]
    is_rowwise: bool  # each row of its one condition concludes by itself
    is_choosing: bool = False  # what it concludes of one row depends on all other rows of its conditions
    competes_freely: bool = False  # and whatever their arguments: they are all chosen from for one point in time

    def reads(self, relations: Iterable[Relation]) -> bool:
        return not {atom.relation for atom in self.atoms}.isdisjoint(relations)


Bodies = tuple[Body, ...]
"""The rules of a definition, as distribution sees them."""


def bodies_of(definition: Definition) -> Iterator[Body]:
    """Iterate over the rules of a definition, and over what may hold initially for what the data mention."""
    yield from map(body_of, conclusions(definition))
    for fluent in definition.simple_fluents:
        initial = (rule for rules in fluent.initially for rule in rules)
        yield from (replace(body, is_rowwise=False) for body in map(body_of, initial) if body.atoms)
    yield from map(body_of, interval_rules(definition))


def body_of(rule: Conclude | Declared | HoldsForRule) -> Body:
    """Return the head of a rule and the relations that it reads."""
    if isinstance(rule, HoldsForRule):
        joins = tuple(tuple(find_all(join, Of)) for join in rule.evidence)
        parts = dict.fromkeys((*find_all(rule.expression, Of), *chain.from_iterable(joins)))
        return Body(rule.args, tuple(parts), joins, list(parts) == [rule.expression])
    conditions = tuple(map(_by_groups, rule.chain))
    nodes = list(walk(conditions))
    atoms, evidence = tuple(node for node in nodes if isinstance(node, RelationNode)), _ways(conditions)
    patterns = [node for node in nodes if isinstance(node, PatternNode)]
    choices = [part for part in patterns if part.policy != "unrestricted"]
    is_rowwise = len(atoms) == 1 and evidence == (atoms,) and not choices and not any(find_all(patterns, Sliding))
    return Body(rule.args, atoms, evidence, is_rowwise, bool(choices), any(map(_competes_freely, choices)))


def _by_groups(node: Node) -> Any:
    """Return a chain's operator or pattern in which what is aggregated has only the variables of its groups.

    A group must be in one bucket, so that nothing else can be shared out by.
    """
    changed = node.rebuild(_by_groups) if node.CHILDREN else node
    return _with_only(changed, frozenset(changed.group)) if isinstance(changed, Sliding) else changed


def _with_only(node: Node, names: frozenset[str]) -> Any:
    """Return a node whose scans have no other variables than these."""
    if isinstance(node, Scan):
        return replace(node, args=tuple(None if _is_other(arg, names) else arg for arg in node.args))
    return node.rebuild(lambda child: _with_only(child, names))


def _is_other(arg: Arg, names: frozenset[str]) -> bool:
    return isinstance(arg, str) and arg not in names


def _ways(nodes: Iterable[Node]) -> tuple[tuple[RelationNode, ...], ...]:
    """Return the relations that must have rows for nodes to give anything: a way for each choice between patterns."""
    ways: tuple[tuple[RelationNode, ...], ...] = ((),)
    for node in nodes:
        ways = tuple((*way, *more) for way in ways for more in _ways_of(node))
    return ways


def _ways_of(node: Node) -> tuple[tuple[RelationNode, ...], ...]:
    match node:
        case RelationNode():
            return ((node,),)
        case OneOfSeveral():
            return tuple(way for one in node.alternatives for way in _ways_of(one))
        case Occurring():
            return _ways_of(node.pattern)
        case PatternNode():
            return _ways(node.positive_operands)
    return ((),)


# ---------------------------------------------------------------- what may be at all


def find_live(plan: Plan, absent: Set[Relation] = frozenset()) -> set[Relation]:
    """Return what may happen or hold. absent: inputs without rows."""
    defined = {relation for definition in plan.definitions for relation in definition.defines}
    read = {relation for definition in plan.definitions for relation in reads(definition)}
    live = (read - defined) | {relation for source in plan.sources for relation in source.relations}
    live -= absent
    before = -1
    while len(live) > before:  # each definition comes after what it reads: again only for those that read themselves
        before = len(live)
        for definition in plan.definitions:
            beginnings = definition.beginnings()
            live.update(relation for relation, rule in list(beginnings) if _may_conclude(rule, live))
            for group in find_all(definition, Group):
                live.update(event for target, event in group.reached if target in live)
    return live


def _may_conclude(rule: RuleNode, live: Set[Relation]) -> bool:
    """Whether a rule may conclude something where only these relations have rows."""
    ways = _ways(rule.body)
    if isinstance(rule, HoldsForRule):
        ways = tuple(tuple(find_all(one, Of)) for one in rule.evidence) or ((),)
        if _living(rule.expression, live) == NOTHING:
            return False
    if _is_contradictory(rule.body) or (isinstance(rule, Due) and rule.source not in live):
        return False
    return any(all(node.relation in live for node in way) for way in ways)


def _is_contradictory(chain: Chain) -> bool:
    """Whether comparisons with constants leave no value for a variable, or one of constants is false."""
    from holdsfor.language.passes.conditions.comparisons import find_bound  # what evaluates rules needs none of it

    bounds = defaultdict(list)
    for number, op in enumerate(op for op in chain if isinstance(op, Where)):
        sides: list[tuple[str, Term, Term]] = [(op.op, op.left, op.right)]
        if not any(variables([op.left, op.right])):
            constant = Var(f"constant {number}")
            sides = [("=", constant, op.left), (op.op, constant, op.right)]
        for test in (Compare(*each, op.place) for each in sides):
            variable, bound = find_bound(test)
            if variable is not None and bound is not None:
                bounds[variable].append(bound)
    return any(one.excludes(other) for tests in bounds.values() for one, other in combinations(tests, 2))


def _living(node: Expression, live: Set[Relation]) -> Expression:
    """Return an expression without what never holds."""
    if isinstance(node, Of):
        return node if node.relation in live else NOTHING
    return node.rebuild(lambda part: _living(part, live)).simplified()


# ---------------------------------------------------------------- policies


def _competes_freely(join: PatternNode) -> bool:
    """Whether a policy chooses from occurrences for something that has no arguments: a point in time."""
    return any(() in _ways_of(operand) for operand in join.positive_operands)
