"""Dependencies in an event description: where each thing is used, and what can never come true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from holdsfor.language.description import Deadline, EventDescription, Initially, Rule, Signature
from holdsfor.language.literals import Algebra, Call, HoldsFor, Literal, Mention, Not
from holdsfor.language.terms import Place, Var
from holdsfor.plan import plan
from holdsfor.plan.distribution.bodies import find_live
from holdsfor.view.graph import Arrow, Graph, GraphNode, Kind

Thing = tuple[OneOf["event", "fluent", "predicate"], Signature]


@dataclass(frozen=True, slots=True)
class Use:
    """A condition of `by` on `of`; negative: it asks for its absence."""

    by: Thing
    of: Thing
    place: Place
    negative: bool


def uses(description: EventDescription) -> list[Use]:
    """List every condition on an event, a fluent or a predicate, in the order of the text."""
    all_uses: list[Use] = []
    for owner, body, interval in _bodies(description):
        taken_away = _taken_away(body, interval) if interval else frozenset()
        by = _as_written(owner, description)
        for condition, place, negative in _conditions(body, False, taken_away):
            of = _as_written(condition, description)
            if owner == by or of != by:  # what a dynamic domain is made of is no use of it
                all_uses.append(Use(by, of, place, negative))
    for deadline in description.deadlines:
        fluent: Thing = "fluent", Signature.of(deadline.fluent)
        all_uses.append(Use(fluent, fluent, deadline.place, False))
    return sorted(all_uses, key=lambda use: (use.place.file, use.place.line, use.place.column))


def graph(description: EventDescription) -> Graph:
    """Draw inputs, events and fluents with their arrows; background knowledge is left out."""
    things: dict[Thing, GraphNode] = {}
    circles = description.order.circles
    dead, cyclic = unreachable(description), {each.signature for group in circles for each in group}
    for one in description.inputs:
        kind: Kind = "input event" if one.kind == "event" else "input fluent"
        things["event" if one.kind == "event" else "fluent", one.signature] = GraphNode(str(one.signature), kind, 0)
    for layer, stratum in enumerate(description.order.strata, 1):
        for signature in (each.signature for each in stratum):
            thing = defined(description, signature)
            if thing != _as_written(thing, description):
                continue
            marks = (signature in cyclic, thing in dead, (signature, None) in description.defined.unreported)
            things[thing] = GraphNode(str(signature), kind_of(description, signature), layer, *marks)
    numbers = {thing: number for number, thing in enumerate(things)}
    negative: dict[tuple[int, int], bool] = {}
    for use in uses(description):
        if use.of in numbers and use.by in numbers:
            way = numbers[use.of], numbers[use.by]
            negative[way] = negative.get(way, True) and use.negative
    groups = [{numbers[defined(description, each.signature)] for each in group} for group in circles]
    arrows = [Arrow(*way, each, any(set(way) <= group for group in groups)) for way, each in negative.items()]
    return Graph(tuple(things.values()), tuple(arrows))


def defined(description: EventDescription, signature: Signature) -> Thing:
    return ("event" if signature in description.defined.events else "fluent"), signature


def predicates(description: EventDescription) -> dict[Thing, Place]:
    """Return background predicates and dynamic domains, and where each begins."""
    places: dict[Thing, Place] = {}
    for clause in description.background.clauses:
        places.setdefault(("predicate", Signature.of(clause.head)), clause.place)
    for table in description.background.tables:
        places.setdefault(("predicate", table.signature), table.place)
    for rule in description.rules:
        if (domain := _as_written(_owner(rule), description)) != _owner(rule):
            places.setdefault(domain, rule.place)
    return places


def definitions(description: EventDescription) -> dict[Thing, list[Place]]:
    """Return events and fluents with the places of their rules, in the order of the strata."""
    by_thing: dict[Thing, list[Place]] = {
        defined(description, each.signature): [] for stratum in description.order.strata for each in stratum
    }
    for rule in description.rules:
        by_thing.setdefault(_owner(rule), []).append(rule.place)
    for pattern in description.patterns:
        by_thing.setdefault(("event", Signature.of(pattern.head)), []).append(pattern.place)
    for more in _further(description):
        by_thing.setdefault(("fluent", Signature.of(more.fluent)), []).append(more.place)
    return {thing: places for thing, places in by_thing.items() if thing == _as_written(thing, description)}


def unreachable(description: EventDescription) -> set[Thing]:
    """Return the definitions that no input can ever make true."""
    alive = {relation.definition for relation in find_live(plan(description))}
    return {thing for thing in definitions(description) if thing[1] not in alive}


def count_rules(description: EventDescription) -> int:
    """Count the rules that the author has written."""
    return sum(_owner(rule) == _as_written(_owner(rule), description) for rule in description.rules)


def kind_of(description: EventDescription, signature: Signature) -> Kind:
    if any(Signature.of(rule.head) == signature for rule in description.patterns):
        return "pattern"
    if signature in description.defined.events:
        return "event"
    return "static fluent" if signature in description.defined.static else "simple fluent"


def _as_written(thing: Thing, description: EventDescription) -> Thing:
    """Return the dynamic domain that a fluent stands for, or the thing itself."""
    domain = thing[1].domain_behind(description.defined.unreported)
    return thing if domain is None else ("predicate", domain)


def _further(description: EventDescription) -> tuple[Initially | Deadline, ...]:
    """Return the statements about fluents that are no rules."""
    return (*description.initially, *description.deadlines)


def _owner(rule: Rule) -> Thing:
    return ("event" if rule.kind == "happensAt" else "fluent"), Signature.of(rule.subject)


# ---------------------------------------------------------------- conditions


def _bodies(description: EventDescription) -> Iterator[tuple[Thing, tuple[Literal, ...], Var | None]]:
    """Go through the bodies: what each is about, and for holdsFor the list of intervals that it makes."""
    for rule in description.rules:
        yield _owner(rule), rule.body, rule.at if rule.kind == "holdsFor" else None
    for pattern in description.patterns:
        yield ("event", Signature.of(pattern.head)), pattern.body, None
    for more in _further(description):
        yield ("fluent", Signature.of(more.fluent)), more.body, None
    for clause in description.background.clauses:
        yield ("predicate", Signature.of(clause.head)), clause.body, None
    for domain in description.background.groundings:
        kind: OneOf["event", "fluent"] = "event" if domain.value is None else "fluent"
        yield (kind, Signature.of(domain.entity)), domain.body, None


def _conditions(
    body: Iterable[Literal], negative: bool, taken_away: frozenset[Var]
) -> Iterator[tuple[Thing, Place, bool]]:
    """Go through what a body asks for, and whether it asks for its absence."""
    for literal in body:
        for inside in literal.bodies:
            yield from _conditions(inside, negative != isinstance(literal, Not), taken_away)
        if isinstance(literal, Mention):
            is_taken_away = isinstance(literal, HoldsFor) and literal.interval in taken_away
            yield (literal.ENTITY, Signature.of(literal.subject)), literal.place, negative != is_taken_away
        elif isinstance(literal, Call):
            yield ("predicate", Signature.of(literal.goal)), literal.place, negative


def _taken_away(body: tuple[Literal, ...], result: Var) -> frozenset[Var]:
    """Return the lists of intervals that only make the result smaller: a difference or complement takes them away."""
    signs: dict[Var, set[bool]] = {result: {False}}
    makers = [literal for literal in body if literal.intervals and not isinstance(literal, HoldsFor)]
    for _ in makers:  # as often as there are such literals: their order does not matter
        for literal in makers:
            *operands, made = literal.intervals
            for index, operand in enumerate(operands):
                flip = isinstance(literal, Algebra) and (
                    literal.op == "complement" or (literal.op == "difference" and index > 0)
                )
                signs.setdefault(operand, set()).update(sign != flip for sign in signs.get(made, ()))
    return frozenset(variable for variable, polarities in signs.items() if polarities == {True})
