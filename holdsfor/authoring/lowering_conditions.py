"""Turn conditions of rules in Python into goals: those at a time, and those that give intervals."""

from __future__ import annotations

from holdsfor.authoring.lowering_terms import TermLowering, describe, join_goals
from holdsfor.authoring.parts import Condition, NumberOfSolutions, flat
from holdsfor.authoring.places import refuse
from holdsfor.language.terms import Atom, Compound, Items, Place, Term, Var

#: Conditions that are about intervals, whatever they are made of.
_LASTING = frozenset({"fluent", "allen", "-", "longer_than", "at_least", "shorter_than", "at_most"})
#: Conditions that are true at single times.
_AT_ONCE = frozenset({"event", "start", "end", "startI", "endI", "initiatedAt", "terminatedAt", "between"})
_DURATIONS = {
    "longer_than": "intDurGreater",
    "at_least": "intDurGreaterEqual",
    "shorter_than": "intDurLess",
    "at_most": "intDurLessEqual",
}


class ClauseLowering(TermLowering):
    """One clause while it is made: its conditions so far."""

    def collect(self, solutions: NumberOfSolutions, result: Term) -> None:
        """Add the conditions that collect solutions, and calculate their solutions."""
        answers = self.fresh("L", solutions.place)
        template = self.term(solutions.template, solutions.place)
        goals = self.points(solutions.conditions, self.now)
        self.goals.append(
            Compound("findall", (template, join_goals(",", goals, solutions.place), answers), solutions.place)
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
                return join_goals(",", self.points(parts[0], self.term(parts[1], place)), place)
            case "between":
                times = (self.term(parts[1], place), self.term(parts[2], place))
                return Compound("occurs", (self.term(parts[0], place), *times), place)
            case "|":
                sides = [join_goals(",", self.points(part, time), part.place) for part in flat(condition, "|")]
                return join_goals(";", sides, place)
            case "&":
                return join_goals(",", self.points(condition, time), place)
            case "~":
                return Compound("\\+", (join_goals(",", self.points(parts[0], time), place),), place)
            case "choose":
                first, then, otherwise = (join_goals(",", self.points(part, time), part.place) for part in parts)
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
        refuse("misplaced", f"{describe(condition)} cannot be a condition at a time", place, hint)

    # ------------------------------------------------------------ intervals

    def intervals(self, condition: Condition) -> Term:
        """Add the conditions that give the intervals of an expression, and return their variable."""
        place, parts = condition.place, condition.parts
        operator = condition.operator
        _refuse_events(condition)
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
        refuse("misplaced", f"{describe(condition)} has no intervals", place, hint)

    def _combined(self, condition: Condition) -> Term:
        """`&` and `|` of what lasts; what does not last must be true besides, and only beside `&`."""
        parts = list(flat(condition, condition.operator))
        for part in parts:
            _refuse_events(part)
        lasting = [part for part in parts if _lasts(part)]
        others = [part for part in parts if not _lasts(part)]
        if others and condition.operator == "|":
            hint = "write a rule for each: while_=[slow(V), stopped(V) & type(V, 'tug')]"
            refuse("misplaced", f"{describe(others[0])} does not last, and stands beside |", others[0].place, hint)
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


def _refuse_events(condition: Condition) -> None:
    """Refuse an event, or the negation of one, where intervals belong."""
    if condition.operator in _AT_ONCE:
        hint = (
            "let it start and end a fluent, and write that: "
            'hot = hf.fluent("hot", M, starts=reading(M, C) & (C > 90), ends=reading(M, C) & (C < 80)), while_=hot(M)'
        )
        refuse("misplaced", "an event lasts for no time, so it cannot stand in while_=", condition.place, hint)
    if condition.operator in ("&", "|", "~"):
        for part in condition.parts:
            _refuse_events(part)


def _lasts(condition: Condition) -> bool:
    """Whether a condition gives intervals."""
    if condition.operator in ("&", "|", "~"):
        return any(map(_lasts, condition.parts))
    return condition.operator in _LASTING
