"""Dead definitions: what can never happen or hold, and what nothing asks for, is left out.

A rule is dead if a condition is false whatever the data are: a comparison of constants, two comparisons that contradict
each other, an event or fluent that no live rule gives. What is live is the least set in which every definition has a
rule whose conditions are live; a fluent that needs itself to begin is not in it. Inputs are always live: only the data
say what is in them, and their rows are read, counted and rejected as before.

A dead condition inside a negation is a negation that is always true. A dead interval expression is one without
intervals. Every definition that can hold is a result, so it stays, whether or not a rule reads it; tables of facts and
closures are no results, and go if no rule looks them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from functools import partial
from typing import Any

from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Closure, Definition, Due, Group, Recursion, Simple
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    NOTHING,
    Chain,
    Conclude,
    Expression,
    HoldsForRule,
    Occurring,
    Of,
    Op,
    Relation,
    RuleNode,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.passes.constant import contradict, truth
from holdsfor.plan.patterns import OneOfSeveral, Pattern, Scan
from holdsfor.plan.walk import facts_used, reads
from holdsfor.plan.whole_plan import Plan

Live = Set[Relation]


def dead(plan: Plan) -> Plan:
    declared = {domain.relation for domain in plan.domains}
    live = find_live(plan)
    whole = [_counted(definition, declared) for definition in plan.definitions]
    each = list(zip(plan.definitions, whole, strict=True))
    pruned = [definition if counted else _pruned(definition, live) for definition, counted in each]
    stay = {relation for definition, counted in each if counted for relation in definition.defines}
    definitions = tuple(_needed(pruned, {*live, *stay}))
    defined = {relation for definition in definitions for relation in definition.defines}
    domains = tuple(domain for domain in plan.domains if domain.relation in defined)
    made = replace(plan, definitions=definitions, domains=domains)
    return replace(made, closures=tuple(_called(made)))


def _counted(definition: Definition, declared: Live) -> bool:
    """A group counts what its rules would initiate outside its declared domain, whatever the state: all of it stays."""
    return isinstance(definition, Group) and not declared.isdisjoint(definition.defines)


def _needed(definitions: list[Definition], stay: Live) -> Iterator[Definition]:
    """Iterate over what must stay, and what is read by what is left."""
    needed = set(stay)
    for definition in reversed(definitions):  # each comes after what it reads
        if not needed.isdisjoint(definition.defines):
            needed.update(reads(definition))
    for definition in definitions:
        if isinstance(definition, Simple):
            definition = _values(definition, needed)
        elif isinstance(definition, Group):
            fluents = tuple(_values(fluent, needed) for fluent in definition.fluents)
            reached = tuple(pair for pair in definition.reached if pair[1] in needed)
            fluents = tuple(fluent for fluent in fluents if fluent.relations)
            definition = replace(definition, fluents=fluents, reached=reached)
        if not needed.isdisjoint(definition.defines):
            yield definition


def _values(fluent: Simple, needed: Live) -> Simple:
    """The fluent with the values that are needed."""
    places = [p for p, relation in enumerate(fluent.relations) if relation in needed]
    return replace(
        fluent,
        relations=tuple(fluent.relations[p] for p in places),
        initiations=tuple(fluent.initiations[p] for p in places),
        terminations=tuple(fluent.terminations[p] for p in places),
        initially=tuple(fluent.initially[p] for p in places) if fluent.initially else (),
    )


def _called(plan: Plan) -> Iterator[Closure]:
    """The closures that a rule looks up, or another closure that is kept; each comes after those it calls."""
    called: list[Closure] = []
    needed = facts_used(plan.definitions, plan.domains)
    for closure in reversed(plan.closures):
        if any(signature in needed for signature, _ in closure.rules):
            called.append(closure)
            needed |= facts_used((), (), [closure])
    yield from reversed(called)


# ---------------------------------------------------------------- what is live


def find_live(plan: Plan, absent: Live = frozenset()) -> Live:
    """Return what may happen or hold. absent: inputs without rows."""
    defined = {relation for definition in plan.definitions for relation in definition.defines}
    read = {relation for definition in plan.definitions for relation in reads(definition)}
    live = (read - defined) | {relation for source in plan.sources for relation in source.relations}
    live -= absent
    before = -1
    while len(live) > before:  # each definition comes after what it reads: again only for those that read themselves
        before = len(live)
        for definition in plan.definitions:
            live.update(list(_gives(definition, live)))
    return live


def _gives(definition: Definition, live: Live) -> Iterator[Relation]:
    yield from (relation for relation, rule in definition.beginnings() if _pruned_rule(rule, live) is not None)
    if isinstance(definition, Group):
        yield from (event for target, event in definition.reached if target in live)


# ---------------------------------------------------------------- rules without what is dead


def _pruned(definition: Definition, live: Live) -> Definition:
    pruned: Definition = definition.map_rules(partial(_pruned_rules, live=live))
    match pruned:
        case Simple():
            return _pruned_initially(pruned, live)
        case Group():
            fluents = tuple(map(partial(_pruned_initially, live=live), pruned.fluents))
            return replace(pruned, fluents=fluents, deadlines=_pruned_rules(pruned.deadlines, live))
        case Recursion():
            return Recursion(tuple(event for event in pruned.events if event.rules))
    return pruned


def _pruned_initially(fluent: Simple, live: Live) -> Simple:
    return replace(fluent, initially=tuple(_pruned_rules(rules, live) for rules in fluent.initially))


def _pruned_rules(rules: Iterable[RuleNode], live: Live) -> tuple[Any, ...]:
    pruned = (_pruned_rule(rule, live) for rule in rules)
    return tuple(dict.fromkeys(rule for rule in pruned if rule is not None))


def _pruned_rule(rule: RuleNode, live: Live) -> RuleNode | None:
    """Return the rule without conditions that are always true; None if it never gives anything."""
    chain = _simplified(rule.body, live)
    match rule:
        case _ if chain is None:
            return None
        case Conclude():
            return replace(rule, chain=chain)
        case HoldsForRule():
            return _without_dead_parts(replace(rule, conditions=chain), live)
        case Due() if rule.source not in live:
            return None
    return rule


def _simplified(chain: Chain, live: Live) -> Chain | None:
    """Return a chain without comparisons and negations that are always true; None if it never gives anything."""
    if contradict(op for op in chain if isinstance(op, Where)):
        return None
    simplified: list[Op] = []
    for op in chain:
        match op:
            case RelationNode() if op.relation not in live:
                return None
            case Occurring():
                pattern = _pattern(op.pattern, live)
                if pattern is None:
                    return None
                simplified.append(replace(op, pattern=pattern))
            case Where():
                always = truth(op)
                if always is False:
                    return None
                simplified += [] if always else [op]
            case Without():
                inner = _simplified(op.chain, live)
                if inner == ():
                    return None
                simplified += [] if inner is None else [Without(inner)]
            case Tally(function="min" | "max") if _simplified(op.chain, live) is None:
                return None  # the count of nothing is 0, but it has no least
            case _:
                simplified.append(op)
    return tuple(simplified)


def _pattern(pattern: Pattern, live: Live) -> Pattern | None:
    """Return a pattern without alternatives that never occur; None if nothing of it ever does."""
    match pattern:
        case Scan():
            return pattern if pattern.relation in live else None
        case OneOfSeveral():
            left = (_pattern(one, live) for one in pattern.alternatives)
            alternatives = tuple(one for one in left if one is not None)
            return replace(pattern, alternatives=alternatives) if alternatives else None
        case _:
            dead_operands = [operand for operand in pattern.positive_operands if _pattern(operand, live) is None]
            return None if dead_operands else pattern


# ---------------------------------------------------------------- intervals


def _without_dead_parts(rule: HoldsForRule, live: Live) -> HoldsForRule | None:
    """Return the rule without parts that never hold; None if nothing is left, or nothing to evaluate it for."""
    expression = _expression(rule.expression, live)
    evidence = tuple(one for one in rule.evidence if all(item.relation in live for item in find_all(one, Of)))
    if expression == NOTHING or (rule.evidence and not evidence):
        return None
    return replace(rule, expression=expression, evidence=evidence)


def _expression(expression: Expression, live: Live) -> Expression:
    if isinstance(expression, Of):
        return expression if expression.relation in live else NOTHING
    return expression.rebuild(lambda part: _expression(part, live)).simplified()
