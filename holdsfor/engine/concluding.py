"""The points of a fluent's rules, as many as a script can say in one call: where its heads are not all whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.points import EMPTY
from holdsfor.engine.prepared import Rulebook, find_rule
from holdsfor.engine.scripts.following import is_plain
from holdsfor.engine.scripts.script import Script, fill_slots, find_scripts
from holdsfor.engine.scripts.writing import ScriptDraft
from holdsfor.engine.world import World
from holdsfor.kernels.scripts import SLOTS, follow_script
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude

PURPOSE = "to conclude points"
#: With more rows to begin with, operators are as quick: they do each thing for all rows at once.
FEW_ROWS = 2_000


def conclude_points(fluent: Simple, world: World, rulebook: Rulebook) -> Mapping[Conclude, Ints]:
    """Of the rules that a script says: the points of what is bound in the head, sorted."""
    rules = _rules_of(fluent)
    if not is_plain(fluent, world) or _count_rows(rules, world, rulebook) > FEW_ROWS:
        return {}

    def write(fluent: Simple, draft: ScriptDraft) -> Script | None:
        return _write_script(fluent, draft, rulebook)

    script_with_arrays = find_scripts(PURPOSE, fluent, world, write).find(world)
    if script_with_arrays is None:
        return {}
    script, arrays = script_with_arrays
    axis, origin = world.axis, world.axis.origin
    times = np.array([world.after + 1 - origin, world.now - origin, world.start - origin, world.now - origin])
    cuts = EMPTY, np.array([-1, 0, world.after - origin])
    said = script.lines, fill_slots(arrays), script.constants
    out, runs, is_exact = follow_script(*said, times, *cuts, axis.time_bits, axis.code_bits)
    if not is_exact:
        return {}
    points = {rule: EMPTY for rule, others in zip(rules, script.others, strict=True) if not others}
    for number, begin, end in runs.tolist():
        points[rules[number]] = out[begin:end]
    return points


def _write_script(fluent: Simple, draft: ScriptDraft, rulebook: Rulebook) -> Script | None:
    """Each rule has a table of its own. None: it cannot say half of them, or there are too many arrays."""
    rules = _rules_of(fluent)
    bare = [replace(rule, args=find_rule(rule, rulebook).args) for rule in rules]  # without wildcards
    numbers: dict[Conclude, list[int]] = {}
    for number, rule in enumerate(bare):
        numbers.setdefault(rule, []).append(number)
    left = draft.write_rules(numbers.items())
    if len(draft.fetches) > SLOTS or 2 * len(left) > len(numbers):
        return None
    others = tuple((rule,) if each in left else () for rule, each in zip(rules, bare, strict=True))
    return Script(*draft.finished(), tuple(draft.fetches), others)


def _rules_of(fluent: Simple) -> tuple[Conclude, ...]:
    tables = (*fluent.initiations, *fluent.terminations)
    return tuple(dict.fromkeys(rule for table in tables for rule in table))


def _count_rows(rules: tuple[Conclude, ...], world: World, rulebook: Rulebook) -> int:
    """What rules begin with."""
    relations = {find_rule(rule, rulebook).first for rule in rules}
    return sum(len(world.relations.get(relation, ())) for relation in relations if relation is not None)
