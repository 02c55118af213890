"""Events that only confirm what is known: they initiate what holds, or terminate what does not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.scripts.script import Script, fill_slots, find_scripts, find_tables
from holdsfor.engine.scripts.writing import ScriptDraft
from holdsfor.kernels.scripts import follow_script
from holdsfor.plan.definitions import Definition, Simple
from holdsfor.plan.operators import At, Conclude, Holding, Occurring, Relation
from holdsfor.plan.structures import is_open
from holdsfor.plan.walk import conclusions, flat

PURPOSE = "to confirm"


def may_confirm(definition: Definition, event: Relation) -> bool:
    """Whether all that a definition asks of an event is when it happens, each occurrence by itself."""
    if not isinstance(definition, Simple) or definition.relations[0].kind == "valued":
        return False
    for rule in conclusions(definition):
        if any(isinstance(op, At | Holding) and op.relation == event for op in flat(rule.chain[1:])):
            return False
        if any(isinstance(op, Occurring) for op in rule.chain) or any(map(is_open, rule.args)):
            return False
    return not any(isinstance(op, At) for rules in definition.initially for rule in rules for op in flat(rule.chain))


@dataclass(frozen=True, eq=False)
class Readers:
    """The fluents that read an event, of which each occurrence may be judged by itself."""

    event: Relation
    fluents: tuple[Simple, ...]

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """All values, one fluent after the other."""
        return tuple(relation for fluent in self.fluents for relation in fluent.relations)

    @cached_property
    def rules(self) -> dict[Conclude, list[int]]:
        """The rules that begin with the event, with their tables of points: two for each value."""
        tables: dict[Conclude, list[int]] = {}
        first = 0
        for fluent in self.fluents:
            for rule, each in find_tables(fluent).items():
                if _begins_with(rule, self.event):
                    tables.setdefault(rule, []).extend(first + table for table in each)
            first += 2 * len(fluent.relations)
        return tables

    @cached_property
    def conditions(self) -> frozenset[Relation]:
        """The relations of the other conditions of these rules."""
        ops = [op for rule in self.rules for op in flat(rule.chain[1:])]
        return frozenset(op.relation for op in ops if isinstance(op, At | Holding))

    @cached_property
    def halves(self) -> tuple[Readers, ...]:
        middle = len(self.fluents) // 2
        return Readers(self.event, self.fluents[:middle]), Readers(self.event, self.fluents[middle:])


class Conclusions(NamedTuple):
    """The conclusions of occurrences of an event by themselves. points, runs: as `follow_script` gives them."""

    readers: Readers
    points: Ints
    runs: Ints


def conclude_alone(readers: Readers, world: World, floor: int) -> list[Conclusions] | None:
    """Conclude by the rules that begin with an event, with one script or, where that is too much, with several.

    world: with the occurrences that are in question, and with all that is asked for besides about the same entities,
    as if they had not happened. floor: at and before it nothing is concluded. None: it takes more than scripts to tell.
    """
    if world.dictionary.null_code is not None:  # scripts know of no missing values
        return None
    conclusions = _follow(readers, world, floor)
    if conclusions is not None:
        return [conclusions]
    parts = [conclude_alone(half, world, floor) for half in readers.halves] if len(readers.fluents) > 1 else [None]
    return None if None in parts else [each for part in parts for each in part or ()]


def _follow(readers: Readers, world: World, floor: int) -> Conclusions | None:
    script_with_arrays = find_scripts(PURPOSE, readers, world, write_confirming).find(world)
    if script_with_arrays is None:
        return None
    script, arrays = script_with_arrays
    axis, origin, now = world.axis, world.axis.origin, world.now_on_axis
    times = np.array([floor + 1 - origin, now, world.start_on_axis, now])
    said = script.lines, fill_slots(arrays), script.constants
    cuts = EMPTY, np.array([-1, 0, floor - origin])
    points, runs, is_exact = follow_script(*said, times, *cuts, axis.time_bits, axis.code_bits)
    return Conclusions(readers, points, runs) if is_exact else None


def write_confirming(readers: Readers, draft: ScriptDraft) -> Script | None:
    if draft.write_rules(readers.rules.items()) or len(draft.fetches) > draft.world.dictionary.tuning.script_arrays:
        return None
    return Script(*draft.finished(), tuple(draft.fetches))


def _begins_with(rule: Conclude, event: Relation) -> bool:
    first = rule.chain[0] if rule.chain else None
    return isinstance(first, At) and first.relation == event
