"""Proposals: changes of the input, or of background facts, that could make a condition true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from holdsfor.io.events import REJECTS_SCHEMA, Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.ground import read_ground
from holdsfor.io.readers.read import read_events
from holdsfor.language.description import Clause, EventDescription
from holdsfor.language.terms import NOWHERE, Float, Int, Term, Var
from holdsfor.plan.nodes import PlanNode, RelationNode
from holdsfor.plan.operators import At, Holding, Relation, Where
from holdsfor.why.derivation import Derivation, LeafRows, SomeEvents
from holdsfor.why.replay import PartialKey, Replay
from holdsfor.why.solutions import Solution

MOST_ROWS = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """A row more, a row less, a row with another value (one less and one more), or a fact more."""

    text: str
    added: str = ""  # a row, as `read_events(..., format="terms")` reads it
    removed: LeafRows | None = None
    fact: str = ""

    def description(self, description: EventDescription) -> EventDescription:
        """Return rules with the fact."""
        if not self.fact:
            return description
        clause = Clause(read_ground(self.fact), (), NOWHERE)
        background = replace(description.background, clauses=(*description.background.clauses, clause))
        return replace(description, background=background)

    def events(self, description: EventDescription, replay: Replay) -> SomeEvents:
        """Return the rows of a history with the change."""
        blocks = list(replay.blocks)
        if self.removed is not None:
            place = next(n for n, block in enumerate(blocks) if block is self.removed.block)
            blocks[place] = blocks[place].take(np.setdiff1d(np.arange(len(blocks[place])), self.removed.rows))
        parts = [Events(tuple(blocks), REJECTS_SCHEMA.empty_table(), sum(map(len, blocks)), 0)]
        if self.added:
            parts.append(read_events([self.added], format="terms").read(description.with_input().inputs))
        return SomeEvents((), join_events(parts).blocks)


class Proposals:
    """Changes that could make something true, each once."""

    def __init__(self, replay: Replay, all_rows: Replay) -> None:
        """all_rows: with the rows of all of the history, which say what values there are."""
        self._replay, self._whole = replay, all_rows
        self._by_text: dict[str, Proposal] = {}

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self._by_text.values())

    def add(self, proposal: Proposal) -> None:
        self._by_text.setdefault(proposal.text, proposal)

    def add_row(self, relation: Relation, key: PartialKey, point: int) -> None:
        """Propose one row more, if all of its values are known."""
        if None in key:
            return
        time, name = self._replay.time(point), self._replay.name_key(relation, key)
        row = f"{name} @ {time}" if relation.kind == "event" else f"{name} @ [{time},{time + 1})"
        self.add(Proposal(f"one row more: {row}", added=row))

    def add_fitting(self, op: RelationNode, key: PartialKey, chain: Sequence[PlanNode], point: int) -> None:
        """Propose rows with values that conditions ask for, or that other rows have."""
        if not self._replay.is_input(op.relation):
            return
        open_key: PartialKey = (None,) * len(key)
        others = self._nearest_keys(op.relation, key, point) or self._nearest_keys(op.relation, open_key, point)
        needed = [self._needed(arg, chain) for arg in op.args]
        for values in (open_key, *others):
            filled = tuple(_first(*codes) for codes in zip(key, needed, values, strict=True))
            self.add_row(op.relation, filled, point)

    def _nearest_keys(self, relation: Relation, key: PartialKey, point: int) -> list[PartialKey]:
        """Return the groundings of the rows of an input that are nearest to a point, of those like a key."""
        nearest: list[tuple[int, PartialKey]] = []
        for part in self._whole.rows_like(relation, key):
            distances = np.abs(part.block.start[part.rows] - self._replay.time(point))
            for place in np.argsort(distances, kind="stable")[:MOST_ROWS].tolist():
                row, columns = int(part.rows[place]), range(relation.arity)
                codes = (self._replay.code(read_ground(str(part.block.column(n)[row].as_py()))) for n in columns)
                nearest.append((int(distances[place]), tuple(codes)))
        return [codes for _, codes in sorted(nearest, key=lambda one: one[0])[:MOST_ROWS]]

    def _needed(self, arg: object, chain: Sequence[PlanNode]) -> int | None:
        """Return a value with which the first comparison of a variable with a number is true."""
        for op in chain:
            if isinstance(op, Where) and op.left == Var(str(arg)) and isinstance(op.right, Int | Float):
                return self._replay.code(_passing(op.op, op.right.value, 1.0))
        return None

    def add_value(self, op: Where, margin: float, solution: Solution, chain: Sequence[PlanNode]) -> None:
        """Propose another value for a variable of a comparison, in the row of the input that has it."""
        for side, sign in ((op.left, -1), (op.right, 1)):
            if not isinstance(side, Var):
                continue
            now = solution.row.column(side.name).numbers().tolist()[0]
            step = 1.0 if float(margin).is_integer() else 10.0 ** floor(log10(abs(margin)))
            for value in (now + sign * margin, now + sign * (margin + step), now + sign * (margin - step)):
                self._add_moved(side.name, value, solution, chain)

    def _add_moved(self, variable: str, value: float, solution: Solution, chain: Sequence[PlanNode]) -> None:
        for op in chain:
            if not isinstance(op, RelationNode) or variable not in op.args or not self._replay.is_input(op.relation):
                continue
            place, times = op.args.index(variable), self._replay.always
            if isinstance(op, At | Holding):
                times = solution.point(op.time), solution.point(op.time) + 1
            for fact in self._replay.find(op.relation, op.args, solution.row, *times):
                rows = self._replay.rows_of(op.relation, fact.key, fact.end - 1, fact.end)
                if len(rows) == 1 and len(rows[0].rows) == 1 and op.relation.kind == "event":
                    code = self._replay.code(_number(value))
                    name = self._replay.name_key(op.relation, (*fact.key[:place], code, *fact.key[place + 1 :]))
                    time = self._replay.time(fact.end) - 1
                    text, row = f"{self._replay.name(fact)} at {time} as {name}", f"{name} @ {time}"
                    self.add(Proposal(text, added=row, removed=rows[0]))

    def add_without(self, cause: Derivation) -> None:
        """Propose one row less, of those that something goes back to."""
        for node in cause.nodes():
            for part in node.rows:
                if len(part.rows) == 1:
                    when = f"from {node.since}" if node.at is None else f"at {node.at}"
                    self.add(Proposal(f"without {node.what} {when}", removed=part))


def _first(*codes: int | None) -> int | None:
    return next((code for code in codes if code is not None), None)


def _passing(op: str, bound: float, step: float) -> Term:
    """Return a number for which a comparison with a bound is true."""
    return _number(bound + {">": step, "<": -step, "=\\=": step, "\\=": step}.get(op, 0))


def _number(value: float) -> Term:
    value = round(value, 9)
    return Int(int(value)) if float(value).is_integer() else Float(value)
