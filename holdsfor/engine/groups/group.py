"""Groups: simple fluents that depend on each other or have deadlines, by a state machine.

Each rule's conditions on other things are worked out for all rows at once; what remains of it are actions whose
conditions ask for the state of the group.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.data.axis import EMPTY
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Allowed, Domains, Enumerated
from holdsfor.engine.groups.actions import Action, actions_of, aligned, plain
from holdsfor.engine.groups.joint import all_together
from holdsfor.engine.groups.per_key import one_by_one
from holdsfor.errors import HoldsforError
from holdsfor.plan.definitions import Declared, Due, Group
from holdsfor.plan.operators import At, Holding, Relation
from holdsfor.plan.walk import flat

#: How often a group may be evaluated anew; each round is right for one more change at least.
ROUNDS = 100_000


def evaluate_group(group: Group, world: World, domains: Domains) -> int:
    """Adds the fluents to the world; gives the number of groundings that their declared domains leave out."""
    actions = tuple(actions_of(group))
    relations = tuple(relation for fluent in group.fluents for relation in fluent.relations)
    by_itself = aligned(actions, relations) and all(
        plain(due) and _same_domain(due, domains) for due in group.deadlines
    )
    once = one_by_one if by_itself else all_together
    left_out = once(group, actions, relations, world, domains)
    _tell_reached(group, world)
    if not _reads_itself(actions, group.defines):
        return left_out
    for _ in range(ROUNDS):
        before = [world.intervals_of(relation) for relation in relations]
        left_out = once(group, actions, relations, world, domains)
        _tell_reached(group, world)
        if all(_same(old, world.intervals_of(r)) for old, r in zip(before, relations, strict=True)):
            return left_out
    names = ", ".join(str(fluent.signature) for fluent in group.fluents)
    raise HoldsforError(f"{names}: what starts and ends here does not settle; does a start depend on itself?")


def _same_domain(due: Due, domains: Domains) -> bool:
    """Whether what a deadline leads to is declared for all for whom it may run."""
    if due.target not in domains:
        return True
    one, other = domains.get(due.source, ()), domains[due.target]
    return len(one) == len(other) and all(map(_equal, one, other))


def _equal(one: Allowed, other: Allowed) -> bool:
    if isinstance(one, Enumerated) and isinstance(other, Enumerated):
        return one.positions == other.positions and np.array_equal(one.keys, other.keys)
    return isinstance(one, Declared) and isinstance(other, Declared) and one == other


def _reads_itself(actions: tuple[Action, ...], relations: tuple[Relation, ...]) -> bool:
    """Whether a rule waits for the start or end of a member, counts members, or looks for several in one negation.

    Then the group is evaluated until nothing changes, and reads the answer of the round before. Each round is right at
    least one change further than the one before, because time orders the changes.
    """
    ops = (op for action in actions for op in flat(action.chain))
    return any(isinstance(op, At | Holding) and op.relation in relations for op in ops)


def _tell_reached(group: Group, world: World) -> None:
    """The points at which deadlines initiate their targets."""
    axis = world.axis
    for target, event in group.reached:
        reached = [EMPTY]
        for due in group.deadlines:
            running = world.running.get(due)
            if due.target == target and running is not None:
                mask = (running.dropped > running.due) & (running.due <= world.now_on_axis)
                mask &= running.due > world.cut_of_keys(due.source, running.keys)
                keys = running.keys[mask]
                if due.values is not None:
                    columns = [axis.code(keys, p, target.arity) for p in range(target.arity - 1)]
                    keys = axis.key([*columns, np.full(len(keys), world.dictionary.code_of(due.values[1]), np.int64)])
                reached.append((keys << axis.time_bits) | running.due[mask])
        packed = np.unique(np.concatenate(reached))
        world.relations[event] = Points(axis, world.dictionary, event.arity, tuple(range(event.arity)), packed, {})


def _same(one: Intervals, other: Intervals) -> bool:
    return np.array_equal(one.s, other.s) and np.array_equal(one.e, other.e)
