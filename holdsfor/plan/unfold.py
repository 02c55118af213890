"""Unfolding: a call of a background rule is replaced by the rule's body, one variant of the caller per clause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, product
from math import prod

from holdsfor.language.description import Aggregate, Call, Clause, Compare, Literal, Not, Or, Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.terms import Term, Var, is_ground, name_and_args, variables
from holdsfor.plan.aggregates import united
from holdsfor.plan.rewrite import names_of, substitute, substitute_all

DEPTH = 200  # calls inside calls; what calls itself is not unfolded
MOST = 2_000  # combinations of alternatives; each becomes a rule of its own


@dataclass(frozen=True, slots=True)
class Background:
    """Background knowledge: tables of ground facts, and rules to unfold."""

    facts: Mapping[Signature, tuple[tuple[Term, ...], ...]]
    rules: Mapping[Signature, tuple[Clause, ...]]
    recursive: tuple[tuple[Signature, ...], ...] = ()  # groups that call themselves, each after those it calls

    def is_recursive(self, signature: Signature) -> bool:
        return any(signature in group for group in self.recursive)


def background(clauses: Iterable[Clause]) -> Background:
    facts: dict[Signature, dict[tuple[Term, ...], None]] = defaultdict(dict)
    rules: dict[Signature, list[Clause]] = defaultdict(list)
    for clause in clauses:
        name, args = name_and_args(clause.head)
        signature = Signature(name, len(args))
        if not clause.body and all(map(is_ground, args)):
            facts[signature][args] = None
        else:
            rules[signature].append(clause)
    made = {key: tuple(found) for key, found in rules.items()}
    return Background({key: tuple(rows) for key, rows in facts.items()}, made, tuple(_recursive(made)))


def _recursive(rules: Mapping[Signature, tuple[Clause, ...]]) -> Iterator[tuple[Signature, ...]]:
    calls = {key: {s for clause in found for s in _called(clause.body) if s in rules} for key, found in rules.items()}

    def reached(start: Signature) -> set[Signature]:
        seen: set[Signature] = set()
        waiting = list(calls[start])
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting.extend(calls[one])
        return seen

    closure = {signature: reached(signature) for signature in rules}
    circular = [s for s in rules if s in closure[s]]
    groups = {tuple(sorted(o for o in circular if o in closure[s] and s in closure[o])) for s in circular}
    yield from sorted(groups, key=lambda group: len(closure[group[0]]))  # what is called reaches less


def _called(body: tuple[Literal, ...]) -> Iterator[Signature]:
    for literal in body:
        if isinstance(literal, Call):
            name, args = name_and_args(literal.goal)
            yield Signature(name, len(args))
        elif isinstance(literal, Not):
            yield from _called(literal.literals)
        elif isinstance(literal, Or):
            for one in literal.alternatives:
                yield from _called(one)


def unfold(
    literals: tuple[Literal, ...], known: Background, fresh: Iterator[int] | None = None
) -> list[tuple[Literal, ...]]:
    """The variants of a body, in which only facts are called."""
    return _unfold(literals, known, fresh or count(), DEPTH)


def _unfold(
    literals: tuple[Literal, ...], known: Background, fresh: Iterator[int], depth: int
) -> list[tuple[Literal, ...]]:
    alternatives = [_alternatives(literal, known, fresh, depth) for literal in literals]
    combinations = prod(map(len, alternatives))
    if combinations > MOST:
        message = f"the alternatives of these conditions make {combinations:,} combinations"
        hint = "define an event or a fluent for some of the alternatives, and ask for that"
        first = next(literal for literal, found in zip(literals, alternatives, strict=True) if len(found) > 1)
        raise Refusal("unsupported", message, first.place, hint)
    return [tuple(lit for part in choice for lit in part) for choice in product(*alternatives)]


def _alternatives(literal: Literal, known: Background, fresh: Iterator[int], depth: int) -> list[tuple[Literal, ...]]:
    if isinstance(literal, Not):
        # not (A or B) = not A and not B
        inner = _unfold(literal.literals, known, fresh, depth)
        return [tuple(Not(variant, literal.place) for variant in inner)]
    if isinstance(literal, Or):
        return [variant for one in literal.alternatives for variant in _unfold(one, known, fresh, depth)]
    if isinstance(literal, Aggregate):
        return united(literal, _unfold(literal.literals, known, fresh, depth), f"result~{next(fresh)}_")
    if not isinstance(literal, Call):
        return [(literal,)]
    name, args = name_and_args(literal.goal)
    if name in ("fail", "false") and not args:
        return []
    if name == "true" and not args:
        return [()]
    signature = Signature(name, len(args))
    if known.is_recursive(signature):
        return [(literal,)]  # worked out beforehand, and looked up like facts
    if depth == 0:
        message = f"{signature} is called through {DEPTH} other predicates"
        hint = "write the conditions of some of them where they are called, or their cases as facts"
        raise Refusal("unsupported", message, literal.place, hint)
    variants: list[tuple[Literal, ...]] = [(literal,)] if signature in known.facts else []
    for clause in known.rules.get(signature, ()):
        body = instance(clause, args, next(fresh))
        variants.extend(_unfold(body, known, fresh, depth - 1))
    return variants


def instance(clause: Clause, goal: tuple[Term, ...], number: int) -> tuple[Literal, ...]:
    """The body of the clause for this call. What a plain substitution cannot express becomes an equality in front."""
    binding: dict[str, Term] = {}
    equalities: list[tuple[Term, Term]] = []
    _, heads = name_and_args(clause.head)
    for head, argument in zip(heads, goal, strict=True):
        if isinstance(head, Var) and head.name not in binding:
            binding[head.name] = argument
        else:
            equalities.append((head, argument))
    names = {v.name for head in heads for v in variables(head)} | {n for lit in clause.body for n in names_of(lit)}
    binding.update({name: Var(f"{name}~{number}") for name in sorted(names - binding.keys())})
    tests = tuple(Compare("=", argument, substitute(head, binding), clause.place) for head, argument in equalities)
    return tests + substitute_all(clause.body, binding)
