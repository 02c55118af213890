"""Names where other rules have the variable of that name: `hot(m)` beside `hot(M)`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from holdsfor.language.draft import Draft
from holdsfor.language.literals import About, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Atom, Term, Var, name_and_args


def lower_case(draft: Draft) -> None:
    """Warns of an argument that is written as a name, where the same event or fluent has a variable of that name."""
    places: dict[tuple[str, int, int], list[Term]] = defaultdict(list)
    for term in _subjects(draft):
        name, args = name_and_args(term)
        for position, arg in enumerate(args):
            places[name, len(args), position].append(arg)
    for (name, arity, position), terms in places.items():
        names = {term.name for term in terms if isinstance(term, Var)}
        for atom in (term for term in terms if isinstance(term, Atom)):
            variable = atom.name[:1].upper() + atom.name[1:]
            if variable in names and variable != atom.name:
                argument = f"argument {position + 1} of {name}/{arity}"
                message = f"{atom.name} is a name here, and elsewhere {argument} is {variable}"
                draft.warning("name", message, atom.place, f"write {variable} if any value is meant")
    _warn_of_letters(draft)


def _warn_of_letters(draft: Draft) -> None:
    """Warn of a letter in a head and in its conditions, unless a fact or another head has letters there as names."""
    rules = [(rule.subject, rule.body) for rule in draft.rules]
    rules += [(pattern.head, pattern.body) for pattern in draft.patterns]
    rules += [(clause.head, clause.body) for clause in draft.background if clause.body]
    facts = {arg for clause in draft.background if not clause.body for arg in name_and_args(clause.head)[1]}
    letters: dict[tuple[str, int], set[Term]] = defaultdict(set)
    for head, _ in rules:
        name, args = name_and_args(head)
        for position, arg in enumerate(args):
            letters[name, position].add(arg)
    for head, body in rules:
        inside = {arg for term in _matched(body) for arg in name_and_args(term)[1] if isinstance(arg, Atom)}
        name, args = name_and_args(head)
        for position, atom in enumerate(args):
            if not isinstance(atom, Atom) or atom in facts or len(letters[name, position]) > 1:
                continue
            if len(atom.name) == 1 and atom.name.islower() and atom in inside:
                variable = atom.name.upper()
                message = f"{atom.name} is a name here, in the head and in a condition"
                draft.warning("name", message, atom.place, f"write {variable} in both if any value is meant")


def _subjects(draft: Draft) -> Iterator[Term]:
    """All events and fluents in heads and bodies."""
    for rule in draft.rules:
        yield rule.subject
    for pattern in draft.patterns:
        yield pattern.head
    for body in (rule.body for rule in draft.rules_in_time):
        yield from _matched(body)


def _matched(body: tuple[Literal, ...]) -> Iterator[Term]:
    """The events, fluents and facts that a body asks for."""
    return (literal.subject for literal in find_all(body, About))
