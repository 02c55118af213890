"""Advice on definitions that cannot be shared out."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.plan.definitions import Definition
from holdsfor.plan.distribution.bodies import bodies_of
from holdsfor.plan.whole_plan import Plan


def advise_on_together(plan: Plan) -> Iterator[str]:
    """A sentence for each definition that is evaluated on all data in one bucket, with what would change that."""
    homes = {home.relation: home.positions for stage in plan.stages for home in stage.homes}
    for definition in plan.definitions:
        relation = definition.defines[0]
        if homes.get(relation) == () and _gathers(definition):
            yield (
                f"{relation.signature} is evaluated in one place, all together: its conditions share no argument. "
                "To share it out, add a condition that has an argument of each of them, such as an event about both."
            )


def _gathers(definition: Definition) -> bool:
    """Whether rows about many things come together in it; what its own rules concluded elsewhere are few."""
    atoms = [atom for body in bodies_of(definition) for atom in body.atoms]
    return any(atom.relation.arity and not atom.relation.is_part for atom in atoms)
