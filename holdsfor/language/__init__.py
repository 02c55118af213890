"""Rule text to a checked event description, or to diagnostics that say what is wrong and what to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from holdsfor.errors import HoldsforError
from holdsfor.functions import Function
from holdsfor.language.check import check
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Source
from holdsfor.language.facts import FactTable
from holdsfor.language.loading import read_source

__all__ = ["DescriptionError", "Diagnostic", "EventDescription", "Rules", "as_description", "load", "parse"]

#: Checked rules, or the rule file that has them.
Rules: TypeAlias = EventDescription | str | Path


def load(
    *paths: str | Path,
    tables: Iterable[FactTable] = (),
    allow: Iterable[str | Path] = (),
    functions: Mapping[str, Function] | None = None,
) -> EventDescription:
    """The event description in one or more rule files; raises DescriptionError with `.diagnostics`.

    tables: background facts besides. allow: folders of files that they may name, besides their own. functions: those
    that rules may use in aggregates, by name.
    """
    files = [read_source(Path(path)) for path in paths]
    return check(files, [Path(folder) for folder in allow], functions, tables)


def parse(
    *texts: str, tables: Iterable[FactTable] = (), functions: Mapping[str, Function] | None = None
) -> EventDescription:
    """The event description in one or more texts; raises DescriptionError with `.diagnostics`.

    tables: background facts besides. functions: as `load` takes them.
    """
    sources = [Source(_name(number, len(texts)), text) for number, text in enumerate(texts, 1)]
    return check(sources, functions=functions, tables=tables)


def as_description(rules: Rules) -> EventDescription:
    """The rules, loaded if they are the path of a rule file."""
    if isinstance(rules, EventDescription):
        return rules
    if not isinstance(rules, str | Path):
        raise HoldsforError(f"rules are an event description or the path of a rule file, not {type(rules).__name__}.")
    if isinstance(rules, str) and ("\n" in rules or ":-" in rules):
        raise HoldsforError("these rules are text, where a path is expected: write holdsfor.parse(text).")
    return load(rules)


def _name(number: int, count: int) -> str:
    return "<text>" if count == 1 else f"<text {number}>"
