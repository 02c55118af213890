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

from holdsfor.plan.compiler.constant import contradict, truth
from holdsfor.plan.compiler.static import NOTHING, combined
from holdsfor.plan.definitions import Closure, Declared, Definition, Derived, Due, Group, Recursion, Simple, Static
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Lasting,
    Occurring,
    Of,
    Op,
    Relate,
    Relation,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.patterns import OneOfSeveral, Pattern, Scan, positive_operands
from holdsfor.plan.walk import defines, facts_used, reads, simple_of
from holdsfor.plan.whole_plan import Plan

Live = Set[Relation]


def dead(plan: Plan) -> Plan:
    declared = {domain.relation for domain in plan.domains}
    live = _live(plan)
    whole = [_counted(definition, declared) for definition in plan.definitions]
    each = list(zip(plan.definitions, whole, strict=True))
    kept = [definition if counted else _pruned(definition, live) for definition, counted in each]
    stay = {relation for definition, counted in each if counted for relation in defines(definition)}
    definitions = tuple(_wanted(kept, {*live, *stay}))
    left = {relation for definition in definitions for relation in defines(definition)}
    domains = tuple(domain for domain in plan.domains if domain.relation in left)
    made = replace(plan, definitions=definitions, domains=domains)
    return replace(made, closures=tuple(_called(made)))


def _counted(definition: Definition, declared: Live) -> bool:
    """A group counts what its rules would initiate outside its declared domain, whatever the state: all of it stays."""
    return isinstance(definition, Group) and not declared.isdisjoint(defines(definition))


def _wanted(definitions: list[Definition], stay: Live) -> Iterator[Definition]:
    """What must stay, and what is read by what is left."""
    wanted = set(stay)
    for definition in reversed(definitions):  # each comes after what it reads
        if not wanted.isdisjoint(defines(definition)):
            wanted.update(reads(definition))
    for definition in definitions:
        if isinstance(definition, Simple):
            definition = _values(definition, wanted)
        elif isinstance(definition, Group):
            fluents = tuple(_values(fluent, wanted) for fluent in definition.fluents)
            reached = tuple(pair for pair in definition.reached if pair[1] in wanted)
            kept = tuple(fluent for fluent in fluents if fluent.relations)
            definition = replace(definition, fluents=kept, reached=reached)
        if not wanted.isdisjoint(defines(definition)):
            yield definition


def _values(fluent: Simple, wanted: Live) -> Simple:
    """The fluent with the values that are wanted."""
    places = [p for p, relation in enumerate(fluent.relations) if relation in wanted]
    return replace(
        fluent,
        relations=tuple(fluent.relations[p] for p in places),
        initiations=tuple(fluent.initiations[p] for p in places),
        terminations=tuple(fluent.terminations[p] for p in places),
        initially=tuple(fluent.initially[p] for p in places) if fluent.initially else (),
    )


def _called(plan: Plan) -> Iterator[Closure]:
    """The closures that a rule looks up, or another closure that is kept; each comes after those it calls."""
    kept: list[Closure] = []
    wanted = facts_used(plan.definitions, plan.domains)
    for closure in reversed(plan.closures):
        if any(signature in wanted for signature, _ in closure.rules):
            kept.append(closure)
            wanted |= facts_used((), (), [closure])
    yield from reversed(kept)


# ---------------------------------------------------------------- what is live


def _live(plan: Plan) -> Live:
    defined = {relation for definition in plan.definitions for relation in defines(definition)}
    read = {relation for definition in plan.definitions for relation in reads(definition)}
    live = (read - defined) | {relation for source in plan.sources for relation in source.relations}
    before = -1
    while len(live) > before:  # each definition comes after what it reads: again only for those that read themselves
        before = len(live)
        for definition in plan.definitions:
            live.update(list(_gives(definition, live)))
    return live


def _gives(definition: Definition, live: Live) -> Iterator[Relation]:
    match definition:
        case Derived():
            if any(_possible(rule.chain, live) for rule in definition.rules):
                yield definition.relation
        case Recursion():
            for event in definition.events:
                yield from _gives(event, live)
        case Static():
            if any(_holds_for_rule(rule, live) for rule in definition.rules):
                yield definition.relation
        case Simple() | Group():
            for fluent in simple_of(definition):
                for p, relation in enumerate(fluent.relations):
                    begun: list[Conclude | Declared] = [*fluent.initiations[p]]
                    begun += fluent.initially[p] if fluent.initially else ()
                    if any(_possible(rule.chain, live) for rule in begun):
                        yield relation
            if isinstance(definition, Group):
                yield from (due.target for due in definition.deadlines if _due(due, live))
                yield from (event for target, event in definition.reached if target in live)


def _due(due: Due, live: Live) -> bool:
    return due.source in live and _possible(due.conditions, live)


def _possible(chain: Chain, live: Live) -> bool:
    return _simplified(chain, live) is not None


# ---------------------------------------------------------------- rules without what is dead


def _pruned(definition: Definition, live: Live) -> Definition:
    match definition:
        case Simple():
            return replace(
                definition,
                initiations=tuple(_rules(rules, live) for rules in definition.initiations),
                terminations=tuple(_rules(rules, live) for rules in definition.terminations),
                initially=tuple(
                    tuple(rule for rule in rules if _possible(rule.chain, live)) for rules in definition.initially
                ),
            )
        case Group():
            fluents = (_pruned(fluent, live) for fluent in definition.fluents)
            due = tuple(due for due in definition.deadlines if _due(due, live))
            return replace(definition, fluents=tuple(f for f in fluents if isinstance(f, Simple)), deadlines=due)
        case Derived():
            return replace(definition, rules=_rules(definition.rules, live))
        case Recursion():
            events = (replace(event, rules=_rules(event.rules, live)) for event in definition.events)
            return Recursion(tuple(event for event in events if event.rules))
        case Static():
            rules = (_holds_for_rule(rule, live) for rule in definition.rules)
            return replace(definition, rules=tuple(dict.fromkeys(filter(None, rules))))


def _rules(rules: Iterable[Conclude], live: Live) -> tuple[Conclude, ...]:
    simplified = ((rule, _simplified(rule.chain, live)) for rule in rules)
    return tuple(dict.fromkeys(replace(rule, chain=chain) for rule, chain in simplified if chain is not None))


def _simplified(chain: Chain, live: Live) -> Chain | None:
    """Without comparisons and negations that are always true; None if the chain never gives anything."""
    if contradict(op for op in chain if isinstance(op, Where)):
        return None
    kept: list[Op] = []
    for op in chain:
        match op:
            case At() | Holding() if op.relation not in live:
                return None
            case Occurring():
                pattern = _pattern(op.pattern, live)
                if pattern is None:
                    return None
                kept.append(replace(op, pattern=pattern))
            case Where():
                known = truth(op)
                if known is False:
                    return None
                kept += [] if known else [op]
            case Without():
                inner = _simplified(op.chain, live)
                if inner == ():
                    return None
                kept += [] if inner is None else [Without(inner)]
            case Tally(function="min" | "max") if _simplified(op.chain, live) is None:
                return None  # the count of nothing is 0, but it has no least
            case _:
                kept.append(op)
    return tuple(kept)


def _pattern(pattern: Pattern, live: Live) -> Pattern | None:
    """Without alternatives that never occur; None if nothing of it ever does."""
    match pattern:
        case Scan():
            return pattern if pattern.relation in live else None
        case OneOfSeveral():
            left = (_pattern(one, live) for one in pattern.alternatives)
            alternatives = tuple(one for one in left if one is not None)
            return replace(pattern, alternatives=alternatives) if alternatives else None
        case _:
            dead_operands = [operand for operand in positive_operands(pattern) if _pattern(operand, live) is None]
            return None if dead_operands else pattern


# ---------------------------------------------------------------- intervals


def _holds_for_rule(rule: HoldsForRule, live: Live) -> HoldsForRule | None:
    """The rule without parts that never hold; None if nothing is left, or nothing to evaluate it for."""
    conditions = _simplified(rule.conditions, live)
    if conditions is None:
        return None
    expression = _expression(rule.expression, live)
    evidence = tuple(one for one in rule.evidence if all(item.relation in live for item in one if isinstance(item, Of)))
    if expression == NOTHING or (rule.evidence and not evidence):
        return None
    return replace(rule, expression=expression, evidence=evidence, conditions=conditions)


def _expression(expression: Expression, live: Live) -> Expression:
    match expression:
        case Of():
            return expression if expression.relation in live else NOTHING
        case Lasting():
            part = _expression(expression.part, live)
            return NOTHING if part == NOTHING else replace(expression, part=part)
        case Relate():
            source, target = _expression(expression.source, live), _expression(expression.target, live)
            return NOTHING if NOTHING in (source, target) else replace(expression, source=source, target=target)
        case Combine():
            parts = tuple(_expression(part, live) for part in expression.parts)
            return combined(expression.op, parts, expression.within, expression.place)
