"""Turn patterns in Python into raw patterns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from holdsfor.authoring.lowering_conditions import ClauseLowering
from holdsfor.authoring.lowering_terms import WRITE_LENGTH, describe, join_goals
from holdsfor.authoring.parts import Argument, Condition, NumberOfSolutions, flat
from holdsfor.authoring.places import refuse
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern
from holdsfor.language.terms import Atom, Compound, Place, Term, Var

_PATTERN_WORDS = {"&": "and", "|": "or", ">>": "seq"}


class PatternLowering(ClauseLowering):
    """One pattern rule while it is made."""

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
                return RawOperation(
                    "where", (self.pattern(parts[0], place), join_goals(",", goals, place)), place, True
                )
            case "over":
                inner, last, measures = parts
                terms = tuple(self._measure(name, measure) for name, measure in measures)
                return RawOperation(
                    "aggregate", (self.pattern(inner, place), *terms, self.amount(last, place)), place, True
                )
        if operator in ("compare", "is"):
            hint = "give it to what binds its variables: write reading(M, C).where(C > 90)"
            refuse("misplaced", f"{describe(part)} cannot stand in a pattern", place, hint)
        hint = "patterns are made of events and fluents by >>, &, |, .without(), .within() and .where()"
        refuse("misplaced", f"{describe(part)} cannot stand in a pattern", place, hint)

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
                return Compound("\\+", (join_goals(",", inner, place),), place)
            case "|":
                sides = [self._value_condition(part) for part in flat(condition, "|")]
                return join_goals(";", sides, place)
            case "fluent":
                return Compound("holdsAt", (self.pair(condition), self.term(..., place)), place)
            case "at" if condition.parts[0].operator == "fluent":
                fluent, time = condition.parts
                return Compound("holdsAt", (self.pair(fluent), self.term(time, place)), place)
            case "&":
                return join_goals(",", [self._value_condition(part) for part in flat(condition, "&")], place)
        return self.timeless(condition)

    def amount(self, value: Argument, place: Place) -> RawPattern:
        """Return a duration of a pattern as rule text has it; a number without a unit is as long in ticks."""
        if isinstance(value, str):
            return RawDuration(value, place)
        if isinstance(value, timedelta):
            return RawDuration(f"{self.ticks(value, place)} ticks", place)
        if isinstance(value, int) and not isinstance(value, bool):
            return RawDuration(str(value), place)
        refuse("duration", f"{value!r} is not a duration", place, WRITE_LENGTH)
