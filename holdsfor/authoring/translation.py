"""Write conditions and patterns as Python."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.authoring.translation_terms import NoForm, TermTranslation, is_arithmetic, is_built_in, quote
from holdsfor.language.diagnostics import DescriptionError
from holdsfor.language.format.terms import chain
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern
from holdsfor.language.terms import Atom, Compound, Int, Term, Var, name_and_args
from holdsfor.language.vocabulary import COMPARISONS, FORMS

_COMPARED = {"<": "<", ">": ">", "=<": "<=", ">=": ">="}
_LISTS = {"length": "count", "sum_list": "total", "sumlist": "total", "min_list": "least", "max_list": "greatest"}
_MEASURES = {"sum": "total", "min": "least", "max": "greatest"}
_EDGES = {"start": "start", "end": "end", "startI": "first_point", "endI": "point_after"}
_PATTERN_SIGNS = {"seq": ">>", "and": "&", "or": "|"}
#: Words of ETALIS that only its own files need.
_ETALIS_FORMS = ("star_times", "within", "<-", "check", "timestamp", "event_multiply", "do")
_PATTERN_METHODS = ("par", "equals", "meets", "during", "starts", "finishes")


class Translation(TermTranslation):
    """The conditions or the pattern of one clause on their way."""

    def conditions(self, goals: Sequence[Term]) -> list[str]:
        """Return conditions that `&` joins, each in parentheses where it needs them."""
        lists = {goal.args[2]: goal for goal in goals if goal.functor == "findall" and len(goal.args) == 3}
        return [
            text
            for goal in goals
            if not (goal.functor == "findall" and len(goal.args) == 3)
            for text in [self._condition(goal, lists)]
        ]

    def _value(self, about: Term) -> str:
        """Return a fluent as one of several conditions."""
        text = self.fluent(about)
        return f"({text})" if " == " in text else text

    def joined(self, term: Term) -> str:
        """Return a conjunction as one expression."""
        return " & ".join(self.conditions(chain(term, ",")))

    def _condition(self, goal: Term, lists: dict[Term, Term]) -> str:
        if not goal.is_named:
            raise NoForm
        name, args = name_and_args(goal)
        match name, args:
            case "happensAt", (event, time):
                return self._event_condition(event) + self._at(time)
            case "holdsAt", (about, time):
                return self._value(about) + self._at(time)
            case (("initiatedAt" | "terminatedAt"), (about, time)):
                word = "initiated" if name == "initiatedAt" else "terminated"
                return f"hf.{word}({self.fluent(about)}){self._at(time)}"
            case "occurs", (event, start, end):
                return f"{self.event(event)}.between({self.term(start)}, {self.term(end)})"
            case (("\\+" | "not"), (inner,)):
                parts = self.conditions(chain(inner, ","))
                return f"~{parts[0]}" if len(parts) == 1 else f"~({' & '.join(parts)})"
            case ";", (Compound(functor="->", args=(first, then)), otherwise):
                return f"hf.choose({self.joined(first)}, {self.joined(then)}, {self.joined(otherwise)})"
            case ";", _:
                return f"({' | '.join(_grouped(self.conditions(chain(side, ','))) for side in chain(goal, ';'))})"
            case "is", (Var() as result, value):
                return f"{self.term(result)}.is_({self.term(value)})"
            case _, (listed, Var() as result) if name in _LISTS and listed in lists:
                template, solutions = lists[listed].args[:2]
                return f"{self.term(result)}.is_(hf.{_LISTS[name]}({self.term(template)}, {self.joined(solutions)}))"
            case _, (left, right) if name in COMPARISONS:
                return self.comparison(name, left, right)
        if name in FORMS or name in ("!", "->", "findall", "is", "true", "fail", "false") or name in _LISTS:
            raise NoForm
        return self.condition(goal)

    def comparison(self, operator: str, left: Term, right: Term) -> str:
        is_value = isinstance(left, Var) or is_arithmetic(left) or is_built_in(left)
        is_number = is_arithmetic(left) or is_arithmetic(right)
        sign = _COMPARED.get(operator)
        if (operator in ("=", "\\=") and not is_number) or (operator in ("=:=", "=\\=") and is_number):
            sign = "!=" if "\\" in operator else "=="
        if is_value and sign:
            return f"({self.term(left)} {sign} {self.term(right)})"
        return f"hf.compare({quote(operator)}, {self.term(left)}, {self.term(right)})"

    def _event_condition(self, event: Term) -> str:
        if event.functor in _EDGES and len(event.args) == 1 and event.args[0].functor == "=":
            return f"hf.{_EDGES[event.functor]}({self.fluent(event.args[0])})"
        return self.event(event)

    def _at(self, time: Term) -> str:
        is_own = self.time is None and isinstance(time, Var) and time.anonymous  # behind WHERE: the end of the match
        return "" if is_own or time == self.time else f".at({self.term(time)})"

    # ------------------------------------------------------------ patterns

    def pattern(self, pattern: RawPattern) -> str:
        """Return a pattern as an expression; operations inside others are in parentheses."""
        if isinstance(pattern, Int):
            return f"hf.moment({pattern.value})"
        if isinstance(pattern, RawDuration):
            return _amount(pattern)
        if not isinstance(pattern, RawOperation):
            return self.event(pattern)
        operator, parts = pattern.operator, pattern.parts
        if operator in _PATTERN_SIGNS:
            return f" {_PATTERN_SIGNS[operator]} ".join(map(self._operand, parts))
        if operator == "@":
            inner, *times = parts
            return f"{self._operand(inner)}.between({', '.join(map(self.term, times))})"  # type: ignore[arg-type]
        if operator in COMPARISONS:
            return self.fluent(Compound("=", parts))  # type: ignore[arg-type]
        match operator, parts:
            case "not", (absent, first, RawDuration() as limit):
                return f"{self._operand(first)}.without({self.pattern(absent)}, for_={_amount(limit)})"
            case "not", (absent, first, last):
                return f"({self._operand(first)} >> {self._operand(last)}).without({self.pattern(absent)})"
            case "where", (inner, condition):
                goals = self.conditions(chain(condition, ","))  # type: ignore[arg-type]
                return f"{self._operand(inner)}.where({', '.join(without_brackets(goal) for goal in goals)})"
            case ".", (inner, limit):
                return f"{self._operand(inner)}.within({self.pattern(limit)})"
            case "aggregate", (inner, *measures, last):
                named = ", ".join(map(self._measure, measures))  # type: ignore[arg-type]
                return f"{self._operand(inner)}.over({self.pattern(last)}, {named})"
        if operator in _ETALIS_FORMS or len(parts) != 2:
            message = f"`{operator}` of ETALIS has no form in Python"
            raise DescriptionError(
                [self.source.error("python", message, pattern.place, "write it in the words of the paper")]
            )
        left, right = parts
        method = f"{operator}(" if operator in _PATTERN_METHODS else f"joined({quote(operator)}, "
        return f"{self._operand(left)}.{method}{self.pattern(right)})"

    def _operand(self, pattern: RawPattern) -> str:
        text = self.pattern(pattern)
        needs = isinstance(pattern, RawOperation) and pattern.operator in (*_PATTERN_SIGNS, *COMPARISONS)
        return f"({text})" if needs else text

    def _measure(self, measure: Term) -> str:
        name, value = measure.args
        function, args = name_and_args(value)
        if function == "count" and not args:
            return f"{name}=hf.count()"
        terms = ", ".join(map(self.term, args))
        if function in _MEASURES:
            return f"{name}=hf.{_MEASURES[function]}({terms})"
        return f"{name}=hf.measure({', '.join([quote(function), *map(self.term, args)])})"

    def label(self, label: Term) -> str:
        return quote(label.name) if isinstance(label, Atom) else self.raw_term(label)


def _amount(duration: RawDuration) -> str:
    return duration.text if duration.text.isdigit() else quote(duration.text)


def _grouped(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' & '.join(conditions)})"


def without_brackets(text: str) -> str:
    """Return a condition without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for index, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0 and index < len(text) - 1:
            return text
    return text[1:-1] if "'" not in text and '"' not in text else text
