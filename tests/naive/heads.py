"""Rules about points: for which groundings of its head, and when, a rule is true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.description import EventDescription, Initially, Rule, Signature
from holdsfor.language.passes.preparation.dynamic import START
from holdsfor.language.terms import Int, Term, Var, name_and_args
from tests.naive.calculate import Bindings, NotYet, names, substitute
from tests.naive.domain import Domain, Instance, matching
from tests.naive.intervals import next_point
from tests.naive.solve import Fallback, Grounding, World, signature

Occurrence = tuple[tuple[Term, ...], Term | None, int]  # arguments, value (None: an event), time


class Heads:
    """at: the one point to look at; None: all of the history."""

    def __init__(self, description: EventDescription, world: World, domain: Domain) -> None:
        self.description, self.world, self.domain = description, world, domain

    def rules(self, kind: str, entity: Signature) -> list[Rule]:
        return [rule for rule in self.description.rules if rule.kind == kind and signature(rule.subject) == entity]

    def begun(
        self, rule: Rule, at: int | None = None, alive: Iterable[tuple[Term, ...]] | None = None
    ) -> list[Occurrence]:
        """Occurrences and initiations. Arguments that no literal binds range over the declared domain.

        Without one they range over the groundings that are alive; NotYet if those are not given.
        """
        _, patterns = name_and_args(rule.subject)
        declared = self.domain.enumerated(signature(rule.subject), rule.value)
        instances = declared if declared is not None or alive is None else [(args, None) for args in alive]

        def fallback(bindings: Bindings) -> Iterator[Bindings]:
            if instances is None:
                raise NotYet
            yield from in_domain(patterns, rule.value, instances, bindings)

        return [
            (
                tuple(substitute(arg, found) for arg in patterns),
                None if rule.value is None else substitute(rule.value, found),
                time_of(rule, found),
            )
            for found in self._solutions(rule, patterns, fallback, at)
        ]

    def ended(self, rule: Rule, at: int, groundings: Iterable[Grounding]) -> set[Grounding]:
        """What the rule terminates. An argument or value that no literal binds stands for all of the groundings."""
        _, patterns = name_and_args(rule.subject)
        assert rule.value is not None
        head = (*patterns, rule.value)

        def fallback(bindings: Bindings) -> Iterator[Bindings]:
            yield from matching(head, [(*args, value) for args, value in groundings], bindings)

        result = set()
        for found in self._solutions(rule, head, fallback, at):
            *args, value = (substitute(term, found) for term in head)
            result.add((tuple(args), value))
        return result

    def initial(self, clause: Initially) -> set[Grounding]:
        _, patterns = name_and_args(clause.fluent)
        declared = self.domain.enumerated(signature(clause.fluent), clause.value)
        assert declared is not None or clause.body or not names(*patterns), f"{clause.fluent} has no domain"
        result = set()
        first = {START.name: Int(next_point(self.world.first, self.world.tick))}
        for known in self.world.solve(clause.body, first, names(*patterns, clause.value)):
            bound = names(*patterns, clause.value) <= known.keys()
            for found in [known] if bound else in_domain(patterns, clause.value, declared or [], known):
                args = tuple(substitute(arg, found) for arg in patterns)
                result.add((args, substitute(clause.value, found)))
        return result

    def _solutions(self, rule: Rule, head: tuple[Term, ...], fallback: Fallback, at: int | None) -> Iterator[Bindings]:
        visible = names(*head, rule.value, rule.at)
        given = {} if at is None else {rule.at.name: Int(at)}
        for found in self.world.solve(rule.body, given, visible, fallback):
            if self.world.first <= time_of(rule, found) <= self.world.last:
                if names(*head) <= found.keys():
                    yield found
                else:
                    yield from fallback(found)


def in_domain(
    patterns: tuple[Term, ...], value: Term | None, instances: Iterable[Instance], bindings: Bindings
) -> Iterator[Bindings]:
    """Bindings under which the head is in the domain; an instance without a value says nothing about values."""
    for args, declared in instances:
        if declared is None or value is None or isinstance(declared, Var):
            yield from matching(patterns, [args], bindings)
        else:
            yield from matching((*patterns, value), [(*args, declared)], bindings)


def time_of(rule: Rule, bindings: Bindings) -> int:
    t = bindings[rule.at.name]
    assert isinstance(t, Int)
    return t.value
