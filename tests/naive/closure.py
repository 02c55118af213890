"""Background predicates that call themselves, as the facts that they come to: applied until nothing new comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdsfor.language.description import Clause, Signature
from holdsfor.language.literals import Call
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE, Term
from tests.naive.calculate import names, substitute

if TYPE_CHECKING:
    from tests.naive.solve import World


def close(world: World) -> None:
    """Replaces the clauses of such predicates, one circle after the other that asks only for facts."""
    waiting = _recursive(world.background)
    while waiting:
        ready = [each for each in waiting if not (_reached(world.background, each) & waiting - _circle(world, each))]
        for owner in ready[:1]:
            circle = _circle(world, owner)
            _saturate(world, circle)
            waiting -= circle


def _saturate(world: World, circle: set[Signature]) -> None:
    rules = [clause for clause in world.background if _owner(clause.head) in circle]
    others = [clause for clause in world.background if _owner(clause.head) not in circle]
    facts: dict[Term, Clause] = {}
    while True:
        world.background = [*others, *facts.values()]
        heads = [
            substitute(rule.head, found) for rule in rules for found in world.solve(rule.body, {}, names(rule.head))
        ]
        fresh = [head for head in heads if head not in facts]
        if not fresh:
            return
        facts |= {head: Clause(head, (), NOWHERE) for head in fresh}


def _recursive(background: Sequence[Clause]) -> set[Signature]:
    owners = {_owner(clause.head) for clause in background if clause.body}
    return {owner for owner in owners if owner in _reached(background, owner)}


def _circle(world: World, owner: Signature) -> set[Signature]:
    reached = _reached(world.background, owner)
    return {each for each in reached if owner in _reached(world.background, each)}


def _reached(background: Sequence[Clause], owner: Signature) -> set[Signature]:
    """The predicates that one calls, directly or through others."""
    found: set[Signature] = set()
    waiting = [owner]
    while waiting:
        current = waiting.pop()
        for clause in background:
            if _owner(clause.head) == current:
                calls = {_owner(each.goal) for each in find_all(clause.body, Call)} - found
                found |= calls
                waiting += calls
    return found


def _owner(term: Term) -> Signature:
    from tests.naive.solve import signature

    return signature(term)
