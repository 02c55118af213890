"""Operators that only ETALIS has, as patterns and rules of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, cast

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft
from holdsfor.language.nodes import find_all, transform
from holdsfor.language.parsing.patterns import RawDuration, RawOperation, RawPattern, RawPatternRule
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDeclaration
from holdsfor.language.reading.unfolding import conjuncts, joined
from holdsfor.language.terms import Atom, Compound, Int, Items, Place, Term, Var, name_and_args, variables
from holdsfor.language.written import written

_TESTS = frozenset({"where", "check", "timestamp", "event_multiply"})
#: Events in the place of which conditions stand: `a seq prolog(p(X))`.
_GOALS = frozenset({"prolog", "db", "query", "static"})
_PRINTED = frozenset({"write", "writeln", "print", "nl", "write_nl", "write_space", "writeq", "true"})
#: Running aggregates: the value before the first event, and the function of the value so far and the next one.
_AGGREGATES: dict[str, tuple[int, str]] = {
    "count": (0, "+"),
    "sum": (0, "+"),
    "min": (100000, "min"),
    "max": (-100000, "max"),
}
_PLACE_FOR_STAR = "write what comes before: a seq (b star_times)"


#: Ticks of a second in which events are in order, and not later.
IN_ORDER = 999


@dataclass(frozen=True, slots=True)
class Seconds:
    """How seconds are counted in a file. ticks: in a second. are_written: windows are seconds, not ticks."""

    ticks: int
    are_written: bool

    def window(self, amount: int) -> int:
        """Return the ticks of a window: those that only tell the order of events in a second do not count."""
        return amount * self.ticks + IN_ORDER if self.are_written else amount


class EtalisPatterns:
    """Rewrites patterns; what they need besides becomes rules whose events are in no result."""

    def __init__(self, draft: Draft, defined: set[Signature]) -> None:
        self._draft = draft
        self._defined = defined  # background predicates of the files
        self._numbers = count(1)
        self._more: list[Raw] = []
        self._label: Term | None = None
        self._seconds = Seconds(1, False)
        self._has_never = False

    def rules(self, raw: RawPatternRule, seconds: Seconds) -> Iterator[Raw]:
        """Iterate over the rules that one stands for."""
        self._seconds, self._label = seconds, raw.label
        pattern = self._pattern(raw.pattern)
        more, self._more = self._more, []
        yield from more
        yield raw if pattern is raw.pattern else replace(raw, pattern=pattern, label=self._label)

    def never(self, place: Place) -> Term:
        """Return an event that never happens."""
        event = Atom("never~", place)
        if not self._has_never:
            self._has_never = True
            self._hide(Signature.of(event), place)
            self._add(event, RawOperation("seq", (event, event), place), place)
        return event

    # ------------------------------------------------------------ patterns

    def _pattern(self, raw: RawPattern) -> RawPattern:
        if not isinstance(raw, RawOperation):
            return raw
        if raw.operator == "seq" and _is_repeated(raw.parts[1]):
            first, again = raw.parts[0], cast(RawOperation, raw.parts[1]).parts[0]
            return self._repeated(raw, self._pattern(first), self._pattern(again))
        parts = tuple(self._pattern(part) for part in raw.parts)
        raw = raw if all(a is b for a, b in zip(parts, raw.parts, strict=True)) else replace(raw, parts=parts)
        match raw.operator:
            case operator if operator in _TESTS:
                return self._tested(raw)
            case "seq":
                return self._sequence(raw)
            case "forall_seq":
                return self._all_waiting(raw)
            case "fnot":
                return self._never_before(raw)
            case "do":
                return self._without_action(raw)
            case "within":
                amount = cast(RawDuration, raw.parts[1])
                return replace(raw, operator=".", parts=(raw.parts[0], self._window(amount)))
            case "<-":
                return self._named(raw)
            case "star_times":
                self._draft.error(
                    "pattern", "star_times repeats what comes after another event", raw.place, _PLACE_FOR_STAR
                )
                return raw.parts[0]
        return raw

    def _window(self, amount: RawDuration) -> RawDuration:
        if not amount.text.isdigit() or not self._seconds.are_written:
            return amount
        self._draft.texts.tick_units.setdefault("us", amount.place)
        return replace(amount, text=f"{self._seconds.window(int(amount.text))} ticks")

    def _without_action(self, raw: RawOperation) -> RawPattern:
        action = written(cast(Term, raw.parts[1]))
        message = f"rules do nothing but recognise: `{action}` is left out"
        self._draft.warning(
            "action", message, raw.place, "read the events from the results, or from the messages of a stream"
        )
        return raw.parts[0]

    def _named(self, raw: RawOperation) -> RawPattern:
        """`a seq (b <- c seq d)` is a rule for b, and `a seq b`."""
        event, pattern = raw.parts
        if isinstance(event, RawOperation | RawDuration) or not event.is_named:
            hint = "write it as a rule of its own, and here the name of its event"
            self._draft.error("operator", "a rule inside a pattern has no event as its head", raw.place, hint)
            return pattern
        self._more.append(RawPatternRule(None, (event,), pattern, raw.place))
        return event

    # ------------------------------------------------------------ conditions

    def _tested(self, raw: RawOperation) -> RawPattern:
        """Read `E check (t1(T1), t2(T2), ...)`, and conditions that are about dates or only print."""
        pattern, goals = raw.parts[0], list(conjuncts(cast(Term, raw.parts[1])))
        times: list[Var] = []
        for name in ("t1", "t2"):
            named = [goal for goal in goals if name_and_args(goal)[0] == name and _is_time(goal)]
            goals = [goal for goal in goals if goal not in named]
            fresh = Var(f"_{name}~{next(self._numbers)}", raw.place, anonymous=True)
            times.append(cast(Var, named[0].args[0]) if named and raw.operator != "where" else fresh)
        if not all(time.anonymous for time in times):
            pattern = RawOperation("@", (pattern, *times), raw.place)
        tests = [test for goal in goals if (test := self._test(goal)) is not None]
        is_same = raw.operator == "where" and tests == goals and pattern is raw.parts[0]
        if is_same:
            return raw
        return RawOperation("where", (pattern, joined(",", tests, Atom("true"))), raw.place) if tests else pattern

    def _test(self, goal: Term) -> Term | None:
        """Return a condition as the language has it; None for what only prints."""
        name, args = name_and_args(goal) if goal.is_named else ("", ())
        if name in _PRINTED and Signature(name, len(args)) not in self._defined:
            message = f"rules print nothing: `{written(goal)}` is left out"
            self._draft.warning("action", message, goal.place, "remove it")
            return None
        if Signature(name, len(args)) in self._defined:
            return goal
        match name, args:
            case "min" | "max", (left, right, result):
                return _is(result, Compound(name, (left, right), goal.place), goal.place)
            case "datime_minus_datime", (later, earlier, seconds):
                difference = Compound("-", (later, earlier), goal.place)
                return _is(seconds, Compound("//", (difference, Int(self._seconds.ticks)), goal.place), goal.place)
            case "datime_plus_sec", (time, seconds, later):
                ticks = Compound("*", (seconds, Int(self._seconds.ticks)), goal.place)
                return _is(later, Compound("+", (time, ticks), goal.place), goal.place)
        return goal

    # ------------------------------------------------------------ sequences

    def _sequence(self, raw: RawOperation) -> RawPattern:
        left, right = raw.parts
        match right:
            case Compound(functor=functor, args=(goal,)) if functor in _GOALS:
                return self._tested(RawOperation("where", (left, goal), raw.place))
            case Compound(functor="aggregate", args=(function, event, Var() as result)):
                return self._aggregated(raw, left, function, event, result)
        return raw

    def _repeated(self, raw: RawOperation, first: RawPattern, again: RawPattern) -> RawPattern:
        """`a seq (b star_times)` is an `a`, and whatever follows it."""
        event = self._event("repeated", _variables(first), raw.place)
        self._add(event, first, raw.place)
        self._add(event, RawOperation("seq", (event, again), raw.place), raw.place)
        return event

    def _aggregated(self, raw: RawOperation, first: RawPattern, function: Term, event: Term, result: Var) -> RawPattern:
        """`a seq aggregate(sum(X), b(X), S)`: a sum of 0 at `a`, and a sum again at each `b` after it."""
        name, args = name_and_args(function) if function.is_named else ("", ())
        if name not in _AGGREGATES or len(args) != (name != "count"):
            return raw
        start, operator = _AGGREGATES[name]
        shared_variables = _variables(first)
        so_far = Var(f"Before~{next(self._numbers)}", raw.place)
        made = self._event(name, (*shared_variables, so_far), raw.place)
        step = Compound(operator, (so_far, args[0] if args else Int(1)), raw.place)
        between = _with_any_value(event, shared_variables)
        self._add(_with_last(made, Int(start, raw.place)), first, raw.place)
        self._add(_with_last(made, step), RawOperation("not", (between, made, event), raw.place), raw.place)
        return _with_last(made, result)

    def _all_waiting(self, raw: RawOperation) -> RawPattern:
        """`a forall_seq b`: each `a` since the last `b`, whatever the policy is."""
        first, last = raw.parts
        label = Compound("property", (Atom("policy"), Atom("unrestricted")), raw.place)
        name, listed = (self._label.functor, self._label.args[0]) if isinstance(self._label, Compound) else ("", None)
        items = listed.items if isinstance(listed, Items) else ()
        name = name or (self._label.name if isinstance(self._label, Atom) else f"forall~{next(self._numbers)}")
        self._label = Compound(name, (Items((*items, label), raw.place),), raw.place)
        between = _with_any_value(last, _variables(first))
        return RawOperation("not", (between, first, last), raw.place)

    def _never_before(self, raw: RawOperation) -> RawPattern:
        """`e fnot c`: an `e` as long as there has been no `c`."""
        pattern, absent = raw.parts
        shared = tuple(v for v in _variables(absent) if v in _variables(pattern))
        event = self._event("any", shared, raw.place)
        self._add(event, absent, raw.place)
        time = Var(f"Time~{next(self._numbers)}", raw.place)
        seen = Compound("=", (_renamed_event(event, "seen"), Atom("true")), raw.place)
        happens = Compound("happensAt", (event, time), raw.place)
        self._more.append(RawClause(Compound("initiatedAt", (seen, time), raw.place), happens, raw.place))
        self._hide(Signature.of(seen.args[0]), raw.place)
        at_end = Var(f"Time~{next(self._numbers)}", raw.place)
        test = Compound("\\+", (Compound("holdsAt", (seen, at_end), raw.place),), raw.place)
        return RawOperation("where", (pattern, test), raw.place)

    # ------------------------------------------------------------ events of our own

    def _event(self, name: str, args: Sequence[Term], place: Place) -> Term:
        functor = f"{name}~{next(self._numbers)}"
        self._hide(Signature(functor, len(args)), place)
        return Compound(functor, tuple(args), place) if args else Atom(functor, place)

    def _hide(self, signature: Signature, place: Place) -> None:
        self._more.append(RawDeclaration("internal", signature, place))

    def _add(self, head: Term, pattern: RawPattern, place: Place) -> None:
        self._more.append(RawPatternRule(None, (head,), pattern, place))


def _is_repeated(pattern: RawPattern) -> bool:
    return isinstance(pattern, RawOperation) and pattern.operator == "star_times"


def _is(result: Term, value: Term, place: Place) -> Term:
    return Compound("is", (result, value), place)


def _is_time(goal: Term) -> bool:
    return len(goal.args) == 1 and isinstance(goal.args[0], Var)


def _variables(pattern: RawPattern) -> tuple[Var, ...]:
    """Return the variables of a pattern that have a name, once each."""
    terms = [pattern, *(term for part in find_all(pattern, RawOperation) for term in part.parts)]
    variables_of_terms = (
        each for term in terms if not isinstance(term, RawOperation | RawDuration) for each in variables(term)
    )
    return tuple(dict.fromkeys(each for each in variables_of_terms if not each.anonymous))


def _with_any_value(pattern: RawPattern, shared_variables: Sequence[Var]) -> RawPattern:
    """Return a pattern in which variables that nothing else has stand for any value."""

    def change(node: Any) -> Any:
        is_own = isinstance(node, Var) and node not in shared_variables
        return Var(f"_{node.name}~", node.place, anonymous=True) if is_own else node

    return transform(pattern, change)


def _with_last(event: Term, last: Term) -> Term:
    return Compound(event.functor, (*event.args[:-1], last), event.place)


def _renamed_event(event: Term, name: str) -> Term:
    functor = f"{name} {name_and_args(event)[0]}"
    return Compound(functor, event.args, event.place) if event.args else Atom(functor, event.place)
