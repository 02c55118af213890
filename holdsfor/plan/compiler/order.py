"""Ordering: a body becomes a chain of operators in which every variable is bound before it is used.

The written order is kept where it can be, so that rules with equal beginnings share them; it never changes the meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from holdsfor.language.diagnostics import Refusal
from holdsfor.language.literals import (
    About,
    Aggregate,
    Apply,
    AtPoint,
    Body,
    Call,
    Closed,
    Compare,
    Edge,
    EventLiteral,
    Happens,
    Holds,
    Is,
    Literal,
    Not,
    Occurs,
    names_of,
    positive_names,
)
from holdsfor.language.terms import (
    NOWHERE,
    Compound,
    Int,
    Items,
    Place,
    Term,
    Var,
    is_ground,
    name_and_args,
    substitute,
    variables,
)
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS, FUNCTIONS
from holdsfor.language.written import written
from holdsfor.plan.compiler.bodies.relations import Relations, deadline_of
from holdsfor.plan.compiler.bodies.times import time_names
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Holding,
    Let,
    Lookup,
    Match,
    Names,
    Op,
    Structure,
    Tally,
    Where,
    Without,
)

INVERSE = {"+": "-", "-": "+"}


@dataclass(slots=True)
class Ordering:
    """One rule while it is being ordered."""

    relations: Relations
    uses: Counter[str]
    outer: set[str]  # variables that occur outside negations: a negation must wait for them
    times: set[str]
    names: dict[str, str] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, body: Body, head: Iterable[Term], relations: Relations) -> Ordering:
        uses = Counter(name for literal in body for name in names_of(literal))
        heads = [v.name for term in head for v in variables(term)]
        uses.update(heads)
        return cls(relations, uses, positive_names(body) | set(heads), set(time_names(body)))

    def name(self, variable: str) -> str:
        return self.names.setdefault(variable, f"v{len(self.names)}")

    def arg(self, term: Term, place: Place) -> Arg:
        if isinstance(term, Var):
            return None if self.uses[term.name] < 2 and term.name not in self.bound else self.name(term.name)
        if is_ground(term):
            return term
        check_structure(term, place)
        assert isinstance(term, Compound)
        return Structure(term.functor, tuple(self.arg(part, place) for part in term.args))

    def expression(self, term: Term) -> Term:
        return substitute(term, {v.name: Var(self.name(v.name)) for v in variables(term)})

    def written_names(self) -> Names:
        """The names that the author of the rule gave variables. Of two alike, out of a predicate that was put in the
        place of its call, the first has it."""
        variables: dict[str, str] = {}
        for name, variable in self.names.items():
            if not name.startswith(("_", "time~")):
                variables.setdefault(name.partition("~")[0], variable)
        return tuple((variable, name) for name, variable in variables.items())


def check_structure(term: Term, place: Place) -> None:
    """Refuses what can be neither matched nor put together: lists with variables, calculations."""
    place = place if term.place is NOWHERE else term.place
    if isinstance(term, Compound):
        if (term.functor, len(term.args)) in FUNCTIONS:
            hint = f"calculate it in a condition: Value is {_plain(term)}, and write Value here"
            raise Refusal("argument", f"`{_plain(term)}` is not calculated here", place, hint)
        for part in term.args:
            check_structure(part, place)
    elif isinstance(term, Items) and not is_ground(term):
        message = f"`{_plain(term)}` is a list with variables inside, which cannot be taken apart"
        raise Refusal("argument", message, place, "give its parts as arguments of their own, or of a term: pair(X,Y)")


def _plain(term: Term) -> str:
    """The term as it was written, before unfolding renamed its variables."""
    return re.sub(r"\b_\d+(?=\W|$)", "_", re.sub(r"~\d+", "", written(term)))


def order(
    body: Body, head: tuple[Term, ...], relations: Relations, bound: Set[str] = frozenset()
) -> tuple[Chain, Ordering]:
    """bound: variables that have a value before."""
    ordering = Ordering.of(body, head, relations)
    ordering.bound |= bound
    return tuple(_chain(body, ordering)), ordering


def order_conditions(body: Body, ordering: Ordering) -> Chain:
    """The chain of conditions on variables that are bound already."""
    return tuple(_chain(body, ordering))


def head_args(head: Sequence[Term], ordering: Ordering, place: Place) -> tuple[Arg, ...]:
    """The arguments of a head: a variable that the body does not bind is a wildcard."""
    open_names = [v.name for term in head for v in variables(term) if v.name not in ordering.bound]
    twice = [name for name, times in Counter(open_names).items() if times > 1]
    if twice:
        message = f"no condition gives {twice[0]} a value, and the head has it twice"
        raise Refusal("unbound", message, place, "bind it in the body")
    return tuple(_head_arg(term, ordering, place) for term in head)


def _head_arg(term: Term, ordering: Ordering, place: Place) -> Arg:
    if isinstance(term, Var):
        return ordering.arg(term, place) if term.name in ordering.bound else None
    if is_ground(term):
        return term
    check_structure(term, place)
    assert isinstance(term, Compound)
    return Structure(term.functor, tuple(_head_arg(part, ordering, place) for part in term.args))


def _chain(body: Body, ordering: Ordering) -> list[Op]:
    waiting = list(body)
    chain: list[Op] = []
    while waiting:
        literal = _next(waiting, ordering, first=not chain and not ordering.bound)
        waiting.remove(literal)
        made = _COMPILERS[type(literal)](literal, ordering)
        chain += [replace(op, place=literal.place) for op in (made if isinstance(made, list) else [made])]
        ordering.bound.update(variable.name for variable in literal.gives)
    return chain


def _next(waiting: list[Literal], ordering: Ordering, first: bool) -> Literal:
    if first:
        for literal in waiting:
            if isinstance(literal, AtPoint):
                return literal
    apart: Literal | None = None
    for literal in waiting:
        if _ready(literal, ordering):
            if _connected(literal, ordering):
                return literal
            apart = apart or literal
    if apart is not None:
        return apart
    for literal in waiting:  # a second time variable: joined on the other arguments only
        if isinstance(literal, AtPoint):
            return literal
    message = "no order of the conditions binds every variable before it is used"
    raise Refusal("unbound", message, waiting[0].place, "give each variable a condition that is not negated")


def _ready(literal: Literal, ordering: Ordering) -> bool:
    bound = ordering.bound
    match literal:
        case Compare():
            unbound = [name for name in names_of(literal) if name not in bound]
            return not unbound or _assigned(literal, bound) is not None or _taken_apart(literal, bound) is not None
        case Is():
            return _is_bound(literal.expression, bound) or _solved(literal, ordering) is not None
        case Closed():
            return {variable.name for variable in literal.shared({Var(name) for name in ordering.outer})} <= bound
        case _ if literal.intervals:
            message = "intervals cannot be used in a rule about points in time"
            raise Refusal("misplaced", message, literal.place, "write holdsAt(fluent=value, T)")
    if isinstance(literal, About):
        return all(_is_bound(time, bound) for time in literal.times[-1:])
    return {variable.name for variable in literal.needs} <= bound


def _is_bound(term: Term, bound: Set[str]) -> bool:
    return all(variable.name in bound for variable in variables(term))


def _connected(literal: Literal, ordering: Ordering) -> bool:
    """Whether it shares an argument with what is there already, so that it does not multiply the rows without need."""
    names = [v.name for v in variables(literal.subject)] if isinstance(literal, About) else []
    return not names or any(name in ordering.bound for name in names)


def _happening(happens: EventLiteral, ordering: Ordering) -> At:
    relation = ordering.relations.of_event(happens.event)
    args = _args(name_and_args(happens.event)[1], ordering, happens.place)
    time, *start = (_time(each, ordering) for each in reversed(happens.times))
    return At("occurrence", relation, args, time, *start)


def _edge(edge: Edge, ordering: Ordering) -> At:
    relation, columns = ordering.relations.columns(edge.fluent, edge.value)
    args, time = _args(columns, ordering, edge.place), _time(edge.time, ordering)
    if edge.edge == "deadline":
        return At("occurrence", deadline_of(relation), args, time)
    return At(edge.edge, relation, args, time)


def _holding(holds: Holds, ordering: Ordering) -> Holding:
    relation, columns = ordering.relations.columns(holds.fluent, holds.value)
    return Holding(relation, _args(columns, ordering, holds.place), _time(holds.time, ordering))


def _lookup(call: Call, ordering: Ordering) -> Lookup:
    return Lookup(call.signature, _args(name_and_args(call.goal)[1], ordering, call.place))


def _without(negation: Not, ordering: Ordering) -> Without:
    outer = ordering.outer | positive_names(negation.literals)
    inner = replace(ordering, outer=outer, bound=set(ordering.bound))
    return Without(tuple(_chain(negation.literals, inner)))


def _compare(literal: Compare, ordering: Ordering) -> Op:
    if literal.op not in ARITHMETIC_COMPARISONS:
        for side in (literal.left, literal.right):  # compared as terms, which are taken as they are
            check_structure(side, literal.place)
    assigned = _assigned(literal, ordering.bound)
    if assigned is not None:
        return Let(ordering.name(assigned[0].name), ordering.expression(assigned[1]), same=True)
    apart = _taken_apart(literal, ordering.bound)
    if apart is not None:
        pattern = ordering.arg(apart[1], literal.place)
        assert isinstance(pattern, Structure)
        return Match(ordering.expression(apart[0]), pattern)
    return Where(literal.op, ordering.expression(literal.left), ordering.expression(literal.right))


def _tally(literal: Aggregate, ordering: Ordering) -> list[Op]:
    """Count or sum into a variable of its own, which is compared with a result that has a value.

    Each of its own variables counts, also one that stands nowhere else: solutions differ by it.
    """
    names = [name for inner in literal.literals for name in names_of(inner)]
    inner = replace(
        ordering,
        uses=ordering.uses + Counter(names),
        outer=ordering.outer | positive_names(literal.literals),
        bound=set(ordering.bound),
    )
    chain = tuple(_chain(literal.literals, inner))
    template = inner.expression(literal.template)
    if isinstance(literal.result, Var) and literal.result.name not in ordering.bound:
        return [Tally(literal.function, chain, template, ordering.name(literal.result.name))]
    variable = ordering.name(f"_result~{len(ordering.names)}")
    test = Where("=:=", Var(variable), ordering.expression(literal.result))
    return [Tally(literal.function, chain, template, variable), test]


def _args(terms: tuple[Term, ...], ordering: Ordering, place: Place) -> tuple[Arg, ...]:
    return tuple(ordering.arg(term, place) for term in terms)


def _time(term: Term, ordering: Ordering) -> str:
    assert isinstance(term, Var)
    return ordering.name(term.name)


def _is(calculation: Is, ordering: Ordering) -> Op:
    solved = None
    if not _is_bound(calculation.expression, ordering.bound):
        solved = _solved(calculation, ordering)
    target, expression = solved or (calculation.target, calculation.expression)
    if isinstance(target, Var) and target.name not in ordering.bound:
        value = ordering.expression(expression)
        return Let(ordering.name(target.name), value)
    return Where("is", ordering.expression(target), ordering.expression(expression))


def _apply(application: Apply, ordering: Ordering) -> list[Op]:
    """Bind the value of a function; a target that has a value already is compared with it, as a term."""
    expression, target = ordering.expression(application.call), application.target
    if isinstance(target, Var) and target.name not in ordering.bound:
        return [Let(ordering.name(target.name), expression, function=application.function)]
    variable = ordering.name(f"_value~{len(ordering.names)}")
    test = Where("==", Var(variable), ordering.expression(target))
    return [Let(variable, expression, function=application.function), test]


def _assigned(literal: Compare, bound: set[str]) -> tuple[Var, Term] | None:
    """`X = t` with X not bound and t bound: X stands for t."""
    if literal.op != "=":
        return None
    for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
        if isinstance(one, Var) and one.name not in bound and _is_bound(other, bound):
            return one, other
    return None


def _taken_apart(literal: Compare, bound: set[str]) -> tuple[Term, Compound] | None:
    """`t = f(X)` with t bound and X not: the term, and what it must look like."""
    if literal.op != "=":
        return None
    for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
        if _is_bound(one, bound) and not _is_bound(other, bound) and isinstance(other, Compound):
            return one, other
    return None


def _solved(calculation: Is, ordering: Ordering) -> tuple[Var, Term] | None:
    """`T2 is T+60` with T2 known and T not: T is T2-60. Only for times: other numbers could be rounded."""
    target, expression, bound = calculation.target, calculation.expression, ordering.bound
    if not _is_bound(target, bound):
        return None
    match expression:
        case Compound(functor="+" | "-" as sign, args=(Var() as unknown, Int() as distance)):
            solution = Compound(INVERSE[sign], (target, distance))
        case Compound(functor="+", args=(Int() as distance, Var() as unknown)):
            solution = Compound("-", (target, distance))
        case _:
            return None
    return None if unknown.name in bound or unknown.name not in ordering.times else (unknown, solution)


_COMPILERS: dict[type[Literal], Callable[..., Op | list[Op]]] = {
    Happens: _happening,
    Occurs: _happening,
    Edge: _edge,
    Holds: _holding,
    Call: _lookup,
    Compare: _compare,
    Is: _is,
    Aggregate: _tally,
    Apply: _apply,
    Not: _without,
}
