"""The points of a fluent's rules, as many as a script can say in one call: where its heads are not all whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.points import EMPTY
from holdsfor.engine.prepared import Rulebook, find_rule
from holdsfor.engine.scripts.joined_events import JoinedEvent, begin_with_join, find_joins
from holdsfor.engine.scripts.script import Script, fill_slots, find_scripts
from holdsfor.engine.scripts.writing import ScriptDraft
from holdsfor.engine.world import World
from holdsfor.kernels import TooManyPairs
from holdsfor.kernels.scripts import SLOTS, follow_script
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude, Relation

PURPOSE = "to conclude points"
#: With more rows to begin with, operators are as quick: they do each thing for all rows at once.
FEW_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class RulesOfPoints:
    """The rules of a fluent, and what they begin with. bare: the rules as a script says them, without wildcards, and
    with joins first.
    """

    fluent: Simple
    axis: Axis
    rules: tuple[Conclude, ...]
    firsts: frozenset[Relation]
    bare: tuple[Conclude, ...]
    joins: tuple[JoinedEvent, ...]

    def count_rows(self, world: World) -> int:
        return sum(len(world.relations.get(relation, ())) for relation in self.firsts)

    def add_joins(self, world: World) -> World:
        return world.with_relations({join.relation: join.join(world) for join in self.joins}) if self.joins else world

    def write(self, fluent: Simple, draft: ScriptDraft) -> Script | None:
        """Each rule has a table of its own. None: it cannot say half of them, or there are too many arrays."""
        numbers: dict[Conclude, list[int]] = {}
        for number, rule in enumerate(self.bare):
            numbers.setdefault(rule, []).append(number)
        left = draft.write_rules(numbers.items())
        if len(draft.fetches) > SLOTS or 2 * len(left) > len(numbers):
            return None
        others = tuple((rule,) if each in left else () for rule, each in zip(self.rules, self.bare, strict=True))
        return Script(*draft.finished(), tuple(draft.fetches), others)


def conclude_points(fluent: Simple, world: World, rulebook: Rulebook) -> Mapping[Conclude, Ints]:
    """Of the rules that a script says: the points of what is bound in the head, sorted."""
    rules = find_rules(fluent, world, rulebook)
    scripts = find_scripts(PURPOSE, fluent, world, rules.write)
    if world.dictionary.null_code is not None or not scripts.may_help() or rules.count_rows(world) > FEW_ROWS:
        return {}  # scripts know of no missing values
    try:
        script_with_arrays = scripts.find(rules.add_joins(world))
    except TooManyPairs:  # operators tell of which rule
        return {}
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
    points = {rule: EMPTY for rule, others in zip(rules.rules, script.others, strict=True) if not others}
    for number, begin, end in runs.tolist():
        points[rules.rules[number]] = out[begin:end]
    return points


def find_rules(fluent: Simple, world: World, rulebook: Rulebook) -> RulesOfPoints:
    """They are kept with the dictionary, whose codes joins name."""
    key, readings = ("rules of points", id(fluent)), world.dictionary.readings
    rules = readings.get(key)
    if not isinstance(rules, RulesOfPoints) or rules.fluent is not fluent or rules.axis is not world.axis:
        rules = readings[key] = _prepare(fluent, world, rulebook)
    return rules


def _prepare(fluent: Simple, world: World, rulebook: Rulebook) -> RulesOfPoints:
    tables = (*fluent.initiations, *fluent.terminations)
    rules = tuple(dict.fromkeys(rule for table in tables for rule in table))
    prepared = [find_rule(rule, rulebook) for rule in rules]
    joins = find_joins(rules, world)
    bare = [begin_with_join(replace(rule, args=each.args), joins) for rule, each in zip(rules, prepared, strict=True)]
    firsts = frozenset(each.first for each in prepared if each.first is not None)
    return RulesOfPoints(fluent, world.axis, rules, firsts, tuple(bare), tuple(joins.values()))
