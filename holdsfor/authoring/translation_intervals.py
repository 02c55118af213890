"""Write the interval algebra of a holdsFor rule as one Python expression."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.authoring.translation import Translation
from holdsfor.authoring.translation_terms import NoForm, quote
from holdsfor.language.terms import Atom, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import ALLEN

_DURATIONS = {
    "intDurGreater": "longer_than",
    "intDurGreaterEqual": "at_least",
    "intDurLess": "shorter_than",
    "intDurLessEqual": "at_most",
}
_DURATIONS |= {name: name for name in ("longer_than", "at_least", "shorter_than", "at_most")}


class IntervalTranslation:
    """The conditions of a holdsFor rule as one expression: each list of intervals is used where it is made."""

    def __init__(self, translation: Translation, goals: Sequence[Term]) -> None:
        self._translation = translation
        self._goals = list(goals)
        self._waiting = list(goals)

    def of(self, intervals: Term) -> str:
        """Return the expression that makes a list of intervals."""
        makers = [goal for goal in self._goals if goal.is_named and _makes(goal) == intervals]
        if len(makers) != 1 or not isinstance(intervals, Var):
            raise NoForm
        if makers[0] not in self._waiting:  # used twice
            raise NoForm
        self._waiting.remove(makers[0])
        return self._expression(makers[0])

    def others(self) -> list[str]:
        """Return the conditions that make no intervals; all that do must have been used."""
        if any(_makes(goal) is not None for goal in self._waiting):
            raise NoForm
        return self._translation.conditions(self._waiting)

    def _expression(self, goal: Term) -> str:
        name, args = name_and_args(goal)
        match name, args:
            case "holdsFor", (about, _):
                return self._translation.fluent(about)
            case (("union_all" | "intersect_all"), (Items(items=items), _)) if len(items) > 1:
                if any(goal.functor == name and _makes(goal) == items[0] for goal in self._goals):
                    raise NoForm  # in Python (a & b) & c is a & b & c
                sign = " | " if name == "union_all" else " & "
                return sign.join(self._part(each) for each in items)
            case "complement_all", (Items(items=items), _) if items:
                if len(items) == 1:
                    return f"~{self._part(items[0])}"
                return f"hf.none_of({', '.join(map(self.of, items))})"
            case "relative_complement_all", (first, Items(items=items), _) if items:
                if len(items) == 1:
                    return f"{self._part(first)} - {self._part(items[0])}"
                return f"{self._part(first)}.minus({', '.join(map(self.of, items))})"
            case "allen", (Atom(name=relation), left, right, Atom(name=mode), _):
                return f"{self._part(left)}.allen({quote(relation)}, {self.of(right)}, {quote(mode)})"
            case relation, (left, right, Atom(name=mode), _) if relation in ALLEN:
                return f"{self._part(left)}.allen({quote(relation)}, {self.of(right)}, {quote(mode)})"
            case duration, (inner, length, _) if duration in _DURATIONS:
                return f"{self._part(inner)}.{_DURATIONS[duration]}({self._translation.length(length)})"
        raise NoForm

    def _part(self, intervals: Term) -> str:
        text = self.of(intervals)
        return f"({text})" if binds_loosely(text) else text


def _makes(goal: Term) -> Term | None:
    """Return the variable of the intervals that a condition makes."""
    if not goal.is_named:
        return None
    name, args = name_and_args(goal)
    arity = {"holdsFor": 2, "union_all": 2, "intersect_all": 2, "complement_all": 2, "relative_complement_all": 3}
    arity |= {"allen": 5, **dict.fromkeys(_DURATIONS, 3), **dict.fromkeys(ALLEN, 4)}
    if arity.get(name) == len(args):
        return args[-1]
    if any(isinstance(arg, Items) and not arg.items for arg in args) or name == "!":
        raise NoForm  # RTEC's guards
    return None


def binds_loosely(text: str) -> bool:
    """Whether an expression has an operator outside of all parentheses."""
    depth = 0
    for char in text:
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(char, 0)
        if depth == 0 and char in "&|-=~":
            return True
    return False
