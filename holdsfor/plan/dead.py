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

from holdsfor.plan.constant import contradict, truth
from holdsfor.plan.operators import (
    At,
    Chain,
    Closure,
    Combine,
    Conclude,
    Declared,
    Definition,
    Derived,
    Due,
    Expression,
    Group,
    Holding,
    Lasting,
    Of,
    Op,
    Pattern,
    Plan,
    Relate,
    Relation,
    Simple,
    Static,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.static import NOTHING, combined
from holdsfor.plan.walk import defines, facts_used, reads, simple_of

Live = Set[Relation]


def dead(plan: Plan) -> Plan:
    declared = {domain.relation for domain in plan.domains}
    live = _live(plan)
    whole = [definition for definition in plan.definitions if _counted(definition, declared)]
    kept = [definition if definition in whole else _pruned(definition, live) for definition in plan.definitions]
    definitions = tuple(_wanted(kept, {*live, *(relation for each in whole for relation in defines(each))}))
    left = {relation for definition in definitions for relation in defines(definition)}
    domains = tuple(domain for domain in plan.domains if domain.relation in left)
    made = replace(plan, definitions=definitions, domains=domains)
    return replace(made, closures=tuple(_called(made)))


def _counted(definition: Definition, declared: Live) -> bool:
    """A group counts what its rules would initiate outside its declared domain, whatever the state: all of it stays."""
    return isinstance(definition, Group) and not declared.isdisjoint(defines(definition))


def _wanted(definitions: list[Definition], stay: Live) -> Iterator[Definition]:
    """What must stay, and what is read by what is left."""
    wanted, before = set(stay), set[Relation]()
    while wanted != before:
        before = set(wanted)
        wanted |= {r for d in definitions if not wanted.isdisjoint(defines(d)) for r in reads(d)}
    for definition in definitions:
        if isinstance(definition, Simple):
            definition = _values(definition, wanted)
        elif isinstance(definition, Group):
            fluents = tuple(_values(fluent, wanted) for fluent in definition.fluents)
            definition = replace(definition, fluents=tuple(fluent for fluent in fluents if fluent.relations))
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
    for closure in reversed(plan.closures):
        wanted = facts_used(plan.definitions, plan.domains, kept)
        if any(signature in wanted for signature, _ in closure.rules):
            kept.insert(0, closure)
    yield from kept


# ---------------------------------------------------------------- what is live


def _live(plan: Plan) -> Live:
    defined = {relation for definition in plan.definitions for relation in defines(definition)}
    read = {relation for definition in plan.definitions for relation in reads(definition)}
    live = (read - defined) | {relation for source in plan.sources for relation in source.relations}
    before: set[Relation] = set()
    while live != before:
        before = set(live)
        for definition in plan.definitions:
            live.update(_gives(definition, live))
    return live


def _gives(definition: Definition, live: Live) -> Iterator[Relation]:
    match definition:
        case Derived():
            if any(_possible(rule.chain, live) for rule in definition.rules):
                yield definition.relation
        case Static():
            if any(_pattern(pattern, live) for pattern in definition.patterns):
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


def _due(due: Due, live: Live) -> bool:
    return due.source in live and _possible(due.conditions, live)


def _possible(chain: Chain, live: Live) -> bool:
    return not contradict(op for op in chain if isinstance(op, Where)) and all(_may_be(op, live) for op in chain)


def _may_be(op: Op, live: Live) -> bool:
    match op:
        case At() | Holding():
            return op.relation in live
        case Where():
            return truth(op) is not False
        case Without():
            return not _possible(op.chain, live) or bool(_simplified(op.chain, live))
        case Tally():  # the count of nothing is 0, but it has no least
            return op.function in ("count", "sum") or _possible(op.chain, live)
        case _:
            return True


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
        case Static():
            patterns = (_pattern(pattern, live) for pattern in definition.patterns)
            return replace(definition, patterns=tuple(dict.fromkeys(filter(None, patterns))))


def _rules(rules: Iterable[Conclude], live: Live) -> tuple[Conclude, ...]:
    possible = (rule for rule in rules if _possible(rule.chain, live))
    return tuple(dict.fromkeys(replace(rule, chain=_simplified(rule.chain, live)) for rule in possible))


def _simplified(chain: Chain, live: Live) -> Chain:
    """Without comparisons and negations that are always true."""
    kept: list[Op] = []
    for op in chain:
        if isinstance(op, Where) and truth(op) is True:
            continue
        if isinstance(op, Without):
            if not _possible(op.chain, live):
                continue
            op = Without(_simplified(op.chain, live))
        kept.append(op)
    return tuple(kept)


# ---------------------------------------------------------------- intervals


def _pattern(pattern: Pattern, live: Live) -> Pattern | None:
    """The rule without parts that never hold; None if nothing is left, or nothing to evaluate it for."""
    if not _possible(pattern.conditions, live):
        return None
    expression = _expression(pattern.expression, live)
    evidence = tuple(
        one for one in pattern.evidence if all(item.relation in live for item in one if isinstance(item, Of))
    )
    if expression == NOTHING or (pattern.evidence and not evidence):
        return None
    conditions = _simplified(pattern.conditions, live)
    return replace(pattern, expression=expression, evidence=evidence, conditions=conditions)


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
            return combined(expression.op, tuple(_expression(part, live) for part in expression.parts))
