"""Rule files that rule files name: `:- ['facts.pl'].`, `:- consult('facts.pl').` and their like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.language.diagnostics import Source
from holdsfor.language.draft import Draft
from holdsfor.language.syntax import Raw, RawDirective
from holdsfor.language.terms import Atom, Compound, Items, Term, name_and_args
from holdsfor.language.vocabulary import LOADING

ENDINGS = ("", ".prolog", ".pl", ".ec")


def loading(draft: Draft, source: Source, raw: Iterable[Raw], waiting: Iterable[Source]) -> list[Source]:
    """The files that the directives of a source name, relative to its folder; each file is read once."""
    found: list[Source] = []
    for name in _named(raw):
        if source.path is None:
            hint = "give the file itself: holdsfor.load(file, ...)"
            draft.error("file", f"`{name.name}` is not loaded: this text has no folder", name.place, hint)
            continue
        tries = [source.path.parent / f"{name.name}{ending}" for ending in ENDINGS]
        path = next((path for path in tries if path.is_file()), None)
        if path is None:
            hint = f"it is looked for from the folder of {source.name}; correct its name, or remove the line"
            draft.error("file", f"there is no file `{name.name}`", name.place, hint)
            continue
        known = [each.path for each in (*draft.sources.values(), *waiting, *found) if each.path]
        if not any(path.samefile(other) for other in known):
            found.append(read_source(path))
    return found


def read_source(path: Path) -> Source:
    try:
        return Source(str(path), path.read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        raise HoldsforError(f"{path}: there is no such rule file; check the path") from None
    except IsADirectoryError:
        raise HoldsforError(f"{path}: this is a folder; name the rule files in it") from None
    except UnicodeDecodeError as error:
        raise HoldsforError(f"{path}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from None


def _named(raw: Iterable[Raw]) -> Iterator[Atom]:
    """The names of the files; a library of Prolog's (`library(lists)`) is none."""
    for each in raw:
        if isinstance(each, RawDirective):
            if isinstance(each.goal, Items):
                yield from _atoms(each.goal)
            elif isinstance(each.goal, Compound) and each.goal.functor in LOADING:
                yield from _atoms(name_and_args(each.goal)[1][0])


def _atoms(term: Term) -> Iterator[Atom]:
    if isinstance(term, Atom):
        yield term
    elif isinstance(term, Items):
        for item in term.items:
            yield from _atoms(item)
