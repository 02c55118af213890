"""Conditions: from terms to the literals of a body."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal as OneOf

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft, arguments, did_you_mean
from holdsfor.language.functions import BUILT_IN, find_function
from holdsfor.language.literals import EDGES, Apply, Body, Call, Compare, Edge, Happens, Holds, Is, Literal, Occurs
from holdsfor.language.reading import connectives, intervals, unfolding
from holdsfor.language.reading.calls import find_wrong_call
from holdsfor.language.reading.connectives import FAIL
from holdsfor.language.reading.elsewhere import not_arithmetic
from holdsfor.language.reading.intervals import is_empty
from holdsfor.language.reading.unfolding import conjuncts
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Place, Term, Var, name_and_args, variables
from holdsfor.language.vocabulary import ALLEN, ARITHMETIC_COMPARISONS, COMPARISONS, DURATIONS, FORMS, LISTS
from holdsfor.language.written import written

#: What the conditions are about: time points, lists of intervals, or neither; or they stand in WHERE.
Context = OneOf["points", "intervals", "background", "pattern"]

_MISPLACED: dict[tuple[str, Context], str] = {
    ("holdsFor", "points"): "write holdsAt(fluent=value, T)",
    ("happensAt", "intervals"): "a holdsFor rule combines intervals: write holdsFor(fluent=value, I)",
    ("holdsAt", "intervals"): "a holdsFor rule combines intervals: write holdsFor(fluent=value, I)",
    ("happensAt", "pattern"): "write the event in the pattern, with an operator such as SEQ",
    ("occurs", "pattern"): "write the event in the pattern, with an operator such as SEQ",
    ("holdsFor", "pattern"): "write the fluent in the pattern: e(X) DURING (f(X)=true)",
}


class BodyReader:
    """Reads the conditions of one clause. `complete` turns false if one of them could not be read."""

    def __init__(self, draft: Draft, context: Context, is_clause: bool = False) -> None:
        self.draft = draft
        self.context = context
        self.is_clause = is_clause  # of background knowledge, which may ask what holds when it is called
        self.complete = True
        self.guards: list[Var] = []
        self.cuts: list[Place] = []
        self.depth = 0  # how many conditions this one is inside of
        self.lists: dict[Var, connectives.Collected] = {}
        self.unfolding: list[Signature] = []  # fluents whose initiatedAt or terminatedAt conditions are being read
        self.unfolded = 0

    def read(self, term: Term | None) -> Body:
        """The literals of a conjunction. One condition may give none (no effect) or several (unfolded)."""
        goals = list(conjuncts(term))
        outer, lists = self.lists, connectives.collect(self, goals)
        self.lists = {**outer, **lists}
        literals = tuple(literal for goal in goals for literal in self.literal(goal))
        self.lists = outer
        connectives.check_lists(self, lists, literals)
        return literals

    def nested(self, term: Term) -> Body | None:
        """The literals of a conjunction inside another condition; None if some could not be read."""
        before, self.complete = self.complete, True
        self.depth += 1
        literals = self.read(term)
        self.depth -= 1
        complete, self.complete = self.complete, before and self.complete
        return literals if complete else None

    def literal(self, term: Term) -> Body:
        if isinstance(term, Var):
            return self.refuse("unsupported", "a variable cannot be a condition", term, "write the condition out")
        if isinstance(term, Int | Float | Items):
            message = f"`{written(term)}` is not a condition"
            numbers = "; numbers have no commas: 1000, not 1,000" if isinstance(term, Int) else ""
            return self.refuse("syntax", message, term, f"write a predicate or a comparison{numbers}")
        name, args = name_and_args(term)
        reader = _READERS.get((name, len(args)))
        if reader:
            return reader(self, term, args)
        if name in ALLEN and len(args) == 4 and self.context == "intervals":
            return intervals.relation(self, term, args)
        return self._other(name, term, args)

    # ------------------------------------------------------------ events and fluents

    def fluent(self, term: Term, inside: str) -> tuple[Term, Term] | None:
        """The fluent and the value of `f(X)=v`."""
        if not (term.functor == "=" and len(term.args) == 2):
            self.refuse("value", f"{inside} needs a fluent with its value", term, _value_hint(term))
            return None
        fluent, value = term.args
        if not fluent.is_named:
            message = f"{inside} needs the name of a fluent, not `{written(fluent)}`"
            self.refuse("syntax", message, fluent, "write the fluent's name")
            return None
        return fluent, value

    def time(self, term: Term) -> Term | None:
        """The time of a condition: a variable, a number, or a sum such as T+60."""
        if isinstance(term, Atom):
            hint = f"variables begin with an upper-case letter: {term.name[:1].upper()}{term.name[1:]}"
            self.refuse("variable", f"the time `{written(term)}` is a name, not a variable", term, hint)
            return None
        if isinstance(term, Float | Items):
            hint = "times are whole numbers: write a variable such as T"
            self.refuse("type", f"`{written(term)}` is not a time", term, hint)
            return None
        if isinstance(term, Compound) and not self.expression(term):
            return None
        return term

    def _happens(self, term: Term, args: tuple[Term, ...]) -> Body:
        if not self.fits("happensAt", term, "points"):
            return ()
        event, time = args[0], self.time(args[1])
        if time is None:
            return ()
        if event.functor in EDGES and len(event.args) == 1:
            pair = self.fluent(event.args[0], event.functor)
            if pair is None:
                return ()
            return (Edge(event.functor, *pair, time, term.place),)
        if not event.is_named:
            message = f"happensAt needs an event, not `{written(event)}`"
            return self.refuse("syntax", message, event, "write happensAt(event, T)")
        if event.functor == "=":
            hint = f"write happensAt(start({written(event)}), T), or holdsAt"
            return self.refuse("kind", "a fluent does not happen", event, hint)
        if _is_misspelt_edge(event):
            near = did_you_mean(name_and_args(event)[0], EDGES)
            return self.refuse("unknown", f"`{written(event)}` is no event of a fluent", event, near)
        return (Happens(event, time, term.place),)

    def _occurs(self, term: Term, args: tuple[Term, ...]) -> Body:
        """occurs(event, S, E): from when to when."""
        if not self.fits("occurs", term, "points"):
            return ()
        event, start, end = args[0], self.time(args[1]), self.time(args[2])
        if not event.is_named or (event.functor in ("=", *EDGES)):
            hint = "write occurs(event, S, E); a fluent holds: holdsAt(fluent=value, T)"
            return self.refuse("syntax", f"occurs needs an event, not `{written(event)}`", event, hint)
        return () if start is None or end is None else (Occurs(event, start, end, term.place),)

    def _holds(self, term: Term, args: tuple[Term, ...]) -> Body:
        if not (self.is_clause or self.context == "pattern" or self.fits("holdsAt", term, "points")):
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
        self.refuse("variable", f"`{written(term)}` stands where the intervals go", term, hint)
        return None

    def guard(self, sides: tuple[Term, ...]) -> bool:
        """RTEC's guards `\\+ I = []` and `I \\= []`: no conditions here, only remembered."""
        if not any(map(is_empty, sides)):
            return False
        self.guards += [side for side in sides if isinstance(side, Var)]
        return True

    # ------------------------------------------------------------ tests, negation, background

    def expression(self, term: Term) -> bool:
        """Is the term arithmetic? What is not is reported."""
        wrong = list(not_arithmetic(term))
        functions = (*self.draft.texts.functions, *BUILT_IN)
        for part, message, hint in wrong:
            near = did_you_mean(part.functor, functions) if part.args else ""
            self.refuse("type", message, part, near or hint)
        return not wrong

    def _compare(self, term: Term, args: tuple[Term, ...]) -> Body:
        op, (left, right) = name_and_args(term)[0], args
        if self.context == "intervals" and (is_empty(left) or is_empty(right)):
            if op in ("\\=", "\\==") and self.guard(args):
                return ()
            hint = "leave the test out: where there are no intervals the result is empty"
            return self.refuse("unsupported", "a rule cannot ask for an empty list of intervals", term, hint)
        if op in ARITHMETIC_COMPARISONS and not all([self.expression(left), self.expression(right)]):
            return ()
        return (Compare(op, left, right, term.place),)

    def _is(self, term: Term, args: tuple[Term, ...]) -> Body:
        function = find_function(args[1].functor, len(args[1].args), self.draft.texts.functions)
        if function is not None:
            wrong = find_wrong_call(function, *args)
            if wrong is not None:
                return self.refuse(*wrong)
            return (Apply(args[0], args[1], function, term.place),)
        if not isinstance(args[0], Var | Int | Float):
            hint = "write a variable on the left of `is`"
            return self.refuse("type", f"`{written(args[0])}` cannot get a number", args[0], hint)
        if args[0] in list(variables(args[1])):
            name, sum_ = written(args[0]), written(args[1])
            message = f"`{name} is {sum_}` gives {name} no new value: it asks whether both are equal"
            return self.refuse("argument", message, term, f"write New{name} is {sum_}, and New{name} where it is meant")
        return (Is(args[0], args[1], term.place),) if self.expression(args[1]) else ()

    def _nothing(self, term: Term, args: tuple[Term, ...]) -> Body:
        return ()

    def _fail(self, term: Term, args: tuple[Term, ...]) -> Body:
        return (Call(FAIL, term.place),)

    def _cut(self, term: Term, args: tuple[Term, ...]) -> Body:
        if self.depth or self.context == "pattern":
            return self.refuse("cut", "a cut inside another condition", term, "remove it: every answer counts")
        self.cuts.append(term.place)
        return () if self.context != "background" else (Call(Atom("!"), term.place),)

    def _other(self, name: str, term: Term, args: tuple[Term, ...]) -> Body:
        if name in FORMS and name not in ("fi", "p", "points", "bound"):
            return self.refuse("arity", f"{name} does not take {arguments(len(args))}", term, f"write {FORMS[name]}")
        return (Call(term, term.place),)

    # ------------------------------------------------------------ reporting

    def fits(self, name: str, term: Term, context: Context) -> bool:
        if self.context == context:
            return True
        where = {
            "points": "a rule about time points",
            "intervals": "a holdsFor rule",
            "background": "a background clause",
            "pattern": "a pattern",
        }
        home = "a holdsFor rule" if context == "intervals" else "the rules of events and fluents"
        hint = _MISPLACED.get((name, self.context), f"{name} belongs in {home}")
        self.refuse("misplaced", f"{name} cannot be a condition of {where[self.context]}", term, hint)
        return False

    def refuse(self, code: str, message: str, part: Term | Literal | connectives.Collected, hint: str) -> Body:
        self.complete = False
        self.draft.error(code, message, part.place, hint)
        return ()


_READERS: dict[tuple[str, int], Callable[[BodyReader, Term, tuple[Term, ...]], Body]] = {
    ("happensAt", 2): BodyReader._happens,
    ("occurs", 3): BodyReader._occurs,
    ("holdsAt", 2): BodyReader._holds,
    ("initiatedAt", 2): unfolding.read_change,
    ("initiatedAt", 4): unfolding.read_change,
    ("terminatedAt", 2): unfolding.read_change,
    ("terminatedAt", 4): unfolding.read_change,
    ("grounding", 1): unfolding.read_grounding,
    (unfolding.DEADLINE, 2): unfolding.read_deadline,
    ("holdsFor", 2): intervals.holds_for,
    ("union_all", 2): partial(intervals.algebra, "union"),
    ("intersect_all", 2): partial(intervals.algebra, "intersection"),
    ("relative_complement_all", 3): partial(intervals.algebra, "difference"),
    ("complement_all", 2): partial(intervals.algebra, "complement"),
    ("allen", 5): intervals.allen,
    **{(name, 3): intervals.duration for name in DURATIONS},
    ("is", 2): BodyReader._is,
    **{(name, 2): BodyReader._compare for name in COMPARISONS},
    ("\\+", 1): connectives.negation,
    ("not", 1): connectives.negation,
    (";", 2): connectives.disjunction,
    ("->", 2): connectives.choice,
    ("member", 2): connectives.membership,
    ("memberchk", 2): connectives.membership,
    ("findall", 3): BodyReader._nothing,  # `collect` has read it; the functions of its list are the conditions
    **{(name, 2): connectives.function for name in LISTS},
    ("!", 0): BodyReader._cut,
    ("true", 0): BodyReader._nothing,
    ("fail", 0): BodyReader._fail,
    ("false", 0): BodyReader._fail,
}


def _is_misspelt_edge(event: Term) -> bool:
    """`starts(hot(M)=true)`"""
    is_edge = len(event.args) == 1 and event.args[0].functor == "="
    return is_edge and bool(did_you_mean(event.functor, EDGES))


def _value_hint(term: Term) -> str:
    """Say what to write for a fluent without its value."""
    if term.functor in {*COMPARISONS, "is"} and len(term.args) == 2:
        return f"a value stands behind one equals sign: {written(term.args[0])}={written(term.args[1])}"
    if term.is_named:
        return f"write {written(term)}=true, or the value that is meant"
    return "write fluent=value"
