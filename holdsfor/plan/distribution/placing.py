"""By which arguments a definition can be evaluated, and in which stage.

All data about one tuple of arguments, the key, has to be in one bucket. A condition with all variables of the key is
shared out by them. One with some of them follows: its rows go to every bucket that has a tuple with that argument, and
conditions with the whole key, its evidence, tell which these are; the stage before knows both. A condition without
variables goes everywhere. What a stage defines can be read there only by definitions with the same key; all others are
in later stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from holdsfor.language.terms import Term
from holdsfor.plan.definitions import Definition, Derived
from holdsfor.plan.distribution.bodies import Bodies, Body, bodies_of
from holdsfor.plan.distribution.layout import Layout, Placement, tuples_of
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import Conclude, Occurring, Relation
from holdsfor.plan.reach import looks
from holdsfor.plan.structures import is_open
from holdsfor.plan.walk import reads
from holdsfor.plan.whole_plan import Route, Slices

LONGEST_KEY = 4
#: A slice of time is so many windows long, so that few rows go to two of them; and at least so many ticks.
SLICE_WINDOWS = 8
SHORTEST_SLICE = 60


def place(definition: Definition, layout: Layout) -> Placement:
    """The cheapest way to evaluate it: where its conditions are, by a key, or all together."""
    bodies = tuple(bodies_of(definition))
    return (
        _place_with_conditions(definition, bodies, layout)
        or place_by_key(definition, bodies, layout)
        or _place_with_input(definition, bodies, layout)
        or _place_by_time(definition, bodies, layout)
        or _together(definition, layout)
    )


def place_by_key(definition: Definition, bodies: Bodies, layout: Layout) -> Placement | None:
    """Return the cheapest way to evaluate a definition by a key; None if there is none."""
    fits = (fit for key in keys_of(definition) if (fit := _fit(definition, bodies, key, layout)) is not None)
    return min(fits, key=lambda fit: fit.cost, default=None)


def keys_of(definition: Definition) -> Iterator[tuple[int, ...]]:
    """The tuples of arguments by which it might be evaluated, short ones first."""
    arguments = range(min(relation.signature.arity for relation in definition.defines))
    return (key for size in range(1, LONGEST_KEY + 1) for key in combinations(arguments, size))


def _place_with_conditions(definition: Definition, bodies: Bodies, layout: Layout) -> Placement | None:
    """A part of a definition whose conditions all have the same home is evaluated there, whatever its head."""
    if not _is_part(definition):
        return None
    stages = {common_home(body, layout) for body in bodies}
    stage = next(iter(stages))
    return Placement(stage, None, ()) if stage is not None and len(stages) == 1 else None


def _is_part(definition: Definition) -> bool:
    """Whether it is what some rules of a definition conclude, row by row; inertia needs all rows about a grounding."""
    return not definition.simple_fluents and all(relation.is_part for relation in definition.defines)


def _place_with_input(definition: Definition, bodies: Bodies, layout: Layout) -> Placement | None:
    """A part of a definition that single rows of the input conclude is found in any bucket."""
    if not _is_part(definition):
        return None
    atoms = [atom for body in bodies if body.is_rowwise for atom in body.atoms if atom.relation not in layout.placed]
    if len(atoms) < len(bodies):
        return None
    return Placement(0, None, tuple(dict.fromkeys(Route(atom.relation, "share", (0,)) for atom in atoms)))


def _place_by_time(definition: Definition, bodies: Bodies, layout: Layout) -> Placement | None:
    """Patterns of events that share no variable are shared out by time, if a window says how far apart these may be."""
    if not isinstance(definition, Derived) or not definition.rules:
        return None
    if not all(map(_is_pattern_of_events, definition.rules, bodies)):
        return None
    (look,) = looks((definition,))
    if look.reach.back is None or look.reach.ahead != 0:
        return None
    slices = Slices(max(SLICE_WINDOWS * look.reach.back, SHORTEST_SLICE), look.reach.back)
    stage = max(layout.stage_of(relation) for relation in look.relations) + 1
    routes = tuple(Route(relation, "slice", (), slices) for relation in look.relations)
    return Placement(stage, None, routes, slices)


def _is_pattern_of_events(rule: Conclude, body: Body) -> bool:
    """Whether all that it looks at are occurrences, and several of them: one alone is where it is."""
    begins = isinstance(rule.chain[0], Occurring) if rule.chain else False
    return begins and len(body.atoms) > 1 and all(atom.relation.kind == "event" for atom in body.atoms)


def common_home(body: Body, layout: Layout) -> int | None:
    """The stage in which all conditions of a rule are together, by a key of variables that they share."""
    if not body.evidence or not all(body.evidence):
        return None  # it also holds where there are no rows, so that every bucket would conclude it
    homes = set()
    for atom in body.atoms:
        placement = layout.placed.get(atom.relation)
        if placement is None or not placement.positions:
            return None
        key = [atom.args[position] for position in placement.positions]
        if not body.is_rowwise and not all(isinstance(variable, str) for variable in key):
            return None
        homes.add((placement.stage, frozenset(key), len(key)))
    return next(iter(homes))[0] if len(homes) == 1 else None


def _together(definition: Definition, layout: Layout) -> Placement:
    own = set(definition.defines)
    stage, routes = 0, []
    for relation in dict.fromkeys(relation for relation in reads(definition) if relation not in own):
        placement = layout.placed.get(relation)
        is_there = placement is not None and placement.positions == ()
        stage = max(stage, layout.stage_of(relation) + (not is_there))
        routes.append(Route(relation, "share", ()))
    return Placement(stage, (), _from_earlier(routes, stage, layout))


def _from_earlier(routes: Iterable[Route], stage: int, layout: Layout) -> tuple[Route, ...]:
    """Return the routes from earlier stages: what is defined in the stage itself needs none."""
    return tuple(dict.fromkeys(route for route in routes if layout.stage_of(route.relation) < stage))


# ---------------------------------------------------------------- one key


@dataclass(frozen=True, slots=True)
class _Reached:
    """How a condition is reached. stage: the first one in which it can be. whole: it has all variables of the key."""

    route: Route
    stage: int
    whole: bool = False


def _fit(definition: Definition, bodies: Bodies, key: tuple[int, ...], layout: Layout) -> Placement | None:
    """The placement by a key; None if a condition cannot be brought there."""
    if _ranges_over_key(definition, key, layout):
        return None
    own = frozenset(definition.defines)
    stage, routes = 0, list[Route]()
    for body in bodies:
        ways = _reach_all(body, key, own, layout)
        if ways is None:
            return None
        routes += (way.route for way in ways.values() if way.route.relation not in own)
        stage = max([stage, *(way.stage for way in ways.values())])
    if any(route.way == "follow" for route in routes):
        links = tuples_of(definition, key, layout)
        routes += (Route(relation, "link", tuple(sorted(positions))) for relation, positions in sorted(links, key=repr))
        stage = max([stage, *(layout.stage_of(relation) + 2 for relation, _ in links)])
    return Placement(stage, key, _from_earlier(routes, stage, layout))


def reaches(body: Body, key: tuple[int, ...], own: frozenset[Relation], layout: Layout) -> bool:
    """Whether all conditions of a rule can be brought to the key of its head."""
    return _reach_all(body, key, own, layout) is not None


def _reach_all(
    body: Body, key: tuple[int, ...], own: frozenset[Relation], layout: Layout
) -> dict[RelationNode, _Reached] | None:
    variables = _variables(body, key)
    if variables is None:
        return None
    ways = {}
    for atom in body.atoms:
        way = _reach(atom, key, variables, own, layout)
        if way is None:
            return None
        ways[atom] = way
    if body.competes_freely:
        return None
    if body.is_choosing and not all(ways[atom].whole for way in body.evidence for atom in way):
        return None  # all that competes must be in one bucket
    return ways if _has_evidence(body, key, variables, ways) else None


def _variables(body: Body, key: tuple[int, ...]) -> tuple[str, ...] | None:
    """The variables at the key's positions of a head, without those that stand for any value; None if it has others."""
    args = [body.head[position] for position in key if body.head[position] is not None]
    variables = tuple(arg for arg in args if isinstance(arg, str))
    return variables if len(variables) == len(args) == len(set(variables)) else None


def _has_evidence(
    body: Body, key: tuple[int, ...], variables: tuple[str, ...], ways: dict[RelationNode, _Reached]
) -> bool:
    """Whether a key of several arguments is known by conditions that have all of it.

    One argument needs none, nor does a head for any value: what is concluded for it is kept in its own bucket. What
    reads nothing at all is concluded once.
    """
    if len(key) == 1 or len(variables) < len(key):
        return bool(body.atoms) or all(body.evidence)
    whole = {atom for atom, way in ways.items() if way.whole}
    return bool(body.evidence) and all(not whole.isdisjoint(alternative) for alternative in body.evidence)


def _reach(
    atom: RelationNode, key: tuple[int, ...], variables: tuple[str, ...], own: frozenset[Relation], layout: Layout
) -> _Reached | None:
    relation, placement = atom.relation, layout.placed.get(atom.relation)
    is_whole = len(variables) == len(key)
    if relation in own:
        is_there = is_whole and {atom.args[position] for position in key} == set(variables)
        return _Reached(Route(relation, "share", key), 0, True) if is_there else None
    earlier = layout.stage_of(relation)
    if is_whole:
        home = placement.positions if placement is not None else None
        if home and len(home) == len(key) and {atom.args[position] for position in home} == set(variables):
            return _Reached(Route(relation, "share", home), earlier, True)
        if all(variable in atom.args for variable in variables):
            positions = tuple(sorted(atom.args.index(variable) for variable in variables))
            return _Reached(Route(relation, "share", positions), earlier + 1, True)
    if len(key) > 1 and (way := _follow(atom, variables, layout)) is not None:
        return way
    if all(isinstance(arg, Term) for arg in atom.args):
        return _Reached(Route(relation, "everywhere"), earlier + 1)
    return None


def _follow(atom: RelationNode, variables: tuple[str, ...], layout: Layout) -> _Reached | None:
    """By the variable with which its rows can be sent on soonest."""
    placement, earlier = layout.placed.get(atom.relation), layout.stage_of(atom.relation)
    ways = []
    for variable in variables:
        if variable in atom.args:
            position = atom.args.index(variable)
            is_home = placement is not None and placement.positions == (position,)
            sent_on = earlier if is_home else earlier + 1
            ways.append(_Reached(Route(atom.relation, "follow", (position,)), sent_on + 1))
    return min(ways, key=lambda way: way.stage, default=None)


def _ranges_over_key(definition: Definition, key: tuple[int, ...], layout: Layout) -> bool:
    """Whether it is initiated for all declared tuples, or holds initially: no bucket would know of all of them."""
    for fluent in definition.simple_fluents:
        for relation, rules in zip(fluent.relations, fluent.initiations, strict=True):
            positions = key if len(key) == 1 else range(relation.arity)
            if relation in layout.declared and any(
                is_open(rule.args[position]) for rule in rules for position in positions
            ):
                return True
        if len(key) > 1 and any(fluent.initially):
            return True
    return False
