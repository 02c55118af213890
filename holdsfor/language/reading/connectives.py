"""Conditions made of conditions: negation, alternatives, and findall with the functions of the list that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.language.literals import Aggregate, Body, Call, Literal, Not, Or
from holdsfor.language.nodes import find_all
from holdsfor.language.reading.elsewhere import not_arithmetic
from holdsfor.language.reading.unfolding import joined
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Place, Term, Var, name_and_args
from holdsfor.language.vocabulary import LISTS
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.reading.literals import BodyReader

FAIL = Atom("fail")


def negation(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    inner = args[0]
    equality = inner.functor in ("=", "==")
    if equality and reader.context == "intervals" and reader.guard(name_and_args(inner)[1]):
        return ()
    literals = reader.nested(inner)
    if literals is None or fails(literals):
        return ()
    if any(literal.intervals for literal in find_all(literals, Literal)):
        hint = "take the intervals away: relative_complement_all(I1, [I2], I)"
        return reader.refuse("misplaced", "intervals cannot be negated", term, hint)
    return (Not(literals, term.place),) if literals else (Call(FAIL, term.place),)


def disjunction(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    if args[0].functor == "->":
        if reader.context != "background":
            return choice(reader, args[0], args[0].args)
        condition, then = args[0].args
        term = _both_cases(condition, then, args[1])
    alternatives: list[Body] = []
    complete = True
    for goal in _alternatives(term):
        literals = reader.nested(goal)
        complete = complete and literals is not None
        if literals is not None and not fails(literals):
            alternatives.append(literals)
    if not complete:
        return ()
    if any(literal.intervals for each in alternatives for literal in find_all(each, Literal)):
        hint = "unite the intervals: union_all([I1, I2], I), or write one rule for each case"
        return reader.refuse("misplaced", "intervals cannot be alternatives of each other", term, hint)
    if not alternatives:
        return (Call(FAIL, term.place),)
    if () in alternatives:  # (A ; true) is always true
        return ()
    return alternatives[0] if len(alternatives) == 1 else (Or(tuple(alternatives), term.place),)


def choice(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """Read `Condition -> Then` in a background clause; rules have one clause for each case."""
    if reader.context == "background":
        return (*reader.read(args[0]), *reader.read(args[1]))
    hint = "write one rule for each case, with \\+ and the condition in the other"
    return reader.refuse("unsupported", "if-then-else (`->`) is not available", term, hint)


def _both_cases(condition: Term, then: Term, otherwise: Term) -> Term:
    """Return (condition, then ; not condition, otherwise)."""
    place = condition.place
    holds = Compound(",", (condition, then), place)
    fails = Compound(",", (Compound("\\+", (condition,), place), otherwise), place)
    return Compound(";", (holds, fails), place)


def membership(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """Read member(X, [a, b]): one of the cases X = a, X = b."""
    element, elements = args
    if not isinstance(elements, Items):
        return (Call(term, term.place),)  # perhaps a predicate of the user's
    cases: list[Term] = [Compound("=", (element, each), term.place) for each in elements.items]
    return reader.literal(joined(";", cases, FAIL))


def fails(body: Body) -> bool:
    return any(isinstance(literal, Call) and literal.goal == FAIL for literal in body)


def _alternatives(term: Term) -> Iterator[Term]:
    """A, B and C of `A ; B ; C`; an if-then-else stays whole."""
    while term.functor == ";" and len(term.args) == 2:
        if term.args[0].functor == "->":
            break
        yield from _alternatives(term.args[0])
        term = term.args[1]
    yield term


@dataclass(slots=True)
class Collected:
    """The list that one findall gathers; it has a meaning only for the functions of lists."""

    template: Term
    literals: Body
    place: Place
    used: bool = False


def collect(reader: BodyReader, goals: Iterable[Term]) -> dict[Var, Collected]:
    """The lists that the conditions of one conjunction make."""
    collected: dict[Var, Collected] = {}
    for goal in goals:
        if not (goal.functor == "findall" and len(goal.args) == 3):
            continue
        template, inner, result = goal.args
        literals = reader.nested(inner)
        if literals is None:
            continue
        if not isinstance(result, Var):
            hint = f"write a variable such as L, and then {_uses('L')}"
            reader.refuse("findall", f"the list of findall is a variable, not `{written(result)}`", result, hint)
        elif any(literal.intervals for literal in find_all(literals, Literal)):
            hint = "collect in a rule about time points, with holdsAt"
            reader.refuse("misplaced", "intervals cannot be collected", inner, hint)
        elif result in collected:
            hint = "give the second one another name"
            reader.refuse("findall", f"the list {written(result)} is collected twice", result, hint)
        else:
            collected[result] = Collected(template, literals, goal.place)
    return collected


def function(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """length(L, N), sum_list(L, S) and the like, of a list that findall gives."""
    listed = reader.lists.get(args[0]) if isinstance(args[0], Var) else None
    if listed is None:
        return (Call(term, term.place),)  # perhaps a predicate of the user's; if not, `names` says so
    listed.used = True
    name = name_and_args(term)[0]
    if not isinstance(args[1], Var | Int | Float):
        message = f"`{written(args[1])}` cannot be the result of {name}"
        return reader.refuse("type", message, args[1], "write a variable or a number")
    if name != "length" and any(not_arithmetic(listed.template)):
        message = f"{name} needs numbers, but findall collects `{written(listed.template)}`"
        return reader.refuse("type", message, listed.template, "collect a variable that has numbers")
    return (Aggregate(LISTS[name], listed.template, listed.literals, args[1], term.place),)


def check_lists(reader: BodyReader, lists: dict[Var, Collected], body: Body) -> None:
    """A list that findall gives may be used by its functions only, and by one at least."""
    for result, listed in lists.items():
        for literal in find_all(body, Literal):
            if result in literal.own_variables:
                message = f"the list {written(result)} that findall gives cannot be used here"
                reader.refuse("findall", message, literal, _hint(result))
                listed.used = True
                break
        if not listed.used:
            hint = f"add {_uses(written(result))}; to ask whether there is one, write the goal alone"
            reader.refuse("findall", f"the list {written(result)} of findall is not used", listed, hint)


def _uses(name: str) -> str:
    return f"length({name}, N), sum_list({name}, S), min_list({name}, X) or max_list({name}, X)"


def _hint(result: Var) -> str:
    name = written(result)
    return f"use it in {_uses(name)}; to ask whether it is empty, test N: length({name}, N), N =:= 0"
