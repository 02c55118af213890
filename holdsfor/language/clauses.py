"""Cutting rule text at the ends of clauses, before any of it is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.terms import Atom, Compound, Float, Int, Term

_BLANK = re.compile(r"(?:\s+|%[^\n]*|/\*.*?\*/)*", re.S)
_ARGUMENT = r"(?:[a-z]\w*|-?\d+(?:\.\d+)?|'[^'\\\n]*')"
#: A ground fact with plain arguments, which background files have by the ten thousand.
_FACT = re.compile(rf"([a-z]\w*)\(\s*({_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)\s*\)\s*\.(?=\s|%|\Z)")
_EACH_ARGUMENT = re.compile(_ARGUMENT)
_PIECE = re.compile(
    r"""(?P<blank>\s+|%[^\n]*|/\*.*?\*/)
      | (?P<quoted>'(?:[^'\\\n]|\\.|'')*'|"(?:[^"\\\n]|\\.|"")*")
      | (?P<number>\d+\.\d+)
      | (?P<end>\.(?=\s|%|\Z))
      | (?P<unclosed>/\*|['"])
      | (?P<other>\w+|[^\s%'"./\w]+|.)""",
    re.S | re.X,
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text of one clause: from `start` up to its full stop at `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that needs no parser."""

    head: Compound


def clauses(source: Source, diagnostics: list[Diagnostic]) -> Iterator[Chunk | Fact]:
    """The clauses of a text in order. What cannot be cut (an unclosed quote, no last full stop) is reported."""
    text, position = source.text, 0
    while True:
        blank = _BLANK.match(text, position)
        position = blank.end() if blank else position
        if position >= len(text):
            return
        fact = _FACT.match(text, position)
        if fact:
            position = fact.end()
            yield Fact(_fact(fact, source))
        else:
            chunk, position = _chunk(source, position, diagnostics)
            yield chunk


def _fact(match: re.Match[str], source: Source) -> Compound:
    # One place for the fact and its arguments: places are looked at in errors only, and facts come in great numbers.
    place = source.place(match.start(), match.end() - 1)
    args: list[Term] = []
    for text in _EACH_ARGUMENT.findall(match.group(2)):
        if text[0] == "'":
            args.append(Atom(text[1:-1], place))
        elif text[0].isalpha():
            args.append(Atom(text, place))
        elif "." in text:
            args.append(Float(float(text), place))
        else:
            args.append(Int(int(text), place))
    return Compound(match.group(1), tuple(args), place)


def _chunk(source: Source, start: int, diagnostics: list[Diagnostic]) -> tuple[Chunk, int]:
    """The clause that begins at start, and where the next may begin."""
    text, position, last = source.text, start, start
    while position < len(text):
        piece = _PIECE.match(text, position)
        assert piece is not None  # the last alternative matches any character
        if piece.lastgroup == "end":
            return Chunk(start, position), piece.end()
        if piece.lastgroup == "unclosed":
            return _unclosed(source, start, position, diagnostics)
        position = piece.end()
        if piece.lastgroup != "blank":
            last = position
    diagnostics.append(
        _error(
            source, "full-stop", "the last clause has no full stop", last, last + 1, "end the clause with a full stop"
        )
    )
    return Chunk(start, last), len(text)


def _unclosed(source: Source, start: int, position: int, diagnostics: list[Diagnostic]) -> tuple[Chunk, int]:
    """Leaves out the rest of the line (of the file for a comment): where the quote should have ended nobody knows."""
    text = source.text
    if text.startswith("/*", position):
        diagnostics.append(
            _error(source, "unclosed", "a comment that never ends", position, position + 2, "close it with */")
        )
        return Chunk(start, start), len(text)
    quote = text[position]
    hint = f"close it with {quote} on the same line; a quote inside is written twice: 'it''s'"
    what = "atom" if quote == "'" else "string"
    diagnostics.append(_error(source, "unclosed", f"a quoted {what} that never ends", position, position + 1, hint))
    newline = text.find("\n", position)
    line_end = newline if newline >= 0 else len(text)
    if text[position:line_end].rstrip().endswith("."):
        return Chunk(start, start), line_end
    _, after = _chunk(source, line_end, diagnostics) if line_end < len(text) else (None, line_end)
    return Chunk(start, start), after


def _error(source: Source, code: str, message: str, start: int, end: int, hint: str) -> Diagnostic:
    place = source.place(start, end)
    return Diagnostic(code, "error", message, place, hint, line=source.line(place.line))
