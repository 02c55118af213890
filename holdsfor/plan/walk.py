"""Walking over a plan: what its definitions read, define and depend on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from holdsfor.language.description import Signature
from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Closure, Definition, DefinitionNode, Domain
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    HoldsForRule,
    Lookup,
    Occurring,
    Of,
    Op,
    Operator,
    Relation,
)
from holdsfor.plan.patterns import Moment
from holdsfor.plan.structures import flat as columns


def conclusions(definition: DefinitionNode) -> Iterator[Conclude]:
    """Iterate over the rules that conclude something at a time."""
    return find_all(definition, Conclude)


def interval_rules(definition: DefinitionNode) -> Iterator[HoldsForRule]:
    """Iterate over the rules that make intervals of others."""
    return find_all(definition, HoldsForRule)


def flat(chain: Chain) -> Iterator[Op]:
    """Iterate over the operators of a chain, with those inside negations and patterns."""
    return cast(Iterator[Op], find_all(chain, Operator))


def complements(expression: Expression) -> bool:
    """Whether a complement is in it, which also holds where its parts never did."""
    return any(part.op == "complement" for part in find_all(expression, Combine))


def reads(definition: Definition) -> Iterator[Relation]:
    """Iterate over the relations that a definition depends on, repeated as they occur."""
    return (node.relation for node in find_all(definition, RelationNode))


def facts_used(
    definitions: Iterable[Definition], domains: Iterable[Domain], closures: Iterable[Closure] = ()
) -> set[Signature]:
    """Return the facts that are looked up, and those that closures make."""
    closures = tuple(closures)
    made = {signature for closure in closures for signature, _ in closure.rules}
    return made | {op.facts for op in find_all([*definitions, *domains, *closures], Lookup)}


def ranges_over_domain(definition: Definition) -> bool:
    """Whether it holds for groundings that the data may not mention: initially, or by their declaration."""
    if any(any(fluent.initially) for fluent in definition.simple_fluents):
        return True
    if any(not any(map(_happens, rule.chain)) for rule in conclusions(definition)):
        return True  # at a time that the rule itself names
    return any(complements(rule.expression) and not _from_data(rule) for rule in interval_rules(definition))


def _happens(op: Op) -> bool:
    """Whether it is true only where something happens."""
    return isinstance(op, At) or (isinstance(op, Occurring) and op.pattern.needs_events())


def names_times(definition: Definition) -> bool:
    """Whether its rules name times by themselves, at which they conclude something though nothing happens."""
    return any(
        any(find_all(rule, Moment)) or not any(isinstance(op, At | Occurring) for op in rule.chain)
        for rule in conclusions(definition)
    )


def _from_data(rule: HoldsForRule) -> bool:
    """Whether every grounding is one that the data mention."""
    return bool(rule.evidence) and all(any(find_all(alternative, Of)) for alternative in rule.evidence)


def widest_key(definitions: Iterable[Definition]) -> int:
    """Return the most columns that relations and conditions have, where each part of a term is a column."""
    widths = [1]
    for definition in definitions:
        widths += [relation.arity for relation in definition.defines]
        widths += [len(columns(op.args)) for op in find_all(definition, Lookup)]
        widths += [len(columns(node.args)) for node in find_all(definition, RelationNode) if not isinstance(node, Of)]
    return max(widths)
