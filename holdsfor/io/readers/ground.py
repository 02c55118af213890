"""Reads a term without variables from text: `wind(st1, 12.5)`, `'Two words'`, `[a, b]`."""

from __future__ import annotations

import re

from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, quoted

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<float>-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))
  | (?P<int>-?\d+)
  | (?P<quoted>'(?:[^'\\]|\\.|'')*')
  | (?P<word>[a-z]\w*)
  | (?P<list>\[\])
  | (?P<mark>[()\[\],=])
  | (?P<symbol>[+\-*/\\^<>~:.?@\#&$]+|[!;])
    )""",
    re.VERBOSE | re.DOTALL,
)
_SYMBOLS = re.compile(r"[+\-*/\\^<>~:.?@#&$=]*")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


MOST_DIGITS = 4000
DEEPEST = 100  # levels of terms in terms


class NotATerm(ValueError):
    """The text is no ground term; the message says where it stops being one."""


class TermCursor:
    """A cursor over one line of text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def peek(self) -> tuple[str, str]:
        """Return kind and text of the next token; ('end', '') if there is none."""
        token = _TOKEN.match(self.text, self.at)
        if token is None or token.lastgroup is None:
            return "end", ""
        return token.lastgroup, token.group(token.lastgroup)

    def next(self) -> tuple[str, str]:
        token = self.peek()
        match = _TOKEN.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return token

    def accept(self, mark: str) -> bool:
        if self.peek() == ("mark", mark):
            self.next()
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise NotATerm(f"{mark} is missing at column {self.at + 1}")

    def rest(self) -> str:
        return self.text[self.at :].strip()

    def term(self) -> Term:
        start = self.at
        kind, text = self.next()
        if kind == "int":
            if len(text) > MOST_DIGITS:
                raise NotATerm(f"a number of more than {MOST_DIGITS:,} digits")
            return Int(int(text))
        if kind == "float":
            return Float(float(text))
        if kind == "mark" and text == "[":
            return Items(self._terms("]"))
        if (kind == "symbol" and text not in "!;") or (kind, text) == ("mark", "="):
            kind, text = "symbol", text + self._symbols()  # = stands alone only behind a term
        if kind in ("word", "quoted", "symbol", "list"):
            name = unquoted(text) if kind == "quoted" else text
            if kind != "list" and self.text[self.at : self.at + 1] == "(":
                self.next()
                return Compound(name, self._terms(")"))
            return Atom(name)
        raise NotATerm(f"no ground term at column {start + 1}")

    def _symbols(self) -> str:
        more = _SYMBOLS.match(self.text, self.at)
        assert more is not None
        self.at = more.end()
        return more.group()

    def _terms(self, close: str) -> tuple[Term, ...]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotATerm(f"terms are nested deeper than {DEEPEST} levels")
        terms = [self.term()]
        while self.accept(","):
            terms.append(self.term())
        self.expect(close)
        self.depth -= 1
        return tuple(terms)


def read_ground(text: str) -> Term:
    """Read the one term that the text holds."""
    reader = TermCursor(text)
    term = reader.term()
    if reader.rest():
        raise NotATerm(f"unexpected text at column {reader.at + 1}: {reader.rest()}")
    return term


def term_text(text: str) -> str:
    """Return the canonical text of a term: `p( a ,'b')` -> `p(a,b)`."""
    return str(read_ground(text))


def unquoted(text: str) -> str:
    """Return the name that a quoted atom stands for."""
    body = text[1:-1].replace("''", "\\'")
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), body, flags=re.DOTALL)


def as_term(text: str) -> str:
    """Write a text of a result as rules do: in quotes, where it is no term by itself."""
    try:
        read_ground(text)
    except NotATerm:
        return quoted(text)
    return text
