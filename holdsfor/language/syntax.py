"""Text to raw clauses: terms with places, not yet read as rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Literal as OneOf
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from holdsfor.language.clauses import Chunk, Fact, clauses
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.mistakes import advise
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Place, Term, Var

_ESCAPES = {"n": "\n", "t": "\t", "\n": ""}
_NUMBERED = re.compile(r"\b_(\d+)\b")
_HEAD = re.compile(r"\s*([a-z]\w*)(?:\(\s*(?:\w+\(.*?\)\s*,\s*)?([a-z]\w*))?")


@dataclass(frozen=True, slots=True)
class RawClause:
    head: Term
    body: Term | None
    place: Place


@dataclass(frozen=True, slots=True)
class RawDirective:
    word: str  # dynamic, discontiguous, ...; "" if the directive is a goal
    goal: Term
    place: Place


@dataclass(frozen=True, slots=True)
class RawInput:
    entity: OneOf["event", "fluent"]
    signature: Signature
    place: Place


Raw = RawClause | RawDirective | RawInput


@dataclass(slots=True)
class Parsed:
    """The clauses of one source, what is wrong with the others, and the names those seem to be about."""

    raw: list[Raw] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)


def parse(source: Source) -> Parsed:
    """Every clause of a text; those that cannot be parsed are reported and left out."""
    parsed = Parsed()
    for part in clauses(source, parsed.diagnostics):
        if isinstance(part, Fact):
            parsed.raw.append(RawClause(part.head, None, part.head.place))
        else:
            _parse_chunk(source, part, parsed)
    return parsed


def _parse_chunk(source: Source, chunk: Chunk, parsed: Parsed) -> None:
    text = source.text[chunk.start : chunk.end]
    if not text.strip():
        if chunk.end < len(source.text) and source.text[chunk.end] == "." and chunk.end == chunk.start:
            place = source.place(chunk.end, chunk.end + 1)
            hint = "remove it"
            parsed.diagnostics.append(
                Diagnostic("syntax", "error", "a full stop without a clause", place, hint, line=source.line(place.line))
            )
        return
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        advice = advise(error, text)
        place = source.place(chunk.start + advice.start, chunk.start + advice.end)
        parsed.diagnostics.append(
            Diagnostic(
                advice.code, "error", advice.message, place, advice.hint, advice.construct, source.line(place.line)
            )
        )
        if advice.split is None:
            parsed.damaged.update(name for name in _names(text) if name)
            return
        # Two clauses ran together: read each on its own, so that neither hides what the other says.
        _parse_chunk(source, Chunk(chunk.start, chunk.start + advice.cut), parsed)
        _parse_chunk(source, Chunk(chunk.start + advice.split, chunk.end), parsed)
    else:
        parsed.raw.extend(_Builder(source, chunk.start, text).clause(tree))


def _names(text: str) -> tuple[str | None, ...]:
    """The predicate that a broken clause is for, and the fluent or event in it."""
    match = _HEAD.match(text)
    return match.groups() if match else ()


@cache
def _grammar() -> Lark:
    return Lark.open_from_package(
        __name__, "grammar.lark", parser="lalr", lexer="contextual", propagate_positions=True, maybe_placeholders=False
    )


class _Builder:
    """Terms from the parse tree of one clause."""

    def __init__(self, source: Source, base: int, text: str) -> None:
        self._source = source
        self._base = base
        # `_` gets the names _1, _2, ...: after any that the clause itself uses.
        self._anonymous = max((int(number) for number in _NUMBERED.findall(text)), default=0)

    def clause(self, start: Tree[Token]) -> list[Raw]:
        tree = cast(Tree[Token], start.children[0])
        place = self._place(tree)
        children = tree.children
        if tree.data == "clause":
            body = self.term(children[2]) if len(children) == 3 else None
            return [RawClause(self.term(children[0]), body, place)]
        if tree.data == "directive":
            word = str(children[1]) if len(children) == 3 else ""
            return [RawDirective(word, self.term(children[-1]), place)]
        entity = cast(OneOf["event", "fluent"], str(children[1]))
        return [self._input(entity, cast(Tree[Token], child)) for child in children[2:]]

    def _input(self, entity: OneOf["event", "fluent"], indicator: Tree[Token]) -> RawInput:
        name, _, arity = (str(child) for child in indicator.children)
        signature = Signature(_unquoted(name) if name[0] == "'" else name, int(arity))
        return RawInput(entity, signature, self._place(indicator))

    def term(self, tree: Tree[Token] | Token) -> Term:
        assert isinstance(tree, Tree)
        place = self._place(tree)
        children = tree.children
        kind = str(tree.data)
        if kind in ("number", "variable", "atom", "string", "cut"):
            return self._primary(kind, str(children[0]), place)
        if kind == "bracketed":
            return self.term(children[0])
        if kind == "compound":
            functor = str(children[0])
            functor = _unquoted(functor) if functor[0] == "'" else functor
            return Compound(functor, tuple(self.term(child) for child in children[1:]), place)
        if kind == "list":
            return self._list([child for child in children if isinstance(child, Tree)], tree, place)
        if kind == "negation":
            return Compound("\\+", (self.term(children[1]),), place)
        if kind == "minus":
            return _negated(self.term(children[1]), place)
        left, operator, right = children
        return Compound(str(operator), (self.term(left), self.term(right)), place)

    def _primary(self, kind: str, text: str, place: Place) -> Term:
        if kind == "number":
            return _number(text, place)
        if kind == "variable":
            if text != "_":
                return Var(text, place)
            self._anonymous += 1
            return Var(f"_{self._anonymous}", place, anonymous=True)
        return Atom(_unquoted(text) if text[0] in "'\"" else text, place)

    def _list(self, children: list[Tree[Token]], tree: Tree[Token], place: Place) -> Term:
        items = tuple(self.term(child) for child in children)
        if any(isinstance(child, Token) for child in tree.children):
            return Compound("[|]", items, place)
        return Items(items, place)

    def _place(self, tree: Tree[Token]) -> Place:
        return self._source.place(self._base + tree.meta.start_pos, self._base + tree.meta.end_pos)


def _unquoted(text: str) -> str:
    inside = text[1:-1].replace(text[0] * 2, text[0])
    return re.sub(r"\\(.|\n)", lambda match: _ESCAPES.get(match[1], match[1]), inside)


def _number(text: str, place: Place) -> Int | Float:
    if "x" in text:
        return Int(int(text, 16), place)
    if any(char in text for char in ".eE"):
        return Float(float(text), place)
    return Int(int(text), place)


def _negated(term: Term, place: Place) -> Term:
    if isinstance(term, Int):
        return Int(-term.value, place)
    if isinstance(term, Float):
        return Float(-term.value, place)
    return Compound("-", (term,), place)
