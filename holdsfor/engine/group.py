"""Groups: simple fluents that depend on each other or have deadlines, by a state machine.

Each rule's conditions on other things are worked out for all rows at once; what remains of it are actions whose
conditions ask for the state of the group.
"""

from __future__ import annotations

from holdsfor.engine.actions import actions_of, aligned, plain
from holdsfor.engine.one_by_one import one_by_one
from holdsfor.engine.simple import Domains
from holdsfor.engine.together import all_together
from holdsfor.engine.world import World
from holdsfor.plan.operators import Group


def evaluate_group(group: Group, world: World, domains: Domains) -> int:
    """Adds the fluents to the world; gives the number of groundings that their declared domains leave out."""
    actions = tuple(actions_of(group))
    relations = tuple(relation for fluent in group.fluents for relation in fluent.relations)
    if aligned(actions, relations) and all(map(plain, group.deadlines)):
        return one_by_one(group, actions, relations, world, domains)
    return all_together(group, actions, relations, world, domains)
