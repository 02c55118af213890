"""findall, and the functions of the list that it gives: together they are aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.language.literals import Aggregate, Call, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.reading.arithmetic import not_arithmetic
from holdsfor.language.terms import Float, Int, Place, Term, Var, name_and_args
from holdsfor.language.vocabulary import LISTS
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.reading.literals import BodyReader

Literals = tuple[Literal, ...]


@dataclass(slots=True)
class Collected:
    """The list that one findall gathers; it has a meaning only for the functions of lists."""

    template: Term
    literals: Literals
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


def findall(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Literals:
    return ()  # `collect` has read it; the functions of its list are the conditions


def function(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Literals:
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


def check_lists(reader: BodyReader, lists: dict[Var, Collected], body: Sequence[Literal]) -> None:
    """A list that findall gives may be used by its functions only, and by one at least."""
    for result, listed in lists.items():
        for literal in find_all(body, Literal):
            if result in literal.own_variables:
                message = f"the list {written(result)} that findall gives cannot be used here"
                reader.refuse_at("findall", message, literal.place, _hint(result))
                listed.used = True
                break
        if not listed.used:
            hint = f"add {_uses(written(result))}; to ask whether there is one, write the goal alone"
            reader.refuse_at("findall", f"the list {written(result)} of findall is not used", listed.place, hint)


def _uses(name: str) -> str:
    return f"length({name}, N), sum_list({name}, S), min_list({name}, X) or max_list({name}, X)"


def _hint(result: Var) -> str:
    name = written(result)
    return f"use it in {_uses(name)}; to ask whether it is empty, test N: length({name}, N), N =:= 0"
