"""Comparisons that cannot be meant: terms that are never equal, dates, which rules would subtract, and conditions that
can never be true together: `X >= 5, X < 3`.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from operator import eq, ge, gt, le, lt, ne

from holdsfor.language.description import Rule, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Body, Call, Compare, Is, Literal, Mention, Or, Statement
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.durations import date_hint
from holdsfor.language.patterns import PatternRule, is_calculated
from holdsfor.language.reading.elsewhere import function_hint, is_function_elsewhere, not_arithmetic
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var, overlap, variables
from holdsfor.language.written import written

EARLIEST = 1900  # years that are taken for years


def comparisons(draft: Draft) -> None:
    for body in draft.bodies:
        for literal in find_all(body, Literal):
            if isinstance(literal, Compare | Is):
                _check_dates(draft, *literal.terms)
        for literal in find_all(body, Compare):
            if literal.op in ("=", "==") and not overlap(literal.left, literal.right):
                _warn(draft, literal)
    terms = _named_terms(draft)
    for rule in draft.rules_in_time:
        _check_assignments(draft, rule, terms)


def _check_assignments(draft: Draft, rule: Rule | PatternRule, terms: Set[Signature]) -> None:
    """Refuse `D = X*2` where D is an argument: it would be the term `X*2`. terms: those that rules name elsewhere."""
    matched = set(variables(_matched(rule.body)))
    arguments = matched.union(variables(filter(None, rule.about[1:])))
    for literal in find_all(rule.body, Compare):
        for name, value in ((literal.left, literal.right), (literal.right, literal.left)):
            if literal.op == "=" and isinstance(value, Compound) and name in arguments:
                is_wrong = _check_value(draft, literal, written(name), value, terms)
                if (
                    not is_wrong
                    and name not in matched
                    and not is_calculated(value)
                    and Signature.of(value) not in terms
                ):
                    _warn_of_term(draft, literal, written(name), value)


def _check_value(draft: Draft, literal: Compare, name: str, value: Compound, terms: Set[Signature]) -> bool:
    """Whether a function was meant, which is an error."""
    text, wrong = written(value), list(not_arithmetic(value))
    message = f"`=` compares terms and calculates nothing: {name} would be `{text}`"
    foreign = [part for part, _, _ in wrong if is_function_elsewhere(part) and Signature.of(part) not in terms]
    if foreign:
        message = f"{message}; {Signature.of(foreign[0])} is not a function of arithmetic"
        draft.error("argument", message, literal.place, f"to calculate {name}, {function_hint(foreign[0])}")
    elif is_calculated(value) and not wrong:
        draft.error("argument", message, literal.place, f"write {name} is {text}")
    else:
        return False
    return True


def _warn_of_term(draft: Draft, literal: Compare, name: str, value: Compound) -> None:
    message = f"{name} would be the term `{written(value)}`: {Signature.of(value)} is not a function of arithmetic"
    hint = f"if the term is meant, write it where {name} stands; to calculate, {function_hint(value)}"
    draft.warning("argument", message, literal.place, hint)


def _named_terms(draft: Draft) -> set[Signature]:
    """Find the terms that are arguments of heads, conditions and facts."""
    subjects = [each.about.term for each in chain[Statement](draft.rules_in_time, draft.background)]
    for body in draft.bodies:
        subjects += [*_matched(body), *(call.goal for call in find_all(body, Call))]
    args = [arg for subject in subjects for arg in subject.children]
    args += [rule.value for rule in draft.rules if rule.value is not None]
    return {Signature.of(term) for term in find_all(args, Compound)}


def _matched(body: Body) -> Iterator[Term]:
    """The events and fluents of a body, and the values of these."""
    for literal in find_all(body, Mention):
        yield literal.subject
        yield from () if literal.value is None else (literal.value,)


def _warn(draft: Draft, literal: Compare) -> None:
    left, right = written(literal.left), written(literal.right)
    if any(map(is_calculated, (literal.left, literal.right))):
        message = f"`{literal.op}` compares terms and calculates nothing: `{left}` is never equal to `{right}`"
        hint = f"write {left} =:= {right}"
    else:
        message = f"`{left}` is never equal to `{right}`"
        hint = f"compare with a variable; to ask for a fluent, write holdsAt({left}={right}, T)"
    draft.warning("never", message, literal.place, hint)


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


_TESTS = {"<": lt, "=<": le, ">": gt, ">=": ge, "\\=": ne, "\\==": ne, "=\\=": ne, "=": eq, "==": eq, "=:=": eq}
_FLIPPED = {"<": ">", ">": "<", "=<": ">=", ">=": "=<"}
_LOWER, _UPPER = (">", ">="), ("<", "=<")
_Kind = tuple[str, float | str]


@dataclass(frozen=True, slots=True)
class ValueBound:
    """A comparison of a variable with a constant, and how it is written."""

    op: str
    constant: float | str
    text: str

    def admits(self, value: float | str) -> bool:
        if isinstance(value, str) != isinstance(self.constant, str):
            return _TESTS[self.op] is not eq
        return bool(_TESTS[self.op](value, self.constant))

    def excludes(self, other: ValueBound) -> bool:
        """Whether no value passes both."""
        if _TESTS[self.op] is eq:
            return not other.admits(self.constant)
        if _TESTS[other.op] is eq:
            return not self.admits(other.constant)
        opposite = (self.op in _LOWER and other.op in _UPPER) or (self.op in _UPPER and other.op in _LOWER)
        if not opposite or isinstance(self.constant, str) or isinstance(other.constant, str):
            return False
        if self.constant == other.constant:
            return not (self.admits(other.constant) and other.admits(self.constant))
        return not self.admits(other.constant)

    def kind(self) -> _Kind:
        """Tests of one kind say the same or more than each other; of tests for a difference, each says its own."""
        return (self.op, self.constant) if _TESTS[self.op] is ne else (self.op[0], "")

    def excluded_kinds(self) -> Iterator[_Kind]:
        """Iterate over the kinds of tests that it may exclude."""
        yield "=", ""
        if _TESTS[self.op] is not ne:
            yield from (("<", ""), (">", ""))
        if _TESTS[self.op] is eq:
            yield from ((op, self.constant) for op, test in _TESTS.items() if test is ne)


def impossible(draft: Draft) -> None:
    """Warn of comparisons of a variable with constants that exclude each other."""
    for body in draft.bodies:
        _check_bounds(draft, body, {})


def _check_bounds(draft: Draft, body: Body, outer: dict[Var, dict[_Kind, ValueBound]]) -> None:
    """outer: the strictest tests beside this conjunction, of each variable and kind."""
    tests = {variable: dict(bounds) for variable, bounds in outer.items()}
    for literal in body:
        variable, bound = find_bound(literal)
        if variable is None or bound is None:
            continue
        bounds = tests.setdefault(variable, {})
        others = (bounds[kind] for kind in bound.excluded_kinds() if kind in bounds)
        other = next((each for each in others if each.excludes(bound)), None)
        if other is not None:
            hint = "correct one of them, or write a rule for each case"
            draft.warning("never", f"`{bound.text}` is never true beside `{other.text}`", literal.place, hint)
        elif bound.kind() not in bounds or bounds[bound.kind()].admits(bound.constant):
            bounds[bound.kind()] = bound
    for literal in body:
        for conjunction in literal.bodies:
            _check_bounds(draft, conjunction, tests if isinstance(literal, Or) else {})


def find_bound(literal: Literal) -> tuple[Var | None, ValueBound | None]:
    """Return the variable that a condition compares with a constant, and how; nothing if it compares none."""
    match literal:
        case Compare(op=op, left=Var() as variable, right=constant):
            text = f"{written(variable)} {op} {written(constant)}"
        case Compare(op=op, left=constant, right=Var() as variable):
            text = f"{written(constant)} {op} {written(variable)}"
            op = _FLIPPED.get(op, op)
        case Is(target=Var() as variable, expression=constant):
            op, text = "=:=", f"{written(variable)} is {written(constant)}"
        case _:
            return None, None
    if op not in _TESTS or not isinstance(constant, Int | Float | Atom):
        return None, None
    return variable, ValueBound(op, constant.name if isinstance(constant, Atom) else constant.value, text)
