"""Walking over a plan: the operators of chains and definitions, flat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.description import Signature
from holdsfor.plan.definitions import Closure, Definition, Derived, Domain, Group, Recursion, Simple, Static
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Lasting,
    Lookup,
    Occurring,
    Of,
    Op,
    Relate,
    Relation,
    Tally,
    Without,
)
from holdsfor.plan.patterns import Moment, conditions_of, needs_events, scans, subpatterns
from holdsfor.plan.structures import flat as columns


def conclusions(definition: Definition) -> Iterator[Conclude]:
    match definition:
        case Simple():
            for rules in (*definition.initiations, *definition.terminations):
                yield from rules
        case Group():
            for fluent in definition.fluents:
                yield from conclusions(fluent)
        case Derived():
            yield from definition.rules
        case Recursion():
            for event in definition.events:
                yield from event.rules
        case Static():
            return


def flat(chain: Chain) -> Iterator[Op]:
    """The operators of a chain, those inside negations and patterns too."""
    for op in chain:
        yield op
        if isinstance(op, Without | Tally):
            yield from flat(op.chain)
        elif isinstance(op, Occurring):
            for inside in conditions_of(op.pattern):
                yield from flat(inside)


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of."""
    yield expression
    match expression:
        case Combine():
            operands: tuple[Expression, ...] = expression.parts
        case Lasting():
            operands = (expression.part,)
        case Relate():
            operands = (expression.source, expression.target)
        case _:
            operands = ()
    for operand in operands:
        yield from subexpressions(operand)


def parts(expression: Expression) -> Iterator[Of]:
    """The fluents of the expression, from left to right."""
    return (part for part in subexpressions(expression) if isinstance(part, Of))


def simple_of(definition: Definition) -> tuple[Simple, ...]:
    """The simple fluents that are defined there."""
    if isinstance(definition, Group):
        return definition.fluents
    return (definition,) if isinstance(definition, Simple) else ()


def complements(expression: Expression) -> bool:
    """Whether a complement is in it, which also holds where its parts never did."""
    return any(isinstance(part, Combine) and part.op == "complement" for part in subexpressions(expression))


def carriers_of(expression: Expression) -> frozenset[Relation] | None:
    """Relations of which one holds wherever the expression does, at the same time; None: there are none to name."""
    match expression:
        case Of():
            return frozenset([expression.relation])
        case Lasting():
            return carriers_of(expression.part)
        case Combine(op="difference"):
            return carriers_of(expression.parts[0])
        case Combine(op="union"):
            each = [carriers_of(part) for part in expression.parts]
            return None if None in each else frozenset(relation for some in each for relation in some or ())
        case Combine(op="intersection"):
            known = [some for some in map(carriers_of, expression.parts) if some is not None]
            return min(known, key=len, default=None)
        case _:
            return None  # a complement holds by itself; Allen's relations give what is over when the other comes


def holds_unseen(expression: Expression) -> bool:
    """Whether it may hold for a grounding that none of its parts has ever had: because of a complement."""
    match expression:
        case Lasting():
            return holds_unseen(expression.part)
        case Relate():
            return holds_unseen(expression.source) and holds_unseen(expression.target)
        case Combine(op="complement"):
            return expression.within is None
        case Combine(op="union"):
            return any(map(holds_unseen, expression.parts))
        case Combine(op="difference"):
            return bool(expression.parts) and holds_unseen(expression.parts[0])
        case Combine():
            return bool(expression.parts) and all(map(holds_unseen, expression.parts))
    return False


def chains(definition: Definition) -> Iterator[Chain]:
    for conclusion in conclusions(definition):
        yield conclusion.chain
    for fluent in simple_of(definition):
        yield from (rule.chain for rules in fluent.initially for rule in rules)
    if isinstance(definition, Group):
        yield from (due.conditions for due in definition.deadlines)
    if isinstance(definition, Static):
        for rule in definition.rules:
            yield rule.conditions


def defines(definition: Definition) -> tuple[Relation, ...]:
    if isinstance(definition, Static | Derived):
        return (definition.relation,)
    if isinstance(definition, Recursion):
        return tuple(event.relation for event in definition.events)
    reached = tuple(event for _, event in definition.reached) if isinstance(definition, Group) else ()
    return (*(relation for fluent in simple_of(definition) for relation in fluent.relations), *reached)


def reads(definition: Definition) -> Iterator[Relation]:
    """The relations that a definition depends on, repeated as they occur."""
    for chain in chains(definition):
        for op in flat(chain):
            if isinstance(op, At | Holding):
                yield op.relation
            elif isinstance(op, Occurring):
                yield from (scan.relation for scan in scans(op.pattern))
    if isinstance(definition, Static):
        for rule in definition.rules:
            yield from (part.relation for part in parts(rule.expression))


def facts_used(
    definitions: Iterable[Definition], domains: Iterable[Domain], closures: Iterable[Closure] = ()
) -> set[Signature]:
    every = [chain for definition in definitions for chain in chains(definition)]
    every += [rule.chain for domain in domains for rule in domain.rules]
    every += [rule.chain for closure in closures for _, rule in closure.rules]
    own = {signature for closure in closures for signature, _ in closure.rules}
    return own | {op.facts for chain in every for op in flat(chain) if isinstance(op, Lookup)}


def ranges_over_domain(definition: Definition) -> bool:
    """Whether it holds for groundings that the data may not mention: initially, or by their declaration."""
    if any(any(fluent.initially) for fluent in simple_of(definition)):
        return True
    if any(not any(map(_happens, rule.chain)) for rule in conclusions(definition)):
        return True  # at a time that the rule itself names
    if not isinstance(definition, Static):
        return False
    return any(complements(p.expression) and not _from_data(p) for p in definition.rules)


def _happens(op: Op) -> bool:
    """Whether it is true only where something happens."""
    return isinstance(op, At) or (isinstance(op, Occurring) and needs_events(op.pattern))


def names_times(definition: Definition) -> bool:
    """Whether its rules name times by themselves, at which they conclude something though nothing happens."""
    for rule in conclusions(definition):
        patterns = [op.pattern for op in flat(rule.chain) if isinstance(op, Occurring)]
        if not patterns and not any(isinstance(op, At) for op in rule.chain):
            return True
        if any(isinstance(part, Moment) for pattern in patterns for part in subpatterns(pattern)):
            return True
    return False


def _from_data(rule: HoldsForRule) -> bool:
    """Whether every grounding is one that the data mention."""
    return bool(rule.evidence) and all(any(isinstance(o, Of) for o in one) for one in rule.evidence)


def widest_key(definitions: Iterable[Definition]) -> int:
    """The most columns that relations and conditions have, where each part of a term is a column."""
    widths = [1]
    for definition in definitions:
        widths += [relation.arity for relation in defines(definition)]
        ops = (op for chain in chains(definition) for op in flat(chain))
        for op in ops:
            if isinstance(op, At | Holding | Lookup):
                widths.append(len(columns(op.args)))
            elif isinstance(op, Occurring):
                widths += [len(columns(scan.args)) for scan in scans(op.pattern)]
    return max(widths)
