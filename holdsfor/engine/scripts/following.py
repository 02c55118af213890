"""A simple fluent by its script: all rules that it can say, and the points of the others, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.conclude import concluded, merged
from holdsfor.engine.domain import Domains, admits_all
from holdsfor.engine.initial import initial_keys
from holdsfor.engine.points import EMPTY
from holdsfor.engine.prepared import Rulebook, find_rule
from holdsfor.engine.scripts.fetching import EventShape, Fetch, Reshaped, as_plain
from holdsfor.engine.scripts.writing import Draft
from holdsfor.engine.world import World
from holdsfor.kernels.scripts import CARRY, MERGE, SLOTS, follow_script
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude, Relation

#: So many shapes of rows have a script each; where there are more, operators do it one by one.
MOST_SCRIPTS = 8


@dataclass(frozen=True, slots=True)
class Script:
    """fetches: the arrays of the world that it needs; after them come what holds at the cuts, and initially, of each
    value, and the points of `others`, the rules that it does not say, each with its table.
    """

    axis: Axis
    shapes: Mapping[Relation, EventShape]
    lines: Ints
    constants: NDArray[np.float64]
    steps: Ints
    fetches: tuple[Fetch, ...]
    others: tuple[tuple[Conclude, ...], ...]

    def fetch(self, world: World) -> list[Ints]:
        return [fetch(world) for fetch in self.fetches]


@dataclass(slots=True)
class Scripts:
    """Of one fluent, by the shapes of rows; the last one that was used comes first."""

    fluent: Simple
    known: list[Script] = field(default_factory=list)
    shapes: dict[Relation, EventShape] = field(default_factory=dict)
    is_given_up: bool = False

    def find(self, world: World, rulebook: Rulebook) -> tuple[Script, list[Ints]] | None:
        """A script for rows as they are, with its arrays; None: there is none."""
        for place, script in enumerate(self.known):
            try:
                arrays = script.fetch(world)
            except Reshaped:
                continue
            if place:
                self.known.insert(0, self.known.pop(place))
            return script, arrays
        return None if self.is_given_up else self._write(world, rulebook)

    def _write(self, world: World, rulebook: Rulebook) -> tuple[Script, list[Ints]] | None:
        draft = Draft(world, self.shapes)
        script = write_script(self.fluent, draft, rulebook)
        self.shapes.update(draft.shapes)
        self.is_given_up = script is None or len(self.known) == MOST_SCRIPTS
        if script is None or self.is_given_up:
            return None
        self.known.insert(0, script)
        return script, script.fetch(world)


def write_script(fluent: Simple, draft: Draft, rulebook: Rulebook) -> Script | None:
    """None: it would say nothing, or needs too many arrays."""
    tables: dict[Conclude, list[int]] = {}  # values often end together
    for value in range(len(fluent.relations)):
        for rule in dict.fromkeys(fluent.initiations[value]):
            tables.setdefault(rule, []).append(2 * value)
        for rule in dict.fromkeys(fluent.terminations[value]):
            tables.setdefault(rule, []).append(2 * value + 1)
    others: list[list[Conclude]] = [[] for _ in range(2 * len(fluent.relations))]
    left = draft.write_rules(tables.items())
    for rule in left:
        for table in tables[rule]:
            others[table].append(rule)
    slot = len(draft.fetches)
    for value in range(len(fluent.relations)):
        draft.lines += [[CARRY, slot + 2 * value, 2 * value], [CARRY, slot + 2 * value + 1, 2 * value]]
    slot += 2 * len(fluent.relations)
    for table, rules in enumerate(others):
        if rules:
            draft.lines.append([MERGE, slot, table])
            slot += 1
    if slot > SLOTS or 2 * len(left) > len(tables):
        return None
    return Script(
        draft.axis, dict(draft.shapes), *draft.finished(), tuple(draft.fetches), tuple(map(tuple, others))
    )


def follow(fluent: Simple, world: World, domains: Domains, rulebook: Rulebook) -> bool:
    """Adds the fluent to the world, if its script can say it; False: it cannot."""
    if not _is_plain(fluent, world, domains) or not _are_heads_full(fluent, rulebook):
        return False
    cuts = _find_cuts(fluent, world)
    if cuts is None:
        return False
    scripts = world.dictionary.readings.get(("scripts", id(fluent)))
    if not isinstance(scripts, Scripts) or scripts.fluent is not fluent:
        scripts = world.dictionary.readings["scripts", id(fluent)] = Scripts(fluent)
    found = scripts.find(world, rulebook)
    if found is None:
        return False
    script, arrays = found
    if script.axis is not world.axis:
        del world.dictionary.readings["scripts", id(fluent)]
        return False
    initial = initial_keys(fluent, world, domains)
    for relation in fluent.relations:
        arrays += [as_plain(keys.get(relation, EMPTY)) for keys in (world.carried, initial)]
    for table in script.others:
        if table:
            arrays.append(as_plain(merged(concluded(table, world, rulebook)[0])))
    arrays += [EMPTY] * (SLOTS - len(arrays))
    axis, origin = world.axis, world.axis.origin
    times = np.array([world.after + 1 - origin, world.now - origin, world.start - origin, world.now - origin])
    s, e, ends, is_exact = follow_script(
        script.lines,
        tuple(arrays),
        script.constants,
        script.steps,
        len(fluent.relations),
        times,
        *cuts,
        axis.time_bits,
        axis.code_bits,
    )
    if not is_exact:
        return False
    begin = 0
    for relation, end in zip(fluent.relations, ends.tolist(), strict=True):
        world.put_intervals(relation, s[begin:end], e[begin:end])
        begin = end
    return True


def _is_plain(fluent: Simple, world: World, domains: Domains) -> bool:
    """Whether scripts can be asked at all: they know of no declared domains, no missing values, and ticks of 1."""
    relation = fluent.relations[0]
    return (
        relation.kind != "valued"
        and relation.arity > 0
        and world.axis.tick == 1
        and not world.axis.is_wide(relation.arity)
        and world.dictionary.null_code is None
        and all(each not in domains or admits_all(domains[each]) for each in fluent.relations)
    )


def _are_heads_full(fluent: Simple, rulebook: Rulebook) -> bool:
    return all(
        find_rule(rule, rulebook).is_full
        for tables in (fluent.initiations, fluent.terminations)
        for table in tables
        for rule in table
    )


def _find_cuts(fluent: Simple, world: World) -> tuple[Ints, Ints] | None:
    """As `follow_script` wants them; None: they are not of that kind."""
    if world.cuts is None:
        return EMPTY, np.array([-1, 0, world.after - world.axis.origin])
    leading = [world.cuts.leading(relation, relation.arity) for relation in fluent.relations]
    if leading[0] is None or any(each is None or each[1:] != leading[0][1:] for each in leading):
        return None
    edges, shift, delay, floor = leading[0]
    return edges, np.array([shift, delay, floor])
