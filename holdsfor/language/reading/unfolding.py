"""Conditions that stand for those of other clauses: initiatedAt, terminatedAt and grounding in bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.language.description import Signature
from holdsfor.language.literals import Body, Edge
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import Raw, RawClause
from holdsfor.language.terms import Atom, Compound, Term, Var, is_ground, name_and_args, substitute, unify, variables
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.draft import Draft
    from holdsfor.language.reading.literals import BodyReader

_MOST = 20
DEADLINE = "initiatedAt by fi"


@dataclass(frozen=True, slots=True)
class Change:
    """A clause that initiates or terminates: initiatedAt(fluent=value, time) :- goals."""

    fluent: Term
    value: Term
    time: Term
    goals: tuple[Term, ...]


Changes = dict[tuple[str, Signature], list[Change]]


def changes(raw: Iterable[Raw]) -> Changes:
    """The clauses that initiate or terminate each fluent; a deadline initiates its target, and counts as `fi`."""
    by_name: Changes = {}
    for clause in find_all(raw, RawClause):
        kind = _KINDS.get((clause.head.functor, len(clause.head.args)))
        change = _change(clause, *clause.head.args) if kind else None
        if kind and change:
            by_name.setdefault((kind, Signature.of(change.fluent)), []).append(change)
    return by_name


_KINDS = {
    ("initiatedAt", 2): "initiatedAt",
    ("initiatedAt", 4): "initiatedAt",
    ("initiates", 3): "initiatedAt",
    ("terminatedAt", 2): "terminatedAt",
    ("terminatedAt", 4): "terminatedAt",
    ("terminates", 3): "terminatedAt",
    ("fi", 3): "fi",
}


def _change(clause: RawClause, *args: Term) -> Change | None:
    goals = tuple(conjuncts(clause.body))
    time = args[-1]
    pair = args[0]
    if clause.head == Compound("fi", args):
        pair = args[1]
    elif len(args) == 3:
        pair = args[1]
        goals = (Compound("happensAt", (args[0], time), args[0].place), *goals)
    elif len(args) == 4:
        time = args[2]
        goals = without_bounds(goals, args[1:])
    if pair.functor == "=" and pair.args[0].is_named:
        return Change(pair.args[0], pair.args[1], time, goals)
    return None


def read_change(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """initiatedAt(F=V, T), or initiatedAt(F=V, T1, T, T2), in a body."""
    kind = name_and_args(term)[0]
    pair = reader.fluent(args[0], kind)
    time = reader.time(args[1] if len(args) == 2 else args[2])
    if pair is None or time is None or not reader.fits(kind, term, "points"):
        return ()
    name, arguments = name_and_args(pair[0])
    owner = Signature.of(pair[0])
    changes = reader.draft.reading.changes
    mark = Signature(f"{kind} {name}={pair[1] if is_ground(pair[1]) else '_'}", len(arguments))
    if mark in reader.unfolding:
        hint = "write the conditions that are meant instead"
        return reader.refuse("cycle", f"this {kind} leads back to itself at one and the same point", term, hint)
    if len(reader.unfolding) > _MOST or reader.unfolded > _MOST**2:
        hint = "write the conditions of the last of them instead"
        return reader.refuse("unsupported", f"this {kind} leads through too many other rules", term, hint)
    deadlines = changes.get(("fi", owner), []) if kind == "initiatedAt" else []
    by_deadline = [Compound(DEADLINE, (args[0], time), term.place)] if _any_target(pair[1], deadlines) else []
    if (kind, owner) not in changes and not by_deadline:
        hint = f"write an {kind} rule for {name}, or ask for an event: happensAt(event, T)"
        return reader.refuse("unknown", f"no {kind} rule is about {owner}", term, hint)
    reader.unfolding.append(mark)
    reader.unfolded += len(changes.get((kind, owner), []))
    called = (*arguments, pair[1], time)
    each = [
        unfolded(reader.draft, (*_arguments(change.fluent), change.value, change.time), change.goals, called, term)
        for change in changes.get((kind, owner), [])
    ]
    goals = [*(goal for goal in each if goal is not None), *by_deadline]
    literals = reader.read(joined(";", goals, Atom("fail", term.place)))
    reader.unfolding.pop()
    return literals


def read_deadline(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """Read the mark where a deadline initiates a value; only the rules above write it."""
    pair, time = reader.fluent(args[0], "initiatedAt"), reader.time(args[1])
    return () if pair is None or time is None else (Edge("deadline", *pair, time, term.place),)


def _arguments(fluent: Term) -> tuple[Term, ...]:
    return name_and_args(fluent)[1]


def _any_target(target: Term, deadlines: list[Change]) -> bool:
    return any(_may_be(target, each.value) for each in deadlines)


def _may_be(target: Term, value: Term) -> bool:
    return target == value or not (is_ground(target) and is_ground(value))


def unfolded(
    draft: Draft, head: tuple[Term, ...], conditions: tuple[Term, ...], called: tuple[Term, ...], term: Term
) -> Term | None:
    """The conditions of a clause for what is asked; None if its head, with the terms given, is about something else."""
    unified = unify(called, head)
    if unified is None:
        return None
    binding, equal = unified
    for variable in variables([*head, *conditions]):
        if variable.name not in binding:
            binding[variable.name] = draft.variable(variable)
    goals = [
        Compound("=", (mine, substitute(theirs, binding)), term.place)
        for mine, theirs in equal
        if not (isinstance(mine, Var) and mine.anonymous)
    ]
    return joined(",", [*goals, *(substitute(goal, binding) for goal in conditions)], Atom("true", term.place))


def joined(operator: str, goals: list[Term], none: Term) -> Term:
    if not goals:
        return none
    *before, whole = goals
    for goal in reversed(before):
        whole = Compound(operator, (goal, whole), goal.place)
    return whole


def conjuncts(term: Term | None) -> Iterator[Term]:
    """A, B and C of `A, (B, C)`."""
    while term is not None and term.functor == "," and len(term.args) == 2:
        yield from conjuncts(term.args[0])
        term = term.args[1]
    if term is not None:
        yield term


def without_bounds(goals: Iterable[Term], times: tuple[Term, ...]) -> tuple[Term, ...]:
    """Leaves out comparisons such as T1 =< T, T < T2: in one history all times lie between the bounds of a search."""
    low, time, high = times
    return tuple(goal for goal in goals if not _says_within(goal, low, time, high))


def _says_within(goal: Term, low: Term, time: Term, high: Term) -> bool:
    """Whether a comparison says that a time is not before the lower bound, or not after the upper one."""
    if goal.functor not in ("<", "=<", ">", ">="):
        return False
    before, after = goal.args if goal.functor in ("<", "=<") else goal.args[::-1]
    middle = after if before == low else before if after == high else None
    return middle is not None and (isinstance(middle, Var) or middle == time)


#: The declared arguments, with the value of a fluent as the last, and the conditions of each declaration.
Declarations = dict[tuple[Signature, bool], list[tuple[tuple[Term, ...], tuple[Term, ...]]]]


def declarations(raw: Iterable[Raw]) -> Declarations:
    """The declarations of each event and fluent; whether it is a fluent is part of the key."""
    declared: Declarations = {}
    for clause in find_all(raw, RawClause):
        if clause.head.functor == "grounding":
            entity = _entity(clause.head.args[0]) if len(clause.head.args) == 1 else None
            if entity:
                key, terms = entity
                declared.setdefault(key, []).append((terms, tuple(conjuncts(clause.body))))
    return declared


def _entity(term: Term) -> tuple[tuple[Signature, bool], tuple[Term, ...]] | None:
    subject: Term = term
    value: list[Term] = []
    if term.functor == "=" and len(term.args) == 2:
        subject, *value = term.args
    if not subject.is_named:
        return None
    args = name_and_args(subject)[1]
    return (Signature.of(subject), bool(value)), (*args, *value)


def read_grounding(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Body:
    """The conditions of the declarations stand for it."""
    entity = _entity(args[0])
    if entity is None:
        hint = "write grounding(fluent=value) or grounding(event)"
        return reader.refuse("syntax", f"`{written(args[0])}` cannot be grounded", args[0], hint)
    (owner, is_fluent), called = entity
    mark = Signature(f"grounding of {owner.name}", owner.arity)
    if mark in reader.unfolding:
        hint = "write the facts that are meant instead"
        return reader.refuse("cycle", f"the groundings of {owner} are declared by themselves", term, hint)
    domains = reader.draft.reading.domains.get((owner, is_fluent), [])
    goals = [unfolded(reader.draft, head, body, called, term) for head, body in domains]
    if all(goal is None for goal in goals):
        hint = f"add grounding({written(args[0])}) :- ..., or leave the condition out"
        reader.draft.warning("never", f"no grounding declares {written(args[0])}", term.place, hint)
    reader.unfolding.append(mark)
    literals = reader.read(joined(";", [goal for goal in goals if goal is not None], Atom("fail", term.place)))
    reader.unfolding.pop()
    return literals
