"""Find the expression in a Python file that is being evaluated, so that a mistake shows its line and a caret."""

from __future__ import annotations

import inspect
import linecache
import os
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import NoReturn

from holdsfor.language.diagnostics import DescriptionError, Source
from holdsfor.language.terms import NOWHERE, Place

_PACKAGE = str(Path(__file__).parent)
#: The files that places name, by the name that is shown.
_FILES: dict[str, str] = {}


def here() -> Place:
    """Return the place of the expression, outside of this package, that is being evaluated."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return NOWHERE if frame is None else _place_of(frame)


def refuse(code: str, message: str, place: Place, hint: str) -> NoReturn:
    """Raise what is wrong with one expression."""
    raise DescriptionError([source_of(place.file).error(code, message, place, hint)])


def source_of(name: str) -> Source:
    """Return the text of a Python file that places name; empty where it is not to be had."""
    return Source(name, "".join(linecache.getlines(_FILES.get(name, name))))


def _place_of(frame: FrameType) -> Place:
    file = frame.f_code.co_filename
    name = _shown(file)
    _FILES[name] = file
    line, end_line, column, end_column = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    line, end_line = line or frame.f_lineno, end_line or line or frame.f_lineno
    return Place(name, line, _characters(file, line, column), end_line, _characters(file, end_line, end_column))


def _characters(source_file: str, line: int, bytes_before: int | None) -> int:
    """Return the column, counted in characters from 1, of a byte in a line."""
    text = linecache.getline(source_file, line).encode()
    return len(text[: bytes_before or 0].decode(errors="replace")) + 1 if text else (bytes_before or 0) + 1


def _shown(path: str) -> str:
    """Return the name of a file as a person would write it: from the present folder on if it is inside."""
    inside = os.path.relpath(path) if os.path.isabs(path) else path
    return path if inside.startswith("..") else inside
