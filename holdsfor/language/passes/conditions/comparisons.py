"""Comparisons that cannot be meant: terms that are never equal, and dates, which rules would subtract."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime

from holdsfor.language.draft import Draft
from holdsfor.language.literals import Compare, Is, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.names.predicates import bodies
from holdsfor.language.passes.order.strata import mentions
from holdsfor.language.reading.arithmetic import date_hint, not_arithmetic
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var, variables
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.language.written import written

EARLIEST = 1900  # years that are taken for years


def comparisons(draft: Draft) -> None:
    for body in bodies(draft):
        for literal in find_all(body, Literal):
            if isinstance(literal, Compare):
                _check_dates(draft, literal.left, literal.right)
                if literal.op in ("=", "==") and not can_be_equal(literal.left, literal.right):
                    _warn(draft, literal)
            elif isinstance(literal, Is):
                _check_dates(draft, literal.expression)
    for rule in draft.rules:
        _check_assignments(draft, [rule.subject, *([] if rule.value is None else [rule.value])], rule.body)
    for pattern in draft.patterns:
        _check_assignments(draft, [pattern.head], pattern.body)


def _check_assignments(draft: Draft, head: list[Term], body: tuple[Literal, ...]) -> None:
    """Refuse `D = X*2` where D is an argument: it would be the term `X*2`."""
    arguments = {variable for term in (*head, *_matched(body)) for variable in variables(term)}
    for literal in find_all(body, Literal):
        if isinstance(literal, Compare) and literal.op == "=":
            for name, sum_ in ((literal.left, literal.right), (literal.right, literal.left)):
                if (
                    isinstance(name, Var)
                    and name in arguments
                    and _is_calculation(sum_)
                    and not list(not_arithmetic(sum_))
                ):
                    text = f"{written(name)} is {written(sum_)}"
                    message = f"`=` compares terms and calculates nothing: {written(name)} would be `{written(sum_)}`"
                    draft.error("argument", message, literal.place, f"write {text}")


def _matched(body: tuple[Literal, ...]) -> Iterator[Term]:
    """The events and fluents of a body, and the values of these."""
    for literal in mentions(body):
        yield literal.subject
        yield from () if literal.value is None else (literal.value,)


def can_be_equal(left: Term, right: Term) -> bool:
    """Whether some values of their variables make them the same term."""
    if isinstance(left, Compound) and isinstance(right, Compound):
        alike = left.functor == right.functor and len(left.args) == len(right.args)
        return alike and all(map(can_be_equal, left.args, right.args))
    if isinstance(left, Atom | Compound | Int | Float) and isinstance(right, Atom | Compound | Int | Float):
        return left == right and type(left) is type(right)
    return True


def _warn(draft: Draft, literal: Compare) -> None:
    left, right = written(literal.left), written(literal.right)
    if any(map(_is_calculation, (literal.left, literal.right))):
        message = f"`{literal.op}` compares terms and calculates nothing: `{left}` is never equal to `{right}`"
        hint = f"write {left} =:= {right}"
    else:
        message = f"`{left}` is never equal to `{right}`"
        hint = f"compare with a variable; to ask for a fluent, write holdsAt({left}={right}, T)"
    draft.warning("never", message, literal.place, hint)


def _is_calculation(term: Term) -> bool:
    return isinstance(term, Compound) and (term.functor, len(term.args)) in FUNCTIONS


def _check_dates(draft: Draft, *terms: Term) -> None:
    for term in terms:
        for subtraction, day in _dates(term):
            message = f"`{day}` is no date here, but {day.year} less {day.month} and {day.day}"
            draft.error("type", message, subtraction.place, date_hint(datetime(day.year, day.month, day.day)))


def _dates(term: Term) -> Iterator[tuple[Term, date]]:
    """Numbers that are subtracted and look like a year, a month and a day."""
    match term:
        case Compound(functor="-", args=(Compound(functor="-", args=(Int() as year, Int() as month)), Int() as day)):
            with suppress(ValueError):  # no such day
                if year.value >= EARLIEST:
                    yield term, date(year.value, month.value, day.value)
        case Compound():
            for arg in term.args:
                yield from _dates(arg)
