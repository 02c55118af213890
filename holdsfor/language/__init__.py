"""Turn rule text into a checked event description, or into diagnostics that say what is wrong and what to write.

`parsing` cuts text into clauses, `reading` turns clauses into rules, `passes` check them, `format` lays them out.
Every term knows its place in the text, so that every diagnostic shows line and caret.

A name that a file has 200 times or more is a table of facts: columns that passes ask a few questions, and never walk.
From 50,000 facts on a kernel reads them. What results leave out (internal definitions, what `only` does not name,
single values) is one set, `unreported`: all else evaluates them as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.functions import Function
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Source
from holdsfor.language.facts import FactReaderOf, FactTable
from holdsfor.language.patterns import Policy

if TYPE_CHECKING:
    from holdsfor.language.check import RefusalsOf
    from holdsfor.language.reading.prefixes import TripleFactsOf

__all__ = ["DescriptionError", "Diagnostic", "EventDescription", "load", "parse"]


def load(
    *paths: str | Path,
    tables: Iterable[FactTable] = (),
    allow: Iterable[str | Path] = (),
    functions: Mapping[str, Function] | None = None,
    refusals_of: RefusalsOf | None = None,
    reader_of: FactReaderOf | None = None,
    knowledge_of: TripleFactsOf | None = None,
    policy: Policy = "unrestricted",
    changing: Mapping[Signature, tuple[int, ...]] | None = None,
) -> EventDescription:
    """The event description in one or more rule files; raises DescriptionError with `.diagnostics`.

    tables: background facts besides. allow: folders of files that they may name, besides their own. functions: those
    that rules may use in aggregates, by name. policy: of pattern rules whose file sets none before them. refusals_of,
    reader_of, knowledge_of, changing: as `check` takes them.
    """
    from holdsfor.language.check import check  # when there are rules to read: evaluating them needs no parser
    from holdsfor.language.parsing.files import read_source

    files = [read_source(Path(path)) for path in paths]
    folders = [Path(folder) for folder in allow]
    return check(
        files, folders, functions, tables, refusals_of, reader_of, policy, knowledge_of=knowledge_of, changing=changing
    )


def parse(
    *texts: str,
    tables: Iterable[FactTable] = (),
    functions: Mapping[str, Function] | None = None,
    refusals_of: RefusalsOf | None = None,
    reader_of: FactReaderOf | None = None,
    knowledge: Iterable[str | Path] = (),
    knowledge_of: TripleFactsOf | None = None,
    policy: Policy = "unrestricted",
    changing: Mapping[Signature, tuple[int, ...]] | None = None,
) -> EventDescription:
    """The event description in one or more texts; raises DescriptionError with `.diagnostics`.

    tables: background facts besides. knowledge: triples as Turtle, or their files. The others: as `load` takes them.
    """
    from holdsfor.language.check import check
    from holdsfor.language.parsing.files import read_source

    sources = [Source(_name(number, len(texts)), text) for number, text in enumerate(texts, 1)]
    for number, triples in enumerate(knowledge, 1):
        of_text = isinstance(triples, str)
        sources.append(Source(f"<knowledge {number}>.ttl", str(triples)) if of_text else read_source(Path(triples)))
    return check(
        sources,
        functions=functions,
        tables=tables,
        refusals_of=refusals_of,
        reader_of=reader_of,
        policy=policy,
        knowledge_of=knowledge_of,
        changing=changing,
    )


def _name(number: int, count: int) -> str:
    return "<text>" if count == 1 else f"<text {number}>"
