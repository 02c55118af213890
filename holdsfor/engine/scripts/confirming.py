"""Events that only confirm what is known: they initiate what holds, or terminate what does not."""

from __future__ import annotations

from functools import partial

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.points import EMPTY
from holdsfor.engine.scripts.fetching import fetch_ends, fetch_starts
from holdsfor.engine.scripts.script import Script, fill_slots, find_scripts, find_tables
from holdsfor.engine.scripts.writing import ScriptDraft
from holdsfor.engine.world import World
from holdsfor.kernels.scripts import SLOTS, find_contradicting_points, follow_script
from holdsfor.plan.definitions import Definition, Simple
from holdsfor.plan.operators import At, Conclude, Holding, Occurring, Relation
from holdsfor.plan.structures import is_open
from holdsfor.plan.walk import conclusions, flat


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


def find_contradicting(fluent: Simple, event: Relation, world: World, floor: int) -> Ints | None:
    """The points at which occurrences of an event conclude what is not so right after them, in no order.

    world: with the occurrences that are in question, and with all else that is known about the same entities, as if
    they had not happened. floor: at and before it nothing is concluded. None: it takes more than a script to tell.
    """
    if world.dictionary.null_code is not None:  # scripts know of no missing values
        return None
    write = partial(write_confirming, event=event)
    script_with_arrays = find_scripts(("to confirm", event), fluent, world, write).find(world)
    if script_with_arrays is None:
        return None
    script, arrays = script_with_arrays
    axis, origin = world.axis, world.axis.origin
    times = np.array([floor + 1 - origin, world.now - origin, world.start - origin, world.now - origin])
    said = script.lines, fill_slots(arrays), script.constants
    cuts = EMPTY, np.array([-1, 0, floor - origin])
    out, runs, is_exact = follow_script(*said, times, *cuts, axis.time_bits, axis.code_bits)
    if not is_exact:
        return None
    values = [arrays[2 * value : 2 * value + 2] for value in range(len(fluent.relations))]
    tables = runs[:, 0].tolist()
    parts = [find_contradicting_points(out, run, *values[table // 2]) for run, table in zip(runs, tables, strict=True)]
    return np.concatenate([EMPTY, *parts])


def write_confirming(fluent: Simple, draft: ScriptDraft, event: Relation) -> Script | None:
    """The rules that begin with an event. The first arrays are starts and ends of each value."""
    for relation in fluent.relations:
        draft.slot(("start", relation), fetch_starts(relation))
        draft.slot(("end", relation), fetch_ends(relation))
    tables = {rule: each for rule, each in find_tables(fluent).items() if _begins_with(rule, event)}
    if draft.write_rules(tables.items()) or len(draft.fetches) > SLOTS:
        return None
    return Script(*draft.finished(), tuple(draft.fetches))


def _begins_with(rule: Conclude, event: Relation) -> bool:
    first = rule.chain[0] if rule.chain else None
    return isinstance(first, At) and first.relation == event
