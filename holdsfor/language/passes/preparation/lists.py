"""Lists in facts: `route(R, L), member(S, L)`. What is asked of a list is a fact, for each list there is.

So a list must come from facts: a condition of the same rule, or a background rule that it calls, has it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from holdsfor.language.description import Clause, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.facts import Row, TermRows
from holdsfor.language.literals import About, Body, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Compound, Float, Int, Items, Term, Var, is_ground, name_and_args
from holdsfor.language.written import written

Position = tuple[Signature, int]
Read = tuple[About, tuple[About, ...]]
"""A call that asks about a list, and the calls that have given variables their values beside it."""


def lists(draft: Draft) -> None:
    """Add facts about the lists that facts have, where conditions ask for their items, length, sum and the like."""
    defined = draft.predicates | draft.declared.predicates
    bodies = list(draft.bodies)
    _refuse_tails(draft, bodies)
    readings = [each for body in bodies for each in _readings(body, ()) if each[0].signature not in defined]
    values: dict[Items, None] = {}
    untold: list[About] = []
    for call, beside in readings:
        of_call = _values(draft, call, beside)
        if of_call is None:
            untold.append(call)
        else:
            values |= dict.fromkeys(of_call)
    if len(untold) == len(readings):
        return  # `predicates` says that there is no such predicate
    for call in untold:
        name = written(_list_of(call))
        message = f"{call.signature.name} is for lists that facts have, and none in this rule gives {name}"
        hint = f"ask for the fact beside it, such as route(R, {name})"
        draft.error("unsupported", message, call.place, hint)
    for signature in dict.fromkeys(call.signature for call, _ in readings):
        rows = (row for each in values for row in _ROWS[signature][1](each))
        draft.texts.tables.append(TermRows(signature, tuple(dict.fromkeys(rows))))


def _refuse_tails(draft: Draft, bodies: Iterable[Body]) -> None:
    for call in (call for body in bodies for call in _calls(find_all(body, Literal))):
        tail = next((each for each in find_all(call.subject, Compound) if each.functor == "[|]"), None)
        if tail is not None:
            hint = "for its items write a variable for the list, and member(X, L) or nth1(1, L, X)"
            draft.error("unsupported", "a list is not taken apart in a condition", tail.place, hint)


def _readings(body: Body, outside: tuple[About, ...]) -> Iterator[Read]:
    """Iterate over the calls about lists, each with the calls in its conjunction and in those around it."""
    calls = (*outside, *_calls(body))
    for asking in _calls(body):
        if asking.signature in _ROWS and isinstance(_list_of(asking), Var):
            yield asking, tuple(call for call in calls if call is not asking)
    for inner in (inner for literal in body for inner in literal.bodies):
        yield from _readings(inner, calls)


def _calls(body: Iterable[Literal]) -> list[About]:
    return [each for each in body if isinstance(each, About) and each.ENTITY == "predicate"]


def _list_of(call: About) -> Term:
    return name_and_args(call.subject)[1][_ROWS[call.signature][0]]


def _values(draft: Draft, call: About, calls: Iterable[About]) -> list[Items] | None:
    """Return the lists that a call may be about; None: no fact says."""
    of_positions = (_values_at(draft, position, frozenset()) for position in _positions(_list_of(call), calls))
    return next((each for each in of_positions if each is not None), None)


def _positions(variable: Term, calls: Iterable[About]) -> Iterator[Position]:
    for call in calls:
        for position, arg in enumerate(name_and_args(call.subject)[1]):
            if arg == variable and call.signature not in _ROWS:
                yield call.signature, position


def _values_at(draft: Draft, position: Position, through: frozenset[Position]) -> list[Items] | None:
    """Return the lists that facts, and rules that have them from facts, have in a position; None: others give it."""
    signature, place = position
    tables = [table for table in draft.texts.tables if table.signature == signature]
    clauses = [clause for clause in draft.background if clause.signature == signature]
    if not tables and not clauses:
        return None
    values = [each for table in tables for each in table.lists_at(place)]
    for clause in clauses:
        mine = _values_of_clause(draft, clause, place, through | {position})
        if mine is None:
            return None
        values += mine
    return values


def _values_of_clause(draft: Draft, clause: Clause, place: int, through: frozenset[Position]) -> list[Items] | None:
    arg = name_and_args(clause.head)[1][place]
    if is_ground(arg):
        return [arg] if isinstance(arg, Items) else []
    calls = _calls(clause.body)
    for position in _positions(arg, calls):
        values = [] if position in through else _values_at(draft, position, through)
        if values is not None:
            return values
    return None


# ---------------------------------------------------------------- what is true of a list


def _numbers(each: Items) -> list[int | float]:
    return [item.value for item in each.items if isinstance(item, Int | Float)]


def _number(value: float) -> Term:
    return Int(value) if isinstance(value, int) else Float(value)


def _calculated(function: Callable[[list[int | float]], float], least: int) -> Callable[[Items], Iterator[Row]]:
    """Return what gives a list with a number that is calculated from its numbers."""

    def rows(each: Items) -> Iterator[Row]:
        numbers = _numbers(each)
        if least <= len(numbers) == len(each.items):
            yield each, _number(function(numbers))

    return rows


def _numbered(first: int) -> Callable[[Items], Iterator[Row]]:
    return lambda each: ((Int(number), each, item) for number, item in enumerate(each.items, first))


def _members(each: Items) -> Iterator[Row]:
    return ((item, each) for item in each.items)


#: Predicates about lists: where the list stands, and the facts about one.
_ROWS: dict[Signature, tuple[int, Callable[[Items], Iterator[Row]]]] = {
    Signature("member", 2): (1, _members),
    Signature("memberchk", 2): (1, _members),
    Signature("length", 2): (0, lambda each: iter([(each, Int(len(each.items)))])),
    Signature("sum_list", 2): (0, _calculated(sum, 0)),
    Signature("max_list", 2): (0, _calculated(max, 1)),
    Signature("min_list", 2): (0, _calculated(min, 1)),
    Signature("nth0", 3): (1, _numbered(0)),
    Signature("nth1", 3): (1, _numbered(1)),
}
