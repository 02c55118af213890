"""Unfolding: a call of a background rule is replaced by the rule's body, one variant of the caller per clause.

An aggregate over alternatives becomes one for each of them, and the rule puts their results together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from holdsfor.budget import MOST_CONDITIONS_OF_VARIANTS
from holdsfor.language.description import Clause, Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.facts import FactTable, TermRows, join_tables
from holdsfor.language.literals import Aggregate, Body, Call, Compare, Is, Literal, Not, Or, instance
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.combinations import check_term, combinations, count_conditions, raise_too_many
from holdsfor.language.passes.order.strata import components
from holdsfor.language.terms import Compound, Int, Place, Term, Var, is_ground, name_and_args

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
    calls = {key: {call.signature for call in find_all(clauses, Call)} & rules.keys() for key, clauses in rules.items()}
    for group in components(calls):
        if len(group) > 1 or group[0] in calls[group[0]]:
            yield tuple(sorted(group))


def unfold(literals: Body, background: Background, fresh: Iterator[int] | None = None) -> list[Body]:
    """The variants of a body, in which only facts are called."""
    return _unfold(literals, background, fresh or count(), DEPTH, counted=False)


def _unfold(literals: Body, background: Background, fresh: Iterator[int], depth: int, counted: bool) -> list[Body]:
    """counted: inside an aggregate, where each way to an answer counts. Elsewhere a condition written twice is one."""
    each = literals if counted else tuple(dict.fromkeys(literals))
    return combinations(each, [_alternatives(literal, background, fresh, depth, counted) for literal in each])


def _alternatives(
    literal: Literal, background: Background, fresh: Iterator[int], depth: int, counted: bool
) -> list[Body]:
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


def _called(call: Call, background: Background, fresh: Iterator[int], depth: int, counted: bool) -> list[Body]:
    """The bodies of the clauses that a call may mean."""
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
    variants: list[Body] = [(call,)] if signature in background.facts else []
    for clause in background.rules.get(signature, ()):
        body = instance(name_and_args(clause.head)[1], clause.body, args, clause.place, new_variables(fresh))
        if body is not None:
            variants.extend(_unfold(body, background, fresh, depth - 1, counted))
    return variants


def new_variables(fresh: Iterator[int]) -> Callable[[Var], Var]:
    """Return what makes variables with a number that no others have."""
    number = next(fresh)
    return lambda variable: Var(f"{variable.name}~{number}")


# ---------------------------------------------------------------- aggregates over alternatives


def united(whole: Aggregate, alternatives: Sequence[Body], prefix: str) -> list[Body]:
    """Conditions that stand for the aggregate over all the alternatives: a choice of several for the least of them.

    An answer that several alternatives give counts for each, as in Prolog. prefix: for names that are used nowhere
    else.
    """
    if len(alternatives) == 1:
        return [(replace(whole, literals=alternatives[0]),)]
    if whole.function in ("min", "max"):
        compared = len(alternatives) * sum(map(count_conditions, alternatives))
        if compared > MOST_CONDITIONS_OF_VARIANTS:
            raise_too_many(compared, whole.place)
        return [_best(whole, alternatives, chosen, prefix) for chosen in range(len(alternatives))]
    results = [Var(f"{prefix}{number}", whole.place) for number in range(len(alternatives))]
    each = (
        replace(whole, literals=literals, result=result) for literals, result in zip(alternatives, results, strict=True)
    )
    return [(*each, _given(whole, _sum(results, whole.place)))]


def _best(whole: Aggregate, alternatives: Sequence[Body], chosen: int, prefix: str) -> Body:
    """One alternative has the best; no other has a better one."""
    better = "<" if whole.function == "min" else ">"
    others: list[Literal] = []
    for number, literals in enumerate(alternatives):
        if number != chosen:
            result = Var(f"{prefix}{chosen}_{number}", whole.place)
            other = replace(whole, literals=literals, result=result)
            others.append(Not((other, Compare(better, result, whole.result, whole.place)), whole.place))
    return (replace(whole, literals=alternatives[chosen]), *others)


def _sum(results: Sequence[Var], place: Place) -> Term:
    total: Term = Int(0) if not results else results[0]
    for result in results[1:]:
        total = Compound("+", (total, result), place)
    return total


def _given(whole: Aggregate, total: Term) -> Literal:
    if isinstance(whole.result, Var):
        return Is(whole.result, total, whole.place)
    return Compare("=:=", total, whole.result, whole.place)
