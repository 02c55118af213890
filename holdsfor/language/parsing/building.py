"""Terms and raw clauses from the parse tree of one clause."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeVar, cast

from lark import Token, Tree

from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.nodes import Node
from holdsfor.language.parsing.durations import HINT, count_ticks, needs_unit, wrong_duration
from holdsfor.language.parsing.patterns import RawPatternRule, build_pattern_rule
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Place, Term, Var
from holdsfor.language.written import written

_Built = TypeVar("_Built")

_QUOTE = "'"
_ESCAPES = {"n": "\n", "t": "\t", "\n": ""}
_NUMBERED = re.compile(r"\b_(\d{1,9})\b")
_MOST = 2**63 - 1
_DEPTH = 100
#: Comparisons that may make a chain with each other.
_ORDERS = (frozenset({"<", "=<"}), frozenset({">", ">="}))
#: Tokens that say what a declaration is about.
_KINDS = frozenset({"ENTITY", "INTERNAL"})
#: A chain of more conditions than this is built as a balanced tree, so that its depth stays small.
_CHAIN = 32


@dataclass(frozen=True, slots=True)
class RawClause(Node):
    head: Term
    body: Term | None
    place: Place = field(compare=False)

    TERMS = ("head", "body")


@dataclass(frozen=True, slots=True)
class RawDirective(Node):
    word: str  # dynamic, discontiguous, ...; "" if the directive is a goal
    goal: Term
    place: Place = field(compare=False)

    TERMS = ("goal",)


@dataclass(frozen=True, slots=True)
class RawDeclaration(Node):
    """`input event name/arity`, `input fluent`, `input fact` with the positions of its key, or `internal`."""

    kind: OneOf["event", "fluent", "fact", "internal"]
    signature: Signature
    place: Place = field(compare=False)
    key: tuple[int, ...] = ()  # from 1

    @property
    def word(self) -> str:
        """How the declaration begins."""
        return "internal" if self.kind == "internal" else "input"


Raw = RawClause | RawPatternRule | RawDirective | RawDeclaration


class Refused(Exception):
    """A clause that the grammar accepts and that cannot be built, for the reason that the diagnostic gives."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Builder:
    """Terms from the parse tree of one clause. unit: how long a tick is, for durations.

    durations: where there are some that depend on it. prefixes: those of names, each where it stands first.
    """

    def __init__(self, source: Source, base: int, text: str, unit: str) -> None:
        self._source = source
        self._unit = unit
        self.durations: list[Place] = []
        self.prefixes: dict[str, Place] = {}
        self._base = base
        self._depth = 0
        self.diagnostics: list[Diagnostic] = []
        # `_` gets the names _1, _2, ...: after any that the clause itself uses.
        self._anonymous = max((int(number) for number in _NUMBERED.findall(text)), default=0)

    def clause(self, start: Tree[Token]) -> list[Raw]:
        tree = cast(Tree[Token], start.children[0])
        place = self.place(tree)
        children = tree.children
        if tree.data == "pattern_rule":
            return [build_pattern_rule(self, tree)]
        if tree.data == "clause":
            body = self.term(children[2]) if len(children) == 3 else None
            return [RawClause(self.term(children[0]), body, place)]
        if tree.data == "directive":
            word = str(children[1]) if len(children) == 3 else ""
            return [RawDirective(word, self.term(children[-1]), place)]
        words = [str(child) for child in children if isinstance(child, Token) and child.type in _KINDS]
        kind = cast(OneOf["event", "fluent", "fact", "internal"], words[0])
        return [self._declaration(kind, child) for child in children if isinstance(child, Tree)]

    def _declaration(
        self, kind: OneOf["event", "fluent", "fact", "internal"], indicator: Tree[Token]
    ) -> RawDeclaration:
        name, _, arity, *_ = map(str, indicator.children)
        if not re.fullmatch(r"\d{1,2}", arity):
            hint = "write the name and the number: press/1"
            place = self.place(indicator)
            raise Refused(self._source.error("arity", f"`{arity}` is not a number of arguments", place, hint))
        signature = Signature(self._name(name, self.place(indicator)), int(arity))
        return RawDeclaration(kind, signature, self.place(indicator), self._key(kind, indicator))

    def _key(self, kind: str, indicator: Tree[Token]) -> tuple[int, ...]:
        """Read the positions behind `key`."""
        keys = [child for child in indicator.children if isinstance(child, Tree)]
        if keys and kind != "fact":
            hint = "remove it, or declare a fact that changes: input fact name/arity key 1."
            raise Refused(self._source.error("key", f"an {kind} has no key", self.place(keys[0]), hint))
        positions = [str(token) for key in keys for token in key.children if isinstance(token, Token)]
        return tuple(int(text) if text.isdigit() else 0 for text in positions if text != "key")

    def term(self, tree: Tree[Token] | Token) -> Term:
        assert isinstance(tree, Tree)
        build = self._chain if tree.data in ("conjunction", "disjunction") else self._term
        return self.deeper(tree, lambda: build(tree))

    def deeper(self, tree: Tree[Token], build: Callable[[], _Built]) -> _Built:
        """Builds what is inside another; refuses what is nested too deeply."""
        self._depth += 1
        if self._depth > _DEPTH:
            hint = "write it in parts"
            raise Refused(self._source.error("syntax", "this is nested too deeply", self.place(tree), hint))
        built = build()
        self._depth -= 1
        return built

    def _chain(self, tree: Tree[Token]) -> Term:
        """`a, b, c`, which the tree nests to the right, however long it is."""
        kind, operator = tree.data, str(tree.children[1])
        places, parts = [], []
        last: Tree[Token] = tree
        while last.data == kind:
            places.append(self.place(last))
            parts.append(self.term(last.children[0]))
            last = cast(Tree[Token], last.children[2])
        parts.append(self.term(last))
        return _balanced(operator, parts, places)

    def _term(self, tree: Tree[Token]) -> Term:
        place = self.place(tree)
        children = tree.children
        kind = str(tree.data)
        if kind in ("number", "variable", "atom", "string", "cut"):
            return self._primary(kind, str(children[0]), place)
        if kind == "duration":
            return self._duration(str(children[0]), place)
        if kind == "bracketed":
            return self.term(children[0])
        if kind == "compound":
            functor = self._name(str(children[0]), place)
            return Compound(functor, tuple(self.term(child) for child in children[1:]), place)
        if kind == "list":
            return self._list([child for child in children if isinstance(child, Tree)], tree, place)
        if kind == "negation":
            return Compound("\\+", (self.term(children[1]),), place)
        if kind == "minus":
            return _negated(self.term(children[1]), place)
        if len(children) > 3:
            return self._comparison_chain(tree, place)
        left, operator, right = children
        return Compound(str(operator), (self.term(left), self.term(right)), place)

    def _comparison_chain(self, tree: Tree[Token], place: Place) -> Term:
        """`0 < D < 300` is `0 < D, D < 300`."""
        sides = [self.term(side) for side in tree.children[::2]]
        signs = [str(sign) for sign in tree.children[1::2]]
        pairs = zip(sides, signs, sides[1:], strict=False)
        tests: list[Term] = [Compound(sign, (left, right), place) for left, sign, right in pairs]
        if not any(order.issuperset(signs) for order in _ORDERS):
            hint = f"write {'two' if len(tests) == 2 else 'each of them'}: {', '.join(map(written, tests))}"
            at = self._token_place(tree.children[3])
            raise Refused(self._source.error("operator", "a comparison has two sides", at, hint))
        return _balanced(",", tests, [place] * len(tests))

    def _primary(self, kind: str, text: str, place: Place) -> Term:
        if kind == "number":
            return self._number(text, place)
        if kind == "variable":
            return self._named(text, place)
        return Atom(self._name(text, place), place)

    def _name(self, text: str, place: Place) -> str:
        """Read `wind`, `'Two words'`, `wt:wind` or `wt:'Wind'`."""
        if text[0] in "'\"":
            return _unquoted(text)
        prefix, colon, local = text.partition(":")
        if not prefix or not colon:
            return text
        self.prefixes.setdefault(prefix, place)
        return f"{prefix}:{_unquoted(local) if local[0] == _QUOTE else local}"

    def variable(self, token: Token) -> Var:
        return self._named(str(token), self._token_place(token))

    def _named(self, text: str, place: Place) -> Var:
        if text != "_":
            return Var(text, place)
        self._anonymous += 1
        return Var(f"_{self._anonymous}", place, anonymous=True)

    def _list(self, children: list[Tree[Token]], tree: Tree[Token], place: Place) -> Term:
        items = tuple(self.term(child) for child in children)
        if any(isinstance(child, Token) for child in tree.children):
            return Compound("[|]", items, place)
        return Items(items, place)

    def _number(self, text: str, place: Place) -> Int | Float:
        whole = "x" in text or not any(char in text for char in ".eE")
        number: float = _MOST + 1
        if not whole:
            number = float(text)
        elif len(text) < 30:
            number = int(text, 16) if "x" in text else int(text)
        if abs(number) > (_MOST if whole else sys.float_info.max):
            hint = f"write at most {_MOST}" if whole else f"write at most {sys.float_info.max:.0e}"
            shown = text if len(text) <= 30 else f"{text[:20]}..."
            self.diagnostics.append(self._source.error("type", f"the number {shown} is too large", place, hint))
            return Int(0, place)
        return Int(int(number), place) if whole else Float(number, place)

    def _duration(self, text: str, place: Place) -> Int:
        self.note_duration(text, place)
        ticks = count_ticks(text, self._unit)
        if ticks is None or ticks > _MOST:
            too_long = f"the duration {text} is too long", HINT
            message, hint = wrong_duration(text, self._unit) if ticks is None else too_long
            self.diagnostics.append(self._source.error("duration", message, place, hint))
            return Int(1, place)  # what nothing more is said about
        return Int(ticks, place)

    def note_duration(self, text: str, place: Place) -> None:
        if needs_unit(text):
            self.durations.append(place)

    def _token_place(self, token: Token | Tree[Token]) -> Place:
        assert isinstance(token, Token)
        start = self._base + (token.start_pos or 0)
        return self._source.place(start, start + len(token))

    def place(self, tree: Tree[Token]) -> Place:
        return self._source.place(self._base + tree.meta.start_pos, self._base + tree.meta.end_pos)


def _unquoted(text: str) -> str:
    inside = text[1:-1].replace(text[0] * 2, text[0])
    return re.sub(r"\\(.|\n)", lambda match: _ESCAPES.get(match[1], match[1]), inside)


def _negated(term: Term, place: Place) -> Term:
    if isinstance(term, Int):
        return Int(-term.value, place)
    if isinstance(term, Float):
        return Float(-term.value, place)
    return Compound("-", (term,), place)


def _balanced(operator: str, parts: list[Term], places: list[Place]) -> Term:
    """The parts joined from the right; if there are many, in two halves."""
    if len(parts) > _CHAIN:
        half = len(parts) // 2
        left = _balanced(operator, parts[:half], places)
        return Compound(operator, (left, _balanced(operator, parts[half:], places[half:])), places[0])
    whole = parts[-1]
    for part, place in zip(reversed(parts[:-1]), reversed(places[: len(parts) - 1]), strict=True):
        whole = Compound(operator, (part, whole), place)
    return whole
