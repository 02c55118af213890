"""Declared groundings: what a definition ranges over, and what is left out of its report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.description import EventDescription, Grounding, Signature
from holdsfor.language.literals import Call, Literal, Not
from holdsfor.language.terms import Atom, Compound, Term, Var, is_ground, name_and_args
from tests.naive.calculate import Bindings, match, match_all, names, substitute
from tests.naive.solve import World, signature

Instance = tuple[tuple[Term, ...], Term | None]


class Domain:
    """A dynamic domain knows whatever the stream names: a clause fed by one only filters, by its other conditions."""

    def __init__(self, description: EventDescription, world: World) -> None:
        self.description = description
        self.world = world

    def _declared(self, entity: Signature) -> list[Grounding]:
        return [clause for clause in self.description.background.groundings if signature(clause.entity) == entity]

    def _known(self, clause: Grounding) -> tuple[Literal, ...]:
        return tuple(literal for literal in clause.body if not self._fed(literal))

    def _fed(self, literal: Literal) -> bool:
        if isinstance(literal, Not):
            return any(map(self._fed, literal.literals))
        return isinstance(literal, Call) and signature(literal.goal) in self.description.background.dynamic_domains

    def admits(self, entity: Signature, args: tuple[Term, ...], value: Term | None) -> bool:
        """Whether a clause is about it, if there are any.

        A value that comes from the stream and that no clause lists is no value of the fluent.
        """
        clauses = self._declared(entity)
        return not clauses or any(self._instance(clause, args, value) for clause in clauses)

    def _instance(self, clause: Grounding, args: tuple[Term, ...], value: Term | None) -> bool:
        found = match_all(name_and_args(clause.entity)[1], args, {})
        if found is not None and clause.value is not None and value is not None:
            found = match(clause.value, value, found)
        if found is None:
            return False
        return next(self.world.solve(self._known(clause), found, names(clause.entity, clause.value)), None) is not None

    def enumerated(self, entity: Signature, asked: Term | None) -> list[Instance] | None:
        """The declared instances where there is a domain that can be listed, otherwise None.

        asked: the value of the fluent in question; where declarations are of other values only, there is no domain.
        """
        clauses = self._declared(entity)
        if asked is not None and is_ground(asked):
            clauses = [clause for clause in clauses if isinstance(clause.value, Var) or clause.value == asked]
        if not clauses or any(self._fed(literal) for clause in clauses for literal in clause.body):
            return None
        instances = []
        for clause in clauses:
            _, args = name_and_args(clause.entity)
            for found in self.world.solve(clause.body, {}, names(clause.entity, clause.value)):
                value = None if clause.value is None else substitute(clause.value, found)
                instances.append((tuple(substitute(arg, found) for arg in args), value))
        return instances


def matching(head: tuple[Term, ...], instances: Iterable[tuple[Term, ...]], bindings: Bindings) -> Iterator[Bindings]:
    """Bindings under which the head is one of the instances; the head fills places that an instance leaves open."""
    for instance in instances:
        given = [pair for mine, theirs in zip(head, instance, strict=True) for pair in _given(mine, theirs, bindings)]
        found = match_all(tuple(mine for mine, _ in given), tuple(theirs for _, theirs in given), bindings)
        if found is not None and names(*head) <= found.keys():
            yield found


def _given(head: Term, instance: Term, bindings: Bindings) -> Iterator[tuple[Term, Term]]:
    """The places inside a head with what the instance has there, but for those that the instance leaves open."""
    if is_ground(instance):
        yield head, instance
    elif isinstance(instance, Compound):
        head = substitute(head, bindings)
        if isinstance(head, Compound) and (head.functor, len(head.args)) == (instance.functor, len(instance.args)):
            for mine, theirs in zip(head.args, instance.args, strict=True):
                yield from _given(mine, theirs, bindings)
        elif not isinstance(head, Var):
            yield Atom("another"), Atom("form")
