"""Rule text in one readable form: the same clauses, the same comments, evenly laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

from holdsfor.errors import HoldsforError
from holdsfor.language.diagnostics import DescriptionError, Source
from holdsfor.language.format.layout import INDENT, WIDTH, Line, LineBreaks, TextPiece, commented, remarks
from holdsfor.language.format.terms import TermWriter, chain
from holdsfor.language.format.text import Span, Text
from holdsfor.language.nodes import N, Node, find_all, transform
from holdsfor.language.parsing.patterns import (
    RawOperation,
    RawPattern,
    conditions,
    left_operand,
    measures,
    right_operand,
    word,
    write_pattern,
)
from holdsfor.language.parsing.syntax import Parsed, Raw, RawClause, RawDeclaration, RawDirective, RawPatternRule, parse
from holdsfor.language.terms import Compound, Term, Var, quoted

#: Rules always have their conditions below them; declarations stay on one line where they fit.
_RULES = frozenset({"initiatedAt", "terminatedAt", "initiates", "terminates", "happensAt", "holdsFor"})
_DECLARATIONS = frozenset({"grounding", "collectIntervals", "buildFromPoints", "points", "dynamicDomain", "index"})


def formatted(source: Source) -> str:
    """The text of a rule file in Holdsfor's layout. Raises DescriptionError if it cannot be parsed.

    It reads as before, clause by clause, and no comment is lost: if either were not so, nothing is returned.
    """
    parsed = parse(source, in_order=True)
    if any(diagnostic.severity == "error" for diagnostic in parsed.diagnostics):
        raise DescriptionError(parsed.diagnostics)
    text = Text(source)
    made = _Writer(text).write(parsed.raw)
    again = Source(source.name, made)
    if _meaning(parsed) != _meaning(parse(again, in_order=True)) or _remarks(text) != _remarks(Text(again)):
        raise HoldsforError(
            f"{source.name}: this file cannot be formatted without changing it, so it is left alone; "
            "please report it with the file"
        )
    return made


@dataclass(frozen=True, slots=True)
class _Entry:
    """The clauses before one full stop (several for `input event a/1, b/2.`), and their extent."""

    raw: tuple[Raw, ...]
    start: int
    end: int  # before the full stop
    stop: int  # behind it


class _Writer:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._layout = LineBreaks(text)

    def write(self, raw: list[Raw]) -> str:
        entries = self._entries(raw)
        spans = [(entry.start, entry.stop) for entry in entries]
        around, rest = self._text.around(spans, 0, len(self._text.text))
        lines: list[Line] = []
        for entry, near in zip(entries, around, strict=True):
            lines += remarks([*near.own, *((False, comment) for comment in near.inline)], 0, blanks=True)
            block = self._entry(entry)
            block[-1] = commented(block[-1], [*near.after, *near.trailing])
            lines += [Line("")] * near.blank + block
        return _joined(lines + remarks(rest, 0, blanks=True))

    def _entries(self, raw: list[Raw]) -> list[_Entry]:
        masked, entries = self._text.masked, list[_Entry]()
        for each in raw:
            start, end = self._text.span(each.place)
            stop = masked.index(".", end) + 1
            before = entries[-1] if entries else None
            if before and before.stop == stop:
                entries[-1] = _Entry((*before.raw, each), before.start, end, stop)
                continue
            if isinstance(each, RawDeclaration):
                start = masked.rindex(each.word, 0, start)
            entries.append(_Entry((each,), start, end, stop))
        return entries

    def _entry(self, entry: _Entry) -> list[Line]:
        first = entry.raw[0]
        match first:
            case RawClause():
                return self._clause(first, entry)
            case RawPatternRule():
                comments = [(False, comment.text) for comment in self._text.inside(entry.start, entry.end)]
                lines = PatternWriter(TermWriter(self._text)).write_rule(first)
                return [*remarks(comments, 0), *map(Line, lines)]
            case RawDirective():
                word = f":- {first.word} " if first.word else ":- "
                return self._listed(word, chain(first.goal, ","), entry, bool(first.word))
        return self._declarations([*find_all(entry.raw, RawDeclaration)], entry)

    def _clause(self, raw: RawClause, entry: _Entry) -> list[Line]:
        region = (entry.start, entry.stop - 1)
        if raw.body is None:
            (head,) = self._layout.pieces([raw.head], region, False)
            return _closed(self._layout.rows([head], region, 0))
        goals = chain(raw.body, ",")
        head, *body = self._layout.pieces([raw.head, *goals], region, True)
        name = raw.head.functor
        if name not in _RULES and (len(goals) == 1 or name in _DECLARATIONS):
            short = self._short(head, body, region)
            if short:
                return [short]
        return self._rule(head, body, region)

    def _short(self, head: TextPiece, body: list[TextPiece], region: Span) -> Line | None:
        """Head and body on one line, if they fit there and comments come only behind them."""
        begin, end = body[-1].span
        near, rest = self._text.around([(begin, end)], end, region[1])
        if rest or self._text.inside(region[0], end):
            return None
        line = f"{self._layout.flat(head)} :- {', '.join(str(self._layout.flat(goal)) for goal in body)}."
        return commented(Line(line), [*near[0].after, *near[0].trailing]) if len(line) <= WIDTH else None

    def _rule(self, head: TextPiece, body: list[TextPiece], region: Span) -> list[Line]:
        """The head, and below it each condition on a line of its own."""
        start, end = head.span[1], body[0].span[0]
        near = self._text.around([head.span, body[0].span], region[0], end)[0][0]
        lines = self._layout.block(replace(head, goal=False, closing=" :-"), 0)
        lines[-1] = commented(lines[-1], [*near.after, *near.trailing])
        taken = len(near.after) + len(near.trailing)
        begin = self._text.inside(start, end)[taken - 1].end if taken else start
        return lines + _closed(self._layout.rows(body, (begin, region[1]), INDENT, blanks=True))

    def _listed(self, opening: str, terms: list[Term], entry: _Entry, indicators: bool) -> list[Line]:
        """`:- dynamic a/1, b/2.`: on one line if it fits."""
        region = (entry.start + 2, entry.stop - 1)
        pieces = self._layout.pieces(terms, region, not indicators)
        if not self._text.inside(*region):
            line = f"{opening}{', '.join(str(self._layout.flat(piece)) for piece in pieces)}."
            if len(line) <= WIDTH:
                return [Line(line)]
        return [Line(opening.rstrip()), *_closed(self._layout.rows(pieces, region, INDENT))]

    def _declarations(self, raw: list[RawDeclaration], entry: _Entry) -> list[Line]:
        opening = "internal " if raw[0].kind == "internal" else f"input {raw[0].kind} "
        names = [f"{quoted(each.signature.name)}/{each.signature.arity}{_key(each.key)}" for each in raw]
        line = f"{opening}{', '.join(names)}."
        spans = [self._text.span(each.place) for each in raw]
        around, rest = self._text.around(spans, entry.start, entry.stop - 1)
        if len(line) <= WIDTH and not self._text.inside(entry.start, entry.stop - 1):
            return [Line(line)]
        lines = [Line(opening.rstrip())]
        for index, (name, near) in enumerate(zip(names, around, strict=True)):
            inner = [comment.text for comment in self._text.inside(*spans[index])]
            lines += remarks([*near.own, *((False, comment) for comment in [*near.inline, *inner])], INDENT)
            separator = "," if index < len(names) - 1 else ""
            lines.append(commented(Line(" " * INDENT + name + separator), [*near.after, *near.trailing]))
        return _closed([*lines, *remarks(rest, INDENT)])


def _key(positions: tuple[int, ...]) -> str:
    """` key 1`, ` key (1, 2)`"""
    listed = ", ".join(map(str, positions))
    return "" if not positions else f" key {listed}" if len(positions) == 1 else f" key ({listed})"


def _closed(lines: list[Line]) -> list[Line]:
    """With the full stop: on a line of its own if a comment comes last."""
    last = lines[-1]
    if last.alone:
        return [*lines, Line(" " * INDENT + ".")]
    return [*lines[:-1], replace(last, text=last.text + ".")]


def _joined(lines: list[Line]) -> str:
    """Comments at the ends of neighbouring lines of a kind begin in the same column, if they fit there."""
    texts: list[str] = []
    for aligned, group in groupby(lines, _alignment):
        run = list(group)
        column = max(len(line.text) for line in run)
        if aligned is None or column + 2 + max(len(line.comment) for line in run) > WIDTH:
            column = 0
        texts += [f"{line.text:<{column}}  {line.comment}" if line.comment else line.text for line in run]
    while texts and not texts[0]:
        del texts[0]
    return "".join(f"{line}\n" for line in texts)


def _alignment(line: Line) -> tuple[int, bool] | None:
    """Alike for lines whose comments go below each other: as far indented, and not the head of a rule."""
    if not line.comment or "\n" in line.comment:
        return None
    return len(line.text) - len(line.text.lstrip()), line.text.endswith(":-")


def _meaning(parsed: Parsed) -> list[Raw]:
    return [raw.rebuild(_nameless, _nameless) for raw in parsed.raw]


def _nameless(node: N) -> N:
    """Make each `_` alike, as their numbers depend on names that comments mention; `(a, b), c` is `a, b, c`."""
    return transform(node, _without_names)


def _without_names(part: Node) -> Node:
    if isinstance(part, Compound) and part.functor in (",", ";"):
        return Compound(part.functor, tuple(map(_nameless, chain(part, part.functor))))
    return Var("_") if isinstance(part, Var) and part.anonymous else part


def _remarks(text: Text) -> list[str]:
    return sorted(comment.text for comment in text.comments)


_JOINING = 1200


class PatternWriter:
    def __init__(self, terms: TermWriter) -> None:
        self._terms = terms

    def write_rule(self, raw: RawPatternRule) -> list[str]:
        """Without comments, and with the full stop."""
        label = "" if raw.label is None else f"{self._term(raw.label)}: "
        head = f"{label}{' OR '.join(map(self._term, raw.heads))} <-"
        whole = f"{head} {write_pattern(raw.pattern, self._term)}."
        if len(whole) <= WIDTH:
            return [whole]
        *lines, last = self._lines(raw.pattern, INDENT)
        return [head, *lines, f"{last}."]

    def _term(self, term: Term) -> str:
        asks = isinstance(term, Compound)  # `S = sum(X)` and `X = Y` are read with blanks; events are not comparisons
        return self._terms.write(term, _JOINING, goal=asks)

    def _lines(self, pattern: RawPattern, indent: int) -> list[str]:
        flat = " " * indent + write_pattern(pattern, self._term)
        if len(flat) <= WIDTH or not isinstance(pattern, RawOperation) or pattern.operator in (".", "not"):
            return [flat]
        return self._broken(pattern, indent)

    def _broken(self, pattern: RawOperation, indent: int) -> list[str]:
        """Each operand of a chain of one operator on a line of its own."""
        margin = " " * (indent + INDENT)
        match pattern.operator:
            case "where":
                return [*self._lines(pattern.parts[0], indent), f"{margin}WHERE {conditions(pattern, self._term)}"]
            case "aggregate":
                return [*self._lines(pattern.parts[0], indent), f"{margin}{measures(pattern, self._term)}"]
        left = pattern.parts[0]
        if isinstance(left, RawOperation) and left.operator == pattern.operator:
            before = self._broken(left, indent)
        else:
            before = [" " * indent + left_operand(pattern, self._term)]
        return [*before, f"{margin}{word(pattern)} {right_operand(pattern, self._term)}"]
