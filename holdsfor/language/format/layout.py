"""Terms on as many lines as they need, with the comments that stand in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdsfor.language.format.terms import (
    ARGUMENT,
    TermWriter,
    between,
    chain,
    functor,
    goal_argument,
    infix,
    precedence,
    prefix,
)
from holdsfor.language.format.text import Around, Span, Text
from holdsfor.language.terms import Compound, Items, Term

WIDTH = 120
INDENT = 4


@dataclass(frozen=True, slots=True)
class Line:
    """comment: at its end. alone: it is nothing but a comment itself."""

    text: str
    comment: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A term with its extent in the text, the brackets around it included.

    opening: what is written before it on its first line; closing: what is written behind it on its last.
    bare: the comments between its parts are already written, before the term that it is a part of.
    """

    term: Term
    span: Span
    goal: bool = False
    opening: str = ""
    closing: str = ""
    spaced: bool | None = None  # see Terms.write
    bare: bool = False


class LineBreaks:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._terms = TermWriter(text)

    # ------------------------------------------------------------ items

    def pieces(self, terms: list[Term], region: Span, goals: bool) -> list[TextPiece]:
        """The terms of a list, each with the brackets around it: those after its separator and before the next."""
        masked = self._text.masked
        spans = [self._text.span(term.place) for term in terms]
        pieces: list[TextPiece] = []
        begin = region[0]
        for index, (start, end) in enumerate(spans):
            following = spans[index + 1][0] if index + 1 < len(spans) else region[1]
            opening = masked.find("(", begin, start)
            gap = masked[end:following]
            cut = min((at for mark in (",", ";", "|", "->", ":-") if (at := gap.find(mark)) >= 0), default=len(gap))
            closing = gap.rfind(")", 0, cut)
            pieces.append(
                TextPiece(
                    terms[index], (opening if opening >= 0 else start, end + closing + 1 if closing >= 0 else end)
                )
            )
            begin = end + cut
        return [replace(piece, goal=goals) for piece in pieces]

    def rows(
        self, pieces: list[TextPiece], region: Span, indent: int, separator: str = ",", blanks: bool = False
    ) -> list[Line]:
        """Each piece on lines of its own, with its comments; separator: what stands behind all but the last."""
        around, rest = self._text.around([piece.span for piece in pieces], *region)
        lines: list[Line] = []
        for index, (piece, near) in enumerate(zip(pieces, around, strict=True)):
            last = index == len(pieces) - 1
            lines += self._row(piece, near, indent, "" if last else separator, blanks and index > 0)
        return lines + remarks(rest, indent, blanks)

    def _row(self, piece: TextPiece, near: Around, indent: int, separator: str, blanks: bool) -> list[Line]:
        lines = remarks(near.own, indent, blanks)
        if near.blank and blanks:
            lines.append(Line(""))
        before, after = "".join(f"{each} " for each in near.inline), "".join(f" {each}" for each in near.after)
        closing = piece.closing + (after + separator if separator else "")
        block = self.block(replace(piece, opening=before + piece.opening, closing=closing), indent)
        block[-1] = commented(block[-1], near.trailing if separator else [*near.after, *near.trailing])
        return lines + block

    # ------------------------------------------------------------ one line

    def flat(self, piece: TextPiece, most: int = ARGUMENT) -> str | None:
        """The term on one line without opening and closing, or None if comments in it need more lines."""
        term = piece.term
        regions = self._regions(piece)
        if self._between_parts(piece, regions):
            return None
        if not any(self._text.inside(*region) for region in regions):
            return self._terms.write(term, most, piece.goal, piece.spaced)
        if infix(term) and precedence(term) < 1000:
            return self._flat_operator(piece)
        parts = self._container(piece)
        if parts is None:
            return None
        opener, inner, closer, region = parts
        around, rest = self._text.around([each.span for each in inner], *region)
        if rest or any(near.breaks for near in around):
            return None
        texts = []
        for each, near in zip(inner, around, strict=True):
            text = self.flat(each)
            if text is None:
                return None
            texts.append(" ".join([*near.inline, text, *near.after]))
        return f"{opener}{', '.join(texts)}{closer}"

    def _flat_operator(self, piece: TextPiece) -> str | None:
        texts = [self._dressed(part) for part in self._operands(piece)]
        if texts[0] is None or texts[1] is None:
            return None
        return texts[0] + between(piece.term.functor, piece.goal, True, texts[1]) + texts[1]

    def _container(self, piece: TextPiece) -> tuple[str, list[TextPiece], str, Span] | None:
        """A call or list: what opens it, what is in it, what closes it, and the extent of the latter in the text."""
        term = piece.term
        start, end = self._text.span(term.place)
        if isinstance(term, Items):
            return "[", self.pieces(list(term.items), (start + 1, end - 1), False), "]", (start + 1, end - 1)
        if not isinstance(term, Compound) or term.functor == "[|]" or infix(term) or prefix(term):
            return None
        region = (self._text.masked.index("(", start) + 1, end - 1)
        asks = goal_argument(term)
        inner = self.pieces(list(term.args), region, False)
        inner = [replace(each, goal=index == asks) for index, each in enumerate(inner)]
        return f"{functor(term.functor)}(", inner, ")", region

    def _regions(self, piece: TextPiece) -> list[Span]:
        """The extents that have places of their own for comments: the insides of calls, lists and brackets."""
        term = piece.term
        if not self._text.inside(*piece.span):
            return []
        if precedence(term) >= 1000:
            return [piece.span]
        if infix(term) or prefix(term):
            return [region for part in self._operands(piece) for region in self._regions(part)]
        container = self._container(piece)
        return [container[3]] if container and container[1] else []  # an empty list has room for none

    def _between_parts(self, piece: TextPiece, regions: list[Span]) -> list[tuple[bool, str]]:
        """Comments between operators and operands, to be written before the whole."""
        comments = [] if piece.bare else self._text.inside(*piece.span)
        return [(False, each.text) for each in comments if not any(a <= each.start < b for a, b in regions)]

    # ------------------------------------------------------------ several lines

    def block(self, piece: TextPiece, indent: int) -> list[Line]:
        comments = remarks(self._between_parts(piece, self._regions(piece)), indent)
        piece = replace(piece, bare=True)
        flat = self._dressed(piece)
        if flat is not None and indent + len(flat) <= WIDTH and not _long_choice(piece.term):
            return [*comments, Line(" " * indent + flat)]
        return comments + self._broken(piece, indent)

    def _broken(self, piece: TextPiece, indent: int) -> list[Line]:
        margin, term = " " * indent, piece.term
        if precedence(term) >= 1000:
            return self._connected(piece, indent)
        if infix(term) or prefix(term):
            return self._operator(piece, term.functor, indent)
        parts = self._container(piece)
        if parts is None or not parts[1]:  # a name, a number, a list with a tail: there is nowhere to break
            text = self._terms.write(term, ARGUMENT, piece.goal, piece.spaced)
            return [Line(margin + piece.opening + text + piece.closing)]
        opener, inner, closer, region = parts
        lines = [Line(margin + piece.opening + opener), *self.rows(inner, region, indent + INDENT)]
        return [*lines, Line(margin + closer + piece.closing)]

    def _operator(self, piece: TextPiece, name: str, indent: int) -> list[Line]:
        parts = self._operands(piece)
        if len(parts) == 2:
            return self._between(piece, parts[0], parts[1], name, indent)
        (inner,) = parts
        opening = piece.opening + ("-" if name == "-" else f"{name} ") + inner.opening
        return self.block(replace(inner, opening=opening, closing=inner.closing + piece.closing), indent)

    def _operands(self, piece: TextPiece) -> list[TextPiece]:
        """Operands with brackets where the operator binds tighter than they do; `,` and `;` have theirs anyway."""
        term = piece.term
        form = infix(term) or prefix(term)
        assert form is not None
        spaced = True if form[0] < 700 else None
        parts = self.pieces(list(term.args), self._text.span(term.place), piece.goal or term.functor == "\\+")
        parts = [replace(part, spaced=spaced, bare=piece.bare) for part in parts]
        return [
            replace(part, opening="(", closing=")") if limit < precedence(part.term) < 1000 else part
            for part, limit in zip(parts, form[1:], strict=True)
        ]

    def _between(self, piece: TextPiece, left: TextPiece, right: TextPiece, operator: str, indent: int) -> list[Line]:
        """Breaks inside the operand that has the comments, or the longer one; else behind the operator."""
        texts = [self._dressed(part) for part in (left, right)]
        sign = between(operator, piece.goal, True, texts[1] or "(")
        opens = [self._container(part) is not None for part in (left, right)]
        if texts[0] is not None and opens[1] and (texts[1] is None or len(texts[1]) >= len(texts[0]) or not opens[0]):
            opening = piece.opening + texts[0] + sign + right.opening
            return self.block(replace(right, opening=opening, closing=right.closing + piece.closing), indent)
        if texts[1] is not None and opens[0]:
            closing = left.closing + sign + texts[1] + piece.closing
            return self.block(replace(left, opening=piece.opening + left.opening, closing=closing), indent)
        first = replace(left, opening=piece.opening + left.opening, closing=left.closing + sign.rstrip())
        second = replace(right, closing=right.closing + piece.closing)
        return self.block(first, indent) + self.block(second, indent + INDENT)

    def _dressed(self, piece: TextPiece) -> str | None:
        flat = self.flat(piece)
        return None if flat is None else piece.opening + flat + piece.closing

    def _connected(self, piece: TextPiece, indent: int) -> list[Line]:
        """`(a, b)`, `(a ; b)`, `(a -> b ; c)`: one goal a line, the connectives in front."""
        margin = " " * indent
        region = (piece.span[0] + 1, piece.span[1] - 1) if self._has_brackets(piece) else piece.span
        cases = list(_cases(piece.term))
        pieces = self.pieces([term for _, term in cases], region, True)
        around, rest = self._text.around([each.span for each in pieces], *region)
        lines: list[Line] = []
        for (mark, term), part, near in zip(cases, pieces, around, strict=True):
            inner = self.pieces(chain(term, ","), part.span, True)
            block = remarks([*near.own, *((False, each) for each in [*near.inline, *near.after])], indent + INDENT)
            block += self.rows(inner, part.span, indent + INDENT, blanks=True)
            block[-1] = commented(block[-1], near.trailing)
            if mark != "(" or not piece.opening:
                block[0] = replace(block[0], text=f"{margin}{mark:<{INDENT}}{block[0].text[indent + INDENT :]}")
            lines += block
        if piece.opening:
            lines.insert(0, Line(f"{margin}{piece.opening}("))
        return [*lines, *remarks(rest, indent + INDENT), Line(f"{margin}){piece.closing}")]

    def _has_brackets(self, piece: TextPiece) -> bool:
        return (
            self._text.masked[piece.span[0]] == "("
            and self._text.masked[piece.span[1] - 1] == ")"
            and (piece.span != self._text.span(piece.term.place))
        )


def commented(line: Line, comments: list[str]) -> Line:
    return replace(line, comment=" ".join([line.comment, *comments]).strip()) if comments else line


def remarks(comments: list[tuple[bool, str]], indent: int, blanks: bool = False) -> list[Line]:
    """Comments on lines of their own, with the empty lines before them if there may be any."""
    lines: list[Line] = []
    for blank, comment in comments:
        lines += [Line("")] * (blank and blanks) + [Line(" " * indent + comment, alone=True)]
    return lines


def _long_choice(term: Term) -> bool:
    """Alternatives of several goals each are easier to read below each other, even where they fit on a line."""
    cases = list(_cases(term))
    return len(cases) > 1 and (len(cases) > 3 or any(precedence(case) >= 1000 for _, case in cases))


def _cases(term: Term) -> list[tuple[str, Term]]:
    """The alternatives of a term, each with what stands before it; a condition and its conclusion are two."""
    cases: list[tuple[str, Term]] = []
    for case in chain(term, ";"):
        mark = ";" if cases else "("
        if case.functor == "->" and len(case.args) == 2:
            cases += [(mark, case.args[0]), ("->", case.args[1])]
        else:
            cases.append((mark, case))
    return cases
