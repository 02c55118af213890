"""Folding: what is known before any data is put in place: equalities, facts with constant arguments, times as expressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from holdsfor.language.description import Call, Compare, Edge, Happens, Holds, Is, Literal, Not, Signature
from holdsfor.language.terms import Term, Var, is_ground, name_and_args
from holdsfor.plan.rewrite import Substitution, substitute, substitute_all
from holdsfor.plan.unfold import Background


def fold(
    body: tuple[Literal, ...], head: tuple[Term, ...], known: Background
) -> tuple[tuple[Literal, ...], tuple[Term, ...]] | None:
    """The body and head with known values put in; None if the body can never be true."""
    body = name_times(body)
    while True:
        step = _step(body, known)
        if step is None:
            return body, head
        if step == "never":
            return None
        position, binding = step
        body = substitute_all(body[:position] + body[position + 1 :], binding)
        head = tuple(substitute(term, binding) for term in head)


def _step(body: tuple[Literal, ...], known: Background) -> tuple[int, Substitution] | str | None:
    """One literal that can go, with the substitution it stands for."""
    for position, literal in enumerate(body):
        binding = None
        if isinstance(literal, Compare) and literal.op == "=":
            binding = _equal(literal.left, literal.right)
        elif isinstance(literal, Call):
            binding = _fact(literal.goal, known)
        if binding == "never":
            return "never"
        if isinstance(binding, dict):
            return position, binding
    return None


def _equal(left: Term, right: Term) -> dict[str, Term] | str | None:
    if isinstance(left, Var):
        return {left.name: right} if left != right else {}
    if isinstance(right, Var):
        return {right.name: left}
    if is_ground(left) and is_ground(right):
        return {} if left == right else "never"
    return None


def _fact(goal: Term, known: Background) -> dict[str, Term] | str | None:
    """The only fact that can be meant, if the constant arguments single it out."""
    name, args = name_and_args(goal)
    fixed = [(i, arg) for i, arg in enumerate(args) if is_ground(arg)]
    rows = known.facts.get(Signature(name, len(args)), ())
    if not rows:
        return "never"
    if not fixed or not all(is_ground(arg) or isinstance(arg, Var) for arg in args):
        return None
    matching = [row for row in rows if all(row[i] == arg for i, arg in fixed)]
    if not matching:
        return "never"
    names = [arg.name for arg in args if isinstance(arg, Var)]
    if len(matching) > 1 or len(set(names)) < len(names):
        return None
    return {arg.name: value for arg, value in zip(args, matching[0], strict=True) if isinstance(arg, Var)}


def name_times(body: tuple[Literal, ...], fresh: Iterator[int] | None = None) -> tuple[Literal, ...]:
    """Every time is a variable: `holdsAt(f, T+60)` becomes `T' is T+60, holdsAt(f, T')`."""
    fresh = fresh or count()
    named: list[Literal] = []
    for literal in body:
        if isinstance(literal, Not):
            named.append(replace(literal, literals=name_times(literal.literals, fresh)))
        elif isinstance(literal, Happens | Edge | Holds) and not isinstance(literal.time, Var):
            time = Var(f"time~{next(fresh)}", literal.place)
            named += [Is(time, literal.time, literal.place), replace(literal, time=time)]
        else:
            named.append(literal)
    return tuple(named)


