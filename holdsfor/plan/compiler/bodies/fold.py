"""Folding: what is known before any data is put in its place: equalities, and facts that constants single out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from holdsfor.language.description import Signature
from holdsfor.language.literals import Body, Call, Compare, Literal, Not, names_of, positive_names, substitute_all
from holdsfor.language.passes.order.combinations import check_term
from holdsfor.language.terms import Compound, Items, Term, Var, is_ground, name_and_args, substitute, variables
from holdsfor.plan.compiler.bodies.unfold import Background

Head = tuple[Term, ...]
Binding = Mapping[str, Term]


def fold(body: Body, head: Head, background: Background, fixed: Set[str] = frozenset()) -> tuple[Body, Head] | None:
    """The body and head with known values put in; None if the body can never be true. fixed: names that must stay."""
    while True:
        step = _step(body, head, background, fixed)
        if step is None:
            break
        position, binding = step
        if binding is None:
            return None
        for term in binding.values():
            check_term(term, body[position].place)
        body = substitute_all(body[:position] + body[position + 1 :], binding)
        head = tuple(substitute(term, binding) for term in head)
    folded = _negations(body, head, background, fixed | positive_names(body) | head_names(head))
    return None if folded is None else (folded, head)


def _negations(body: Body, head: Head, background: Background, outer: Set[str]) -> Body | None:
    """Negations folded inside, where only their own variables may go; None if one of them is never true.

    One that is always true stays if it is all that reads an argument of an event, which may be null.
    """
    uses = Counter(name for literal in body for name in names_of(literal))
    uses.update(variable.name for term in head for variable in variables(term))
    folded: list[Literal] = []
    for literal in body:
        if not isinstance(literal, Not):
            folded.append(literal)
            continue
        inside = fold(literal.literals, (), background, outer)
        if inside is None:
            own = Counter(names_of(literal))
            folded += [literal] if any(uses[name] - count == 1 for name, count in own.items()) else []
            continue
        if not inside[0]:
            return None
        folded.append(replace(literal, literals=inside[0]))
    return tuple(folded)


def head_names(head: Iterable[Term]) -> set[str]:
    return {variable.name for term in head for variable in variables(term)}


def _step(body: Body, head: Head, background: Background, fixed: Set[str]) -> tuple[int, Binding | None] | None:
    """One literal that can go, with the substitution it stands for (None: it is never true)."""
    entities = fixed | head_names(head)  # they stay open, even if today's facts name only one of its kind
    for position, literal in enumerate(body):
        if isinstance(literal, Compare) and literal.op == "=":
            check_term(literal.left, literal.place)
            check_term(literal.right, literal.place)
            binding = unify(literal.left, literal.right, fixed)
            if binding is None or not binding.keys() & fixed:
                return position, binding
        elif isinstance(literal, Call) and not _worked_out(literal.goal, background):
            rows = _matching(literal.goal, background)
            if not rows:
                return position, None
            binding = unify_all(name_and_args(literal.goal)[1], rows[0]) if len(rows) == 1 else None
            if binding is not None and _singled_out(literal.goal) and not binding.keys() & entities:
                return position, binding
    return None


def _worked_out(goal: Term, background: Background) -> bool:
    return background.is_recursive(Signature.of(goal))


def _matching(goal: Term, background: Background) -> list[tuple[Term, ...]]:
    """The first two facts that agree with the constants of the call: none, one or several is all that matters."""
    table = background.facts.get(Signature.of(goal))
    constants = [(i, arg) for i, arg in enumerate(name_and_args(goal)[1]) if is_ground(arg)]
    return [] if table is None else table.matching(constants, 2)


def _singled_out(goal: Term) -> bool:
    """A table of one row stays a table, unless a constant asks for that row."""
    args = name_and_args(goal)[1]
    return not args or any(is_ground(arg) for arg in args)


# ---------------------------------------------------------------- unification


def unify(left: Term, right: Term, fixed: Set[str] = frozenset()) -> dict[str, Term] | None:
    """Return the values of variables that make two terms equal, of those not fixed where there is a choice; or None."""
    if left == right:
        return {}
    if isinstance(left, Var) and not (left.name in fixed and isinstance(right, Var)):
        return None if any(v.name == left.name for v in variables(right)) else {left.name: right}
    if isinstance(right, Var):
        return unify(right, left)
    if isinstance(left, Compound) and isinstance(right, Compound) and left.functor == right.functor:
        return unify_all(left.args, right.args, fixed)
    if isinstance(left, Items) and isinstance(right, Items):
        return unify_all(left.items, right.items, fixed)
    return None


def unify_all(left: tuple[Term, ...], right: tuple[Term, ...], fixed: Set[str] = frozenset()) -> dict[str, Term] | None:
    if len(left) != len(right):
        return None
    binding: dict[str, Term] = {}
    for one, other in zip(left, right, strict=True):
        more = unify(substitute(one, binding), substitute(other, binding), fixed)
        if more is None:
            return None
        binding = {name: substitute(term, more) for name, term in binding.items()} | more
    return binding
