"""Simple fluents that are Boolean combinations of others become interval algebra, where that is proved.

Take a fluent f with one value, whose rules ask only for starts, ends and the state of fluents a1, ..., an, all of the
same grounding and at one time T. Between two starts or ends nothing happens, so all that f can depend on is the
step from the state s of a1, ..., an at T to their state t at the next point: a start of ai at T is "not in s, in t",
an end is "in s, not in t", and holdsAt(ai, T) is "in s". With I(s,t) and E(s,t) for "some rule initiates" and "some
rule terminates", inertia and "termination wins" say that f holds after the step iff

    (f held before or I(s,t)) and not E(s,t)

Before the history none of a1, ..., an holds, nor does f. So if f is a function g of their state, then g(0) is false,
and g(t) is what the step from 0 to t gives, for every t. The proof is to try all steps: if for every s and t with
s /= t the outcome from g(s) is g(t), then by induction over the steps f is g(a1, ..., an) at every point, and so are
their maximal intervals. g as interval algebra is a union of intersections without what must not hold; each of them has
something that holds, for g(0) is false. If one step fails, f is left as it is. That is often so: a rule that forgets
that a1 may end as a2 starts means something else than a union.

What must be so for starts and ends to be all the steps there are:
* nothing in a1, ..., an holds initially: that has no start. Nor does f, which would begin elsewhere than at g(0);
* no edge lies after the query time, where it has not happened yet: a durative input may tell of the future, so only
  simple fluents, and unions, intersections, differences and durations of such, are taken;
* f has no declared domain (what falls outside is counted where it is initiated), and is in no group: deadlines and
  circles are for the state machine.
Values of one simple fluent exclude each other, so that steps from or to two of them need no proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from itertools import combinations, product

from holdsfor.language.nodes import find_all
from holdsfor.plan.compiler.static import evidence_of
from holdsfor.plan.definitions import Definition, Simple, Static
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Of,
    Op,
    Relate,
    Relation,
    Without,
)
from holdsfor.plan.walk import complements
from holdsfor.plan.whole_plan import Plan

MOST = 4  # fluents that one is made of, and intersections in the outcome: beyond, rules are no dearer than algebra
State = frozenset[Relation]
Cube = tuple[State, State]
"""Relations that must hold, and others that must not."""


def boolean(plan: Plan) -> Plan:
    declared = {domain.relation for domain in plan.domains}
    exact: set[Relation] = set()
    inert: set[Relation] = set()
    made: list[Definition] = []
    for definition in plan.definitions:
        if isinstance(definition, Simple) and declared.isdisjoint(definition.relations):
            definition = _combination(definition, exact, inert) or definition
        if _is_exact(definition, exact):
            exact.update(definition.defines)
            inert.update(relation for fluent in definition.simple_fluents for relation in fluent.relations)
        made.append(definition)
    return replace(plan, definitions=tuple(made))


def _is_exact(definition: Definition, exact: Set[Relation]) -> bool:
    """Whether all its edges are steps: none before the history, none after the query time."""
    if isinstance(definition, Static):
        return all(_steps(rule.expression, exact) for rule in definition.rules)
    fluents = definition.simple_fluents
    return bool(fluents) and not any(any(fluent.initially) for fluent in fluents)


def _steps(expression: Expression, exact: Set[Relation]) -> bool:
    if any(find_all(expression, Relate)) or complements(expression):
        return False
    return all(part.relation in exact for part in find_all(expression, Of))


# ---------------------------------------------------------------- the proof


def _combination(fluent: Simple, exact: Set[Relation], inert: Set[Relation]) -> Static | None:
    if len(fluent.relations) != 1 or fluent.relations[0].kind != "fluent" or any(fluent.initially):
        return None
    ((begins,), (ends,)) = fluent.initiations, fluent.terminations
    rules = (*begins, *ends)
    relations = dict.fromkeys(node.relation for node in find_all(rules, RelationNode))
    if not 0 < len(relations) <= MOST or not all(_about_steps(rule, exact) for rule in rules):
        return None
    states = list(_states(tuple(relations), inert))
    true = _proved(begins, ends, states)
    if not true:
        return None
    cubes = _cubes(tuple(relations), true, [state for state in states if state not in true])
    if len(cubes) > MOST:
        return None
    rule = replace(_holds_for_rule(fluent.relations[0], cubes, tuple(relations)), place=begins[0].place)
    return Static(fluent.relations[0], (rule,))


def _about_steps(rule: Conclude, exact: Set[Relation]) -> bool:
    """Whether the rule waits for a start or end, and every condition is about the same grounding at the same time."""
    first = rule.chain[0] if rule.chain else None
    if not isinstance(first, At) or not all(isinstance(arg, str) for arg in rule.args):
        return False
    return len(set(rule.args)) == len(rule.args) and _same(rule.chain, rule, exact)


def _same(chain: Chain, rule: Conclude, exact: Set[Relation]) -> bool:
    def same(op: Op) -> bool:
        if isinstance(op, Without):
            return _same(op.chain, rule, exact)
        if not isinstance(op, At | Holding) or (isinstance(op, At) and op.what not in ("start", "end")):
            return False
        return op.relation in exact and op.args == rule.args and op.time == rule.time

    return all(map(same, chain))


def _states(relations: tuple[Relation, ...], inert: Set[Relation]) -> Iterator[State]:
    """The sets of relations that can hold together; the empty one first."""
    for size in range(len(relations) + 1):
        for chosen in combinations(relations, size):
            values = [relation.signature for relation in chosen if relation in inert]
            if len(set(values)) == len(values):
                yield frozenset(chosen)


def _proved(begins: tuple[Conclude, ...], ends: tuple[Conclude, ...], states: list[State]) -> Set[State]:
    """The states in which the fluent holds, if the state is all that it depends on; else none."""

    def after(held: bool, before: State, now: State) -> bool:
        starts = any(_fires(rule.chain, before, now) for rule in begins)
        return (held or starts) and not any(_fires(rule.chain, before, now) for rule in ends)

    nothing = states[0]
    true = {state for state in states[1:] if after(False, nothing, state)}
    steps = ((before, now) for before, now in product(states, states) if before != now)
    return true if all(after(before in true, before, now) == (now in true) for before, now in steps) else set()


def _fires(chain: Chain, before: State, now: State) -> bool:
    for op in chain:
        match op:
            case Without():
                fires = not _fires(op.chain, before, now)
            case Holding():
                fires = op.relation in before
            case At(what="start"):
                fires = op.relation in now - before
            case At():
                fires = op.relation in before - now
            case _:
                raise AssertionError(op)
        if not fires:
            return False
    return True


# ---------------------------------------------------------------- the outcome as algebra


def _cubes(relations: tuple[Relation, ...], true: Set[State], false: list[State]) -> list[Cube]:
    """Conjunctions that together are true in these states and in none of those: as few and as short as they come."""
    cubes: list[Cube] = []
    for signs in product((True, None, False), repeat=len(relations)):
        holds = frozenset(r for r, sign in zip(relations, signs, strict=True) if sign is True)
        fails = frozenset(r for r, sign in zip(relations, signs, strict=True) if sign is False)
        if not any(_covers((holds, fails), state) for state in false):
            cubes.append((holds, fails))
    cubes.sort(key=lambda cube: (len(cube[0]) + len(cube[1]), len(cube[1])))
    chosen: list[Cube] = []
    left = set(true)
    while left:
        best = max(cubes, key=lambda cube: sum(_covers(cube, state) for state in left))
        chosen.append(best)
        left -= {state for state in left if _covers(best, state)}
    return chosen


def _cube(holds: tuple[Expression, ...], fails: tuple[Expression, ...]) -> Expression:
    """Return where all of the first hold, and none of the others."""
    return Combine("difference", (Combine("intersection", holds).simplified(), *fails)).simplified()


def _covers(cube: Cube, state: State) -> bool:
    return cube[0] <= state and cube[1].isdisjoint(state)


def _holds_for_rule(head: Relation, cubes: list[Cube], order: tuple[Relation, ...]) -> HoldsForRule:
    variables = tuple(f"v{number}" for number in range(head.arity))

    def of(relations: State) -> tuple[Expression, ...]:
        return tuple(Of(relation, variables) for relation in order if relation in relations)

    parts = [_cube(of(holds), of(fails)) for holds, fails in cubes]
    expression = Combine("union", tuple(parts)).simplified()
    evidence = evidence_of(expression, (), frozenset(variables), False)
    assert evidence is not None
    return HoldsForRule(variables, variables, evidence, (), expression)
