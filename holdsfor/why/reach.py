"""The part of a history that a fact can depend on: the groundings that its rules reach, and their rows.

Rules say which: from a fact the arguments of a head go on to the conditions, and what they leave open is everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.history import select_standing
from holdsfor.io.events import Block
from holdsfor.why.influence import EITHER, Effect, Influence
from holdsfor.why.replay import HistoryRows, Replay, replay, rows_with
from holdsfor.why.request import Request, relations_of
from holdsfor.why.walk import Walk

Grounding = tuple[str | None, ...]
"""The texts of the arguments of an input, in which None is anything."""


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Groundings of inputs that a fact depends on: by name, whether it is an event, and how many arguments it has."""

    keys: Mapping[tuple[str, bool, int], frozenset[Grounding]]

    def select(self, block: Block) -> Block:
        """Return the rows of a block about these groundings."""
        mask = np.zeros(len(block), np.bool_)
        for key in self.keys.get((block.name, block.kind == "event", len(block.args)), ()):
            if not mask.all():
                mask |= rows_with(block, key)
        return block.take(np.flatnonzero(mask))


class ReachableRows:
    """Finds what facts of a history depend on, and evaluates just that.

    fetch: gives the rows of the input that pass a filter, where they are not in the history itself.
    """

    def __init__(self, history: HistoryRows, fetch: Callable[[KeyFilter], tuple[Block, ...]] | None = None) -> None:
        self.history = history
        self._fetch = fetch or (lambda keys: tuple(keys.select(block) for block in history.read))
        self._walks: dict[tuple[frozenset[Effect], int], Walk] = {}

    def with_windows(self, windows: Windows) -> ReachableRows:
        """Return the same for other windows."""
        return ReachableRows(replace(self.history, windows=windows), self._fetch)

    @cached_property
    def empty(self) -> Replay:
        """Return the history without any rows: its rules, and a dictionary for their terms."""
        empty = replay(self.history, (), definitions=())
        empty.world.dictionary.limit = None  # nothing is put on its axis
        return empty

    @cached_property
    def names(self) -> frozenset[str]:
        """Return all names that rows have as arguments or values, and integers."""
        columns = (column for block in self.history.read for column in (*block.args, block.value))
        some = (column for column in columns if column is not None and not pa.types.is_floating(column.type))
        return frozenset(str(text) for column in some for text in column.unique().to_pylist())

    @cached_property
    def _influence(self) -> Influence:
        return Influence(self.empty)

    def walk(self, request: Request, room: int) -> Walk:
        """Return a walk through all that the answer to a request depends on; that of the last request is kept."""
        about = frozenset(self.effects(request)), room
        if about not in self._walks:
            self._walks = {about: Walk(self.evaluate(request, self.select(request), room))}
        return self._walks[about]

    def evaluate(self, request: Request, blocks: Iterable[Block], room: int, windows: Windows | None = None) -> Replay:
        """Evaluate what the answer to a request depends on in some rows. windows: other ones."""
        history = self.history if windows is None else replace(self.history, windows=windows)
        return replay(history, select_standing(blocks, history.windows), room, self._definitions(self.effects(request)))

    def select(self, request: Request) -> tuple[Block, ...]:
        """Return the rows of the input that the answer to a request depends on, as they came."""
        keys: dict[tuple[str, bool, int], set[Grounding]] = {}
        for relation, key, _ in self.effects(request):
            if self.empty.is_input(relation):
                texts = tuple(None if code is None else self.empty.text(code) for code in key)
                keys.setdefault((relation.name, relation.kind == "event", relation.signature.arity), set()).add(texts)
        return self._fetch(KeyFilter({about: frozenset(each) for about, each in keys.items()}))

    def effects(self, request: Request) -> set[Effect]:
        """Return the groundings of all relations that what is asked about may depend on."""
        relations = relations_of(request, self.empty)
        keys = (
            tuple(term if term is None else self.empty.code(term) for term in request.columns(one)) for one in relations
        )
        return self._influence.close({Effect(one, key, EITHER) for one, key in zip(relations, keys, strict=True)})

    def _definitions(self, effects: Iterable[Effect]) -> tuple[int, ...]:
        """Return the numbers of the definitions that make the relations."""
        relations = {effect.relation for effect in effects}
        definitions = self.history.program.plan.definitions
        return tuple(n for n, each in enumerate(definitions) if not relations.isdisjoint(each.defines))
