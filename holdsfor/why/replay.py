"""The world in which reasons are looked for: all that a history knows, evaluated from the rules as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.bodies.structure import take_apart
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate, make_program
from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.history import prepare
from holdsfor.io.events import Block
from holdsfor.io.readers.read import EventPart, EventSource
from holdsfor.language.description import AS_INPUT, VALID, EventDescription
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Atom, Term
from holdsfor.plan.compiler.also_input import DERIVED
from holdsfor.plan.compiler.compile import compiled
from holdsfor.plan.definitions import Definition, Due, Group, Simple
from holdsfor.plan.operators import Arg, Relation
from holdsfor.plan.structures import flat, forms_of
from holdsfor.why.derivation import LeafRows
from holdsfor.why.places import Knowledge

MOST_SOURCES = 3
Key = tuple[int, ...]
"""The codes of the arguments of a grounding, with the value last where it is a column."""
PartialKey = tuple[int | None, ...]
"""The same, in which None is anything."""


class TimedFact(NamedTuple):
    """An interval of a grounding, or an occurrence of an event. end: the point after its last."""

    relation: Relation
    key: Key
    start: int
    end: int


@dataclass(frozen=True)
class HistoryRows:
    """The rules of a history as they are written, and the rows of its input."""

    description: EventDescription
    program: Program
    read: tuple[Block, ...]
    windows: Windows
    parts: tuple[EventPart, ...] = ()  # that the rows came in


def read_history(description: EventDescription, source: EventSource, windows: Windows) -> HistoryRows:
    """Read the rows of a history, and compile its rules without any pass that makes them cheaper."""
    read = source.read(description.with_input().inputs)
    program = make_program(compiled(description.with_input({block.name for block in read.blocks})))
    return HistoryRows(description, program, read.blocks, windows, source.parts)


def replay(
    history: HistoryRows, blocks: tuple[Block, ...], room: int = 2, definitions: tuple[int, ...] | None = None
) -> Replay:
    """Evaluate some rows of a history, with all relations in the world.

    room: for so many times more terms than there are. definitions: by number, those to evaluate; None: all.
    """
    world = prepare(history.program, blocks, history.windows, room=room)
    evaluate(history.program, world, definitions)
    return Replay(history.program, world, blocks, history.windows, history.parts, history.description)


@dataclass(frozen=True)
class Replay:
    """An evaluated history, with the rows that it was made of. Times are relative to the origin of the axis."""

    program: Program
    world: World
    blocks: tuple[Block, ...]
    windows: Windows
    parts: tuple[EventPart, ...]
    description: EventDescription
    cuts: Mapping[Relation, int] = field(default_factory=dict)  # of a session: times up to which all is settled
    solutions: dict[tuple[int, PartialKey], Rows] = field(default_factory=dict)  # of rules, by their heads
    rounds: dict[Definition, list[Replay]] = field(default_factory=dict)  # of circles, as it was after each

    @cached_property
    def definitions(self) -> Mapping[Relation, Definition]:
        """Return the definition of each relation that has one."""
        return {relation: each for each in self.program.plan.definitions for relation in each.defines}

    def is_settled(self, relation: Relation, point: int) -> bool:
        """Whether it was settled up to a point, perhaps by input that is no longer kept."""
        return relation in self.cuts and point <= self.cuts[relation]

    @cached_property
    def background(self) -> Knowledge:
        """Return where facts and clauses stand."""
        return Knowledge(self.description)

    @cached_property
    def deadlines(self) -> tuple[Due, ...]:
        return tuple(find_all(self.program.plan.definitions, Due))

    @cached_property
    def reached(self) -> Mapping[Relation, Relation]:
        """Return the values that deadlines lead to, by the events that these are reached."""
        groups = find_all(self.program.plan.definitions, Group)
        return {event: target for group in groups for target, event in group.reached}

    def fluent_of(self, relation: Relation) -> Simple | None:
        """Return the fluent with inertia that a relation is a value of, if it is one."""
        fluents = self.definitions[relation].simple_fluents if relation in self.definitions else ()
        return next((fluent for fluent in fluents if relation in fluent.relations), None)

    def rules_of(self, relation: Relation) -> Iterator[Any]:
        """Iterate over the rules without which it never holds or happens."""
        return (rule for made, rule in self.definitions[relation].beginnings() if made == relation)

    @property
    def relations(self) -> Iterator[Relation]:
        """Iterate over what is defined and what comes as input."""
        yield from self.definitions
        yield from (relation for source in self.program.plan.sources for relation in source.relations)

    # ------------------------------------------------------------ times and terms

    def time(self, point: int) -> int:
        """Return a time as users know it."""
        return point + self.world.axis.origin

    def end(self, point: int) -> int | None:
        """Return the end of an interval as users know it; None: it is open."""
        return None if point >= self.world.axis.mask else self.time(point)

    def text(self, code: int) -> str:
        return self.world.dictionary.text(code)

    def name(self, fact: TimedFact) -> str:
        return self.name_key(fact.relation, fact.key)

    def say(self, fact: TimedFact) -> str:
        """Return what the author of the rules says of a grounding, or nothing."""
        texts = list(map(self.text, fact.key))
        value = texts.pop() if fact.relation.kind == "valued" else fact.relation.value
        return self.background.say(base_name(fact.relation), texts, None if value is None else str(value))

    def name_key(self, relation: Relation, key: PartialKey) -> str:
        """Write a grounding as rules do; `_` where it is open."""
        texts = ["_" if code is None else self.text(code) for code in key]
        value = texts.pop() if relation.kind == "valued" else relation.value
        name = base_name(relation)
        grounding = f"{name}({','.join(texts)})" if texts else name
        if self._is_of_fact(relation):
            return f"{grounding} @ {value}"
        return grounding if value is None else f"{grounding}={value}"

    def _is_of_fact(self, relation: Relation) -> bool:
        """Whether rows are those of a fact that changes, whose value is when they began."""
        fact = replace(relation, name=base_name(relation), arity=relation.arity - 1, value=Atom("true"), kind="fluent")
        return relation.kind == "valued" and fact != relation and fact in self.definitions

    def span_text(self, fact: TimedFact) -> str:
        """Write when a fluent held, or an event happened."""
        if fact.relation.kind == "event":
            return f"at {self.time(fact.end) - 1}"
        end = self.end(fact.end)
        return f"from {self.time(fact.start)} " + ("on" if end is None else f"until {end}")

    # ------------------------------------------------------------ what is in the world

    def column(self, code: int) -> Column:
        """Return a column of one term."""
        return Column(self.world.dictionary, np.array([code]))

    def code(self, term: Term) -> int:
        return self.world.dictionary.code_of(term)

    def _choose(self, columns: list[Ints], args: tuple[Arg, ...], row: Rows) -> Ints:
        """Return the places at which columns agree with arguments, as far as the row has values for them."""
        forms = forms_of(args)
        places = np.arange(len(columns[0]) if columns else 1)
        if forms is not None:
            places, columns = take_apart(columns, forms, self.world.dictionary)
        mask = np.ones(len(places), np.bool_)
        for arg, column in zip(flat(args), columns, strict=True):
            if isinstance(arg, str):
                if arg in row.names:
                    mask &= column == row.codes(arg)[0]
            elif arg is not None:
                mask &= column == self.world.dictionary.code_of(arg)
        return places[mask]

    def find(self, relation: Relation, args: tuple[Arg, ...], row: Rows, low: int, high: int) -> list[TimedFact]:
        """Return intervals with a point in low..high-1, or occurrences that end there, of groundings like these."""
        mask = self.world.axis.mask
        if relation.kind == "event":
            points = self.world.points_of(relation)
            ends = (points.packed & mask) + 1
            places = np.flatnonzero((ends > low) & (ends <= high))
            starts = points.starts() - self.world.axis.origin
            codes = points.take(places).codes
        else:
            intervals = self.world.intervals_of(relation)
            starts, ends = intervals.s & mask, intervals.e & mask
            places = np.flatnonzero((starts < high) & (ends > low))
            codes = intervals.take(places).codes
        columns = [codes(position) for position in range(relation.arity)]
        agreeing = self._choose(columns, args, row) if columns else np.arange(len(places))
        keys = zip(*(column[agreeing].tolist() for column in columns), strict=True) if columns else [()] * len(places)
        spans = zip(starts[places[agreeing]].tolist(), ends[places[agreeing]].tolist(), strict=True)
        return [TimedFact(relation, key, *span) for key, span in zip(keys, spans, strict=True)]

    def find_key(self, relation: Relation, key: PartialKey, low: int, high: int) -> list[TimedFact]:
        """Return the same of a grounding, in which None is anything."""
        names = [None if code is None else f"k{position}" for position, code in enumerate(key)]
        pairs = zip(names, key, strict=True)
        columns = {name: self.column(code) for name, code in pairs if name is not None and code is not None}
        return self.find(relation, tuple(names), Rows(self.world.axis, 1, columns), low, high)

    @property
    def always(self) -> tuple[int, int]:
        """Return all times, as `find` takes them."""
        return -1, self.world.axis.mask + 1

    # ------------------------------------------------------------ rows of the input

    def is_input(self, relation: Relation) -> bool:
        return relation not in self.definitions

    def is_about(self, block: Block, relation: Relation) -> bool:
        """Whether a block has rows of an input."""
        is_alike = (block.kind == "event") == (relation.kind == "event")
        return is_alike and block.name == relation.name and len(block.args) == relation.signature.arity

    def blocks_of(self, relation: Relation) -> Iterator[Block]:
        """Iterate over the blocks with the rows of an input."""
        return (block for block in self.blocks if self.is_about(block, relation))

    def rows_of(self, relation: Relation, key: Key, low: int, high: int) -> tuple[LeafRows, ...]:
        """Return the rows about a grounding of an input that begin before `high` and end after `low`."""
        first, last = self.time(low), self.time(high)
        values = () if relation.value is None else (str(relation.value),)
        texts = (*map(self.text, key), *values)
        chosen = []
        for block in self.blocks_of(relation):
            lasts = self.windows.tick if block.kind == "point" else 1
            ends = block.start + lasts if block.end is None else block.end
            mask = (block.start < last) & (ends > first)
            for position, text in enumerate(texts):
                if mask.any():
                    mask &= _equals(block.column(position), text)
            if mask.any():
                chosen.append(LeafRows(block, np.flatnonzero(mask), self.source_of(block)))
        return tuple(chosen)

    def source_of(self, block: Block) -> str:
        """Name the files or tables that rows came in: those whose mapping has their event, or all."""
        parts = [part for part in self.parts if block.name in part.mapping.arguments] or self.parts
        names = list(dict.fromkeys(part.source for part in parts))
        return ", ".join(names) if len(names) <= MOST_SOURCES else f"{names[0]} and {len(names) - 1} more"

    def rows_like(self, relation: Relation, key: PartialKey) -> Iterator[LeafRows]:
        """Iterate over all rows of an input about groundings like this one, in which None is anything."""
        for block in self.blocks_of(relation):
            mask = rows_with(block, [None if code is None else self.text(code) for code in key])
            if mask.any():
                yield LeafRows(block, np.flatnonzero(mask), self.source_of(block))


def base_name(relation: Relation) -> str:
    """Return what the author of the rules calls a relation."""
    return relation.name.removesuffix(f" {AS_INPUT}").removesuffix(f" {DERIVED}").removesuffix(f" {VALID}")


def rows_with(block: Block, texts: Iterable[str | None]) -> Mask:
    """Return which rows of a block have these arguments; None is anything."""
    mask = np.ones(len(block), np.bool_)
    for position, text in enumerate(texts):
        if text is not None and mask.any():
            mask &= _equals(block.column(position), text)
    return mask


def _equals(column: pa.Array, text: str) -> Mask:
    """Return which values of a column are the term with this text."""
    if pa.types.is_dictionary(column.type):
        is_term = pc.equal(column.dictionary, text).to_numpy(zero_copy_only=False)
        return np.asarray(is_term[column.indices.to_numpy(zero_copy_only=False)])
    values = column.to_numpy(zero_copy_only=False)
    try:
        number = int(text) if values.dtype.kind == "i" else float(text)
    except ValueError:
        return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), np.bool_)
    return np.asarray(values == number)
