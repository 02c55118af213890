"""Terms of the wrong kind: a variable that is compared as a number, but only ever gets names; arguments of events and
fluents, which are matched by structure, that are calculations or open lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft, group_values
from holdsfor.language.facts import join_tables, only_names
from holdsfor.language.literals import Apply, Body, Call, FluentLiteral, Literal, Mention, Or, Statement
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import is_calculated
from holdsfor.language.terms import Atom, Compound, Items, Term, Var, is_ground, name_and_args, variables
from holdsfor.language.written import written

_Slot = tuple[Signature, int]
_Names = dict[_Slot, Atom | None]


def clashes(draft: Draft) -> None:
    """Constants in arithmetic are refused while reading; this finds those that come through a variable."""
    facts = _facts(draft)
    values = {owner: only_names(terms) for owner, terms in group_values(draft.given_values).items()}
    for body, times in _bodies(draft):
        for literal, numeric in _uses(body, times):
            hint = "compare names with == and \\==, or take the number from another argument"
            for variable, name, source in _given(literal, facts, values):
                if variable in numeric and name is not None:
                    example = f"{source} gives names such as {written(name)}"
                    message = f"{written(variable)} is used as a number, but {example}"
                    draft.error("type", message, numeric[variable].place, hint)
            if isinstance(literal, Apply) and literal.target in numeric and literal.function.gives_names:
                message = f"`{written(literal.call)}` is used as a number, but {literal.function.name} gives names"
                draft.error("type", message, literal.call.place, hint)


def _bodies(draft: Draft) -> Iterator[tuple[Body, dict[Var, Var]]]:
    """The bodies of all clauses, each with the time of its head: a time is a number."""
    for rule in draft.rules:
        yield rule.body, {} if rule.kind == "holdsFor" else {rule.at: rule.at}
    for clause in chain[Statement](draft.background, draft.timeless, draft.patterns):
        yield clause.body, {}


def _uses(body: Body, outer: dict[Var, Var]) -> Iterator[tuple[Literal, dict[Var, Var]]]:
    """Each condition with the variables that those beside it use as numbers; alternatives are not beside each other."""
    shared = outer | {each: each for each in _numeric(lit for lit in body if not isinstance(lit, Or))}
    whole = shared | {each: each for each in _numeric(body)}
    for literal in body:
        if isinstance(literal, Or):
            for alternative in literal.alternatives:
                yield from _uses(alternative, shared)
        else:
            yield from ((each, whole) for each in find_all([literal], Literal))


def _facts(draft: Draft) -> _Names:
    """A name that the facts of a predicate have at a position. A predicate with rules may give anything."""
    terms_by_slot: dict[_Slot, list[Term]] = defaultdict(list)
    ruled = {clause.signature for clause in draft.background if clause.body}
    for clause in draft.background:
        name, args = name_and_args(clause.head)
        owner = Signature(name, len(args))
        if owner not in ruled:
            for position, arg in enumerate(args):
                terms_by_slot[owner, position].append(arg)
    names = {slot: only_names(terms) for slot, terms in terms_by_slot.items()}
    for owner, table in join_tables(draft.texts.tables).items():
        for slot in ((owner, position) for position in range(owner.arity) if owner not in ruled):
            listed = table.name_at(slot[1])
            names[slot] = listed if names.get(slot, listed) is not None else None
    return names


def _numeric(body: Iterable[Literal]) -> Iterator[Var]:
    for literal in find_all(body, Literal):
        yield from variables(literal.times)
        yield from (variable for variable in variables(literal.numbers) if variable in literal.needs)


def _given(
    literal: Literal, facts: _Names, values: dict[Signature, Atom | None]
) -> Iterator[tuple[Var, Atom | None, Signature]]:
    """The variables of a condition, with a name if it gives them nothing but names, and where that comes from."""
    if isinstance(literal, Call):
        owner = literal.signature
        for position, arg in enumerate(name_and_args(literal.goal)[1]):
            if isinstance(arg, Var):
                yield arg, facts.get((owner, position)), owner
    elif isinstance(literal, FluentLiteral) and isinstance(literal.value, Var):
        owner = literal.signature
        yield literal.value, values.get(owner), owner


# ---------------------------------------------------------------- shapes of arguments


SIGNS = ("+", "-", "*", "/")


def shapes(draft: Draft) -> None:
    """`pos(X,Y)` is matched and put together; `N+1` would be, too, and not calculated, which nobody means."""
    for rule in draft.rules:
        _check(draft, rule.subject, rule.value, True)
        _conditions(draft, rule.body)
    for pattern in draft.patterns:
        _check(draft, _without_calculations(pattern.head), None, True)
        _conditions(draft, pattern.body)
    for each in (*draft.initially, *draft.deadlines):
        _check(draft, each.about.term, each.about.value, True)


def _without_calculations(head: Term) -> Term:
    """The head of a pattern rule without the arguments that are worked out."""
    name, args = name_and_args(head)
    return Compound(name, tuple(arg for arg in args if not is_calculated(arg)))


def _conditions(draft: Draft, body: Body) -> None:
    for literal in find_all(body, Mention):
        _check(draft, literal.subject, literal.value, False)


def _check(draft: Draft, entity: Term, value: Term | None, head: bool) -> None:
    if entity.functor in SIGNS:
        message = f"`{written(entity)}` is a calculation, not the name of an event or fluent"
        draft.error("syntax", message, entity.place, _name_hint(entity))
        return
    for term in _refused((*name_and_args(entity)[1], *(() if value is None else (value,)))):
        text = written(term)
        if isinstance(term, Compound):
            message = f"`{text}` is not calculated here"
            hint = f"calculate it in a condition: Value is {text}, and write Value here"
            if not head:
                hint = f"write Value here, and compare it in a condition: Value =:= {text}"
        else:
            message = f"`{text}` is a list with variables inside, which cannot be taken apart"
            hint = "give its parts as arguments of their own, or of a term: pair(X,Y)"
        draft.error("argument", message, term.place, hint)


def _name_hint(entity: Term) -> str:
    """`over-heated(M)` is probably meant as a name."""
    parts = [name_and_args(part) for part in entity.args if part.is_named]
    if len(parts) < 2:
        return "write its name, as in hot(Machine)"
    name, args = "_".join(part for part, _ in parts), ", ".join(map(written, parts[-1][1]))
    return f"names have no `{entity.functor}` in them: write {name}{f'({args})' if args else ''}"


def _refused(terms: Iterable[Term]) -> Iterator[Term]:
    for term in terms:
        if is_ground(term):
            continue
        if isinstance(term, Items) or is_calculated(term):
            yield term
        else:
            yield from _refused(term.args)
