"""Tables of fluents, each made as soon as its fluent is evaluated: who writes them need not wait for the others."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa

from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.world import World
from holdsfor.engine.output.result import INTERVALS_SCHEMA, Writer, fluent_table
from holdsfor.plan.operators import Relation


class Receiver(Protocol):
    """Is given the intervals of an evaluation bit by bit."""

    def restart(self) -> None:
        """The evaluation begins, perhaps anew: what was received before does not count."""

    def receive(self, intervals: pa.Table) -> None: ...


class Nobody:
    """Receives nothing."""

    def restart(self) -> None:
        pass

    def receive(self, intervals: pa.Table) -> None:
        pass


NOBODY = Nobody()


class FluentTables:
    """The tables of one evaluation, in the order in which it settles fluents."""

    def __init__(self, world: World, write: Writer, receiver: Receiver) -> None:
        self._world = world
        self._texts = WrittenTexts(world.dictionary, write)
        self._receiver = receiver
        self._waiting: list[Relation] = []
        self._tables = [INTERVALS_SCHEMA.empty_table()]
        receiver.restart()

    def settle(self, relation: Relation, world: World) -> None:
        if not world.reports(relation) or relation.kind == "event":
            return
        self._waiting.append(relation)
        if not world.dictionary.has_unwritten:  # to write terms takes long where there are many: that is done once
            self._make()

    def intervals(self) -> pa.Table:
        """Return the table of all fluents, when everything is evaluated."""
        self._make()
        return pa.concat_tables(self._tables)

    def _make(self) -> None:
        for relation in self._waiting:
            table = fluent_table(relation, self._world, self._texts.current(), self._texts.write)
            self._tables.append(table)
            self._receiver.receive(table)
        self._waiting.clear()


class WrittenTexts:
    """The texts of a dictionary as tables have them. Rules add terms as they are evaluated; each is written once."""

    def __init__(self, dictionary: Dictionary, write: Writer) -> None:
        self.write = write
        self._dictionary = dictionary
        self._written = write(dictionary.texts().slice(0, 0))

    def current(self) -> pa.Array:
        texts, known = self._dictionary.texts(), len(self._written)
        if len(texts) > known:
            self._written = pa.concat_arrays([self._written, self.write(texts.slice(known))])
        return self._written
