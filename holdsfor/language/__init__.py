"""Rule text to a checked event description, or to diagnostics that say what is wrong and what to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from holdsfor.language.check import check
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Source
from holdsfor.language.loading import read_source

__all__ = ["DescriptionError", "Diagnostic", "EventDescription", "load", "parse"]


def load(
    *paths: str | Path, texts: Mapping[str, str] | None = None, allow: Iterable[str | Path] = ()
) -> EventDescription:
    """The event description in one or more rule files; raises DescriptionError with `.diagnostics`.

    texts: more of it, by the name that messages shall give them. allow: folders of files that they may name, besides
    their own.
    """
    files = [read_source(Path(path)) for path in paths]
    more = (Source(name, text) for name, text in (texts or {}).items())
    return check([*files, *more], [Path(folder) for folder in allow])


def parse(*texts: str) -> EventDescription:
    """The event description in one or more texts; raises DescriptionError with `.diagnostics`."""
    return check([Source(_name(number, len(texts)), text) for number, text in enumerate(texts, 1)])


def _name(number: int, count: int) -> str:
    return "<text>" if count == 1 else f"<text {number}>"
