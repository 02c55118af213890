"""The operators of one rule as text, with names for people: T, T2, ... for times, A, B, ... for other variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import ascii_uppercase
from types import MappingProxyType

from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Compound, Term, Var, quoted
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Combine,
    Expression,
    Holding,
    Lasting,
    Let,
    Lookup,
    Match,
    Occurring,
    Of,
    Op,
    Relate,
    Relation,
    Structure,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.patterns import Absent, Measured, Moment, OneOfSeveral, Pairs, Pattern, Scan, Selected, Sliding
from holdsfor.plan.walk import flat
from holdsfor.plan.whole_plan import Grounds, SharedExpression

LETTERS = ascii_uppercase.replace("T", "")
#: How tightly the operators of arithmetic bind; those of one row group to the left.
BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "mod": 2, "rem": 2, "div": 2}


Names = Mapping[Chain | SharedExpression, str]
NO_NAMES: Names = MappingProxyType({})


class Writer:
    """Writes the parts of one rule; a variable has the same name in all of them."""

    def __init__(
        self,
        chain: Chain,
        time: str | None = None,
        names: Names = NO_NAMES,
        grounds: Grounds | None = None,
        written: Mapping[str, str] = MappingProxyType({}),  # the names that the rule's author gave variables
    ) -> None:
        self._shared, self._grounds = names, grounds
        self._times = {op.time for op in flat(chain) if isinstance(op, At | Occurring | Holding)}
        self._times |= {op.start for op in flat(chain) if isinstance(op, At | Occurring) and op.start is not None}
        self._names: dict[str, str] = dict(written)
        if time is not None:  # the time of the head is T
            self._times.add(time)
            self.name(time)

    def name(self, variable: str) -> str:
        if variable not in self._names:
            if variable in self._times:
                number = sum(name in self._times for name in self._names) + 1
                self._names[variable] = "T" if number == 1 else f"T{number}"
            else:
                place = sum(name not in self._times for name in self._names)
                again = place // len(LETTERS) + 1
                self._names[variable] = LETTERS[place % len(LETTERS)] + (str(again) if again > 1 else "")
        return self._names[variable]

    def arg(self, arg: Arg) -> str:
        if arg is None:
            return "_"
        if isinstance(arg, Structure):
            return _call(quoted(arg.functor), [self.arg(part) for part in arg.args])
        return self.name(arg) if isinstance(arg, str) else str(arg)

    # ------------------------------------------------------------ chains

    def rule(self, chain: Chain) -> str:
        """A whole chain, in which the longest shared beginning goes by its name."""
        shared = [n for n in range(len(chain), 0, -1) if chain[:n] in self._shared]
        if not shared:
            return self.chain(chain)
        beginning, rest = chain[: shared[0]], chain[shared[0] :]
        name = _call(self._shared[beginning], [self.name(v) for v in bound_names(beginning)])
        return " -> ".join([name, *map(self.op, rest)])

    def chain(self, chain: Chain) -> str:
        return " -> ".join(map(self.op, chain))

    def op(self, op: Op) -> str:
        match op:
            case At(what="occurrence"):
                since = "" if op.start is None else f" from {self.name(op.start)}"
                return f"{grounding(op.relation, op.args, self)}{since} at {self.name(op.time)}"
            case At():
                return f"{op.what} of {grounding(op.relation, op.args, self)} at {self.name(op.time)}"
            case Occurring():
                return f"{self.pattern(op.pattern)} from {self.name(op.start)} to {self.name(op.time)}"
            case Holding():
                return f"holding {grounding(op.relation, op.args, self)} at {self.name(op.time)}"
            case Lookup():
                return f"fact {self.fact(op)}"
            case Where():
                return f"where {self.term(op.left)} {op.op} {self.term(op.right)}"
            case Let():
                return f"let {self.name(op.variable)} {'=' if op.same else 'is'} {self.term(op.expression)}"
            case Match():
                return f"match {self.term(op.term)} = {self.arg(op.form)}"
            case Without():
                return f"without ({self.chain(op.chain)})"
            case Tally():
                of = "" if op.function == "count" else f"{self.term(op.term)} in "
                return f"let {self.name(op.variable)} be the {op.function} of {of}({self.chain(op.chain)})"

    # ------------------------------------------------------------ patterns

    def pattern(self, pattern: Pattern) -> str:
        match pattern:
            case Scan():
                return grounding(pattern.relation, pattern.args, self)
            case Moment():
                return str(pattern.time)
            case Pairs():
                pair = f"{self.pattern(pattern.left)} {pattern.kind} {self.pattern(pattern.right)}"
                return f"({pair}{self._limited(pattern)})"
            case Absent():
                last = pattern.last if isinstance(pattern.last, int) else self.pattern(pattern.last)
                between = f"{self.pattern(pattern.first)} and {last}"
                return f"(no {self.absent(pattern)} between {between}{self._limited(pattern)})"
            case Selected():
                return f"({self.pattern(pattern.pattern)}{self._passing(pattern.conditions)})"
            case OneOfSeveral():
                return f"({' or '.join(map(self.pattern, pattern.alternatives))})"
            case Sliding():
                over = f"{pattern.events} events" if pattern.duration is None else f"{pattern.duration} time units"
                measures = ", ".join(map(self._measure, pattern.measures))
                return f"({measures} over the last {over} of {self.pattern(pattern.pattern)})"

    def absent(self, pattern: Absent) -> str:
        """Write what must not be."""
        return " or ".join(map(self.pattern, pattern.what))

    def _limited(self, pattern: Pairs | Absent) -> str:
        within = "" if pattern.within is None else f" within {pattern.within}"
        policy = pattern.choosing.policy
        return within + self._passing(pattern.conditions) + ("" if policy == "unrestricted" else f", {policy}")

    def _passing(self, conditions: tuple[Chain, ...]) -> str:
        return "" if conditions == ((),) else f" -> {' or '.join(map(self.chain, conditions))}"

    def _measure(self, measure: Measured) -> str:
        of = f" of {', '.join(map(self.term, measure.terms))}" if measure.terms else ""
        return f"{self.name(measure.variable)} the {measure.function}{of}"

    def fact(self, op: Lookup) -> str:
        return _call(op.facts.name, [self.arg(arg) for arg in op.args])

    def term(self, term: Term, inside: int = 0) -> str:
        """Arithmetic as it is written in rules, with as few brackets as possible."""
        if isinstance(term, Var):
            return self.name(term.name)
        if not isinstance(term, Compound):
            return str(term)
        if len(term.args) == 2 and term.functor in BINDING:
            binding = BINDING[term.functor]
            left, right = self.term(term.args[0], binding), self.term(term.args[1], binding + 1)
            text = f"{left} {term.functor} {right}" if term.functor.isalpha() else f"{left}{term.functor}{right}"
            return f"({text})" if binding < inside else text
        return _call(term.functor, [self.term(arg) for arg in term.args])

    # ------------------------------------------------------------ intervals

    def expression(self, expression: Expression) -> str:
        """A shared part goes by its name."""
        name = self._shared.get(SharedExpression(self._grounds, expression))
        if name is None:
            return self.whole(expression)
        return _call(name, list(map(self.name, self.used(expression))))

    def used(self, expression: Expression) -> Iterable[str]:
        """The variables of an expression, in their order."""
        return dict.fromkeys(name for part in find_all(expression, Of) for name in names_in(part.args))

    def whole(self, expression: Expression) -> str:
        match expression:
            case Of():
                return grounding(expression.relation, expression.args, self)
            case Combine():
                return f"{expression.op}({', '.join(map(self.expression, expression.parts))}{_within(expression)})"
            case Lasting():
                limit = f"{expression.op} {self.term(expression.bound)}{_within(expression)}"
                return f"lasting({self.expression(expression.part)}, {limit})"
            case Relate():
                pair = f"{self.expression(expression.source)}, {self.expression(expression.target)}"
                return f"{expression.mode} of {expression.relation}({pair}{_within(expression)})"

    def evidence(self, alternative: tuple[Of | Lookup, ...]) -> str:
        parts = [self.whole(item) if isinstance(item, Of) else f"fact {self.fact(item)}" for item in alternative]
        return " and ".join(parts)


def _within(expression: Combine | Lasting | Relate) -> str:
    return "" if expression.within is None else f", within {expression.within}"


def bound_names(chain: Chain) -> Iterable[str]:
    """The variables that a chain gives values, in their order."""
    return dict.fromkeys(name for op in chain for name in op.binds())


def named(relation: Relation) -> str:
    """`e/2`, `f/1=on`, and `f/1=_` where the value is a column."""
    value = "_" if relation.kind == "valued" else relation.value
    return str(relation.signature) + (f"={value}" if value is not None else "")


def grounding(relation: Relation, args: tuple[Arg, ...], writer: Writer) -> str:
    """`gap(A)=near`; a value that is a column comes last in args."""
    texts = [writer.arg(arg) for arg in args]
    value = texts.pop() if relation.kind == "valued" else relation.value
    return _call(relation.name, texts) + (f"={value}" if value is not None else "")


def _call(name: str, args: list[str]) -> str:
    return f"{name}({','.join(args)})" if args else name
