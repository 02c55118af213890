"""Text to raw clauses: terms with places, not yet read as rules."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lark import Lark
from lark.exceptions import UnexpectedInput

from holdsfor.duration import TickUnit
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.facts import FactReaderOf, FactTable
from holdsfor.language.parsing.building import Builder, Raw, RawClause, RawDeclaration, RawDirective, Refused
from holdsfor.language.parsing.capitals import DIRECTIVE, lower_events, lower_names
from holdsfor.language.parsing.clauses import MANY, Chunk, Fact, clauses
from holdsfor.language.parsing.mistakes import advise
from holdsfor.language.parsing.patterns import RawPatternRule
from holdsfor.language.terms import Atom, Compound, Place

__all__ = ["Parsed", "Raw", "RawClause", "RawDeclaration", "RawDirective", "RawPatternRule", "names_defined", "parse"]

_NAME = re.compile(r"\b[a-z]\w*")
_HEAD = re.compile(r"\s*([a-z]\w*)(?:\(\s*(?:\w+\([^()]*\)\s*,\s*)?([a-z]\w*))?")


@dataclass(slots=True)
class Parsed:
    """The clauses of one source, what is wrong with the others, and the names those seem to be about.

    sources: the texts that places of the clauses are in, where these are not those of the source itself. unit: how long
    a tick is, as the last directive says. tick_units: the first duration that each such length is for.
    prefixes: those of names that are not in quotes, each where it stands first. has_capital_names: whether names of
    events may begin with capitals from here on.
    """

    raw: list[Raw] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    tables: list[FactTable] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)
    unit: TickUnit = "s"
    tick_units: dict[TickUnit, Place] = field(default_factory=dict)
    prefixes: dict[str, Place] = field(default_factory=dict)
    has_capital_names: bool = False


def parse(source: Source, in_order: bool = False, reader_of: FactReaderOf | None = None) -> Parsed:
    """Every clause of a text; those that cannot be parsed are reported and left out.

    in_order: also facts in great numbers are clauses, in their places, and none are tables. reader_of: what reads facts
    in very great numbers.
    """
    parsed = Parsed()
    if is_etalis_file(source.name):
        tick = Compound("tick", (Atom("us"),))
        parsed.unit = "us"
        parsed.raw.append(RawDirective("", tick, source.place(0, 0)))
    for part in clauses(source, parsed.diagnostics, None if in_order else MANY, reader_of):
        if isinstance(part, Fact):
            parsed.raw.append(RawClause(part.head, None, part.head.place))
        elif isinstance(part, FactTable):
            parsed.tables.append(part)
        else:
            _parse_chunk(source, part, parsed)
    return parsed


def is_etalis_file(name: str) -> bool:
    """Whether a file is one of ETALIS's: its events are a microsecond apart, and its windows in seconds."""
    return Path(name).suffix in (".event", ".P")


def _parse_chunk(source: Source, chunk: Chunk, parsed: Parsed) -> None:
    text = source.text[chunk.start : chunk.end]
    if not text.strip():
        if chunk.end < len(source.text) and source.text[chunk.end] == "." and chunk.end == chunk.start:
            place = source.place(chunk.end, chunk.end + 1)
            parsed.diagnostics.append(source.error("syntax", "a full stop without a clause", place, "remove it"))
        return
    _parse_all(source, chunk, parsed)


def _parse_all(source: Source, chunk: Chunk, parsed: Parsed) -> None:
    """Reads a clause, or several if clauses ran together: none hides what the others say."""
    rest: Chunk | None = chunk
    while rest is not None:
        rest = _parse_first(source, rest, parsed)


def _parse_first(source: Source, chunk: Chunk, parsed: Parsed) -> Chunk | None:
    """Reads a clause; where another seems to begin before its full stop, returns that one."""
    text = source.text[chunk.start : chunk.end]
    text = lower_names(text) if parsed.has_capital_names else text
    try:
        builder = Builder(source, chunk.start, text, parsed.unit)
        raw = builder.clause(_grammar().parse(text))
        if parsed.has_capital_names:
            raw = [lower_events(each) if isinstance(each, RawPatternRule) else each for each in raw]
        parsed.raw.extend(raw)
        parsed.diagnostics.extend(builder.diagnostics)
        for place in builder.durations[:1]:
            parsed.tick_units.setdefault(parsed.unit, place)
        parsed.prefixes = builder.prefixes | parsed.prefixes
        _note_settings(parsed, raw)
        return None
    except UnexpectedInput as error:
        advice = advise(error, text)
    except Refused as error:
        parsed.diagnostics.append(error.diagnostic)
        parsed.damaged.update(_NAME.findall(text))
        return None
    place = source.place(chunk.start + advice.start, chunk.start + advice.end)
    if not any(each.place == place for each in parsed.diagnostics[-1:]):  # the cut before a clause may stand there, too
        parsed.diagnostics.append(source.error(advice.code, advice.message, place, advice.hint))
    if advice.split is None or not 0 < advice.cut <= advice.split:
        parsed.damaged.update(names_defined(text))
        return None
    _parse_all(source, Chunk(chunk.start, chunk.start + advice.cut), parsed)
    return Chunk(chunk.start + advice.split, chunk.end)


def _note_settings(parsed: Parsed, raw: list[Raw]) -> None:
    match raw:
        case [RawDirective(goal=Atom(name=name))] if name == DIRECTIVE:
            parsed.has_capital_names = True
        case [RawDirective(goal=Compound(functor="tick", args=(Atom(name="s" | "ms" | "us" as unit),)))]:
            parsed.unit = unit


def names_defined(text: str) -> set[str]:
    """The predicate that a clause is for, and the fluent or event in it, as far as the text of a broken one says."""
    match = _HEAD.match(text)
    return {name for name in match.groups() if name} if match else set()


@cache
def _grammar() -> Lark:
    """Kept beside the compiled modules, if that folder can be written: to make it takes longer than to read rules."""
    folder = Path(__file__).parent / "__pycache__"
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    return Lark.open_from_package(
        __name__,
        "grammar.lark",
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
        cache=str(folder / "grammar.lark.cache") if os.access(folder, os.W_OK) else False,
    )
