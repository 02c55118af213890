"""Pattern rules: from the operations that are written to the patterns that they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast, get_args

from holdsfor.errors import HoldsforError
from holdsfor.functions import Function, Registered
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.literals import EDGES, Apply, Call, Compare, FluentLiteral, Is, Literal, Not, all_variables
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.capitals import lower_name
from holdsfor.language.parsing.durations import count_ticks, wrong_duration
from holdsfor.language.parsing.patterns import (
    ALLEN,
    TURNED,
    RawDuration,
    RawOperation,
    RawPattern,
    RawPatternRule,
    write_pattern,
)
from holdsfor.language.patterns import (
    EVERY,
    Absence,
    Either,
    EventPattern,
    Filter,
    Instant,
    Join,
    JoinKind,
    Limit,
    Measure,
    Pattern,
    PatternRule,
    RunningAggregate,
    Stretch,
    Timed,
    is_calculated,
)
from holdsfor.language.reading.elsewhere import not_arithmetic
from holdsfor.language.reading.literals import BodyReader
from holdsfor.language.reading.settings import (
    WINDOWS,
    Property,
    read_label,
    read_policy,
    read_preferences,
)
from holdsfor.language.terms import Float, Int, Place, Term, Var, name_and_args
from holdsfor.language.vocabulary import COMPARISONS, FORMS
from holdsfor.language.written import written

JOINS: tuple[JoinKind, ...] = get_args(JoinKind)
#: Functions of `AGGREGATE S = sum(X)`: whether each has a term.
MEASURES = {"count": False, "sum": True, "avg": True, "min": True, "max": True}
#: Predicates of the Event Calculus, without those whose names may mean something else, too.
_PREDICATES = FORMS.keys() - {"fi", "p", "points", "bound"}
_ABSENCE = "write what it lies between: NOT(c).[a, b], or until when: NOT(c).[a, 5 min]"


def read_pattern_rule(draft: Draft, raw: RawPatternRule) -> None:
    """Adds a rule for each head; what cannot be read is reported."""
    settings = draft.settings_of(raw.place.file)
    reader = PatternReader(draft, settings.unit)
    label, properties = read_label(draft, raw.label)
    heads = [head for head in raw.heads if _is_head(draft, head)]
    if not heads:
        return
    pattern = reader.read(raw.pattern)
    if pattern is not None:
        reader.warn_mixed(raw.pattern)
    policy, prefers = settings.policy, settings.prefers
    for each in properties:
        if each.name in WINDOWS:
            pattern = _limited(draft, pattern, each)
        elif each.name == "policy":
            policy = read_policy(draft, each.value)
        elif each.name == "prefer":
            prefers = read_preferences(draft, [each.value], each.value)
        else:
            hint = "the properties of a rule are event_rule_window, policy and prefer"
            draft.warning("label", f"the property `{each.name}` has no effect", each.place, hint)
    if pattern is None:
        draft.texts.damaged.update(name_and_args(head)[0] for head in heads)
        return
    draft.patterns += [PatternRule(head, pattern, policy, prefers, label, raw.place) for head in heads]


def _limited(draft: Draft, pattern: Pattern | None, window: Property) -> Pattern | None:
    if isinstance(window.value, Int) and window.value.value >= 0:
        return pattern and Limit(pattern, window.value.value, window.place)
    hint = "write a whole number of ticks: property(event_rule_window, 10)"
    draft.error("duration", f"`{written(window.value)}` is not a window", window.value.place, hint)
    return None


def _is_head(draft: Draft, head: Term) -> bool:
    if not head.is_named or head.functor in COMPARISONS:
        hint = "write the event that the pattern makes: alarm(L) <- ..."
        draft.error("head", f"`{written(head)}` is not an event", head.place, hint)
        return False
    name, args = name_and_args(head)
    if name in _PREDICATES:
        hint = f"write `:-` and conditions for {name}; a pattern defines an event: alarm(L) <- ..."
        draft.error("head", f"{name} cannot be defined by a pattern", head.place, hint)
        return False
    if name == "exceptionAlarm" and len(args) == 2:
        hint = "write the absence with its deadline: late <- NOT(b).[a, 60 s]"
        draft.error("head", "exceptionAlarm has no meaning here", head.place, hint)
        return False
    for part, message, hint in (wrong for arg in args if is_calculated(arg) for wrong in not_arithmetic(arg)):
        draft.error("type", message, part.place, hint)
        return False
    return True


class PatternReader:
    """Reads one pattern. unit: how long a tick is."""

    def __init__(self, draft: Draft, unit: str) -> None:
        self._draft = draft
        self._unit = unit

    def read(self, raw: RawPattern) -> Pattern | None:
        """The pattern; None if a part of it could not be read."""
        if isinstance(raw, RawDuration):
            hint = "a duration ends an absence: NOT(b).[a, 5 min]; or bounds a pattern: (a SEQ b).5min"
            return self._refuse("pattern", f"the duration `{raw.text}` is not an event", raw.place, hint)
        if not isinstance(raw, RawOperation):
            return self._leaf(raw)
        if _is_condition_torn(raw):
            return self._torn_condition(raw)
        match raw.operator:
            case "not":
                return self._absence(raw)
            case "cnot":
                return self._absence_from_etalis(raw)
            case "or":
                return self._either(raw)
            case "where":
                return self._filter(raw)
            case ".":
                return self._limit(raw)
            case "@":
                return self._timed(raw)
            case "aggregate":
                return self._running(raw)
            case "=":
                return self._stretch(raw)
            case operator if operator in ALLEN:
                return self._allen(raw)
            case operator if operator in JOINS:
                left, right = map(self.read, raw.parts)
                return left and right and Join(operator, left, right, raw.place)
        test = _test(raw)
        hint = f"write it behind the pattern: ... WHERE {test}"
        return self._refuse("pattern", f"`{test}` is not an event", raw.place, hint)

    # ------------------------------------------------------------ leaves

    def _leaf(self, term: Term) -> Pattern | None:
        if isinstance(term, Int):
            return Instant(term.value, term.place)
        if isinstance(term, Float):
            return self._refuse("type", f"`{written(term)}` is not a time", term.place, "times are whole numbers")
        if isinstance(term, Var):
            hint = f"events begin with a lower-case letter: write {lower_name(term.name)}; conditions come after WHERE"
            return self._refuse("pattern", f"the variable {term} cannot be an event", term.place, hint)
        name, args = name_and_args(term)
        if name in _PREDICATES or (name == "occurs" and len(args) == 3):
            return self._refuse("misplaced", f"{name} has no place in a pattern", term.place, _plain_form(name, args))
        if _is_etalis_aggregate(name, args):
            hint = "write AGGREGATE behind the events: e(X) AGGREGATE V = sum(X) OVER LAST 10"
            return self._refuse("aggregate", "`aggregate(...)` is not an event", term.place, hint)
        if name == "prolog" and len(args) == 1:
            hint = f"write it behind the pattern: ... WHERE {written(args[0])}"
            return self._refuse("pattern", "`prolog(...)` is not an event", term.place, hint)
        if name in EDGES and len(args) == 1 and args[0].functor == "=":
            hint = f"define an event: happensAt(e(...), T) :- happensAt({written(term)}, T)., and write e(...) here"
            return self._refuse("misplaced", f"{name} of a fluent has no place in a pattern", term.place, hint)
        return EventPattern(term, term.place)

    def _stretch(self, raw: RawOperation) -> Pattern | None:
        fluent, value = cast(tuple[Term, Term], raw.parts)
        if fluent.is_named:
            return Stretch(fluent, value, raw.place)
        hint = "to compare, write WHERE behind the pattern; a fluent is (name(X)=value)"
        return self._refuse("pattern", f"`{written(fluent)}` is not a fluent", fluent.place, hint)

    # ------------------------------------------------------------ operations

    def _allen(self, raw: RawOperation) -> Pattern | None:
        """Read Allen's other relations: `P CONTAINS Q` is `Q DURING P`."""
        operator, parts = raw.operator, [self.read(part) for part in raw.parts]
        if operator in TURNED:
            operator, parts = TURNED[operator], parts[::-1]
        left, right = parts
        if left is None or right is None:
            return None
        if operator != "overlaps":
            return Join(cast(JoinKind, "seq" if operator == "before" else operator), left, right, raw.place)
        start, end, later, last = (
            self._draft.variable(Var(name, raw.place, anonymous=True)) for name in ("_Start", "_End", "_Later", "_Last")
        )
        both = Join("par", Timed(left, start, end, raw.place), Timed(right, later, last, raw.place), raw.place)
        tests = Compare("<", start, later, raw.place), Compare("<", end, last, raw.place)
        return Filter(both, tests, raw.place)

    def _either(self, raw: RawOperation) -> Pattern | None:
        """`a OR b OR c` has three alternatives, however they are nested."""
        alternatives: list[Pattern] = []
        for part in map(self.read, raw.parts):
            if part is None:
                return None
            alternatives += part.alternatives if isinstance(part, Either) else [part]
        return Either(tuple(alternatives), raw.place)

    def _absence(self, raw: RawOperation) -> Pattern | None:
        if len(raw.parts) != 3:
            return self._refuse("pattern", "NOT needs the two events that it lies between", raw.place, _ABSENCE)
        what, first, last = raw.parts
        parts = self.read(what), self.read(first)
        end = self._ticks(last) if isinstance(last, RawDuration) else self.read(last)
        if parts[0] is None or parts[1] is None or end is None:
            return None
        if end == 0:
            message = "nothing can happen in no time, so this is always true"
            self._draft.warning("duration", message, last.place, "write until when: NOT(c).[a, 5 min]")
        return Absence(parts[0], parts[1], end, raw.place)

    def _absence_from_etalis(self, raw: RawOperation) -> Pattern | None:
        """`(a seq b) cnot c`"""
        scope, what = map(self.read, raw.parts)
        if scope is None or what is None:
            return None
        if not isinstance(scope, Join) or scope.kind != "seq":
            return self._refuse("pattern", "cnot is for a sequence: (a seq b) cnot c", raw.place, _ABSENCE)
        return Absence(what, scope.left, scope.right, raw.place)

    def _filter(self, raw: RawOperation) -> Pattern | None:
        pattern, condition = self.read(raw.parts[0]), cast(Term, raw.parts[1])
        reader = BodyReader(self._draft, "pattern")
        conditions = reader.read(condition)
        for literal in find_all(conditions, Literal):
            if not isinstance(literal, Compare | Is | Apply | Call | Not | FluentLiteral):
                hint = "write a rule for each case, or give the condition a name by a background rule"
                return self._refuse("misplaced", "WHERE cannot have this condition", literal.place, hint)
        if pattern is None or not reader.complete:
            return None
        for holding in find_all(conditions, FluentLiteral):
            pattern = pattern and self._with_end(pattern, holding)
        return pattern and Filter(pattern, conditions, raw.place) if conditions else pattern

    def _with_end(self, pattern: Pattern, holding: FluentLiteral) -> Pattern | None:
        """Give the time of `holdsAt(f(X)=v, T)` its value: the end of the occurrence before WHERE."""
        time, core = holding.times[0], pattern
        while isinstance(core, Filter | Limit | Timed):
            if isinstance(core, Timed) and time in (core.start, core.end):
                return pattern
            core = core.pattern
        if isinstance(time, Var) and time not in all_variables(pattern):
            start = self._draft.variable(Var("_", time.place, anonymous=True))
            return Timed(pattern, start, time, holding.place)
        message = "holdsAt behind WHERE is about the end of what it stands behind, or about a time of its own"
        hint = "write a new variable, holdsAt(f(X)=v, T), or one of (pattern)@[S,E]"
        return self._refuse("variable", message, time.place, hint)

    def _torn_condition(self, raw: RawOperation) -> Pattern | None:
        """`WHERE X > 3 OR X < 1`"""
        left, test = cast(tuple[RawOperation, RawOperation], raw.parts)
        first = written(cast(Term, left.parts[1]))
        hint = f"write both as one: WHERE ({first}, {_test(test)})"
        if raw.operator == "or":
            hint = f"write a rule for each case: ... WHERE {first}. and ... WHERE {_test(test)}."
        message = f"{raw.operator.upper()} joins events, and `{_test(test)}` is not one"
        return self._refuse("pattern", message, test.place, hint)

    def _limit(self, raw: RawOperation) -> Pattern | None:
        pattern, duration = self.read(raw.parts[0]), self._ticks(cast(RawDuration, raw.parts[1]))
        if duration == 0 and isinstance(pattern, Join) and pattern.kind == "seq":
            hint = "write how long it may take: (a SEQ b).5min; at one time it is (a AND b).0"
            self._draft.warning("never", "a sequence takes longer than no time", raw.parts[1].place, hint)
        return None if pattern is None or duration is None else Limit(pattern, duration, raw.place)

    def _timed(self, raw: RawOperation) -> Pattern | None:
        pattern, (start, end) = self.read(raw.parts[0]), cast(tuple[Var, Var], raw.parts[1:])
        if pattern is None:
            return None
        for time in (start, end):
            if time in all_variables(pattern) or start == end:
                message = f"{time} is a time of this occurrence, and stands for something else in it, too"
                hint = "write another variable, and compare the two behind WHERE"
                return self._refuse("variable", message, time.place, hint)
        return Timed(pattern, start, end, raw.place)

    def _running(self, raw: RawOperation) -> Pattern | None:
        pattern = self.read(raw.parts[0])
        measures = [self._measure(cast(Term, part)) for part in raw.parts[1:-1]]
        amount = cast(RawDuration, raw.parts[-1])
        text = amount.text.removeprefix("UP TO ")
        size = EVERY if text == "ALL" else self._ticks(replace(amount, text=text))
        complete = [measure for measure in measures if measure is not None]
        for number, measure in enumerate(complete):
            if measure.variable in [each.variable for each in complete[:number]]:
                message = f"{written(measure.variable)} is the result of two aggregates"
                return self._refuse("aggregate", message, measure.place, "give each a variable of its own")
        if pattern is None or size is None or len(complete) < len(measures):
            return None
        if size < 1:
            hint = "write how many events, or for how long: OVER LAST 10, OVER LAST 5 min"
            return self._refuse("duration", "an aggregate over nothing", amount.place, hint)
        counted = text.isdigit() or text == "ALL"
        if amount.text.startswith("UP TO") and not counted:
            hint = f"write OVER LAST {text}: over a duration there is no number of events to wait for"
            return self._refuse("duration", "UP TO is for a number of events", amount.place, hint)
        events, duration = (size, None) if counted else (None, size)
        is_partial = text == "ALL" or text != amount.text
        return RunningAggregate(pattern, tuple(complete), events, duration, raw.place, is_partial)

    def _measure(self, term: Term) -> Measure | None:
        hint = "write S = sum(X), or N = count"
        if not (term.functor == "=" and isinstance(term.args[0], Var)):
            self._refuse("aggregate", f"`{written(term)}` is not an aggregate", term.place, hint)
            return None
        variable, function = term.args
        assert isinstance(variable, Var)
        if isinstance(function, Var) and function.name.lower() in MEASURES:
            hint = f"write {variable} = {function.name.lower()}"
        if not function.is_named:
            self._refuse("aggregate", f"`{written(function)}` is not an aggregate function", function.place, hint)
            return None
        name, args = name_and_args(function)
        registered = self._draft.texts.functions.get(name)
        if name not in MEASURES and registered is None:
            self._refuse("aggregate", f"there is no aggregate function {name}", function.place, self._functions(name))
            return None
        if not args if registered else len(args) != MEASURES[name]:
            example = f"{name}(X)" if MEASURES.get(name, True) else name
            takes = "at least 1 argument" if registered else arguments(1) if MEASURES[name] else "no arguments"
            self._refuse("aggregate", f"{name} takes {takes}", function.place, f"write {variable} = {example}")
            return None
        for part, message, advice in (wrong for arg in args for wrong in not_arithmetic(arg)):
            self._refuse("type", message, part.place, advice)
            return None
        return Measure(variable, name, args, term.place, registered)

    def _functions(self, name: str) -> str:
        """Say which functions there are instead of one that does not exist."""
        names = (*MEASURES, *self._draft.texts.functions)
        register = f"; to use your own, register it: functions={{'{name}': ...}}, or --functions FILE"
        return did_you_mean(name, names) or f"write one of {', '.join(names)}{register}"

    # ------------------------------------------------------------ durations

    def _ticks(self, raw: RawDuration) -> int | None:
        ticks = None if raw.text.startswith("-") else count_ticks(raw.text, self._unit)
        if ticks is None:
            message, hint = wrong_duration(raw.text, self._unit)
            self._refuse("duration", message, raw.place, hint)
        return ticks

    # ------------------------------------------------------------ reporting

    def warn_mixed(self, raw: RawPattern) -> bool:
        """`a SEQ b AND c` has no parentheses that say which comes first: shows how it is read, once a rule."""
        if not isinstance(raw, RawOperation):
            return False
        self._warn_narrow_window(raw)
        if _is_mixed(raw):
            hint = "operators are equal, and read from the left; write parentheses to say what is meant"
            self._draft.warning("mixed", f"this is read as {write_pattern(raw)}", raw.place, hint)
            return True
        return any(self.warn_mixed(part) for part in raw.parts)

    def _warn_narrow_window(self, raw: RawOperation) -> None:
        """`a SEQ b.10` bounds b alone, which is hardly meant without brackets."""
        last = raw.parts[-1]
        if raw.operator not in JOINS or not isinstance(last, RawOperation) or last.operator != ".":
            return
        if last.bracketed:
            return
        line = self._draft.texts.sources[last.place.file].line(last.place.line)
        if line[last.place.column - 1] != "(":
            bound = write_pattern(last.parts[0])
            hint = f"to bound the whole, put it in brackets: ({write_pattern(raw.parts[0])} ... {bound})"
            self._draft.warning("mixed", f"this window bounds {bound} alone", last.place, hint)

    def _refuse(self, code: str, message: str, place: Place, hint: str) -> Pattern | None:
        self._draft.error(code, message, place, hint)
        return None


def _test(raw: RawOperation) -> str:
    return f" {raw.operator} ".join(written(cast(Term, part)) for part in raw.parts)


def _is_condition_torn(raw: RawOperation) -> bool:
    """Whether a comparison stands behind AND or OR where it belongs to the condition before."""
    left, right = raw.parts[0], raw.parts[-1]
    if raw.operator not in ("or", "and") or not isinstance(left, RawOperation) or not isinstance(right, RawOperation):
        return False
    return left.operator == "where" and not left.bracketed and right.operator in {*COMPARISONS, "is"}


def _is_mixed(raw: RawOperation) -> bool:
    """Whether another operator stands on the left of one, without parentheses."""
    operators, left = (*JOINS, *ALLEN, "or", "cnot"), raw.parts[0]
    if raw.operator not in operators or not isinstance(left, RawOperation) or left.bracketed:
        return False
    return left.operator in (*operators, "where", "aggregate") and left.operator != raw.operator


def _is_etalis_aggregate(name: str, args: tuple[Term, ...]) -> bool:
    """`aggregate(sum(X), e(X), V)`"""
    return name == "aggregate" and len(args) == 3 and name_and_args(args[0])[0] in MEASURES


def _plain_form(name: str, args: tuple[Term, ...]) -> str:
    """Say what to write in a pattern instead of a predicate of the Event Calculus."""
    if args and name in ("happensAt", "occurs"):
        return f"write the event itself: {written(args[0])}"
    if args and name in ("holdsAt", "holdsFor"):
        return f"write the fluent with its value: ({written(args[0])})"
    return "a pattern is made of events and fluents: a(X) SEQ (f(X)=true)"


def register_functions(functions: Mapping[str, Function]) -> dict[str, Registered]:
    """The functions by name, if rules can call them."""
    for name, function in functions.items():
        if not isinstance(name, str) or not re.fullmatch(r"[a-z]\w*", name):
            raise HoldsforError(
                f"functions: {name!r} is not a name that rules can write; begin it with a lower-case letter, and use "
                "letters, digits and _ only."
            )
        if name in MEASURES:
            raise HoldsforError(f"functions: {name} is built in; register your function under another name.")
        if not callable(function):
            raise HoldsforError(
                f"functions: {name} is {type(function).__name__}, not a function; write {{'{name}': function}}."
            )
    return {name: Registered(function) for name, function in functions.items()}
