"""Conditions: from terms to the literals of a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal as OneOf
from typing import cast

from holdsfor.language.arithmetic import not_arithmetic
from holdsfor.language.description import (
    Algebra,
    Call,
    Compare,
    Duration,
    Edge,
    Happens,
    Holds,
    HoldsFor,
    Is,
    Literal,
    Not,
)
from holdsfor.language.draft import Draft, arguments
from holdsfor.language.later import later_condition
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import (
    ARITHMETIC_COMPARISONS,
    COMPARISONS,
    DURATIONS,
    FORMS,
)

#: What the conditions are about: time points, lists of intervals, or neither.
Context = OneOf["points", "intervals", "background"]
Literals = tuple[Literal, ...]
FAIL = Atom("fail")

_MISPLACED: dict[tuple[str, Context], str] = {
    ("holdsFor", "points"): "write holdsAt(fluent=value, T)",
    ("happensAt", "intervals"): "a holdsFor rule combines intervals: write holdsFor(fluent=value, I)",
    ("holdsAt", "intervals"): "a holdsFor rule combines intervals: write holdsFor(fluent=value, I)",
}


class BodyReader:
    """Reads the conditions of one clause. `complete` turns false if one of them could not be read."""

    def __init__(self, draft: Draft, context: Context) -> None:
        self.draft = draft
        self.context = context
        self.complete = True
        self.guards: list[Var] = []

    def read(self, term: Term | None) -> Literals:
        found: list[Literal] = []
        while isinstance(term, Compound) and term.functor == "," and len(term.args) == 2:
            found.extend(self.literal(term.args[0]))
            term = term.args[1]
        if term is not None:
            found.extend(self.literal(term))
        return tuple(found)

    def literal(self, term: Term) -> Literals:
        """Usually one literal; none for what has no effect, several for a bracketed conjunction."""
        if isinstance(term, Var):
            return self._refuse("unsupported", "a variable cannot be a condition", term, "write the condition out")
        if isinstance(term, Int | Float | Items):
            return self._refuse("syntax", f"`{term}` is not a condition", term, "write a predicate or a comparison")
        name, args = name_and_args(term)
        reader = _READERS.get((name, len(args)))
        if reader:
            return reader(self, term, args)
        if name in COMPARISONS and len(args) == 2:
            return self._compare(name, term, args)
        if name in DURATIONS and len(args) == 3:
            return self._duration(name, term, args)
        return self._other(name, term, args)

    # ------------------------------------------------------------ events and fluents

    def fluent(self, term: Term, inside: str) -> tuple[Term, Term] | None:
        """The fluent and the value of `f(X)=v`."""
        if not (isinstance(term, Compound) and term.functor == "=" and len(term.args) == 2):
            hint = (
                f"write {term}=true, or the value that is meant"
                if isinstance(term, Atom | Compound)
                else "write fluent=value"
            )
            self._refuse("value", f"{inside} needs a fluent with its value", term, hint)
            return None
        fluent, value = term.args
        if not isinstance(fluent, Atom | Compound):
            self._refuse(
                "syntax", f"{inside} needs the name of a fluent, not `{fluent}`", fluent, "write the fluent's name"
            )
            return None
        return fluent, value

    def time(self, term: Term) -> Term | None:
        """The time of a condition: a variable, a number, or a sum such as T+60."""
        if isinstance(term, Atom):
            hint = f"variables begin with an upper-case letter: {term.name[:1].upper()}{term.name[1:]}"
            self._refuse("variable", f"the time `{term}` is a name, not a variable", term, hint)
            return None
        if isinstance(term, Float | Items):
            self._refuse("type", f"`{term}` is not a time", term, "times are whole numbers: write a variable such as T")
            return None
        if isinstance(term, Compound) and not self.expression(term):
            return None
        return term

    def _happens(self, term: Term, args: tuple[Term, ...]) -> Literals:
        if not self._fits("happensAt", term, "points"):
            return ()
        event, time = args[0], self.time(args[1])
        if time is None:
            return ()
        if isinstance(event, Compound) and event.functor in ("start", "end") and len(event.args) == 1:
            pair = self.fluent(event.args[0], event.functor)
            if pair is None:
                return ()
            edge = cast(OneOf["start", "end"], event.functor)
            return (Edge(edge, *pair, time, term.place),)
        if not isinstance(event, Atom | Compound):
            return self._refuse(
                "syntax", f"happensAt needs an event, not `{event}`", event, "write happensAt(event, T)"
            )
        if isinstance(event, Compound) and event.functor == "=":
            hint = f"write happensAt(start({event.args[0]}={event.args[1]}), T), or holdsAt"
            return self._refuse("kind", "a fluent does not happen", event, hint)
        return (Happens(event, time, term.place),)

    def _holds(self, term: Term, args: tuple[Term, ...]) -> Literals:
        if not self._fits("holdsAt", term, "points"):
            return ()
        pair, time = self.fluent(args[0], "holdsAt"), self.time(args[1])
        return () if pair is None or time is None else (Holds(*pair, time, term.place),)

    # ------------------------------------------------------------ intervals

    def interval(self, term: Term) -> Var | None:
        if isinstance(term, Var):
            return term
        hint = "write a variable such as I"
        if isinstance(term, Atom):
            hint = f"variables begin with an upper-case letter: {term.name[:1].upper()}{term.name[1:]}"
        self._refuse("variable", f"`{term}` stands where the intervals go", term, hint)
        return None

    def _holds_for(self, term: Term, args: tuple[Term, ...]) -> Literals:
        if not self._fits("holdsFor", term, "intervals"):
            return ()
        pair, interval = self.fluent(args[0], "holdsFor"), self.interval(args[1])
        return () if pair is None or interval is None else (HoldsFor(*pair, interval, term.place),)

    def _union(self, term: Term, args: tuple[Term, ...]) -> Literals:
        return self._algebra("union", term, args[0], args[1])

    def _intersection(self, term: Term, args: tuple[Term, ...]) -> Literals:
        return self._algebra("intersection", term, args[0], args[1])

    def _difference(self, term: Term, args: tuple[Term, ...]) -> Literals:
        return self._algebra("difference", term, args[1], args[2], args[0])

    def _algebra(
        self,
        op: OneOf["union", "intersection", "difference"],
        term: Term,
        members: Term,
        result: Term,
        base: Term | None = None,
    ) -> Literals:
        if not self._fits(name_and_args(term)[0], term, "intervals"):
            return ()
        if not isinstance(members, Items):
            return self._refuse("syntax", f"`{members}` is not a list of intervals", members, "write a list: [I1, I2]")
        target = self.interval(result)
        operands = [self.interval(item) for item in members.items if not _empty(item)]
        if target is None or None in operands:
            return ()
        variables = [operand for operand in operands if operand is not None]
        if op == "intersection" and len(variables) < len(members.items):
            variables = []
        if base is not None:
            first = None if _empty(base) else self.interval(base)
            variables = [] if first is None else [first, *variables]
        return (Algebra(op, tuple(variables), target, term.place),)

    def _duration(self, name: str, term: Term, args: tuple[Term, ...]) -> Literals:
        if not self._fits(name, term, "intervals"):
            return ()
        interval, result = self.interval(args[0]), self.interval(args[2])
        if interval is None or result is None or not self.expression(args[1]):
            return ()
        return (Duration(DURATIONS[name], interval, args[1], result, term.place),)

    # ------------------------------------------------------------ tests, negation, background

    def expression(self, term: Term) -> bool:
        """Is the term arithmetic? What is not is reported."""
        wrong = list(not_arithmetic(term))
        for part, message, hint in wrong:
            self._refuse("type", message, part, hint)
        return not wrong

    def _compare(self, op: str, term: Term, args: tuple[Term, ...]) -> Literals:
        left, right = args
        if self.context == "intervals" and (_empty(left) or _empty(right)):
            if op in ("\\=", "\\==") and self._guard(args):
                return ()
            hint = "leave the test out: where there are no intervals the result is empty"
            return self._refuse("unsupported", "a rule cannot ask for an empty list of intervals", term, hint)
        if op in ARITHMETIC_COMPARISONS and not all([self.expression(left), self.expression(right)]):
            return ()
        return (Compare(op, left, right, term.place),)

    def _guard(self, sides: tuple[Term, ...]) -> bool:
        """RTEC's guards `\\+ I = []` and `I \\= []`: no conditions here, only remembered."""
        if not any(map(_empty, sides)):
            return False
        self.guards += [side for side in sides if isinstance(side, Var)]
        return True

    def _is(self, term: Term, args: tuple[Term, ...]) -> Literals:
        if not isinstance(args[0], Var | Int | Float):
            return self._refuse(
                "type", f"`{args[0]}` cannot get a number", args[0], "write a variable on the left of `is`"
            )
        return (Is(args[0], args[1], term.place),) if self.expression(args[1]) else ()

    def _not(self, term: Term, args: tuple[Term, ...]) -> Literals:
        inner = args[0]
        equality = isinstance(inner, Compound) and inner.functor in ("=", "==")
        if equality and self.context == "intervals" and self._guard(name_and_args(inner)[1]):
            return ()
        before = self.complete
        self.complete = True
        literals = self.read(inner)
        readable, self.complete = self.complete, before and self.complete
        if not readable:
            return ()
        if any(isinstance(literal, Call) and literal.goal == FAIL for literal in literals):
            return ()
        for literal in literals:
            if isinstance(literal, HoldsFor | Algebra | Duration):
                hint = "take the intervals away: relative_complement_all(I1, [I2], I)"
                return self._refuse("misplaced", "intervals cannot be negated", term, hint)
        return (Not(literals, term.place),) if literals else (Call(FAIL, term.place),)

    def _nothing(self, term: Term, args: tuple[Term, ...]) -> Literals:
        return ()

    def _fail(self, term: Term, args: tuple[Term, ...]) -> Literals:
        return (Call(FAIL, term.place),)

    def _cut(self, term: Term, args: tuple[Term, ...]) -> Literals:
        return () if self.context != "background" else (Call(Atom("!"), term.place),)

    def _other(self, name: str, term: Atom | Compound, args: tuple[Term, ...]) -> Literals:
        later = later_condition(name, args, self.context == "intervals")
        if later:
            self.complete = False
            construct, message, hint = later
            self.draft.not_yet(construct, message, term.place, hint)
            return ()
        if name in FORMS and name not in ("fi", "points"):
            return self._refuse("arity", f"{name} does not take {arguments(len(args))}", term, f"write {FORMS[name]}")
        return (Call(term, term.place),)

    # ------------------------------------------------------------ reporting

    def _fits(self, name: str, term: Term, context: Context) -> bool:
        if self.context == context:
            return True
        where = {
            "points": "a rule about time points",
            "intervals": "a holdsFor rule",
            "background": "a background clause",
        }
        hint = _MISPLACED.get((name, self.context), f"{name} belongs in the rules of events and fluents")
        self._refuse("misplaced", f"{name} cannot be a condition of {where[self.context]}", term, hint)
        return False

    def _refuse(self, code: str, message: str, term: Term, hint: str) -> Literals:
        self.complete = False
        self.draft.error(code, message, term.place, hint)
        return ()


def _empty(term: Term) -> bool:
    return isinstance(term, Items) and not term.items


_READERS: dict[tuple[str, int], Callable[[BodyReader, Term, tuple[Term, ...]], Literals]] = {
    ("happensAt", 2): BodyReader._happens,
    ("holdsAt", 2): BodyReader._holds,
    ("holdsFor", 2): BodyReader._holds_for,
    ("union_all", 2): BodyReader._union,
    ("intersect_all", 2): BodyReader._intersection,
    ("relative_complement_all", 3): BodyReader._difference,
    ("is", 2): BodyReader._is,
    ("\\+", 1): BodyReader._not,
    ("not", 1): BodyReader._not,
    (",", 2): lambda reader, term, args: reader.read(term),
    ("!", 0): BodyReader._cut,
    ("true", 0): BodyReader._nothing,
    ("fail", 0): BodyReader._fail,
    ("false", 0): BodyReader._fail,
}
