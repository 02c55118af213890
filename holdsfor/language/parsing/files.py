"""Rule files that rule files name: `:- ['facts.pl'].`, `:- consult('facts.pl').` and their like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.language.diagnostics import Source
from holdsfor.language.draft import Draft
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import Raw, RawDirective
from holdsfor.language.reading.prefixes import has_triples
from holdsfor.language.terms import Atom, Items, Term
from holdsfor.language.vocabulary import LOADING

#: The program itself, which files compiled by RTEC load.
PROGRAM = "RTEC.prolog"
ENDINGS = ("", ".prolog", ".pl", ".ec")


def allowed_folders(sources: Iterable[Source], allow: Iterable[Path] = ()) -> tuple[Path, ...]:
    """The folders that rule files may name files in: those of the files given, and those allowed besides."""
    own = (source.path.parent for source in sources if source.path is not None)
    return tuple(dict.fromkeys(folder.resolve() for folder in (*own, *allow)))


def loading(
    draft: Draft, source: Source, raw: Iterable[Raw], waiting: Iterable[Source], folders: Iterable[Path]
) -> list[Source]:
    """The files that the directives of a source name, relative to its folder; each file is read once.

    Rules may come from others: outside of the folders nothing is opened, nor is said what is there.
    """
    sources: list[Source] = []
    for name in _named(raw):
        if source.path is None:
            hint = "give the file itself: holdsfor.load(file, ...)"
            draft.error("file", f"`{name.name}` is not loaded: this text has no folder", name.place, hint)
            continue
        tries = [source.path.parent / f"{name.name}{ending}" for ending in ENDINGS]
        if not all(_is_inside(path, folders) for path in tries):
            if tries[0].name == PROGRAM:
                continue
            hint = "give it along with the others, move it there, or allow its folder: --allow-dir DIR"
            message = f"`{name.name}` is not loaded: it is outside the folders of the rule files"
            draft.error("file", message, name.place, hint)
            continue
        path = next((path for path in tries if path.is_file()), None)
        if path is None:
            hint = f"it is looked for from the folder of {source.name}; correct its name, or remove the line"
            draft.error("file", f"there is no file `{name.name}`", name.place, hint)
            continue
        read_paths = [each.path for each in (*draft.texts.sources.values(), *waiting, *sources) if each.path]
        if not any(path.samefile(other) for other in read_paths):
            sources.append(read_source(path))
    return sources


def _is_inside(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a path is inside a folder once links and `..` are followed."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a circle of links, or no name of a file
        return False
    return any(real.is_relative_to(folder) for folder in folders)


def read_source(path: Path) -> Source:
    if "\n" in str(path) or ":-" in str(path):
        raise HoldsforError("these rules are text, where a path is expected: write holdsfor.parse(text).")
    try:
        if has_triples(path.name):
            with path.open("rb"):  # whoever knows its format reads it
                return Source(str(path), "", path)
        return Source(str(path), path.read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        raise HoldsforError(f"{path}: no such rule file; check the path") from None
    except IsADirectoryError:
        raise HoldsforError(f"{path}: this is a folder; name the rule files in it") from None
    except PermissionError:
        raise HoldsforError(f"{path}: this file may not be read; check its permissions") from None
    except UnicodeDecodeError as error:
        raise HoldsforError(f"{path}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from None


def _named(raw: Iterable[Raw]) -> Iterator[Atom]:
    """The names of the files; a library of Prolog's (`library(lists)`) is none."""
    for directive in find_all(raw, RawDirective):
        if isinstance(directive.goal, Items):
            yield from _atoms(directive.goal)
        elif directive.goal.functor in LOADING:
            yield from _atoms(directive.goal.args[0])


def _atoms(term: Term) -> Iterator[Atom]:
    if isinstance(term, Atom):
        yield term
    elif isinstance(term, Items):
        for item in term.items:
            yield from _atoms(item)
