"""Turn statements into raw clauses, as the parser gives them, with their places in the Python file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from types import EllipsisType
from typing import Any

from holdsfor.authoring.parts import Argument, Calculation, Condition, NumberOfSolutions, Operand, Variable, flat, now
from holdsfor.authoring.places import refuse
from holdsfor.authoring.statements import RuleStatement
from holdsfor.duration import TickUnit
from holdsfor.language.parsing.durations import count_ticks, wrong_duration
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDeclaration, RawDirective, RawPatternRule
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Place, Signature, Term, Var

_TRUE = Atom("true")
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?\s*(?:us|ms|s|min|h|d|ticks?)\s*)+|\d+")
#: Conditions that are about intervals, whatever they are made of.
_LASTING = frozenset({"fluent", "allen", "-", "longer_than", "at_least", "shorter_than", "at_most"})
_DURATIONS = {
    "longer_than": "intDurGreater",
    "at_least": "intDurGreaterEqual",
    "shorter_than": "intDurLess",
    "at_most": "intDurLessEqual",
}
_PATTERN_WORDS = {"&": "and", "|": "or", ">>": "seq"}


def lower(statement: RuleStatement, unit: TickUnit) -> Raw:
    """Return the raw clause of a statement. unit: how long a tick is, for durations."""
    return _LOWERING[statement.kind](_Clause(statement, unit), statement)


@dataclass(slots=True)
class _Clause:
    """One clause while it is made: its conditions so far, and the variables that it needs."""

    statement: RuleStatement
    unit: TickUnit
    now: Var = field(init=False)
    goals: list[Term] = field(default_factory=list)
    anonymous: Iterator[int] = field(default_factory=lambda: count(1))
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.used = {each.name for each in _variables((self.statement.head, self.statement.body))}
        self.now = self.fresh("T", self.statement.place)

    def fresh(self, name: str, place: Place) -> Var:
        """Return a variable that the clause does not have yet: the name, or the name with a number."""
        free = next(each for each in _numbered(name) if each not in self.used)
        self.used.add(free)
        return Var(free, place)

    # ------------------------------------------------------------ terms

    def term(self, value: Argument, place: Place) -> Term:
        """Return the term of a value."""
        match value:
            case Variable():
                return self.now if value is now else Var(value.name, place)
            case Calculation(functor=functor, args=args, place=at):
                return self._calculation(functor, args, at)
            case NumberOfSolutions():
                result = self.fresh("N", value.place)
                self.collect(value, result)
                return result
            case Condition(operator="event" | "predicate"):
                return self.term(value.parts[0], value.place)
            case Condition(operator="fluent"):
                subject, its_value, _ = value.parts
                return self.term(subject, value.place) if its_value is None else self.pair(value)
            case bool():
                return Atom(str(value).lower(), place)
            case int():
                return Int(value, place)
            case float():
                return Float(value, place)
            case str():
                return Atom(value, place)
            case timedelta():
                return Int(self.ticks(value, place), place)
            case EllipsisType():
                return Var(self.fresh(f"_{next(self.anonymous)}", place).name, place, anonymous=True)
            case list() | tuple():
                return Items(tuple(self.term(each, place) for each in value), place)
        refuse(
            "type", f"{type(value).__name__} cannot be a value in rules", place, "write text, a number or a variable"
        )

    def _calculation(self, functor: str, args: Sequence[Argument], place: Place) -> Term:
        is_sum = functor in ("+", "-") and len(args) == 2
        terms = (self.length(arg, place) if is_sum and isinstance(arg, str) else self.term(arg, place) for arg in args)
        inner = tuple(terms)
        if functor == "-" and len(inner) == 1 and isinstance(inner[0], Int | Float):
            return type(inner[0])(-inner[0].value, place)  # type: ignore[arg-type]
        return Compound(functor, inner, place) if inner else Atom(functor, place)

    def length(self, value: Argument, place: Place) -> Term:
        """Return the term of a duration: `"10 min"` is a number of ticks."""
        return Int(self.ticks(value, place), place) if isinstance(value, str) else self.term(value, place)

    def ticks(self, value: str | timedelta, place: Place) -> int:
        text = f"{value / timedelta(microseconds=1):.0f} us" if isinstance(value, timedelta) else value
        ticks = count_ticks(text, self.unit) if _DURATION.fullmatch(text.strip()) else None
        if ticks is None:
            refuse("duration", *_wrong_length(text, self.unit, place))
        return ticks

    def pair(self, fluent: Condition) -> Term:
        """Return `f(X)=v`; without a value it is true."""
        if fluent.operator != "fluent":
            hint = "make it by hf.fluent or hf.given, and call it: slow(V)"
            refuse("kind", f"{_described(fluent)} stands where a fluent belongs", fluent.place, hint)
        subject, value, _ = fluent.parts
        value_term = _TRUE if value is None else self.term(value, fluent.place)
        return Compound("=", (self.term(subject, fluent.place), value_term), fluent.place)

    def collect(self, solutions: NumberOfSolutions, result: Term) -> None:
        """Add the conditions that collect solutions, and calculate their solutions."""
        answers = self.fresh("L", solutions.place)
        template = self.term(solutions.template, solutions.place)
        goals = self.points(solutions.conditions, self.now)
        self.goals.append(
            Compound("findall", (template, _joined(",", goals, solutions.place), answers), solutions.place)
        )
        self.goals.append(Compound(solutions.function, (answers, result), solutions.place))

    # ------------------------------------------------------------ conditions at times

    def points(self, condition: Condition | None, time: Term) -> list[Term]:
        """Return the conditions that are asked at a time; those behind others keep their order."""
        outer, self.goals = self.goals, []
        for part in () if condition is None else flat(condition, "&"):
            self.goals += [self._point(part, time)] if part.operator != "true" else []
        goals, self.goals = self.goals, outer
        return goals

    def _point(self, condition: Condition, time: Term) -> Term:
        place, parts = condition.place, condition.parts
        match condition.operator:
            case "event":
                return Compound("happensAt", (self.term(parts[0], place), time), place)
            case "fluent":
                return Compound("holdsAt", (self.pair(condition), time), place)
            case "start" | "end" | "startI" | "endI" as edge:
                event = Compound(edge, (self.pair(parts[0]),), place)
                return Compound("happensAt", (event, time), place)
            case "initiatedAt" | "terminatedAt" as change:
                return Compound(change, (self.pair(parts[0]), time), place)
            case "at":
                return _joined(",", self.points(parts[0], self.term(parts[1], place)), place)
            case "between":
                times = (self.term(parts[1], place), self.term(parts[2], place))
                return Compound("occurs", (self.term(parts[0], place), *times), place)
            case "|":
                sides = [_joined(",", self.points(part, time), part.place) for part in flat(condition, "|")]
                return _joined(";", sides, place)
            case "&":
                return _joined(",", self.points(condition, time), place)
            case "~":
                return Compound("\\+", (_joined(",", self.points(parts[0], time), place),), place)
            case "choose":
                first, then, otherwise = (_joined(",", self.points(part, time), part.place) for part in parts)
                return Compound(";", (Compound("->", (first, then), place), otherwise), place)
        return self.timeless(condition)

    def timeless(self, condition: Condition) -> Term:
        """Return a condition that asks for no time."""
        place, parts = condition.place, condition.parts
        match condition.operator:
            case "predicate" | "raw":
                return self.term(parts[0], place)
            case "compare":
                operator, left, right = parts
                return Compound(operator, (self.term(left, place), self.term(right, place)), place)
            case "is":
                if isinstance(parts[1], NumberOfSolutions):
                    self.collect(parts[1], self.term(parts[0], place))
                    return self.goals.pop()
                return Compound("is", (self.term(parts[0], place), self.term(parts[1], place)), place)
        hint = "patterns are for hf.pattern, intervals for while_=; conditions at a time are joined by &, | and ~"
        refuse("misplaced", f"{_described(condition)} cannot be a condition at a time", place, hint)

    # ------------------------------------------------------------ intervals

    def intervals(self, condition: Condition) -> Term:
        """Add the conditions that give the intervals of an expression, and return their variable."""
        place, parts = condition.place, condition.parts
        operator = condition.operator
        if operator == "fluent":
            return self._add("holdsFor", (self.pair(condition),), place)
        if operator in ("&", "|"):
            return self._combined(condition)
        if operator == "~":
            return self._add("complement_all", (Items(tuple(map(self.intervals, parts)), place),), place)
        if operator == "-":
            minuend = self.intervals(parts[0])
            subtrahends = Items(tuple(map(self.intervals, parts[1:])), place)
            return self._add("relative_complement_all", (minuend, subtrahends), place)
        if operator in _DURATIONS:
            inner = self.intervals(parts[0])
            return self._add(_DURATIONS[operator], (inner, self.length(parts[1], place)), place)
        if operator == "allen":
            relation, left, right, keep = parts
            sides = (self.intervals(left), self.intervals(right))
            return self._add("allen", (Atom(relation, place), *sides, Atom(keep, place)), place)
        hint = "intervals come from fluents: slow(V), valve(M) == 'open'"
        refuse("misplaced", f"{_described(condition)} has no intervals", place, hint)

    def _combined(self, condition: Condition) -> Term:
        """`&` and `|` of what lasts; what does not last must be true besides, and only beside `&`."""
        parts = list(flat(condition, condition.operator))
        lasting = [part for part in parts if _lasts(part)]
        others = [part for part in parts if not _lasts(part)]
        if others and condition.operator == "|":
            hint = "write a rule for each: while_=[slow(V), stopped(V) & type(V, 'tug')]"
            refuse("misplaced", f"{_described(others[0])} does not last, and stands beside |", others[0].place, hint)
        for part in others:
            self.goals.append(self._point(part, self.now))
        operands = [self.intervals(part) for part in lasting]
        if len(operands) == 1:
            return operands[0]
        name = "intersect_all" if condition.operator == "&" else "union_all"
        return self._add(name, (Items(tuple(operands), condition.place),), condition.place)

    def _add(self, name: str, args: tuple[Term, ...], place: Place) -> Var:
        result = self.fresh("I", place)
        self.goals.append(Compound(name, (*args, result), place))
        return result

    # ------------------------------------------------------------ patterns

    def pattern(self, part: Condition | Argument, place: Place) -> RawPattern:
        """Return a pattern of events."""
        if not isinstance(part, Condition):
            return self.term(part, place)
        place, parts, operator = part.place, part.parts, part.operator
        match operator:
            case "event":
                return self.term(parts[0], place)
            case "fluent":
                subject, value = self.pair(part).args
                return RawOperation("=", (subject, value), place, bracketed=True)
            case "between":
                times = (self.term(time, place) for time in parts[1:])
                return RawOperation("@", (self.pattern(parts[0], place), *times), place, True)
            case "moment":
                return self.term(parts[0], place)
            case "join":
                word, *operands = parts
                return self._operation(word, operands, place)
            case "&" | "|" | ">>":
                return self._operation(_PATTERN_WORDS[operator], parts, place)
            case "not":
                *patterns, last = parts
                limit = self.pattern(last, place) if isinstance(last, Condition) else self.amount(last, place)
                inner = (self.pattern(each, place) for each in patterns)
                return RawOperation("not", (*inner, limit), place)
            case "within":
                return RawOperation(".", (self.pattern(parts[0], place), self.amount(parts[1], place)), place, True)
            case "where":
                goals = [self._value_condition(each) for part in parts[1:] for each in flat(part, "&")]
                return RawOperation("where", (self.pattern(parts[0], place), _joined(",", goals, place)), place, True)
            case "over":
                inner, last, measures = parts
                terms = tuple(self._measure(name, measure) for name, measure in measures)
                return RawOperation(
                    "aggregate", (self.pattern(inner, place), *terms, self.amount(last, place)), place, True
                )
        hint = "patterns are made of events and fluents by >>, &, |, .without(), .within() and .where()"
        refuse("misplaced", f"{_described(part)} cannot stand in a pattern", place, hint)

    def _operation(self, word: str, operands: Sequence[Condition], place: Place) -> RawOperation:
        return RawOperation(word, tuple(self.pattern(each, place) for each in operands), place, bracketed=True)

    def _measure(self, name: str, measure: NumberOfSolutions) -> Term:
        function = {"length": "count", "sum_list": "sum", "min_list": "min", "max_list": "max"}
        word = function.get(measure.function, measure.function)
        template = measure.template if isinstance(measure.template, tuple) else (measure.template,)
        args = () if word == "count" else tuple(self.term(each, measure.place) for each in template)
        value: Term = Compound(word, args, measure.place) if args else Atom(word, measure.place)
        return Compound("=", (Var(name, measure.place), value), measure.place)

    def _value_condition(self, condition: Condition) -> Term:
        place = condition.place
        match condition.operator:
            case "~":
                inner = [self._value_condition(part) for part in flat(condition.parts[0], "&")]
                return Compound("\\+", (_joined(",", inner, place),), place)
            case "|":
                sides = [self._value_condition(part) for part in flat(condition, "|")]
                return _joined(";", sides, place)
            case "&":
                return _joined(",", [self._value_condition(part) for part in flat(condition, "&")], place)
        return self.timeless(condition)

    def amount(self, value: Argument, place: Place) -> RawPattern:
        """Return a duration of a pattern as rule text has it; a number without a unit is as long in ticks."""
        if isinstance(value, str):
            return RawDuration(value, place)
        if isinstance(value, timedelta):
            return RawDuration(f"{self.ticks(value, place)} ticks", place)
        if isinstance(value, int) and not isinstance(value, bool):
            return RawDuration(str(value), place)
        refuse("duration", f"{value!r} is not a duration", place, "write ticks, or text such as '10 min'")


# ---------------------------------------------------------------- statements


def _rule(clause: _Clause, statement: RuleStatement) -> Raw:
    head, time = statement.head
    at = clause.now if time is None else clause.term(time, statement.place)
    about = clause.pair(head) if statement.kind != "happensAt" else clause.term(head, head.place)
    goals = clause.points(statement.body, at)
    return _raw(statement, Compound(statement.kind, (about, at), head.place), goals)


def _holds_for(clause: _Clause, statement: RuleStatement) -> Raw:
    if statement.body is None:
        nothing = Items((), statement.place)
        return _raw(statement, Compound("holdsFor", (clause.pair(statement.head), nothing), statement.head.place), [])
    result = clause.intervals(statement.body)
    head = Compound("holdsFor", (clause.pair(statement.head), result), statement.head.place)
    return _raw(statement, head, clause.goals)


def _pattern_rule(clause: _Clause, statement: RuleStatement) -> Raw:
    heads, label = statement.head
    terms = tuple(clause.term(head, head.place) for head in heads)
    name = None if label is None else clause.term(label, statement.place)
    return RawPatternRule(name, terms, clause.pattern(statement.body, statement.place), statement.place)


def _background(clause: _Clause, statement: RuleStatement) -> Raw:
    head = clause.term(statement.head, statement.head.place)
    return _raw(statement, head, clause.points(statement.body, clause.now))


def _about_fluent(name: str) -> Callable[[_Clause, RuleStatement], Raw]:
    def make(clause: _Clause, statement: RuleStatement) -> Raw:
        entity = statement.head
        about = clause.pair(entity) if entity.operator == "fluent" else clause.term(entity, entity.place)
        return _raw(statement, Compound(name, (about,), entity.place), clause.points(statement.body, clause.now))

    return make


def _deadline(clause: _Clause, statement: RuleStatement) -> Raw:
    before, then, after = statement.head
    pairs = (clause.pair(before), clause.pair(then))
    head = Compound("fi", (*pairs, clause.length(after, statement.place)), statement.place)
    return _raw(statement, head, clause.points(statement.body, clause.now))


def _directive(clause: _Clause, statement: RuleStatement) -> Raw:
    return RawDirective("", clause.term(statement.head, statement.place), statement.place)


def _declaration(clause: _Clause, statement: RuleStatement) -> Raw:
    kind, name, arity = statement.head
    return RawDeclaration(kind, Signature(name, arity), statement.place)


def _plain(clause: _Clause, statement: RuleStatement) -> Raw:
    goals = [clause.term(goal, statement.place) for goal in statement.body]
    return _raw(statement, clause.term(statement.head, statement.place), goals)


_LOWERING: dict[str, Callable[[_Clause, RuleStatement], Raw]] = {
    "initiatedAt": _rule,
    "terminatedAt": _rule,
    "happensAt": _rule,
    "holdsFor": _holds_for,
    "pattern": _pattern_rule,
    "initially": _about_fluent("initially"),
    "grounding": _about_fluent("grounding"),
    "p": _about_fluent("p"),
    "fi": _deadline,
    "background": _background,
    "directive": _directive,
    "declaration": _declaration,
    "plain": _plain,
}


def _raw(statement: RuleStatement, head: Term, goals: Sequence[Term]) -> RawClause:
    return RawClause(head, _joined(",", goals, statement.place) if goals else None, statement.place)


def _joined(operator: str, goals: Sequence[Term], place: Place) -> Term:
    """Join conditions from the right, as the parser does."""
    if not goals:
        return Atom("true", place)
    whole = goals[-1]
    for goal in reversed(goals[:-1]):
        whole = Compound(operator, (goal, whole), place)
    return whole


def _lasts(condition: Condition) -> bool:
    """Whether a condition gives intervals."""
    if condition.operator in ("&", "|", "~"):
        return any(map(_lasts, condition.parts))
    return condition.operator in _LASTING


def _wrong_length(text: str, unit: TickUnit, place: Place) -> tuple[str, Place, str]:
    if not _DURATION.fullmatch(text.strip()):
        return f"{text!r} is not a duration", place, "write ticks, or numbers with units: '10 min', '1 h 30 min'"
    message, _ = wrong_duration(text, unit)
    return message, place, f"give the unit of the events' times to hf.rules: tick_unit='ms', or whole {unit}"


def _described(condition: Condition) -> str:
    """Name a condition in a message."""
    words = {
        "compare": "a comparison",
        "event": "an event",
        "fluent": "a fluent",
        "predicate": "a predicate",
        ">>": "a sequence",
        "over": "an aggregate",
    }
    return words.get(condition.operator, f"`{condition.operator}`")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}{number}" for number in count(1))


def _variables(part: Any) -> Iterator[Variable]:
    """Iterate over the variables of a statement, and of all inside it."""
    match part:
        case Variable():
            yield part
        case Calculation(args=args):
            yield from _variables(args)
        case NumberOfSolutions(template=template, conditions=conditions):
            yield from _variables((template, conditions))
        case Condition(operator="over", parts=(inner, last, measures)):
            yield from _variables((inner, last, [measure for _, measure in measures]))
            yield from (Variable(name) for name, _ in measures)
        case Condition(parts=parts):
            yield from _variables(parts)
        case list() | tuple():
            for each in part:
                yield from _variables(each)
        case Operand():
            raise TypeError(part)
