"""Terms as people write them: operators between their operands, with the blanks and brackets that they need."""

from __future__ import annotations

import re
from math import copysign

from holdsfor.language.format.text import Text
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, Var, quoted
from holdsfor.language.written import COMPARISONS, INFIX, OPERATIONS, PREFIX, WORDS

ARGUMENT = 999
_GOALS = {("findall", 3): 1, ("not", 1): 0}
_NAME = re.compile(r"[a-z]\w*\Z")
_PLAIN = re.compile(r"[a-z]\w*|-?\d+(?:\.\d+)?|'[^'\\\n]*'")
_PREFIXED = re.compile(r"[a-z]\w*:(?:[A-Za-z_]\w*|'(?:[^'\\\n]|\\.|'')*')(?=\()")
_DIGITS = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

_DURATION = re.compile(r"\d\s*(?:us|ms|s|min|h|d|ticks?)\b")


def infix(term: Term) -> tuple[int, int, int] | None:
    """Precedences, if the term is an operator between two operands."""
    return INFIX.get(term.functor) if len(term.args) == 2 else None


def prefix(term: Term) -> tuple[int, int] | None:
    """Precedences, if the term is an operator before one operand. `-` of a number is a number: it must be a call."""
    if len(term.args) != 1 or term.functor not in PREFIX:
        return None
    return None if term.functor == "-" and isinstance(term.args[0], Int | Float) else PREFIX[term.functor]


def precedence(term: Term) -> int:
    form = infix(term) or prefix(term)
    return form[0] if form else 0


def chain(term: Term, operator: str) -> list[Term]:
    """`a, b, c` -> [a, b, c]: what `,` or `;` joins, however it is nested. `(a -> b ; c) ; d` has two parts: the first
    decides by itself."""
    operands: list[Term] = []
    while term.functor == operator and len(term.args) == 2:
        left = chain(term.args[0], operator)
        decides = len(left) > 1 and any(each.functor == "->" for each in left)
        operands += [term.args[0]] if decides else left
        term = term.args[1]
    return [*operands, term]


def goal_argument(term: Compound) -> int | None:
    """The argument that is a goal itself, if there is one."""
    return _GOALS.get((term.functor, len(term.args)))


def functor(name: str) -> str:
    """A name before its parenthesis: anything but a plain word is in quotes there."""
    if _NAME.match(name):
        return name
    text = quoted(name)
    return text if text[0] == "'" else f"'{name}'".replace("\\", "\\\\")


class TermWriter:
    """Writes terms on one line. With the text they come from, names and numbers stay as they are written there."""

    def __init__(self, text: Text | None = None) -> None:
        self._text = text

    def write(self, term: Term, most: int = ARGUMENT, goal: bool = False, spaced: bool | None = None) -> str:
        """most: the precedence that needs no brackets. goal: `X = Y` asks, it is no fluent with its value.
        spaced: whether arithmetic has blanks; None if that is still to be decided."""
        if isinstance(term, Items):
            return f"[{', '.join(self.write(item) for item in term.items)}]"
        if not isinstance(term, Compound):
            return self.primary(term, operand=most < ARGUMENT)
        written = self._operator(term, goal, spaced)
        if written is None:
            return self._call(term, spaced)
        return f"({written})" if precedence(term) > most else written

    def _operator(self, term: Compound, goal: bool, spaced: bool | None) -> str | None:
        two = infix(term)
        if two and term.functor in (",", ";"):
            parts = [self.write(part, two[1], goal=True) for part in chain(term, term.functor)]
            return (", " if term.functor == "," else " ; ").join(parts)
        if two:
            if term.functor in OPERATIONS and spaced is None:
                spaced = _operations(term) > 1
            asks = goal or two[0] > 700
            left = self.write(term.args[0], two[1], asks, self._spacing(term, 0, spaced))
            right = self.write(term.args[1], two[2], asks, self._spacing(term, 1, spaced))
            return f"{left}{between(term.functor, goal, bool(spaced), right)}{right}"
        one = prefix(term)
        if one:
            inner = self.write(term.args[0], one[1], goal, spaced)
            return f"{term.functor}{' ' if term.functor != '-' or inner[0] == '-' else ''}{inner}"
        return None

    def _spacing(self, term: Compound, index: int, spaced: bool | None) -> bool | None:
        """Within arithmetic as decided; each side of a comparison by itself."""
        if term.functor in OPERATIONS:
            return spaced
        return _operations(term.args[index]) > 1 if term.functor in COMPARISONS else None

    def _call(self, term: Compound, spaced: bool | None) -> str:
        if term.functor == "[|]":
            items = ", ".join(self.write(item) for item in term.args[:-1])
            return f"[{items}|{self.write(term.args[-1])}]"
        if self._text and term.args and all(arg.place is term.place for arg in term.args):  # a fact read the short way
            start, end = self._text.span(term.place)
            args = _PLAIN.findall(self._text.text[start:end])[1:]
        else:
            asks = goal_argument(term)
            args = [self.write(arg, ARGUMENT, index == asks, spaced) for index, arg in enumerate(term.args)]
        return f"{self._functor(term)}({', '.join(args)})"

    def _functor(self, term: Compound) -> str:
        """Write the name of a call; one with a prefix stays as it is written."""
        if self._text is None or ":" not in term.functor:
            return functor(term.functor)
        prefixed = _PREFIXED.match(self._text.text, self._text.span(term.place)[0])
        return prefixed[0] if prefixed else functor(term.functor)

    def primary(self, term: Term, operand: bool = False) -> str:
        """operand: next to an operator, where a name that is an operator must be in quotes."""
        if self._text is None or isinstance(term, Var):
            written = str(term)
        else:
            start, end = self._text.span(term.place)
            written = self._text.text[start:end]
            if isinstance(term, Int) and _DURATION.search(written):
                return " ".join(written.split())
            if isinstance(term, Int | Float):
                digits = _DIGITS.search(self._text.masked, start, end)
                return ("-" if copysign(1, term.value) < 0 else "") + digits[0] if digits else str(term)
        if isinstance(term, Atom):
            if "\n" in written:
                return quoted(term.name)
            if operand and written in WORDS:
                return f"'{written}'"
            if operand and written != "!" and written[0] not in "'\"" and not written[0].isalpha():
                return functor(term.name)
        return written


def between(operator: str, goal: bool, spaced: bool, right: str) -> str:
    """An operator with the blanks around it: `gap(V)=near`, `T+60`, `A - B * C`, `X = Y` as a condition."""
    if operator == "=" and not goal:
        return "= " if right[0] in "-+\\" else "="
    tight = operator in OPERATIONS and operator not in WORDS and not spaced and right[0] != "-"
    return operator if tight else f" {operator} "


def _operations(term: Term) -> int:
    """How many arithmetic operators a term has, also inside functions."""
    own = term.functor in OPERATIONS and len(term.args) <= 2
    return own + sum(_operations(arg) for arg in term.args)
