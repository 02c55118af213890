"""Stages: which definitions can be evaluated entity by entity, which pair by pair, and which need everything together.

A definition is about one entity if every condition of every rule has the variable that stands at one position of the
head: all data of one value of that argument is then enough. It is about pairs if two positions of the head do the same,
each condition having one or both of their variables, and each rule a positive condition with both: its evidence. What
is neither, or depends on what is neither, is evaluated on all data in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from holdsfor.plan.operators import (
    Arg,
    At,
    Definition,
    Holding,
    Of,
    Op,
    Relation,
    Route,
    Stage,
    Static,
)
from holdsfor.plan.walk import conclusions, defines, flat, parts, reads, simple_of

Atom = At | Holding | Of


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule as stages see it: its head, and its conditions on events and fluents.

    evidence: alternatives, one of which must be there for the rule to conclude anything.
    """

    head: tuple[Arg, ...]
    atoms: tuple[Atom, ...]
    evidence: tuple[tuple[Atom, ...], ...]


@dataclass(slots=True)
class _Draft:
    """Stages while they are being made: where each definition goes, and along which routes its conditions get there."""

    home: dict[Relation, tuple[int, ...]] = field(default_factory=dict)
    stage: dict[Relation, str] = field(default_factory=dict)
    members: dict[str, list[int]] = field(default_factory=lambda: {"entity": [], "pair": [], "all": []})
    routes: dict[str, dict[Route, None]] = field(default_factory=lambda: {"entity": {}, "pair": {}, "all": {}})
    own: dict[Relation, tuple[int, ...]] = field(default_factory=dict)  # what is being placed, and by which arguments
    declared: frozenset[Relation] = frozenset()
    as_pairs: frozenset[Relation] = frozenset()  # what gives evidence of pairs is evaluated pair by pair itself


def stages(definitions: tuple[Definition, ...], declared: Iterable[Relation] = ()) -> tuple[Stage, ...]:
    """declared: the relations that have a declared domain, over which wildcards range."""
    as_pairs: frozenset[Relation] = frozenset()
    while True:
        draft = _Draft(as_pairs=as_pairs, declared=frozenset(declared))
        for number, definition in enumerate(definitions):
            _place(number, definition, draft)
        # evidence must be known before the entities' results are sent on, so it cannot come from the same stage as they
        late = {
            r.relation
            for r in draft.routes["pair"]
            if len(r.positions) == 2 and draft.stage.get(r.relation) == "entity"
        }
        if late <= as_pairs:
            return _made(definitions, draft)
        as_pairs |= late


def _made(definitions: tuple[Definition, ...], draft: _Draft) -> tuple[Stage, ...]:
    made = []
    for by in ("entity", "pair", "all"):
        inside = draft.members[by]
        forwards = by == "entity" and any(len(route.positions) == 1 for route in draft.routes["pair"])
        if inside or forwards:
            homes = tuple(Route(r, draft.home[r]) for n in inside for r in defines(definitions[n]))
            made.append(Stage(by, tuple(inside), tuple(draft.routes[by]), homes))
    return tuple(made)


def _place(number: int, definition: Definition, draft: _Draft) -> None:
    rules = tuple(_rules(definition))
    preferred = (_pair, _entity) if draft.as_pairs & set(defines(definition)) else (_entity, _pair)
    found = next((one for place in preferred if (one := place(definition, rules, draft))), None)
    by, home, routes = found or _all(definition, draft)
    draft.members[by].append(number)
    draft.routes[by].update(dict.fromkeys(routes))
    for relation in defines(definition):
        draft.home[relation], draft.stage[relation] = home, by


def _rules(definition: Definition) -> Iterator[_Rule]:
    for rule in conclusions(definition):
        yield _Rule(rule.args, _atoms(flat(rule.chain)), (_atoms(rule.chain),))
    for fluent in simple_of(definition):
        for first in (rule for rules in fluent.initially for rule in rules):
            atoms = _atoms(flat(first.chain))
            if atoms:  # what holds initially of those that the data mention
                yield _Rule(first.args, atoms, (_atoms(first.chain),))
    if isinstance(definition, Static):
        for determined in definition.rules:
            evidence = tuple(tuple(item for item in one if isinstance(item, Of)) for one in determined.evidence)
            yield _Rule(determined.args, tuple(parts(determined.expression)), evidence)


def _atoms(ops: Iterable[Op]) -> tuple[Atom, ...]:
    return tuple(op for op in ops if isinstance(op, At | Holding))


Found = tuple[str, tuple[int, ...], list[Route]]


def _entity(definition: Definition, rules: tuple[_Rule, ...], draft: _Draft) -> Found | None:
    for position in range(_arguments(definition)):
        routes: list[Route] = []
        draft.own = dict.fromkeys(defines(definition), (position,))
        if all(_about_one(rule, position, draft, routes) for rule in rules):
            return "entity", (position,), routes
    return None


def _arguments(definition: Definition) -> int:
    """The arguments of what is defined, without a value that is a column."""
    return min(relation.signature.arity for relation in defines(definition))


def _about_one(rule: _Rule, position: int, draft: _Draft, routes: list[Route]) -> bool:
    variable = rule.head[position]
    if not isinstance(variable, str) or not all(rule.evidence):
        return False
    return all(_reached(atom, variable, draft, routes, "entity") for atom in rule.atoms)


def _reached(atom: Atom, variable: str, draft: _Draft, routes: list[Route], by: str) -> bool:
    """Whether all of the atom that concerns the variable can be brought to its bucket."""
    relation = atom.relation
    if relation in draft.own:
        return by == "entity" and atom.args[draft.own[relation][0]] == variable
    where = draft.stage.get(relation)
    if where == "all" or (where == "pair" and by == "entity"):
        return False
    if where == "entity":
        (home,) = draft.home[relation]
        if atom.args[home] != variable:
            return False
        if by == "pair":
            routes.append(Route(relation, (home,)))
        return True
    if where is None and variable in atom.args:
        routes.append(Route(relation, (atom.args.index(variable),)))
        return True
    return False


def _pair(definition: Definition, rules: tuple[_Rule, ...], draft: _Draft) -> Found | None:
    if _initiates_declared(definition, draft):
        return None
    for one, other in combinations(range(_arguments(definition)), 2):
        routes: list[Route] = []
        draft.own = dict.fromkeys(defines(definition), (one, other))
        if all(_about_two(rule, one, other, draft, routes) for rule in rules):
            return "pair", (one, other), routes
    return None


def _initiates_declared(definition: Definition, draft: _Draft) -> bool:
    """What is initiated for all declared pairs, or holds initially, needs no evidence: no bucket would know of all."""
    for fluent in simple_of(definition):
        pairs = zip(fluent.relations, fluent.initiations, strict=True)
        if any(relation in draft.declared and None in rule.args for relation, rules in pairs for rule in rules):
            return True
        if any(fluent.initially):
            return True
    return False


def _about_two(rule: _Rule, one: int, other: int, draft: _Draft, routes: list[Route]) -> bool:
    first, second = rule.head[one], rule.head[other]
    named = [arg for arg in (first, second) if isinstance(arg, str)]
    if any(arg is not None and not isinstance(arg, str) for arg in (first, second)) or first == second:
        return False
    paired = set()
    for atom in rule.atoms:
        if len(named) == 2 and _pairs_up(atom, named[0], named[1], draft, routes):
            paired.add(atom)
        elif not any(_reached(atom, variable, draft, routes, "pair") for variable in named):
            return False
    if len(named) == 1:
        return all(rule.evidence)
    return bool(rule.evidence) and all(not paired.isdisjoint(alternative) for alternative in rule.evidence)


def _pairs_up(atom: Atom, first: str, second: str, draft: _Draft, routes: list[Route]) -> bool:
    relation = atom.relation
    if first not in atom.args or second not in atom.args or draft.stage.get(relation) == "all":
        return False
    positions = tuple(sorted((atom.args.index(first), atom.args.index(second))))
    if relation in draft.own:
        return positions == draft.own[relation]
    where = draft.stage.get(relation)
    if where == "pair":
        return positions == draft.home[relation]
    if where == "entity" and relation in draft.as_pairs:
        return False  # it could not be made pair by pair
    routes.append(Route(relation, positions))
    return True


def _all(definition: Definition, draft: _Draft) -> Found:
    own = set(defines(definition))
    outside = [r for r in reads(definition) if draft.stage.get(r) != "all" and r not in own]
    return "all", (), [Route(relation, ()) for relation in dict.fromkeys(outside)]
