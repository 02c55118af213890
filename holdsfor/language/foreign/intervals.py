"""Other ways to write holdsFor rules: helpers that give intervals, equal lists of intervals, durations by findall.

A helper is a background clause with conditions about intervals: its conditions stand where a holdsFor rule calls it,
and a rule stands there for each of its clauses. `I = J` gives one name to both lists. A findall over the members of a
list of intervals that compares E - S with a number is a duration filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from holdsfor.language.draft import Draft
from holdsfor.language.nodes import find_all, map_terms
from holdsfor.language.parsing.syntax import Raw, RawClause
from holdsfor.language.reading.unfolding import conjuncts, joined, unfolded
from holdsfor.language.terms import (
    Atom,
    Compound,
    Items,
    Signature,
    Term,
    Var,
    name_and_args,
    substitute,
    variables,
)
from holdsfor.language.vocabulary import DURATIONS, FORMS

_RESULTS = {"holdsFor", "union_all", "intersect_all", "relative_complement_all", "complement_all", *DURATIONS}
_FILTERS: dict[str, str] = {op: name for name, op in reversed(DURATIONS.items())}
_TURNED = {">": "<", ">=": "=<", "<": ">", "=<": ">="}
_MOST = 64  # rules for one that calls helpers
_DEPTH = 20  # helpers that call helpers

Helpers = Mapping[Signature, list[RawClause]]


def interval_forms(draft: Draft) -> None:
    """Put the forms that the language has in the place of other ways to write holdsFor rules."""
    helpers = _find_helpers(draft.texts.raw)
    called: set[Signature] = set()
    raw: list[Raw] = []
    for clause in draft.texts.raw:
        if isinstance(clause, RawClause) and _is_rule(clause):
            raw += map(_with_one_name, (_with_filters(each) for each in _unfold(draft, clause, helpers, called)))
        else:
            raw.append(clause)
    draft.texts.raw = [each for each in raw if not (isinstance(each, RawClause) and _owner(each) in called)]


def _is_rule(clause: RawClause) -> bool:
    return clause.head.functor == "holdsFor" and len(clause.head.args) == 2 and clause.body is not None


def _owner(clause: RawClause) -> Signature | None:
    return Signature.of(clause.head) if clause.head.is_named else None


# ---------------------------------------------------------------- helpers


def _find_helpers(raw: Iterable[Raw]) -> Helpers:
    """Find the predicates of which a clause gives intervals, with all their clauses."""
    clauses: dict[Signature, list[RawClause]] = {}
    giving: set[Signature] = set()
    for clause in find_all(raw, RawClause):
        owner = _owner(clause)
        if owner is None or owner.name in FORMS or owner.name in DURATIONS:
            continue
        clauses.setdefault(owner, []).append(clause)
        if any(goal.functor in _RESULTS for goal in conjuncts(clause.body)):
            giving.add(owner)
    return {owner: clauses[owner] for owner in giving}


def _unfold(draft: Draft, clause: RawClause, helpers: Helpers, called: set[Signature]) -> list[RawClause]:
    """Return a rule for each way in which the helpers that it calls may give their intervals."""
    if not helpers or not _calls(clause, helpers):
        return [clause]
    bodies = list(islice(_bodies(draft, list(conjuncts(clause.body)), helpers, called, _DEPTH), _MOST + 1))
    if len(bodies) > _MOST:
        hint = "define a fluent for some of them, with a holdsFor rule of its own, and ask for that"
        draft.error("too-large", "the helpers that this rule calls make too many rules of it", clause.place, hint)
        return []
    return [replace(clause, body=joined(",", body, Atom("true", clause.place))) for body in bodies]


def _calls(clause: RawClause, helpers: Helpers) -> bool:
    return any(goal.is_named and Signature.of(goal) in helpers for goal in conjuncts(clause.body))


def _bodies(
    draft: Draft, goals: list[Term], helpers: Helpers, called: set[Signature], depth: int
) -> Iterator[list[Term]]:
    """Iterate over the conditions of a rule, with those of the clauses of helpers in the place of their calls."""
    ways: list[list[list[Term]]] = []
    for goal in goals:
        owner = Signature.of(goal) if goal.is_named else None
        if owner is None or owner not in helpers or depth == 0:
            ways.append([[goal]])
            continue
        called.add(owner)
        instances = (_instance(draft, clause, goal) for clause in helpers[owner])
        inner = [conditions for conditions in instances if conditions is not None]
        ways.append([body for each in inner for body in _bodies(draft, each, helpers, called, depth - 1)])
    for way in product(*ways):
        yield [goal for part in way for goal in part]


def _instance(draft: Draft, clause: RawClause, goal: Term) -> list[Term] | None:
    """Return the conditions of a helper's clause for what is asked; None if it gives nothing."""
    head = name_and_args(clause.head)[1]
    if any(isinstance(each, Items) and not each.items for each in head):
        return None  # a fallback: where there are no intervals it gives none
    whole = unfolded(draft, head, tuple(conjuncts(clause.body)), name_and_args(goal)[1], goal)
    return None if whole is None else list(conjuncts(whole))


# ---------------------------------------------------------------- equal lists of intervals


def _with_one_name(clause: RawClause) -> RawClause:
    """Leave out `I = J` between lists of intervals, and write I for J."""
    goals = list(conjuncts(clause.body))
    lists = {name for goal in goals for name in _lists(goal)} | set(variables(clause.head.args[1]))
    names: dict[str, Term] = {}
    for goal in goals:
        match goal:
            case Compound(functor="=" | "==", args=(Var() as left, Var() as right)) if {left, right} & lists:
                name, other = substitute(left, names), substitute(right, names)
                if isinstance(other, Var) and other != name:
                    moved = {other.name: name}
                    names = {each: substitute(term, moved) for each, term in names.items()} | moved
                lists |= {left, right}
    if not names:
        return clause
    whole = map_terms(clause, lambda term: substitute(term, names))
    goals = [goal for goal in conjuncts(whole.body) if not _is_identity(goal)]
    return replace(whole, body=joined(",", goals, Atom("true", clause.place)))


def _is_identity(goal: Term) -> bool:
    """Whether both sides of an equation are the same."""
    return goal.functor in ("=", "==") and goal.args[0] == goal.args[1]


def _lists(goal: Term) -> Iterator[Var]:
    """Iterate over the lists of intervals that a condition has."""
    if goal.functor == "holdsFor":
        yield from variables(goal.args[1:])
    elif goal.functor in _RESULTS:
        yield from variables(goal.args)


# ---------------------------------------------------------------- durations by findall


def _with_filters(clause: RawClause) -> RawClause:
    """Write duration filters for findalls that compare how long the intervals of a list are."""
    goals = list(conjuncts(clause.body))
    changed = [_filter(goal) or goal for goal in goals]
    return replace(clause, body=joined(",", changed, Atom("true", clause.place))) if changed != goals else clause


def _filter(goal: Term) -> Term | None:
    """Read findall((S,E), (member((S,E), I), D is E-S, D > 10), J); None for any other condition."""
    match goal:
        case Compound(
            functor="findall", args=(Compound(functor=",", args=(Var(), Var())) as pair, inner, Var() as result)
        ):
            conditions = list(conjuncts(inner))
        case _:
            return None
    if len(conditions) != 3 or conditions[0].functor != "member" or conditions[0].args[:1] != (pair,):
        return None
    length = Compound("-", (pair.args[1], pair.args[0]))
    match conditions[1:]:
        case [Compound(functor="is", args=(Var() as long, measured)), Compound(functor=op, args=(left, right))]:
            if measured != length or op not in _TURNED or long not in (left, right):
                return None
            name, bound = (_FILTERS[op], right) if left == long else (_FILTERS[_TURNED[op]], left)
            return Compound(name, (conditions[0].args[1], bound, result), goal.place)
    return None
