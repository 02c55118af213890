"""A simple fluent by its script: all rules that it can say, and the points of the others, in one call."""

from __future__ import annotations

from functools import partial

import numpy as np

from holdsfor.engine.bodies.heads import concluded, joined, merged
from holdsfor.engine.bodies.rulebook import Rulebook, find_rule
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains, admits_all
from holdsfor.engine.definitions.initial import initial_keys
from holdsfor.engine.scripts.fetching import as_plain
from holdsfor.engine.scripts.script import Script, fill_slots, find_scripts, find_tables
from holdsfor.engine.scripts.writing import ScriptDraft
from holdsfor.kernels.intervals.inertia import hold_between
from holdsfor.kernels.scripts import CARRY, MERGE, SLOTS, follow_script
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude, Relation

PURPOSE = "to conclude"


def follow(fluent: Simple, world: World, domains: Domains, rulebook: Rulebook) -> bool:
    """Adds the fluent to the world, if its script can say it, and rows are few enough for that to be quicker."""
    if world.dictionary.null_code is not None or (domains and _leave_out(fluent, domains)):
        return False  # scripts know of no missing values
    write = partial(write_script, rulebook=rulebook)
    scripts = find_scripts(PURPOSE, fluent, world, write)
    cuts = world.cut.leading(fluent.relations) if scripts.may_help() else None
    script_with_arrays = None if cuts is None else scripts.find(world)
    if cuts is None or script_with_arrays is None:
        return False
    script, arrays = script_with_arrays
    if max(map(len, arrays), default=0) > world.dictionary.tuning.script_rows:
        return False
    initial = initial_keys(fluent, world, domains)
    for relation in fluent.relations:
        arrays.append(as_plain(joined((world.cut.holding(relation), initial.get(relation, EMPTY)))))
    for table in script.others:
        if table:
            arrays.append(as_plain(merged(concluded(table, world, rulebook)[0])))
    axis, now = world.axis, world.now_on_axis
    times = np.array([world.cut.earliest + 1, now, world.start_on_axis, now])
    said = script.lines, fill_slots(arrays), script.constants
    out, runs, is_exact = follow_script(*said, times, *cuts, axis.time_bits, axis.code_bits)
    if not is_exact:
        return False
    put_values(fluent.relations, out, runs, 1, world)
    return True


def put_values(relations: tuple[Relation, ...], points: Ints, runs: Ints, after: int, world: World) -> None:
    """Put the intervals of each value into the world. points, runs, after: see `hold_between`."""
    s, e, ends = hold_between(points, runs, len(relations), world.axis.mask, after)
    begin = 0
    for relation, end in zip(relations, ends.tolist(), strict=True):
        world.put_intervals(relation, s[begin:end], e[begin:end])
        begin = end


def write_script(fluent: Simple, draft: ScriptDraft, rulebook: Rulebook) -> Script | None:
    """Write a script, or None if it would say less than half of the rules, a head is open, or arrays are too many.

    After the arrays that it fetches come the keys of each value that hold at the cut, or initially; then the points of
    the rules that it does not say.
    """
    tables = find_tables(fluent)
    if not all(find_rule(rule, rulebook).is_full for rule in tables):
        return None
    others: list[list[Conclude]] = [[] for _ in range(2 * len(fluent.relations))]
    left = draft.write_rules(tables.items())
    for rule in left:
        for table in tables[rule]:
            others[table].append(rule)
    slot = len(draft.fetches)
    for value in range(len(fluent.relations)):
        draft.lines.append([CARRY, slot, 0, 2 * value])
        slot += 1
    for table, rules in enumerate(others):
        if rules:
            draft.lines.append([MERGE, slot, 0, table])
            slot += 1
    if slot > SLOTS or 2 * len(left) > len(tables):
        return None
    return Script(*draft.finished(), tuple(draft.fetches), tuple(map(tuple, others)))


def _leave_out(fluent: Simple, domains: Domains) -> bool:
    """Whether declarations leave out anything of a fluent."""
    return any(relation in domains and not admits_all(domains[relation]) for relation in fluent.relations)
