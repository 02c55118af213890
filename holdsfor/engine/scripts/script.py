"""Scripts of fluents as they are kept: written when they are first needed, for rows of the shape that there is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.scripts.fetching import EventShape, Fetch, Reshaped
from holdsfor.engine.scripts.writing import ScriptDraft
from holdsfor.kernels.scripts import SLOTS
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude, Relation


@dataclass(frozen=True, slots=True)
class Script:
    """Rules of a fluent as lines of integers. fetches: arrays that it needs. others: rules without a line in it."""

    lines: Ints
    constants: NDArray[np.float64]
    fetches: tuple[Fetch, ...]
    others: tuple[tuple[Conclude, ...], ...] = ()

    def fetch(self, world: World) -> list[Ints]:
        return [fetch(world) for fetch in self.fetches]


class Subject(Protocol):
    """The subject of a script: one fluent, or several."""

    @property
    def relations(self) -> tuple[Relation, ...]: ...


Of = TypeVar("Of", bound=Subject)


@dataclass(slots=True)
class Scripts(Generic[Of]):
    """The scripts of a subject on an axis, by the shapes of rows; the last one used comes first."""

    subject: Of
    axis: Axis
    write: Callable[[Of, ScriptDraft], Script | None]
    known: list[Script] = field(default_factory=list)
    shapes: dict[Relation, EventShape] = field(default_factory=dict)
    is_given_up: bool = False

    def may_help(self) -> bool:
        """Whether there is a script, or one may still be written."""
        return bool(self.known) or not self.is_given_up

    def find(self, world: World) -> tuple[Script, list[Ints]] | None:
        """A script for rows as they are, with its arrays; None: there is none."""
        for place, script in enumerate(self.known):
            try:
                arrays = script.fetch(world)
            except Reshaped:
                continue
            if place:
                self.known.insert(0, self.known.pop(place))
            return script, arrays
        return None if self.is_given_up else self._write(world)

    def _write(self, world: World) -> tuple[Script, list[Ints]] | None:
        draft = ScriptDraft(world, self.shapes)
        script = self.write(self.subject, draft)
        self.shapes.update(draft.shapes)
        self.is_given_up = script is None or len(self.known) == world.dictionary.tuning.most_scripts
        if script is None or self.is_given_up:
            return None
        self.known.insert(0, script)
        return script, script.fetch(world)


def find_scripts(
    purpose: Hashable, subject: Of, world: World, write: Callable[[Of, ScriptDraft], Script | None]
) -> Scripts[Of]:
    """Return the scripts of a subject for a purpose, kept with the dictionary whose codes they name."""
    key, readings = (purpose, id(subject)), world.dictionary.readings
    scripts = readings.get(key)
    if not isinstance(scripts, Scripts) or scripts.subject is not subject or scripts.axis is not world.axis:
        is_plain = all(_is_plain(relation, world.axis) for relation in subject.relations)
        scripts = readings[key] = Scripts(subject, world.axis, write, is_given_up=not is_plain)
    return scripts


def _is_plain(relation: Relation, axis: Axis) -> bool:
    """Whether a script can say anything of a fluent: it knows of ticks of 1 only."""
    return relation.kind != "valued" and relation.arity > 0 and axis.tick == 1 and not axis.is_wide(relation.arity)


def fill_slots(arrays: list[Ints]) -> tuple[Ints, ...]:
    """Fill up to the number of arrays that a kernel takes."""
    return (*arrays, *[EMPTY] * (SLOTS - len(arrays)))


def find_tables(fluent: Simple) -> dict[Conclude, list[int]]:
    """The rules of a fluent, each with its tables of points: values often end together."""
    tables: dict[Conclude, list[int]] = {}
    for value in range(len(fluent.relations)):
        for rule in dict.fromkeys(fluent.initiations[value]):
            tables.setdefault(rule, []).append(2 * value)
        for rule in dict.fromkeys(fluent.terminations[value]):
            tables.setdefault(rule, []).append(2 * value + 1)
    return tables
