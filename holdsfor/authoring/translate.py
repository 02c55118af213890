"""Write rule text as Python: a statement for each clause, in the same order, with the same meaning."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdsfor.language.arithmetic import FUNCTIONS
from holdsfor.language.diagnostics import DescriptionError, Source
from holdsfor.language.format.terms import chain
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDeclaration, RawDirective, RawPatternRule, parse
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import ALLEN, COMPARISONS, FORMS, LOADING

_WIDTH = 110
_INFIX = {"+": "+", "-": "-", "*": "*", "/": "/", "mod": "%", "**": "**"}
_COMPARED = {"<": "<", ">": ">", "=<": "<=", ">=": ">="}
_LISTS = {"length": "count", "sum_list": "total", "sumlist": "total", "min_list": "least", "max_list": "greatest"}
_MEASURES = {"sum": "total", "min": "least", "max": "greatest"}
_DURATIONS = {
    "intDurGreater": "longer_than",
    "intDurGreaterEqual": "at_least",
    "intDurLess": "shorter_than",
    "intDurLessEqual": "at_most",
}
_DURATIONS |= {name: name for name in ("longer_than", "at_least", "shorter_than", "at_most")}
_EDGES = {"start": "start", "end": "end", "startI": "first_point", "endI": "point_after"}
_PATTERN_SIGNS = {"seq": ">>", "and": "&", "or": "|"}
_PATTERN_METHODS = ("par", "equals", "meets", "during", "starts", "finishes")
_WITH_UNIT = re.compile(r"\d[\d.\s]*[a-z][\w\s.]*\Z")


class _NoForm(Exception):
    """A clause that only `hf.clause` can say."""


def translate(source: Source) -> str:
    """Return a Python program that makes the rules of a text. Raises DescriptionError if it cannot be parsed."""
    parsed = parse(source, in_order=True)
    if any(diagnostic.severity == "error" for diagnostic in parsed.diagnostics):
        raise DescriptionError(parsed.diagnostics)
    names = _Names()
    names.variables.update(dict.fromkeys(var.name for raw in parsed.raw for var in _variables_of(raw)))
    items = [item for raw in parsed.raw for item in _Translation(source, names).statement(raw)]
    unit = next((f"    tick_unit={_text(each.goal.args[0].name)}," for each in parsed.raw if _sets_tick(each)), "")  # type: ignore[union-attr]
    lines = ["import holdsfor as hf", ""]
    used = [name for name in names.variables if name in names.used_variables]
    for start in range(0, len(used), 16):
        group = used[start : start + 16]
        lines.append(f"{', '.join(group)}{',' if len(group) == 1 else ''} = hf.variables({_text(' '.join(group))})")
    lines += names.lines
    return "\n".join([*lines, "", "rules = hf.rules(", *items, *([unit] if unit else []), ")", ""])


def _sets_tick(raw: Raw) -> bool:
    return isinstance(raw, RawDirective) and raw.goal.functor == "tick"


def _variables_of(raw: Raw) -> Iterable[Var]:
    from holdsfor.language.nodes import all_terms

    terms = [*all_terms(raw), *(node for node in find_all(raw, Var))]
    return (each for each in find_all(terms, Var) if not each.anonymous)


@dataclass(slots=True)
class _Names:
    """The Python names of events, fluents and predicates, and the lines that make them."""

    variables: dict[str, None] = field(default_factory=dict)
    used_variables: set[str] = field(default_factory=set)
    by_entity: dict[tuple[str, str, int], str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def entity(self, kind: str, name: str, args: Sequence[str]) -> str:
        """Return the Python name of an entity; made where it is used first. args: names of its arguments."""
        key = kind, name, len(args)
        if key not in self.by_entity:
            self.by_entity[key] = self._free(name, kind)
            made = "".join(f", {_text(_argument_name(arg, place))}" for place, arg in enumerate(args, 1))
            self.lines.append(f"{self.by_entity[key]} = hf.{kind}({_text(name)}{made})")
        return self.by_entity[key]

    def _free(self, name: str, kind: str) -> str:
        usable = re.sub(r"\W", "_", name) or kind
        usable = usable if usable.isidentifier() else f"{kind}_{usable}"
        taken = {"hf", "rules", *self.variables, *self.by_entity.values()}
        options = (usable, f"{usable}_{kind}", *(f"{usable}_{number}" for number in range(2, len(taken) + 3)))
        return next(each for each in options if each not in taken and not keyword.iskeyword(each))


def _argument_name(written: str, place: int) -> str:
    return written.lower() if written.isidentifier() else f"arg{place}"


@dataclass(slots=True)
class _Translation:
    """One clause on its way. time: the variable of its time, which Python does not name."""

    source: Source
    names: _Names
    time: Var | None = None

    # ------------------------------------------------------------ statements

    def statement(self, raw: Raw) -> list[str]:
        """Return the lines of a clause inside of `hf.rules(...)`."""
        match raw:
            case RawClause():
                try:
                    return self._clause(raw)
                except _NoForm:
                    return self._plain(raw)
            case RawPatternRule():
                return self._pattern_rule(raw)
            case RawDirective(word=word, goal=goal):
                return self._directive(word, goal)
            case RawDeclaration(kind=kind, signature=signature):
                word = kind if kind == "internal" else f"input {kind}"
                return [f"    hf.declare({_text(word)}, {_text(signature.name)}, {signature.arity}),"]
        raise TypeError(raw)

    def _clause(self, raw: RawClause) -> list[str]:
        name, args = name_and_args(raw.head) if raw.head.is_named else ("", ())
        goals = [] if raw.body is None else chain(raw.body, ",")
        match name, args:
            case (("initiatedAt" | "terminatedAt" | "happensAt"), (about, Var() as time)):
                self.time = time
                word = {"initiatedAt": "starts", "terminatedAt": "ends", "happensAt": "happens"}[name]
                head = self.event(about) if name == "happensAt" else self.fluent(about)
                return _call(word, [head], "when", self.conditions(goals))
            case "holdsFor", (about, Var() as intervals):
                return self._holds_for(about, intervals, goals)
            case "initially", (about,):
                return _call("initially", [self.fluent(about)], "when", self.conditions(goals))
            case "grounding", (about,):
                entity = self.fluent(about) if about.functor == "=" else self.event(about)
                return _call("grounding", [entity], "when", self.conditions(goals))
            case "fi", (before, then, after):
                values = [self.fluent(before), self.fluent(then), self.length(after)]
                return _call("deadline", values, "when", self.conditions(goals))
            case "p", (about,) if not goals and about.functor == "=":
                return _call("renewed", [self.fluent(about)], "when", [])
        if not name or name in FORMS or name in COMPARISONS or name in (",", ";", "->", "\\+", "!"):
            raise _NoForm
        return _call("define", [self.predicate(raw.head)], "when", self.conditions(goals))

    def _holds_for(self, about: Term, result: Var, goals: Sequence[Term]) -> list[str]:
        expression = _Intervals(self, goals)
        whole = expression.of(result)
        others = expression.others()
        joined = [whole] if not others else [f"({whole})" if _binds_loosely(whole) else whole, *others]
        return _call("holds", [self.fluent(about)], "while_", joined)

    def _pattern_rule(self, raw: RawPatternRule) -> list[str]:
        heads = [self.event(head) for head in raw.heads]
        head = heads[0] if len(heads) == 1 else f"[{', '.join(heads)}]"
        label = "" if raw.label is None else f", label={self.label(raw.label)}"
        return [f"    hf.matches({head}, {self.pattern(raw.pattern)}{label}),"]

    def _directive(self, word: str, goal: Term) -> list[str]:
        if isinstance(goal, Items):
            return [f"    {_text(name_and_args(item)[0])}," for item in goal.items]
        name, args = name_and_args(goal) if goal.is_named and not word else (word, (goal,))
        if name == "tick":
            return []
        if name in LOADING:
            return [f"    {_text(name_and_args(arg)[0])}," for arg in args]
        return [f"    hf.directive({', '.join([_text(name), *map(self.term, args)])}),"]

    def _plain(self, raw: RawClause) -> list[str]:
        goals = [] if raw.body is None else chain(raw.body, ",")
        self.time = None
        terms = [self.raw_term(term) for term in [raw.head, *goals]]
        line = f"    hf.clause({', '.join(terms)}),"
        return [line] if len(line) <= _WIDTH else ["    hf.clause(", *(f"        {term}," for term in terms), "    ),"]

    # ------------------------------------------------------------ conditions

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
            raise _NoForm
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
            raise _NoForm
        return self.predicate(goal)

    def comparison(self, operator: str, left: Term, right: Term) -> str:
        is_value = isinstance(left, Var) or _is_arithmetic(left)
        is_number = _is_arithmetic(left) or _is_arithmetic(right)
        sign = _COMPARED.get(operator)
        if (operator in ("=", "\\=") and not is_number) or (operator in ("=:=", "=\\=") and is_number):
            sign = "!=" if "\\" in operator else "=="
        if is_value and sign:
            return f"({self.term(left)} {sign} {self.term(right)})"
        return f"hf.compare({_text(operator)}, {self.term(left)}, {self.term(right)})"

    def _event_condition(self, event: Term) -> str:
        if event.functor in _EDGES and len(event.args) == 1 and event.args[0].functor == "=":
            return f"hf.{_EDGES[event.functor]}({self.fluent(event.args[0])})"
        return self.event(event)

    def _at(self, time: Term) -> str:
        return "" if time == self.time else f".at({self.term(time)})"

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
        if operator in ("=", "==") or (not operator.isalpha() and operator != "."):
            return self.fluent(Compound("=", parts))  # type: ignore[arg-type]
        match operator, parts:
            case "not", (absent, first, RawDuration() as limit):
                return f"{self._operand(first)}.without({self.pattern(absent)}, for_={_amount(limit)})"
            case "not", (absent, first, last):
                return f"({self._operand(first)} >> {self._operand(last)}).without({self.pattern(absent)})"
            case "where", (inner, condition):
                goals = self.conditions(chain(condition, ","))  # type: ignore[arg-type]
                return f"{self._operand(inner)}.where({', '.join(_unbracketed(goal) for goal in goals)})"
            case ".", (inner, limit):
                return f"{self._operand(inner)}.within({self.pattern(limit)})"
            case "aggregate", (inner, *measures, last):
                named = ", ".join(map(self._measure, measures))  # type: ignore[arg-type]
                return f"{self._operand(inner)}.over({self.pattern(last)}, {named})"
        left, right = parts
        method = f"{operator}(" if operator in _PATTERN_METHODS else f"joined({_text(operator)}, "
        return f"{self._operand(left)}.{method}{self.pattern(right)})"

    def _operand(self, pattern: RawPattern) -> str:
        text = self.pattern(pattern)
        needs = isinstance(pattern, RawOperation) and (
            pattern.operator in _PATTERN_SIGNS or not pattern.operator.isalpha()
        )
        return f"({text})" if needs and pattern.operator not in (".", "@") else text  # type: ignore[union-attr]

    def _measure(self, measure: Term) -> str:
        name, value = measure.args
        function, args = name_and_args(value)
        if function == "count" and not args:
            return f"{name}=hf.count()"
        terms = ", ".join(map(self.term, args))
        if function in _MEASURES:
            return f"{name}=hf.{_MEASURES[function]}({terms})"
        return f"{name}=hf.measure({', '.join([_text(function), *map(self.term, args)])})"

    def label(self, label: Term) -> str:
        return _text(label.name) if isinstance(label, Atom) else self.raw_term(label)

    # ------------------------------------------------------------ terms

    def event(self, subject: Term) -> str:
        return self._use("event", subject)

    def predicate(self, subject: Term) -> str:
        return self._use("predicate", subject)

    def fluent(self, pair: Term) -> str:
        """Return `f(X)`, or `f(X) == value`."""
        if pair.functor != "=" or len(pair.args) != 2:
            raise _NoForm
        subject, value = pair.args
        text = self._use("fluent", subject)
        return text if value == Atom("true") else f"{text} == {self.term(value)}"

    def _use(self, kind: str, subject: Term) -> str:
        if not subject.is_named:
            raise _NoForm
        name, args = name_and_args(subject)
        entity = self.names.entity(kind, name, [str(arg) if isinstance(arg, Var) else "" for arg in args])
        return f"{entity}({', '.join(map(self.term, args))})"

    def length(self, term: Term) -> str:
        """Return a duration as it is written: with its unit, if it has one."""
        if isinstance(term, Int) and (text := self._source_text(term)) and _WITH_UNIT.match(text):
            return _text(text)
        return self.term(term)

    def _source_text(self, term: Int) -> str:
        """Return the text of a number in its source."""
        place = term.place
        line = self.source.line(place.line)
        is_here = place.file == self.source.name and place.line == place.end_line
        return line[place.column - 1 : place.end_column - 1] if is_here else ""

    def term(self, term: Term) -> str:
        match term:
            case Var(anonymous=True):
                return "..."
            case Var(name=name):
                if term == self.time:
                    return "hf.now"
                self.names.used_variables.add(name)
                return name
            case Atom(name=name):
                return _text(name)
            case Int(value=value) | Float(value=value):
                return repr(value)
            case Items(items=items):
                return f"[{', '.join(map(self.term, items))}]"
            case Compound(functor=functor, args=(left, right)) if functor in _INFIX and _computes(left, right):
                sides = [self._side(left, functor), self._side(right, functor)]
                return f"{sides[0]} {_INFIX[functor]} {sides[1]}"
            case Compound(functor="-", args=(inner,)) if isinstance(inner, Var):
                return f"-{self.term(inner)}"
            case Compound(functor=functor, args=args):
                return f"hf.term({', '.join([_text(functor), *map(self.term, args)])})"
        raise TypeError(term)

    def _side(self, term: Term, functor: str) -> str:
        text = self.length(term) if functor in "+-" else self.term(term)
        is_sum = isinstance(term, Compound) and term.functor in _INFIX and " " in text
        return f"({text})" if is_sum or text.startswith("-") else text

    def raw_term(self, term: Term) -> str:
        """Return a term as it is, without names of Python's."""
        if isinstance(term, Compound):
            return f"hf.term({', '.join([_text(term.functor), *map(self.raw_term, term.args)])})"
        if isinstance(term, Items):
            return f"[{', '.join(map(self.raw_term, term.items))}]"
        return self.term(term)


class _Intervals:
    """The conditions of a holdsFor rule as one expression: each list of intervals is used where it is made."""

    def __init__(self, translation: _Translation, goals: Sequence[Term]) -> None:
        self._translation = translation
        self._goals = list(goals)
        self._waiting = list(goals)

    def of(self, intervals: Term) -> str:
        """Return the expression that makes a list of intervals."""
        makers = [goal for goal in self._goals if goal.is_named and _makes(goal) == intervals]
        if len(makers) != 1 or not isinstance(intervals, Var):
            raise _NoForm
        if makers[0] not in self._waiting:  # used twice
            raise _NoForm
        self._waiting.remove(makers[0])
        return self._expression(makers[0])

    def others(self) -> list[str]:
        """Return the conditions that make no intervals; all that do must have been used."""
        if any(_makes(goal) is not None for goal in self._waiting):
            raise _NoForm
        return self._translation.conditions(self._waiting)

    def _expression(self, goal: Term) -> str:
        name, args = name_and_args(goal)
        match name, args:
            case "holdsFor", (about, _):
                return self._translation.fluent(about)
            case (("union_all" | "intersect_all"), (Items(items=items), _)) if len(items) > 1:
                if any(goal.functor == name and _makes(goal) == items[0] for goal in self._goals):
                    raise _NoForm  # in Python (a & b) & c is a & b & c
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
                return f"{self._part(left)}.allen({_text(relation)}, {self.of(right)}, {_text(mode)})"
            case relation, (left, right, Atom(name=mode), _) if relation in ALLEN:
                return f"{self._part(left)}.allen({_text(relation)}, {self.of(right)}, {_text(mode)})"
            case duration, (inner, length, _) if duration in _DURATIONS:
                return f"{self._part(inner)}.{_DURATIONS[duration]}({self._translation.length(length)})"
        raise _NoForm

    def _part(self, intervals: Term) -> str:
        text = self.of(intervals)
        return f"({text})" if _binds_loosely(text) else text


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
        raise _NoForm  # RTEC's guards
    return None


def _call(word: str, head: Sequence[str], option: str, conditions: Sequence[str]) -> list[str]:
    """Write a statement on one line, or on a line for each condition."""
    if not conditions:
        return [f"    hf.{word}({', '.join(head)}),"]
    body = _unbracketed(conditions[0]) if len(conditions) == 1 else " & ".join(conditions)
    line = f"    hf.{word}({', '.join(head)}, {option}={body}),"
    if len(line) <= _WIDTH or len(conditions) == 1:
        return [line]
    first, *more = conditions
    return [
        f"    hf.{word}(",
        f"        {', '.join(head)},",
        f"        {option}={first}",
        *(f"        & {each}" for each in more[:-1]),
        f"        & {more[-1]},",
        "    ),",
    ]


def _text(text: str) -> str:
    """Write a text as Python has it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _amount(duration: RawDuration) -> str:
    return duration.text if duration.text.isdigit() else _text(duration.text)


def _is_arithmetic(term: Term) -> bool:
    return isinstance(term, Compound) and (term.functor, len(term.args)) in FUNCTIONS


def _computes(left: Term, right: Term) -> bool:
    """Whether Python leaves a calculation to us: one side at least is no constant."""
    return any((isinstance(side, Var) and not side.anonymous) or _is_arithmetic(side) for side in (left, right))


def _grouped(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' & '.join(conditions)})"


def _unbracketed(text: str) -> str:
    """Return a condition without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for index, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0 and index < len(text) - 1:
            return text
    return text[1:-1] if "'" not in text and '"' not in text else text


def _binds_loosely(text: str) -> bool:
    """Whether an expression has an operator outside of all parentheses."""
    depth = 0
    for char in text:
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(char, 0)
        if depth == 0 and char in "&|-=~":
            return True
    return False
