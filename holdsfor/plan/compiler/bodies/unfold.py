"""Unfolding: a call of a background rule is replaced by the rule's body, one variant of the caller per clause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from holdsfor.language.description import Clause, Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.facts import FactTable, TermRows, join_tables
from holdsfor.language.literals import Aggregate, Call, Compare, Literal, Not, Or
from holdsfor.language.passes.order.combinations import check_term, combinations
from holdsfor.language.passes.order.graph import components
from holdsfor.language.terms import Compound, Term, Var, is_ground, name_and_args, variables
from holdsfor.plan.compiler.bodies.aggregates import united
from holdsfor.plan.compiler.bodies.rewrite import names_of, substitute, substitute_all

DEPTH = 200  # calls inside calls; what calls itself is not unfolded
NESTED = 4  # a negation or aggregate counts as so many calls: the plan has one inside the other, too


@dataclass(frozen=True, slots=True)
class Background:
    """Background knowledge: tables of ground facts, and rules to unfold."""

    facts: Mapping[Signature, FactTable]
    rules: Mapping[Signature, tuple[Clause, ...]]
    recursive: tuple[tuple[Signature, ...], ...] = ()  # groups that call themselves, each after those it calls
    worked_out: frozenset[Signature] = frozenset()  # the members of these groups

    def is_recursive(self, signature: Signature) -> bool:
        return signature in self.worked_out


def read_background(clauses: Iterable[Clause], tables: Iterable[FactTable] = ()) -> Background:
    facts: dict[Signature, dict[tuple[Term, ...], None]] = defaultdict(dict)
    rules: dict[Signature, list[Clause]] = defaultdict(list)
    for clause in clauses:
        name, args = name_and_args(clause.head)
        signature = Signature(name, len(args))
        if not clause.body and all(map(is_ground, args)):
            facts[signature][args] = None
        else:
            rules[signature].append(clause)
    made = {key: tuple(same_name) for key, same_name in rules.items()}
    recursive = tuple(_recursive(made))
    members = frozenset(signature for group in recursive for signature in group)
    listed = [TermRows(key, tuple(rows)) for key, rows in facts.items()]
    return Background(join_tables([*listed, *tables]), made, recursive, members)


def _recursive(rules: Mapping[Signature, tuple[Clause, ...]]) -> Iterator[tuple[Signature, ...]]:
    calls = {
        key: {s for clause in clauses for s in _calls(clause.body) if s in rules} for key, clauses in rules.items()
    }
    for group in components(calls):
        if len(group) > 1 or group[0] in calls[group[0]]:
            yield tuple(sorted(group))


def _calls(body: tuple[Literal, ...]) -> Iterator[Signature]:
    for literal in body:
        if isinstance(literal, Call):
            yield Signature.of(literal.goal)
        elif isinstance(literal, Not):
            yield from _calls(literal.literals)
        elif isinstance(literal, Or):
            for one in literal.alternatives:
                yield from _calls(one)


def unfold(
    literals: tuple[Literal, ...], background: Background, fresh: Iterator[int] | None = None
) -> list[tuple[Literal, ...]]:
    """The variants of a body, in which only facts are called."""
    return _unfold(literals, background, fresh or count(), DEPTH, counted=False)


def _unfold(
    literals: tuple[Literal, ...], background: Background, fresh: Iterator[int], depth: int, counted: bool
) -> list[tuple[Literal, ...]]:
    """counted: inside an aggregate, where each way to an answer counts. Elsewhere a condition written twice is one."""
    each = literals if counted else tuple(dict.fromkeys(literals))
    return combinations(each, [_alternatives(literal, background, fresh, depth, counted) for literal in each])


def _alternatives(
    literal: Literal, background: Background, fresh: Iterator[int], depth: int, counted: bool
) -> list[tuple[Literal, ...]]:
    if isinstance(literal, Not):
        # not (A or B) = not A and not B
        inner = _unfold(literal.literals, background, fresh, depth - NESTED, counted=False)
        return [tuple(dict.fromkeys(Not(variant, literal.place) for variant in inner))]
    if isinstance(literal, Or):
        return [variant for one in literal.alternatives for variant in _unfold(one, background, fresh, depth, counted)]
    if isinstance(literal, Aggregate):
        inner = _unfold(literal.literals, background, fresh, depth - NESTED, counted=True)
        return united(literal, inner, f"result~{next(fresh)}_")
    return _called(literal, background, fresh, depth, counted) if isinstance(literal, Call) else [(literal,)]


def _called(
    call: Call, background: Background, fresh: Iterator[int], depth: int, counted: bool
) -> list[tuple[Literal, ...]]:
    """Return the bodies of the clauses that match a call."""
    check_term(call.goal, call.place)
    name, args = name_and_args(call.goal)
    if name in ("fail", "false") and not args:
        return []
    if name == "true" and not args:
        return [()]
    signature = Signature(name, len(args))
    if background.is_recursive(signature):
        return [(call,)]  # worked out beforehand, and looked up like facts
    if depth <= 0:
        message = f"{signature} is called through {DEPTH} other predicates"
        hint = "write the conditions of some of them where they are called, or their cases as facts"
        raise Refusal("too-large", message, call.place, hint)
    variants: list[tuple[Literal, ...]] = [(call,)] if signature in background.facts else []
    for clause in background.rules.get(signature, ()):
        body = instance(clause, args, next(fresh))
        if body is not None:
            variants.extend(_unfold(body, background, fresh, depth - 1, counted))
    return variants


def instance(clause: Clause, goal: tuple[Term, ...], number: int) -> tuple[Literal, ...] | None:
    """The body of the clause for this call, None if it is about other terms.

    What a plain substitution cannot express becomes an equality in front.
    """
    binding: dict[str, Term] = {}
    equalities: list[tuple[Term, Term]] = []
    _, heads = name_and_args(clause.head)
    pairs = _matched(heads, goal)
    if pairs is None:
        return None
    for head, argument in pairs:
        if isinstance(head, Var) and head.name not in binding:
            binding[head.name] = argument
        else:
            equalities.append((head, argument))
    names = {v.name for head in heads for v in variables(head)} | {n for lit in clause.body for n in names_of(lit)}
    binding.update({name: Var(f"{name}~{number}") for name in sorted(names - binding.keys())})
    tests = tuple(Compare("=", argument, substitute(head, binding), clause.place) for head, argument in equalities)
    return tests + substitute_all(clause.body, binding)


def _matched(heads: tuple[Term, ...], goal: tuple[Term, ...]) -> list[tuple[Term, Term]] | None:
    """The arguments of a head beside those of a call, terms beside terms part by part; None if they cannot agree."""
    pairs: list[tuple[Term, Term]] = []
    for head, argument in zip(heads, goal, strict=True):
        if isinstance(head, Compound) and isinstance(argument, Compound):
            same = head.functor == argument.functor and len(head.args) == len(argument.args)
            parts = _matched(head.args, argument.args) if same else None
            if parts is None:
                return None
            pairs += parts
        else:
            pairs.append((head, argument))
    return pairs
