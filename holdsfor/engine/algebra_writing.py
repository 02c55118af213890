"""Expressions of intervals written as scripts: once for a rule and a dictionary, whose codes they name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, floor, isfinite, isnan

import numpy as np

from holdsfor.engine.algebra import (
    NOTHING,
    AlgebraScript,
    Fetch,
    Frame,
    Pair,
    WorkOut,
    as_column,
    as_columns,
    choose_lasting,
    leave,
    leave_near,
    relate,
    share,
)
from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.conclude import head_codes
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expression import value
from holdsfor.engine.intervals import Intervals
from holdsfor.engine.literals import shape
from holdsfor.engine.points import Picks
from holdsfor.engine.rows import Rows
from holdsfor.engine.structure import read_by_forms
from holdsfor.kernels.algebra import (
    ALGEBRA_SLOTS,
    ALGEBRA_WIDTH,
    INTERSECT,
    LAST,
    LIFT,
    NAME,
    READ,
    SUBTRACT,
    TABLE,
    UNITE,
)
from holdsfor.language.terms import is_ground
from holdsfor.plan.operators import WHOLE_HISTORY, Arg, Combine, Expression, Lasting, Of, Relate, Relation
from holdsfor.plan.structures import Forms, flat, forms_of
from holdsfor.plan.whole_plan import Grounds, SharedExpression

LINES = {"union": UNITE, "intersection": INTERSECT, "difference": SUBTRACT}
FOREVER = 1 << 62


class TooManyArrays(Exception):
    """An expression for whose script there are not enough slots."""


@dataclass(frozen=True, slots=True)
class AlgebraWriter:
    """bound: the variables that rows have; None: every part is on the rule's own columns.

    are_keys_asked: whether the groundings are, on its own columns. shared: what is worked out once, by itself.
    """

    axis: Axis
    dictionary: Dictionary
    grounds: Grounds | None
    bound: frozenset[str] | None
    are_keys_asked: bool
    shared: Mapping[SharedExpression, SharedExpression]

    def write_rule(self, expression: Expression, args: tuple[Arg, ...]) -> WorkOut:
        """args: of the head, by which rows are named in the end."""
        if self.bound is None:
            return self.write(expression)
        try:
            draft = AlgebraDraft(self)
            draft.add(expression)
            return draft.name_rows(args).finish()
        except TooManyArrays:
            draft = AlgebraDraft(self)
            draft.add_result(self.write(expression))
            return draft.name_rows(args).finish()

    def write(self, expression: Expression) -> WorkOut:
        make = self._write(expression)
        key = self.find_shared(expression)
        return make if key is None else share(key, make)

    def find_shared(self, expression: Expression) -> Hashable:
        """What it is known by once it is worked out; None: it is not shared."""
        if self.bound is None and isinstance(expression, Of):  # relations know what was asked of them
            return None
        part = self.shared.get(SharedExpression(self.grounds, expression))
        return (part, "on own columns") if part is not None and self.are_keys_asked else part

    def _write(self, expression: Expression) -> WorkOut:
        work_out = self.write_apart(expression)
        if work_out is not None:
            return work_out
        try:
            draft = AlgebraDraft(self)
            draft.add_line_of(expression)
            return draft.finish()
        except TooManyArrays:
            draft = AlgebraDraft(self)
            draft.add_in_parts(expression)
            return draft.finish()

    def write_apart(self, expression: Expression) -> WorkOut | None:
        """What no script says; None: one does."""
        match expression:
            case Relate():
                return relate(expression, self.write(expression.source), self.write(expression.target))
            case Lasting() if not is_ground(expression.bound):
                return choose_lasting(expression, self.write(expression.part))
            case Combine(op="complement"):
                parts = [self.write(part) for part in expression.parts]
                return leave(parts) if expression.within is None else leave_near(parts, expression.within)
            case Combine(parts=()):
                return lambda frame: NOTHING
            case Combine(op="union") if WHOLE_HISTORY in expression.parts:
                return self.write(WHOLE_HISTORY)
            case _:
                return None


@dataclass(slots=True)
class AlgebraDraft:
    """A script as it is written."""

    writer: AlgebraWriter
    lines: list[tuple[int, ...]] = field(default_factory=list)
    fetches: list[Fetch] = field(default_factory=list)
    slots: dict[Hashable, int] = field(default_factory=dict)
    used: int = 0
    tables: dict[int, int] = field(default_factory=dict)  # by the slot of what is sought in

    def finish(self) -> AlgebraScript:
        lines = [(*line, *(0,) * (ALGEBRA_WIDTH - len(line))) for line in self.lines]
        return AlgebraScript(np.array(lines, np.int64), tuple(self.fetches))

    def add(self, expression: Expression) -> None:
        if self.writer.find_shared(expression) is not None:
            self.add_result(self.writer.write(expression))
        elif (work_out := self.writer.write_apart(expression)) is not None:
            self.add_result(work_out)
        else:
            self.add_line_of(expression)

    def add_result(self, work_out: WorkOut) -> None:
        self.lines.append((READ, self._take_slot(work_out, lambda frame: as_columns(work_out(frame)), 2)))

    def add_line_of(self, expression: Expression) -> None:
        match expression:
            case Of():
                self._add_relation(expression)
            case Lasting():
                self.add(expression.part)
                self.lines.append((LAST, *self._find_durations(expression)))
            case Combine():
                for part in expression.parts:
                    self.add(part)
                self._add_combination(expression)
            case _:
                raise AssertionError(expression)

    def add_in_parts(self, expression: Expression) -> None:
        """The same of what other scripts have worked out. One that is about two lists has always enough slots."""
        if isinstance(expression, Lasting):
            self.add_result(self.writer.write(expression.part))
            self.lines.append((LAST, *self._find_durations(expression)))
            return
        assert isinstance(expression, Combine)
        halves = _halve(expression)
        for part in halves.parts:
            self.add_result(self.writer.write(part))
        self._add_combination(halves)

    def name_rows(self, args: tuple[Arg, ...]) -> AlgebraDraft:
        names = tuple(arg for arg in args if isinstance(arg, str))
        if len(names) == len(args):
            slot = self._take_key_slot(names)
        else:
            slot = self._take_slot(("head", args), fetch_head_keys(args), 1)
        self.lines.append((NAME, slot))
        return self

    def _add_combination(self, expression: Combine) -> None:
        if len(expression.parts) > 1:
            self.lines.append((LINES[expression.op], len(expression.parts)))

    def _find_durations(self, expression: Lasting) -> tuple[int, int]:
        bound: float = np.asarray(value(expression.bound, Rows(self.writer.axis, 0, {}))).tolist()
        return find_durations(expression.op, bound, expression.within)

    def _add_relation(self, part: Of) -> None:
        writer, forms = self.writer, forms_of(part.args)
        wanted = shape(flat(part.args), writer.bound or frozenset(), writer.dictionary)
        is_own = writer.bound is None
        positions = tuple(position for position, _ in wanted.new) if is_own else wanted.positions
        assert is_own or not wanted.new, part
        read = part.relation, forms, wanted.picks, positions
        slot = self._take_slot(read, fetch_intervals(*read, len(flat(part.args))), 2)
        if is_own:
            self.lines.append((READ, slot))
            return
        keys = self._take_key_slot(wanted.names)
        if len(positions) == 1 and slot not in self.tables:
            self.tables[slot] = len(self.tables)
            self.lines.append((TABLE, slot, keys))
        self.lines.append((LIFT, slot, keys, self.tables.get(slot, -1)))

    def _take_key_slot(self, names: tuple[str, ...]) -> int:
        return self._take_slot(("keys", names), fetch_keys(names), 1)

    def _take_slot(self, key: Hashable, fetch: Fetch, size: int) -> int:
        """The first slot of what is fetched by this."""
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = self.used
            self.used += size
            self.fetches.append(fetch)
            if self.used > ALGEBRA_SLOTS:
                raise TooManyArrays
        return slot


def _halve(expression: Combine) -> Combine:
    """An equal expression with two operands, or one."""
    first, *others = expression.parts
    if len(others) < 2:
        return expression
    if expression.op == "difference":
        return replace(expression, parts=(first, Combine("union", tuple(others))))
    middle = len(expression.parts) // 2
    halves = expression.parts[:middle], expression.parts[middle:]
    return replace(expression, parts=tuple(replace(expression, parts=half) for half in halves))


def find_durations(op: str, bound: float, within: int | None) -> tuple[int, int]:
    """The least and the greatest whole number that compares so with the bound."""
    if isnan(bound) or (within is not None and bound > within):
        return 1, 0
    if not isfinite(bound) or abs(bound) > FOREVER:
        bound = FOREVER if bound > 0 else -FOREVER
    match op:
        case ">":
            return floor(bound) + 1, FOREVER
        case ">=":
            return ceil(bound), FOREVER
        case "<":
            return -FOREVER, ceil(bound) - 1
        case _:
            return -FOREVER, floor(bound)


# ---------------------------------------------------------------- what scripts are about


def fetch_intervals(
    relation: Relation, forms: Forms | None, picks: Picks, positions: tuple[int, ...], arity: int
) -> Fetch:
    """Those of a relation on the axis of these columns. arity: of the columns after cutting."""
    is_whole = forms is None and picks == Picks((), ()) and positions == tuple(range(arity))

    def fetch(frame: Frame) -> Pair:
        intervals = frame.world.relations.get(relation)
        if not isinstance(intervals, Intervals):
            return NOTHING
        if is_whole:
            return as_columns(intervals)
        return as_columns(read_by_forms(intervals, forms).project(picks, positions))

    return fetch


def fetch_keys(names: tuple[str, ...]) -> Fetch:
    """Of each row."""

    def fetch(frame: Frame) -> tuple[Ints]:
        assert frame.rows is not None
        rows = frame.rows
        keys = rows.axis.key([rows.codes(name) for name in names]) if names else np.zeros(rows.size, np.int64)
        return (as_column(keys),)

    return fetch


def fetch_head_keys(args: tuple[Arg, ...]) -> Fetch:
    """Of each row the arguments of the head, some of which are no variables."""

    def fetch(frame: Frame) -> tuple[Ints]:
        assert frame.rows is not None
        rows, world = frame.rows, frame.world
        return (as_column(world.axis.key([head_codes(rows, arg, world) for arg in args])),)

    return fetch
