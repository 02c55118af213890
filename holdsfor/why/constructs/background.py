"""Reasons out of background knowledge: facts with the place where they stand, and clauses that are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from holdsfor.engine.bodies.chain import run
from holdsfor.io.readers.ground import read_ground
from holdsfor.language.description import Clause
from holdsfor.language.terms import Place, Signature
from holdsfor.plan.definitions import Declared
from holdsfor.plan.operators import Chain, Lookup
from holdsfor.why.derivation import Derivation
from holdsfor.why.places import Goal, goal_text
from holdsfor.why.replay import Replay
from holdsfor.why.solutions import Solution, bind_head, each_row, written_with

ClosureRules = Sequence[tuple[Signature, Declared]]
Way = tuple[Declared, Solution, list[Goal]]
"""A clause that gives a claim, with the values of its variables, and the goals that it goes back to."""


def explain_lookup(op: Lookup, solution: Solution) -> Derivation:
    """Explain a background fact: it is one, or clauses that call themselves give it."""
    replay = solution.replay
    whole = replace(op, args=tuple(f"any {place}" if arg is None else arg for place, arg in enumerate(op.args)))
    for row in each_row(run((whole,), replay.world, solution.row)):
        op, solution = whole, solution.with_row(row)
        break
    claim, closures = _goal(op, solution), replay.program.plan.closures
    rules = [each for closure in closures for each in closure.rules]
    return _explain_closure(claim, rules, replay) if rules else _fact(claim, replay)


def _goal(op: Lookup, solution: Solution) -> Goal:
    return op.facts, tuple(solution.writer.arg(arg) for arg in op.args)


def _fact(claim: Goal, replay: Replay) -> Derivation:
    text = goal_text(claim)
    return Derivation("fact", text, rule=replay.background.fact_place(*claim)).having(fact=text)


def _explain_closure(first_claim: Goal, rules: ClosureRules, replay: Replay) -> Derivation:
    """Explain what clauses give that call themselves: by the goals that it goes back to, from facts on."""
    ways: dict[Goal, list[Way]] = {}
    nodes: dict[Goal, Derivation] = {}
    waiting = [first_claim]
    while waiting:
        claim = waiting.pop()
        if claim in ways or claim in nodes:
            continue
        ways[claim] = list(_ways(claim, rules, replay))
        if not ways[claim] or replay.background.is_written(claim):
            nodes[claim] = _fact(claim, replay)
        else:
            waiting += [below for _, _, goals in ways[claim] for below in goals]
    while first_claim not in nodes:
        before = dict(nodes)
        for claim, each in ways.items():
            for rule, inner, below in each if claim not in before else ():
                if before.keys() >= set(below):
                    nodes[claim] = _clause(claim, rule, inner, before)
        if len(before) == len(nodes):
            break
    return nodes.get(first_claim) or _fact(first_claim, replay)


def _ways(claim: Goal, rules: ClosureRules, replay: Replay) -> Iterator[tuple[Declared, Solution, list[Goal]]]:
    """Iterate over the clauses that may give a claim, each with the goals that it goes back to."""
    signature, args = claim
    for concluded, rule in rules:
        if concluded == signature:
            key = tuple(replay.code(read_ground(arg)) for arg in args)
            for row in each_row(run(rule.chain, replay.world, bind_head(rule, key, replay))):
                inner = Solution(replay, row, rule.names)
                yield rule, inner, [_goal(op, inner) for op in rule.chain if isinstance(op, Lookup)]


def _clause(claim: Goal, rule: Declared, inner: Solution, nodes: Mapping[Goal, Derivation]) -> Derivation:
    causes = tuple(nodes[_goal(op, inner)] for op in rule.chain if isinstance(op, Lookup))
    tests = tuple(Derivation("comparison", op.claim(inner.writer)) for op in rule.chain if not isinstance(op, Lookup))
    node = Derivation("call", goal_text(claim), rule=rule.place, bindings=inner.bindings(), causes=(*causes, *tests))
    return node.having(fact=node.what)


def as_calls(chain: Chain, causes: Sequence[Derivation], solution: Solution, rule: Place | None) -> list[Derivation]:
    """Return the causes of a rule with those together that a background clause asks for, where it is called."""
    background, grouped = solution.replay.background, list[Derivation]()
    open_calls: dict[tuple[Place, int], int] = {}
    seen: dict[Place, int] = {}
    for op, cause in zip(chain, causes, strict=True):
        clause = background.clause_of(op.place)
        if clause is None:
            grouped.append(cause)
            continue
        seen[op.place] = seen.get(op.place, 0) + 1
        about = (clause.place, seen[op.place])
        if about not in open_calls:
            open_calls[about] = len(grouped)
            grouped.append(_call(clause, solution, rule))
        place = open_calls[about]
        grouped[place] = replace(grouped[place], causes=(*grouped[place].causes, cause))
    return grouped


def _call(clause: Clause, solution: Solution, rule: Place | None) -> Derivation:
    call = solution.replay.background.call_of(clause, rule)
    claim = clause.head if call is None else call.subject
    text = written_with(claim, solution)
    return Derivation("call", text, rule=clause.place).having(fact=text)
