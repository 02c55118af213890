"""Cutting rule text at the ends of clauses, before any of it is parsed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.facts import FactReader, FactReaderOf, FactTable, text_columns
from holdsfor.language.terms import Atom, Compound, Float, Int, Place, Term

_BLANK = re.compile(r"(?:\s+|%[^\n]*|/\*.*?\*/)*", re.S)
_UNQUOTED = r"(?:[a-z]\w*|-?\d{1,18}(?:\.\d+)?)"
_ARGUMENT = rf"(?:{_UNQUOTED}|'[^'\\\n]*')"
MANY = 200  # facts of one name that become a table
VERY_MANY = 50_000  # those that a reader for columns is worth loading for
MOST_NAMES = 100  # of facts that are looked at for that
#: A ground fact with plain arguments, which background files have by the ten thousand.
_FACT = re.compile(rf"([a-z]\w*)\(\s*({_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)\s*\)\s*\.(?=\s|%|\Z)")
#: Any number of such facts, one after the other; what has matched is not tried in another way.
_RUN = r"(?>\s*NAME\(\s*UNQUOTED(?:\s*,\s*UNQUOTED)*+\s*\)\s*\.(?=\s|%|\Z))*+".replace("UNQUOTED", _UNQUOTED)
_SPACE_OR_QUOTE = re.compile(r"[\s']")
_EACH_ARGUMENT = re.compile(_ARGUMENT)
_BETWEEN_PARENTHESES = re.compile(r"\(\s*([^()]*?)\s*\)")
_PIECE = re.compile(
    r"""(?P<blank>\s+|%[^\n]*|/\*.*?\*/)
      | (?P<primed>(?<!\w)[A-Z_]\w*'+)
      | (?P<quoted>'(?:[^'\\\n]|\\.|'')*'|"(?:[^"\\\n]|\\.|"")*")
      | (?P<number>\d+\.\d+|=\.\.)
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


def clauses(
    source: Source, diagnostics: list[Diagnostic], many: int | None = MANY, reader_of: FactReaderOf | None = None
) -> Iterator[Chunk | Fact | FactTable]:
    """The clauses of a text in order; facts of which there are many are tables, at the end. many: None: all in order.

    reader_of: what reads those of which there are very many. What cannot be cut (an unclosed quote, no last full stop)
    is reported.
    """
    text, position = source.text, 0
    runs = _Runs(source, many, reader_of)
    while True:
        blank = _BLANK.match(text, position)
        position = blank.end() if blank else position
        if position >= len(text):
            break
        fact = _FACT.match(text, position)
        if fact:
            if runs.takes(fact):
                position = runs.add(fact)
            else:
                position = fact.end()
                yield Fact(_fact(fact, source))
        else:
            chunk, position = _chunk(source, position, diagnostics)
            yield chunk
    yield from runs.tables()


class _Runs:
    """The facts of names that a text has many of: only what is between their parentheses, until the text is read."""

    def __init__(self, source: Source, many: int | None, reader_of: FactReaderOf | None) -> None:
        self._source = source
        self._many = many
        self._reader_of = reader_of
        self._reader: FactReader | None = None
        self._read_as_columns: set[str] = set()
        self._facts: dict[str, list[str] | None] = {}  # None: of a name with few
        self._places: dict[str, Place] = {}
        self._following: dict[str, re.Pattern[str]] = {}

    def takes(self, match: re.Match[str]) -> bool:
        """Whether there are many facts of that name."""
        name = match.group(1)
        if name not in self._facts:
            # A file may have thousands of names: not each is worth a look through all of it.
            is_looked_at = self._many is not None and len(self._facts) < MOST_NAMES
            count = self._count(name) if is_looked_at else 0
            self._facts[name] = [] if is_looked_at and count >= (self._many or 0) else None
            self._places[name] = self._source.place(match.start(), match.end() - 1)
            if self._facts[name] is not None and count >= VERY_MANY:
                self._expect(name)
        return self._facts[name] is not None

    def _expect(self, name: str) -> None:
        """Leaves the facts of a name to a reader for columns, if there is one."""
        if self._reader is None and self._reader_of is not None:
            self._reader = self._reader_of(self._source)
        if self._reader is not None:
            self._reader.expect(name, self._places[name])
            self._read_as_columns.add(name)

    def add(self, match: re.Match[str]) -> int:
        """Adds a fact, and those that follow; gives where they end."""
        name, arguments = match.groups()
        if name in self._read_as_columns and self._reader is not None:
            end = self._reader.read(match.start())
            if end > match.start():
                return end
        run = self._facts[name]
        assert run is not None  # there are many
        run.append(arguments)
        return match.end() if name in self._read_as_columns else self._add_following(name, run, match.end())

    def _add_following(self, name: str, run: list[str], position: int) -> int:
        """The facts of the same name that follow without a quote or a comment, all at once; gives where they end."""
        if name not in self._following:
            self._following[name] = re.compile(_RUN.replace("NAME", name))
        following = self._following[name].match(self._source.text, position)
        assert following is not None  # it may be empty
        run += _BETWEEN_PARENTHESES.findall(following.group())
        return following.end()

    def _count(self, name: str) -> int:
        """How many facts there are at most."""
        return self._source.text.count(f"{name}(")

    def tables(self) -> Iterator[FactTable]:
        if self._reader is not None:
            yield from self._reader.tables()
        for name, run in self._facts.items():
            yield from (text_columns(name, columns, self._places[name]) for columns in _columns(run or []))


def _columns(run: list[str]) -> Iterator[list[tuple[str, ...]]]:
    """The arguments of facts, for each number of arguments that there is."""
    whole = "(".join(run)
    if _SPACE_OR_QUOTE.search(whole):
        by_arity: dict[int, list[list[str]]] = defaultdict(list)
        for row in map(_EACH_ARGUMENT.findall, run):
            by_arity[len(row)].append(row)
        yield from (list(zip(*rows, strict=True)) for rows in by_arity.values())
        return
    by_commas: dict[int, list[str]] = defaultdict(list)
    for arguments in run:
        by_commas[arguments.count(",")].append(arguments)
    for commas, facts in by_commas.items():
        terms = ",".join(facts).split(",")
        yield [tuple(terms[position :: commas + 1]) for position in range(commas + 1)]


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
    """The clause that begins at start, and where the next may begin. An empty one if a quote in it never ends."""
    text, position, last, whole = source.text, start, start, True
    while position < len(text):
        piece = _PIECE.match(text, position)
        assert piece is not None  # the last alternative matches any character
        if piece.lastgroup == "end":
            return Chunk(start, position if whole else start), piece.end()
        if piece.lastgroup == "unclosed":
            position, ended = _unclosed(source, position, diagnostics)
            whole = False
            if ended:
                return Chunk(start, start), position
            continue
        position = piece.end()
        if piece.lastgroup != "blank":
            last = position
    if not whole:
        return Chunk(start, start), len(text)
    hint = "end the clause with a full stop"
    diagnostics.append(
        source.error("full-stop", "the last clause has no full stop", source.place(last, last + 1), hint)
    )
    return Chunk(start, last), len(text)


def _unclosed(source: Source, position: int, diagnostics: list[Diagnostic]) -> tuple[int, bool]:
    """Return where to read on, and whether the clause is over: nobody knows where the quote should have ended.

    Leaves out the rest of the line, or of the file for a comment.
    """
    text = source.text
    if text.startswith("/*", position):
        place = source.place(position, position + 2)
        diagnostics.append(source.error("unclosed", "a comment that never ends", place, "close it with */"))
        return len(text), True
    quote = text[position]
    hint = f"close it with {quote} on the same line; a quote inside is written twice: 'it''s'"
    what = "atom" if quote == "'" else "string"
    diagnostics.append(
        source.error("unclosed", f"a quoted {what} that never ends", source.place(position, position + 1), hint)
    )
    newline = text.find("\n", position)
    line_end = newline if newline >= 0 else len(text)
    return line_end, text[position:line_end].rstrip().endswith(".")
