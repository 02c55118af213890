"""What depends on what in an event description: where each thing is used, and what can never come true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from holdsfor.language.description import Deadline, EventDescription, Initially, Rule, Signature
from holdsfor.language.literals import (
    Aggregate,
    Algebra,
    Allen,
    Call,
    Duration,
    Edge,
    Happens,
    Holds,
    HoldsFor,
    Literal,
    Not,
    Occurs,
    Or,
)
from holdsfor.language.terms import Place, Term, Var, name_and_args
from holdsfor.view.graph import Arrow, Graph, GraphNode, Kind

Thing = tuple[OneOf["event", "fluent", "predicate"], Signature]


@dataclass(frozen=True, slots=True)
class Use:
    """`by` has a condition on `of`; negative: it asks for its absence."""

    by: Thing
    of: Thing
    place: Place
    negative: bool


def uses(description: EventDescription) -> list[Use]:
    """Every condition on an event, a fluent or a predicate, in the order of the text."""
    all_uses: list[Use] = []
    for owner, body, interval in _bodies(description):
        taken_away = _taken_away(body, interval) if interval else frozenset()
        by = _as_written(owner, description)
        for condition, place, negative in _conditions(body, False, taken_away):
            of = _as_written(condition, description)
            if owner == by or of != by:  # what a dynamic domain is made of is no use of it
                all_uses.append(Use(by, of, place, negative))
    for deadline in description.deadlines:
        fluent: Thing = "fluent", _signature(deadline.fluent)
        all_uses.append(Use(fluent, fluent, deadline.place, False))
    return sorted(all_uses, key=lambda use: (use.place.file, use.place.line, use.place.column))


def graph(description: EventDescription) -> Graph:
    """Inputs, events and fluents; background knowledge is left out."""
    things: dict[Thing, GraphNode] = {}
    circles = (*description.cycles, *description.recursive)
    dead, cyclic = unreachable(description), {signature for group in circles for signature in group}
    for one in description.inputs:
        kind: Kind = "input event" if one.kind == "event" else "input fluent"
        things["event" if one.kind == "event" else "fluent", one.signature] = GraphNode(str(one.signature), kind, 0)
    for layer, stratum in enumerate(description.strata, 1):
        for signature in (each.signature for each in stratum):
            thing = defined(description, signature)
            if thing != _as_written(thing, description):
                continue
            marks = (signature in cyclic, thing in dead, (signature, None) in description.unreported)
            things[thing] = GraphNode(str(signature), kind_of(description, signature), layer, *marks)
    numbers = {thing: number for number, thing in enumerate(things)}
    negative: dict[tuple[int, int], bool] = {}
    for use in uses(description):
        if use.of in numbers and use.by in numbers:
            way = numbers[use.of], numbers[use.by]
            negative[way] = negative.get(way, True) and use.negative
    groups = [{numbers[defined(description, each)] for each in group} for group in circles]
    arrows = [Arrow(*way, each, any(set(way) <= group for group in groups)) for way, each in negative.items()]
    return Graph(tuple(things.values()), tuple(arrows))


def defined(description: EventDescription, signature: Signature) -> Thing:
    return ("event" if signature in description.events else "fluent"), signature


def predicates(description: EventDescription) -> dict[Thing, Place]:
    """Background predicates and dynamic domains, and where each begins."""
    places: dict[Thing, Place] = {}
    for clause in description.background:
        places.setdefault(("predicate", _signature(clause.head)), clause.place)
    for table in description.tables:
        places.setdefault(("predicate", table.signature), table.place)
    for rule in description.rules:
        if (domain := _as_written(_owner(rule), description)) != _owner(rule):
            places.setdefault(domain, rule.place)
    return places


def definitions(description: EventDescription) -> dict[Thing, list[Place]]:
    """Events and fluents with the places of their rules, in the order of the strata."""
    by_thing: dict[Thing, list[Place]] = {
        defined(description, each.signature): [] for stratum in description.strata for each in stratum
    }
    for rule in description.rules:
        by_thing.setdefault(_owner(rule), []).append(rule.place)
    for pattern in description.patterns:
        by_thing.setdefault(("event", _signature(pattern.head)), []).append(pattern.place)
    for more in _further(description):
        by_thing.setdefault(("fluent", _signature(more.fluent)), []).append(more.place)
    return {thing: places for thing, places in by_thing.items() if thing == _as_written(thing, description)}


def count_rules(description: EventDescription) -> int:
    """Those that its author has written."""
    return sum(_owner(rule) == _as_written(_owner(rule), description) for rule in description.rules)


def _as_written(thing: Thing, description: EventDescription) -> Thing:
    """A dynamic domain instead of a fluent that stands for it."""
    domain = thing[1].domain_behind(description.unreported)
    return thing if domain is None else ("predicate", domain)


# ---------------------------------------------------------------- what can come true


def unreachable(description: EventDescription) -> set[Thing]:
    """Definitions that no input can ever make true: each of their rules asks for another such thing."""
    missing = set(definitions(description)) | set(predicates(description))
    missing -= {("predicate", table.signature) for table in description.tables}
    before = -1
    while before != len(missing):
        before = len(missing)
        for rule in description.rules:
            if rule.kind != "terminatedAt" and _owner(rule) in missing and _possible(rule.body, missing, rule.at):
                missing.discard(_owner(rule))
        for pattern in description.patterns:
            if _possible(pattern.body, missing):
                missing.discard(("event", _signature(pattern.head)))
        for first in description.initially:
            if _possible(first.body, missing):
                missing.discard(("fluent", _signature(first.fluent)))
        for clause in description.background:
            if _possible(clause.body, missing):
                missing.discard(("predicate", _signature(clause.head)))
    return {thing for thing in missing if thing[0] != "predicate"}


def _possible(body: tuple[Literal, ...], missing: set[Thing], interval: Var | None = None) -> bool:
    if interval and any(isinstance(literal, HoldsFor | Algebra | Allen | Duration) for literal in body):
        others = tuple(literal for literal in body if not isinstance(literal, HoldsFor))
        return interval in _filled(body, missing) and _possible(others, missing)
    for literal in body:
        match literal:
            case Or(alternatives=cases):
                if not any(_possible(case, missing) for case in cases):
                    return False
            case Happens() | Occurs() | Edge() | Holds() | HoldsFor() | Call():
                if _thing(literal) in missing:
                    return False
    return True


def _filled(body: tuple[Literal, ...], missing: set[Thing]) -> set[Var]:
    """The lists of intervals that can have some."""
    filled: set[Var] = set()
    for _ in body:  # as often as there are literals: their order does not matter
        for literal in body:
            match literal:
                case HoldsFor(interval=result) if _thing(literal) not in missing:
                    filled.add(result)
                case Algebra(op="complement", result=result):
                    filled.add(result)
                case Algebra(op="union", operands=parts, result=result) if any(part in filled for part in parts):
                    filled.add(result)
                case Algebra(op="difference", operands=(base, *_), result=result) if base in filled:
                    filled.add(result)
                case Algebra(op="intersection", operands=(_, *_) as parts, result=result) if filled.issuperset(parts):
                    filled.add(result)
                case Allen(source=one, target=other, result=result) if one in filled and other in filled:
                    filled.add(result)
                case Duration(interval=one, result=result) if one in filled:
                    filled.add(result)
    return filled


# ---------------------------------------------------------------- conditions


def _bodies(description: EventDescription) -> Iterator[tuple[Thing, tuple[Literal, ...], Var | None]]:
    for rule in description.rules:
        yield _owner(rule), rule.body, rule.at if rule.kind == "holdsFor" else None
    for pattern in description.patterns:
        yield ("event", _signature(pattern.head)), pattern.body, None
    for more in _further(description):
        yield ("fluent", _signature(more.fluent)), more.body, None
    for clause in description.background:
        yield ("predicate", _signature(clause.head)), clause.body, None
    for domain in description.groundings:
        kind: OneOf["event", "fluent"] = "event" if domain.value is None else "fluent"
        yield (kind, _signature(domain.entity)), domain.body, None


def _further(description: EventDescription) -> Iterator[Initially | Deadline]:
    """What says something of fluents besides rules."""
    yield from description.initially
    yield from description.deadlines


def _conditions(
    body: Iterable[Literal], negative: bool, taken_away: frozenset[Var]
) -> Iterator[tuple[Thing, Place, bool]]:
    for literal in body:
        match literal:
            case Not(literals=inside):
                yield from _conditions(inside, not negative, taken_away)
            case Aggregate(literals=inside):
                yield from _conditions(inside, negative, taken_away)
            case Or(alternatives=cases):
                for case in cases:
                    yield from _conditions(case, negative, taken_away)
            case HoldsFor():
                yield _thing(literal), literal.place, negative != (literal.interval in taken_away)
            case Happens() | Occurs() | Edge() | Holds() | Call():
                yield _thing(literal), literal.place, negative


def _taken_away(body: tuple[Literal, ...], result: Var) -> frozenset[Var]:
    """The lists of intervals that only make the result smaller: those that a difference or complement takes away."""
    signs: dict[Var, set[bool]] = {result: {False}}
    for _ in body:
        for literal in body:
            if isinstance(literal, Algebra | Duration | Allen):
                for operand, flip in _operands(literal):
                    signs.setdefault(operand, set()).update(sign != flip for sign in signs.get(literal.result, ()))
    return frozenset(variable for variable, polarities in signs.items() if polarities == {True})


def _operands(literal: Algebra | Duration | Allen) -> Iterator[tuple[Var, bool]]:
    if isinstance(literal, Duration):
        yield literal.interval, False
    elif isinstance(literal, Allen):
        yield from ((literal.source, False), (literal.target, False))
    else:
        for index, operand in enumerate(literal.operands):
            yield operand, literal.op == "complement" or (literal.op == "difference" and index > 0)


def _thing(literal: Happens | Occurs | Edge | Holds | HoldsFor | Call) -> Thing:
    match literal:
        case Happens() | Occurs():
            return "event", _signature(literal.event)
        case Call():
            return "predicate", _signature(literal.goal)
        case _:
            return "fluent", _signature(literal.fluent)


def _owner(rule: Rule) -> Thing:
    return ("event" if rule.kind == "happensAt" else "fluent"), _signature(rule.subject)


def _signature(term: Term) -> Signature:
    name, args = name_and_args(term)
    return Signature(name, len(args))


def kind_of(description: EventDescription, signature: Signature) -> Kind:
    if any(_signature(rule.head) == signature for rule in description.patterns):
        return "pattern"
    if signature in description.events:
        return "event"
    return "static fluent" if signature in description.static else "simple fluent"
