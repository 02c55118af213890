"""Rules become lines of a script: those whose conditions only test rows, or look up the one fact about a term."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.engine.bodies.argument_layout import Arguments, read_literal
from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.world import World
from holdsfor.engine.scripts.fetching import (
    EventShape,
    Fetch,
    fetch_codes,
    fetch_ends,
    fetch_fact_codes,
    fetch_fact_numbers,
    fetch_nothing,
    fetch_numbers,
    fetch_occurrences,
    fetch_only_facts,
    fetch_packed,
    fetch_projected,
    fetch_starts,
    find_shape,
)
from holdsfor.kernels import scripts as kernel
from holdsfor.language.terms import Compound, Float, Int, Term, Var, is_ground
from holdsfor.plan.operators import Arg, At, Conclude, Holding, Let, Lookup, Op, Relation, Structure, Where, Without

Told = tuple[int, int, int, int]
"""Where a code or a number comes from: the place of an array, the kind of place, and two numbers to find it there."""

COMPARISONS = {
    "<": kernel.LESS,
    ">": kernel.GREATER,
    "=<": kernel.AT_MOST,
    ">=": kernel.AT_LEAST,
    "=:=": kernel.EQUAL,
    "=\\=": kernel.UNEQUAL,
}
SAME, UNLIKE = ("=", "=="), ("\\=", "\\==")
OF_TWO = {
    "+": kernel.ADD,
    "-": kernel.SUBTRACT,
    "*": kernel.MULTIPLY,
    "/": kernel.DIVIDE,
    "min": kernel.LEAST,
    "max": kernel.MOST,
}
OF_ONE = {"-": kernel.NEGATE, "abs": kernel.MAGNITUDE, "floor": kernel.FLOOR}


class Unscriptable(Exception):
    """A script cannot say this; the operators do it one by one."""


@dataclass(slots=True)
class ScriptDraft:
    """A script in the making. known: how events lie of which there are no rows now."""

    world: World
    known: Mapping[Relation, EventShape]
    shapes: dict[Relation, EventShape] = field(default_factory=dict)
    lines: list[list[int]] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    fetches: list[Fetch] = field(default_factory=list)
    _slots: dict[object, int] = field(default_factory=dict)

    @property
    def axis(self) -> Axis:
        return self.world.axis

    def slot(self, name: object, fetch: Fetch) -> int:
        """The place of an array, the same for the same name."""
        if name not in self._slots:
            self._slots[name] = len(self.fetches)
            self.fetches.append(fetch)
        return self._slots[name]

    def shape_of(self, relation: Relation) -> EventShape | None:
        """Return the shape of an event's rows; None: no row has been seen yet."""
        events = self.world.relations.get(relation)
        if relation in self.shapes:
            return self.shapes[relation]
        if isinstance(events, Points) and len(events):
            self.shapes[relation] = find_shape(events)
        elif relation in self.known:
            self.shapes[relation] = self.known[relation]
        return self.shapes.get(relation)

    def constant(self, number: float) -> Told:
        self.constants.append(number)
        return 0, kernel.CONSTANT, len(self.constants) - 1, 0

    def write_rules(self, rules: Iterable[tuple[Conclude, Sequence[int]]]) -> list[Conclude]:
        """Rules, each with the tables of points to which it concludes. Gives those that a script cannot say.

        Those that begin alike share what they begin with.
        """
        others: list[Conclude] = []
        beginnings: dict[Op | None, list[tuple[Conclude, Sequence[int]]]] = {}
        for rule, tables in rules:
            beginnings.setdefault(rule.chain[0] if rule.chain else None, []).append((rule, tables))
        for alike in beginnings.values():
            if self._try(alike):
                continue
            alone = [one for one in alike if self._try([one], is_kept=False)]
            others += [one[0] for one in alike if one not in alone]
            if len(alone) < 2 or not self._try(alone):  # they may part too often
                for one in alone:
                    self._try([one])
        return others

    def _try(self, rules: Sequence[tuple[Conclude, Sequence[int]]], is_kept: bool = True) -> bool:
        """Whether a script can say them; if it cannot, or need not be kept, it is as if it had not been tried."""
        lines, constants, slots, fetches = len(self.lines), len(self.constants), dict(self._slots), len(self.fetches)
        can_say = True
        try:
            self._write_together(rules)
        except Unscriptable:
            can_say = False
        if not can_say or not is_kept:
            del self.lines[lines:], self.constants[constants:], self.fetches[fetches:]
            self._slots = slots
        return can_say

    def _write_together(self, rules: Sequence[tuple[Conclude, Sequence[int]]]) -> None:
        """Rules that begin with the same operator."""
        writer, first = RuleWriter(self), rules[0][0].chain[:1]
        if not first or not isinstance(first[0], At):
            raise Unscriptable
        if writer.scan(first[0]):
            writer.write_all(rules, 1)

    def finished(self) -> tuple[Ints, NDArray[np.float64]]:
        """The lines and the constants."""
        script = np.zeros((len(self.lines), kernel.WIDTH), np.int64)
        for place, line in enumerate(self.lines):
            script[place, : len(line)] = line
        return script, np.array(self.constants, np.float64)


@dataclass(slots=True)
class RuleWriter:
    """codes, numbers: where those of each variable come from. leading: the variables that rows are sorted by.

    untested: floats, by their arrays, that no comparison has been made with.
    """

    draft: ScriptDraft
    codes: dict[str, Told] = field(default_factory=dict)
    numbers: dict[str, Told] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    leading: tuple[Arg, ...] = ()
    time: str = ""
    untested: dict[int, Told] = field(default_factory=dict)
    facts: int = 0  # how many are kept
    worked_out: int = 0
    saved: int = 0  # selections that others come back to

    def write_all(self, rules: Sequence[tuple[Conclude, Sequence[int]]], place: int) -> None:
        """The rest of rules that have the same operators up to a place."""
        over = [(rule, tables) for rule, tables in rules if len(rule.chain) == place]
        following: dict[Op, list[tuple[Conclude, Sequence[int]]]] = {}
        for rule, tables in rules:
            if len(rule.chain) > place:
                following.setdefault(rule.chain[place], []).append((rule, tables))
        ways = len(over) + len(following)
        level = self.saved
        if ways > 1:
            if level == kernel.MOST_SAVED:
                raise Unscriptable
            self._line(kernel.SAVE, 0, 0, level)
        for way, (rule, tables) in enumerate(over):
            self._branch(level, way, ways)._conclude(rule, tables)
        for way, (op, alike) in enumerate(following.items(), len(over)):
            branch = self._branch(level, way, ways)
            branch._write(op)
            branch.write_all(alike, place + 1)

    def _branch(self, level: int, way: int, ways: int) -> RuleWriter:
        """Goes on from here, with the rows as they are here."""
        if way:
            self._line(kernel.RESTORE, 0, 0, level)
        return replace(
            self,
            codes=dict(self.codes),
            numbers=dict(self.numbers),
            bound=set(self.bound),
            untested=dict(self.untested),
            saved=level + (way < ways - 1),
        )

    def _conclude(self, rule: Conclude, tables: Sequence[int]) -> None:
        if rule.time != self.time or rule.start is not None:
            raise Unscriptable
        for number in tuple(self.untested.values()):  # a row without a number that is read is none
            self._test(kernel.EQUAL, number, number)
        has_key = self._key(rule.args)
        self._line(kernel.CONCLUDE, 0, 0, tables[0], int(has_key))
        for table in tables[1:]:
            self._line(kernel.AGAIN, 0, 0, table)

    def _line(self, *line: int) -> None:
        self.draft.lines.append(list(line))

    def _write(self, op: Op) -> None:
        match op:
            case Where(op=comparison) if comparison in COMPARISONS:
                self._test(COMPARISONS[comparison], self._number(op.left), self._number(op.right))
            case Where(op=comparison) if comparison in SAME + UNLIKE:
                self._pick(self._code_of(op.left), self._code_of(op.right), comparison in UNLIKE)
            case Let(same=True, expression=Var(name=name)):
                self._alias(op.variable, name)
            case Let(same=False, function=None):
                self._let(op)
            case Lookup():
                self._look_up(op, is_negated=False)
            case Holding() | At():
                self._hold(op, is_negated=False)
            case Without(chain=(Lookup() as inner,)):
                self._look_up(inner, is_negated=True)
            case Without(chain=((Holding() | At()) as inner,)):
                self._hold(inner, is_negated=True)
            case _:
                raise Unscriptable

    # ------------------------------------------------------------ what a rule begins with

    def scan(self, op: At) -> bool:
        """False: there are no rows, so that the rule concludes nothing."""
        if op.start is not None or any(isinstance(arg, Structure) for arg in op.args):
            raise Unscriptable
        self.time = op.time
        draft, relation = self.draft, op.relation
        if op.what == "occurrence":
            shape = draft.shape_of(relation)
            if shape is None:
                draft.slot(("nothing", relation), fetch_nothing(relation))
                return False
            packed = draft.slot(("packed", relation), fetch_packed(relation, shape.key))
            self._line(kernel.SCAN, packed, 0, 0, 0)
        elif op.what in ("start", "end"):
            shape = EventShape(tuple(range(relation.arity)), (), frozenset())
            fetch = fetch_starts if op.what == "start" else fetch_ends
            self._line(kernel.SCAN, draft.slot((op.what, relation), fetch(relation)), 0, -1, 1)
        else:
            raise Unscriptable
        if not shape.key or draft.axis.is_wide(len(shape.key)):
            raise Unscriptable
        self.leading = tuple(op.args[position] for position in shape.key)
        self._bind_arguments(op, relation, shape)
        return True

    def _bind_arguments(self, op: At, relation: Relation, shape: EventShape) -> None:
        kinds = dict(shape.numbers)
        for position, arg in enumerate(op.args):
            if arg is None:
                continue
            code, number = self._column_code(relation, position, shape), None
            if position in kinds:
                number = self._column_number(relation, position, kinds[position])
                if number[1] == kernel.FLOATS:
                    self.untested[number[0]] = number
            if isinstance(arg, str) and arg not in self.bound and arg != self.time:
                self.bound.add(arg)
                if code is not None:
                    self.codes[arg] = code
                if number is not None:
                    self.numbers[arg] = number
            else:
                other = self._code(arg)
                if code is None:
                    raise Unscriptable
                self._pick(code, other)

    def _column_code(self, relation: Relation, position: int, shape: EventShape) -> Told | None:
        axis, key = self.draft.axis, shape.key
        if position in key:
            place = key.index(position)
            mask = axis.codes - 1 if place else (1 << 62) - 1
            return 0, kernel.IN_KEY, axis.time_bits + (len(key) - 1 - place) * axis.code_bits, mask
        if position in shape.coded:
            slot = self.draft.slot(("codes", relation, position), fetch_codes(relation, position))
            return slot, kernel.IN_COLUMN, 0, 0
        return None

    def _column_number(self, relation: Relation, position: int, kind: str) -> Told:
        if kind not in ("<i8", "<f8"):
            raise Unscriptable
        slot = self.draft.slot(("numbers", relation, position), fetch_numbers(relation, position, kind))
        return slot, kernel.INTEGERS if kind == "<i8" else kernel.FLOATS, 0, 0

    # ------------------------------------------------------------ codes and numbers

    def _alias(self, variable: str, name: str) -> None:
        if name not in self.bound or variable in self.bound:
            raise Unscriptable
        self.bound.add(variable)
        for told in (self.codes, self.numbers):
            if name in told:
                told[variable] = told[name]

    def _code(self, arg: Arg) -> Told:
        if isinstance(arg, str):
            if arg not in self.codes:
                raise Unscriptable
            return self.codes[arg]
        if arg is None or isinstance(arg, Structure) or not is_ground(arg):
            raise Unscriptable
        return 0, kernel.AS_IT_IS, self.draft.world.dictionary.code_of(arg), 0

    def _code_of(self, term: Term) -> Told:
        return self._code(term.name if isinstance(term, Var) else term)

    def _key(self, args: Sequence[Arg]) -> bool:
        """Puts arguments together to a key; False: rows have that key already."""
        if not args or self.draft.axis.is_wide(len(args)):
            raise Unscriptable
        if tuple(args) == self.leading and all(isinstance(arg, str) for arg in args) and len(set(args)) == len(args):
            return False
        for place, arg in enumerate(args):
            self._add_code(self._code(arg), is_first=not place)
        return True

    def _add_code(self, code: Told, is_first: bool) -> None:
        slot, kind, x, y = code
        self._line(kernel.KEY, slot, 0, kind, x, y, int(is_first))

    def _pick(self, one: Told, other: Told, is_negated: bool = False) -> None:
        self._add_code(one, is_first=True)
        slot, kind, x, y = other
        self._line(kernel.PICK, slot, 0, kind, x, y, int(is_negated))

    def _test(self, comparison: int, left: Told, right: Told) -> None:
        is_plain = left[1] == kernel.FLOATS and right[1] == kernel.CONSTANT
        if is_plain and not self.facts and not self.worked_out:
            self._line(kernel.COMPARE, left[0], 0, comparison, right[2])
            self.untested.pop(left[0], None)
            return
        self._push(left, 0)
        self._push(right, 1)
        self._line(kernel.TEST, 0, 0, comparison)

    def _push(self, number: Told, depth: int) -> None:
        slot, kind, x, _ = number
        if kind == kernel.FLOATS:  # what is calculated with a missing number is missing, and compares with nothing
            self.untested.pop(slot, None)
        self._line(kernel.PUSH, slot, 0, kind, x, depth)

    def _number(self, term: Term) -> Told:
        if isinstance(term, Var):
            if term.name not in self.numbers:
                raise Unscriptable
            return self.numbers[term.name]
        if isinstance(term, Int | Float):
            return self._constant(term)
        if isinstance(term, Compound):
            return self._work_out(term)
        raise Unscriptable

    def _constant(self, term: Int | Float) -> Told:
        if not abs(term.value) < kernel.EXACT:
            raise Unscriptable
        return self.draft.constant(float(term.value))

    def _let(self, op: Let) -> None:
        if op.variable in self.bound:
            raise Unscriptable
        number = self._work_out(op.expression)
        self.bound.add(op.variable)
        self.numbers[op.variable] = number

    def _work_out(self, expression: Term) -> Told:
        if self.worked_out == kernel.MOST_FOUND:
            raise Unscriptable
        self._calculate(expression, 0)
        self._line(kernel.STORE, 0, 0, self.worked_out)
        self.worked_out += 1
        return 0, kernel.WORKED_OUT, self.worked_out - 1, 0

    def _calculate(self, expression: Term, depth: int) -> None:
        """Puts the value of an expression on the stack, on which there are so many."""
        if depth == kernel.MOST_STACKED:
            raise Unscriptable
        if not isinstance(expression, Compound):
            self._push(self._number(expression), depth)
            return
        functions = {1: OF_ONE, 2: OF_TWO}.get(len(expression.args), {})
        if expression.functor not in functions:
            raise Unscriptable
        for place, arg in enumerate(expression.args):
            self._calculate(arg, depth + place)
        self._line(kernel.APPLY, 0, 0, functions[expression.functor], depth, int(self._may_be_whole(expression)))

    def _may_be_whole(self, expression: Term) -> bool:
        """Whether its values may be integers, which must be exact."""
        if isinstance(expression, Compound):
            parts = [self._may_be_whole(arg) for arg in expression.args]
            return expression.functor == "floor" or (any if expression.functor in ("min", "max") else all)(parts)
        if isinstance(expression, Var):
            return self.numbers[expression.name][1] not in (kernel.FLOATS, kernel.FACT_FLOATS)
        return isinstance(expression, Int)

    # ------------------------------------------------------------ conditions

    def _look_up(self, op: Lookup, is_negated: bool) -> None:
        """By one argument, of which there is at most one fact."""
        forms, _, wanted = read_literal(op, frozenset(self.bound), self.draft.world.dictionary)
        facts = self.draft.world.facts_of(op.facts)
        if forms is not None or len(wanted.positions) != 1 or facts.only(wanted.picks, wanted.positions[0]) is None:
            raise Unscriptable
        code, position = self._code(wanted.names[0]), wanted.positions[0]
        only = ("only", op.facts, wanted.picks, position)
        slot = self.draft.slot(only, fetch_only_facts(op.facts, wanted.picks, position))
        register = self.facts if wanted.new and not is_negated else -1
        if register == kernel.MOST_FOUND:
            raise Unscriptable
        self._add_code(code, is_first=True)
        self._line(kernel.LOOK_UP, slot, 0, register, int(is_negated))
        if register >= 0:
            self._bind_facts(op, wanted, register)
            self.facts += 1

    def _bind_facts(self, op: Lookup, wanted: Arguments, register: int) -> None:
        for position, name in wanted.new:
            self.bound.add(name)
            column = self.draft.world.facts_of(op.facts).columns[position]
            if column.is_number and column.numbers().dtype.str in ("<i8", "<f8"):
                kind = kernel.FACT_INTEGERS if column.numbers().dtype.kind == "i" else kernel.FACT_FLOATS
                slot = self.draft.slot(("fact numbers", op.facts, position), fetch_fact_numbers(op.facts, position))
                self.numbers[name] = slot, kind, register, 0
            if column.is_coded or not column.is_number:
                slot = self.draft.slot(("fact codes", op.facts, position), fetch_fact_codes(op.facts, position))
                self.codes[name] = slot, kernel.OF_FACT, register, 0

    def _hold(self, op: Holding | At, is_negated: bool) -> None:
        """Nothing new is bound: what a negation has by itself means any value."""
        if op.time != self.time or (isinstance(op, At) and op.start is not None):
            raise Unscriptable
        draft, relation = self.draft, op.relation
        forms, args, wanted = read_literal(op, frozenset(self.bound), draft.world.dictionary)
        if forms is not None or (wanted.new and not is_negated):
            raise Unscriptable
        if isinstance(op, At):
            starts = ends = draft.slot(("occurrences", op, wanted), fetch_occurrences(op, wanted))
            parts: Sequence[Arg] = wanted.names
        elif None in args or wanted.new or wanted.picks.equal:
            starts, ends = (
                draft.slot(("projected", op, wanted, side), fetch_projected(relation, wanted, side)) for side in (0, 1)
            )
            parts = wanted.names
        else:
            starts = draft.slot(("start", relation), fetch_starts(relation))
            ends = draft.slot(("end", relation), fetch_ends(relation))
            parts = args
        has_key = self._key(parts)
        self._line(kernel.HOLD, starts, ends, int(is_negated), int(has_key))
