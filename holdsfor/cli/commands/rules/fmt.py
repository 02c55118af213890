"""`holdsfor fmt`: rule files in one readable layout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.output.console import complain, say
from holdsfor.errors import HoldsforError
from holdsfor.printable import printable_lines


def fmt(
    files: Annotated[list[Path], typer.Argument(metavar="FILES", help="Rule files; they are changed in place.")],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; say which files would change, with exit code 1 if any.")
    ] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the formatted text; leave the files alone.")] = False,
) -> None:
    """Lay out rule files evenly. Their meaning and their comments stay; a file with syntax errors is left alone."""
    if check and stdout:
        raise typer.BadParameter("--check and --stdout do not go together: take one of them")
    changed = refused = 0
    for path in files:
        try:
            text, made = _formatted(path)
        except HoldsforError as error:
            complain(f"{error}\n")
            refused += 1
            continue
        changed += text != made
        if stdout:
            sys.stdout.write(printable_lines(made) if sys.stdout.isatty() else made)
        elif text != made:
            say(f"{path}: would change" if check else f"{path}: formatted")
            if not check:
                _save(path, made)
    if not stdout:
        say(_summary(len(files), changed, refused, check))
    if refused or (check and changed):
        raise typer.Exit(1)


def _formatted(path: Path) -> tuple[str, str]:
    """Return the text of a file and its new layout; line ends stay as they are."""
    from holdsfor.language.diagnostics import Source
    from holdsfor.language.format.write import formatted

    text = _text(path)
    ends = "\r\n" if "\r\n" in text else "\n"
    made = formatted(Source(str(path), text.replace("\r\n", "\n")))
    return text, made.replace("\n", ends)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise HoldsforError(f"{path}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from None
    except OSError as error:
        raise HoldsforError(f"cannot read {path}: {error.strerror}. Name rule files that exist.") from None


def _save(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise HoldsforError(f"cannot write {path}: {error.strerror}. Print it instead, with --stdout.") from error


def _summary(files: int, changed: int, refused: int, check: bool) -> str:
    parts = [f"{changed} {'would change' if check else 'formatted'}", f"{files - changed - refused} as they were"]
    if refused:
        parts.append(f"{refused} left alone because of errors")
    return f"{files} file{'' if files == 1 else 's'}: {', '.join(parts)}"
