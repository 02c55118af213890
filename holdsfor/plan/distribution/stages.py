"""The stages of a plan: what is evaluated at the same time, where each result is, and what travels before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.plan.definitions import Definition
from holdsfor.plan.distribution.bodies import bodies_of, find_live
from holdsfor.plan.distribution.layout import Layout, Placement
from holdsfor.plan.distribution.placing import place
from holdsfor.plan.operators import Relation
from holdsfor.plan.walk import reads
from holdsfor.plan.whole_plan import Home, Plan, Route, Stage


def stages(definitions: tuple[Definition, ...], declared: Iterable[Relation] = ()) -> tuple[Stage, ...]:
    """declared: the relations that have a declared domain, over which wildcards range."""
    layout = Layout(frozenset(declared))
    placements = []
    for definition in definitions:
        placement = place(definition, layout)
        layout.add(definition, placement)
        placements.append(placement)
    count = max((placement.stage for placement in placements), default=-1) + 1
    return tuple(_stage(number, definitions, placements) for number in range(count))


def one_stage(definitions: tuple[Definition, ...]) -> Stage:
    """All definitions where all rows are: nothing has to travel."""
    own = dict.fromkeys(relation for definition in definitions for relation in definition.defines)
    read = dict.fromkeys(relation for definition in definitions for relation in reads(definition))
    routes = (Route(relation, "share") for relation in read if relation not in own)
    return Stage(tuple(range(len(definitions))), tuple(routes), tuple(Home(relation, ()) for relation in own))


def _stage(number: int, definitions: tuple[Definition, ...], placements: list[Placement]) -> Stage:
    members = tuple(index for index, placement in enumerate(placements) if placement.stage == number)
    homes = (
        Home(relation, placements[index].positions, placements[index].slices)
        for index in members
        for relation in definitions[index].defines
    )
    following = (route for placement in placements if placement.stage == number + 1 for route in placement.routes)
    sends_on = any(route.way == "follow" for route in following)
    routes = dict.fromkeys(route for index in members for route in placements[index].routes)
    return Stage(members, tuple(routes), tuple(homes), sends_on)


def advise_on_together(plan: Plan) -> Iterator[str]:
    """A sentence for each definition that is evaluated on all data in one bucket, with what would change that."""
    homes = {home.relation: home.positions for stage in plan.stages for home in stage.homes}
    live = find_live(plan)
    for definition in plan.definitions:
        relation = definition.defines[0]
        if homes.get(relation) == () and relation in live and _gathers(definition):
            yield (
                f"{relation.signature} is evaluated in one place, all together: its conditions share no argument. "
                "To share it out, add a condition that has an argument of each of them, such as an event about both."
            )


def _gathers(definition: Definition) -> bool:
    """Whether rows about many things come together in it; what its own rules concluded elsewhere are few."""
    atoms = [atom for body in bodies_of(definition) for atom in body.atoms]
    return any(atom.relation.arity and not atom.relation.is_part for atom in atoms)
