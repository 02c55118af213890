"""Write terms as Python, and keep the Python names of what rules are about."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from holdsfor.language.arithmetic import FUNCTIONS
from holdsfor.language.diagnostics import Source
from holdsfor.language.functions import BUILT_IN, find_function
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Signature, Term, Var, name_and_args

_INFIX = {"+": "+", "-": "-", "*": "*", "/": "/", "mod": "%", "**": "**"}
_WITH_UNIT = re.compile(r"\d[\d.\s]*[a-z][\w\s.]*\Z")


class NoForm(Exception):
    """A clause that only `hf.clause` can say."""


@dataclass(slots=True)
class PythonNames:
    """The Python names of events, fluents and predicates, and the lines that make them."""

    variables: dict[str, str] = field(default_factory=dict)
    used_variables: set[str] = field(default_factory=set)
    by_entity: dict[tuple[str, str, int], str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    defined: set[Signature] = field(default_factory=set)  # predicates that the text defines

    def entity(self, kind: str, name: str, args: Sequence[str]) -> str:
        """Return the Python name of an entity; made where it is used first. args: names of its arguments."""
        key = kind, name, len(args)
        if key not in self.by_entity:
            self.by_entity[key] = self._free(name, kind)
            made = "".join(f", {quote(_argument_name(arg, place))}" for place, arg in enumerate(args, 1))
            self.lines.append(f"{self.by_entity[key]} = hf.{kind}({quote(name)}{made})")
        return self.by_entity[key]

    def _free(self, name: str, kind: str) -> str:
        usable = re.sub(r"\W", "_", name) or kind
        usable = usable if usable.isidentifier() else f"{kind}_{usable}"
        taken = {"hf", "rules", *self.variables.values(), *self.by_entity.values()}
        options = (usable, f"{usable}_{kind}", *(f"{usable}_{number}" for number in range(2, len(taken) + 3)))
        return next(each for each in options if each not in taken and not keyword.iskeyword(each))


def _argument_name(written: str, place: int) -> str:
    return written.lower() if written.isidentifier() else f"arg{place}"


@dataclass(slots=True)
class TermTranslation:
    """One clause on its way. time: the variable of its time, which Python does not name."""

    source: Source
    names: PythonNames
    time: Var | None = None

    def event(self, subject: Term) -> str:
        return self._use("event", subject)

    def predicate(self, subject: Term) -> str:
        return self._use("predicate", subject)

    def condition(self, goal: Term) -> str:
        """Return a predicate, or a built-in function that is a condition."""
        if is_built_in(goal) and Signature.of(goal) not in self.names.defined:
            return self._call("condition", goal)
        return self.predicate(goal)

    def _call(self, kind: str, call: Term) -> str:
        """Return a call of a built-in function."""
        name, args = name_and_args(call)
        return f"{self.names.entity(kind, name, ())}({', '.join(map(self.term, args))})"

    def fluent(self, pair: Term) -> str:
        """Return `f(X)`, or `f(X) == value`."""
        if pair.functor != "=" or len(pair.args) != 2:
            raise NoForm
        subject, value = pair.args
        text = self._use("fluent", subject)
        return text if value == Atom("true") else f"{text} == {self.term(value)}"

    def _use(self, kind: str, subject: Term) -> str:
        if not subject.is_named:
            raise NoForm
        name, args = name_and_args(subject)
        entity = self.names.entity(kind, name, [str(arg) if isinstance(arg, Var) else "" for arg in args])
        return f"{entity}({', '.join(map(self.term, args))})"

    def length(self, term: Term) -> str:
        """Return a duration as it is written: with its unit, if it has one."""
        if isinstance(term, Int) and (text := self._sourcequote(term)) and _WITH_UNIT.match(text):
            return quote(text)
        return self.term(term)

    def _sourcequote(self, term: Int) -> str:
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
                return self.names.variables[name]
            case Atom(name=name):
                return quote(name)
            case Int(value=value) | Float(value=value):
                return repr(value)
            case Items(items=items):
                return f"[{', '.join(map(self.term, items))}]"
            case Compound(functor=functor, args=(left, right)) if functor in _INFIX and _computes(left, right):
                sides = [self._side(left, functor), self._side(right, functor)]
                return f"{sides[0]} {_INFIX[functor]} {sides[1]}"
            case Compound(functor="-", args=(inner,)) if isinstance(inner, Var):
                return f"-{self.term(inner)}"
            case Compound() if is_built_in(term):
                return self._call("function", term)
            case Compound(functor=functor, args=args):
                return f"hf.term({', '.join([quote(functor), *map(self.term, args)])})"
        raise TypeError(term)

    def _side(self, term: Term, functor: str) -> str:
        text = self.length(term) if functor in "+-" else self.term(term)
        is_sum = isinstance(term, Compound) and term.functor in _INFIX and " " in text
        return f"({text})" if is_sum or text.startswith("-") else text

    def raw_term(self, term: Term) -> str:
        """Return a term as it is, without names of Python's."""
        if isinstance(term, Compound):
            return f"hf.term({', '.join([quote(term.functor), *map(self.raw_term, term.args)])})"
        if isinstance(term, Items):
            return f"[{', '.join(map(self.raw_term, term.items))}]"
        return self.term(term)


def quote(text: str) -> str:
    """Write a text as Python has it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def is_arithmetic(term: Term) -> bool:
    """Whether a term is calculated, and gives a number."""
    if is_built_in(term):
        return BUILT_IN[term.functor].gives in ("int", "float")
    return isinstance(term, Compound) and (term.functor, len(term.args)) in FUNCTIONS


def is_built_in(term: Term) -> bool:
    """Whether a term calls a built-in function that is no arithmetic."""
    return find_function(term.functor, len(term.args), {}) is not None


def _computes(left: Term, right: Term) -> bool:
    """Whether Python leaves a calculation to us: one side at least is no constant."""
    return any((isinstance(side, Var) and not side.anonymous) or is_arithmetic(side) for side in (left, right))
