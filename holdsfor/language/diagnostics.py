"""Diagnostics: what is wrong with a rule file, where, and what to write instead."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal as OneOf

from holdsfor.errors import HoldsforError
from holdsfor.language.terms import Place
from holdsfor.printable import printable_lines

_NEWLINE = re.compile("\n")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to put right (error) or to look at (warning).

    construct: for the code `not-yet`, the construct of the language that this version does not have.
    line: the source line that the place points into.
    """

    code: str
    severity: OneOf["error", "warning"]
    message: str
    place: Place
    hint: str = ""
    construct: str | None = None
    line: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return render(self)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data for editors: lines and columns count from 1, `end` is behind the last character."""
        place = self.place
        return {
            "code": self.code,
            "severity": self.severity,
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "end": {"line": place.end_line, "column": place.end_column},
            "message": self.message,
            "hint": self.hint,
        }


def render(diagnostic: Diagnostic) -> str:
    """Four lines for a person: place and message, the source line, a caret, what to write."""
    place = diagnostic.place
    lines = [f"{place}: {diagnostic.severity}: {diagnostic.message} [{diagnostic.code}]"]
    if diagnostic.line:
        number = str(place.line)
        margin = " " * len(number)
        last = place.end_column if place.end_line == place.line else len(diagnostic.line) + 1
        # What stands there is shown as it is printed, with tabs as they are, so that both lines shift alike.
        before = printable_lines(diagnostic.line[: place.column - 1])
        marked = printable_lines(diagnostic.line[place.column - 1 : last - 1])
        indent = "".join("\t" if char == "\t" else " " for char in before)
        lines += [f"  {number} | {diagnostic.line}", f"  {margin} | {indent}{'^' * max(1, len(marked))}"]
    if diagnostic.hint:
        lines.append(f"  help: {diagnostic.hint}")
    return printable_lines("\n".join(lines))


class DescriptionError(HoldsforError):
    """The rule files cannot be used; `diagnostics` has every reason, errors and warnings, in the order of the text."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        errors = sum(diagnostic.severity == "error" for diagnostic in self.diagnostics)
        count = "1 error" if errors == 1 else f"{errors} errors"
        return "\n\n".join([*map(render, self.diagnostics), f"{count} in the event description"])


class Refusal(HoldsforError):
    """A rule that the plan cannot have, although it is well-formed: `plan` makes a diagnostic of it."""

    def __init__(self, code: str, message: str, place: Place, hint: str) -> None:
        super().__init__(printable_lines(f"{place}: error: {message} [{code}]\n  help: {hint}"))
        self.code, self.message, self.place, self.hint = code, message, place, hint

    def __reduce__(self) -> tuple[type[Refusal], tuple[str, str, Place, str]]:
        return Refusal, (self.code, self.message, self.place, self.hint)

    def diagnostic(self, texts: Mapping[str, Source]) -> Diagnostic:
        return error_at(texts, self.code, self.message, self.place, self.hint)


def error_at(texts: Mapping[str, Source], code: str, message: str, place: Place, hint: str) -> Diagnostic:
    """Make an error, with the line that it is about if its text is at hand."""
    return texts.get(place.file, Source(place.file, "")).error(code, message, place, hint)


def sort_diagnostics(diagnostics: Iterable[Diagnostic], files: Iterable[str]) -> list[Diagnostic]:
    """Sort diagnostics as they stand in the text of these files."""
    numbers = {file: number for number, file in enumerate(files)}
    places = {each: (numbers.get(each.place.file, -1), each.place.line, each.place.column) for each in diagnostics}
    return sorted(places, key=places.__getitem__)


@contextmanager
def shown_refusals(texts: Mapping[str, Source]) -> Iterator[None]:
    """Show line and caret also for what is refused only when there are data."""
    try:
        yield
    except Refusal as refusal:
        raise DescriptionError([refusal.diagnostic(texts)]) from None


class Source:
    """The text of one rule file, and the way from offsets to places."""

    def __init__(self, name: str, text: str, path: Path | None = None) -> None:
        """path: of its file, if it is one."""
        self.name = name
        self.text = text
        self.path = path
        self._starts = [0]
        self._starts.extend(end.end() for end in _NEWLINE.finditer(text))

    @property
    def rules(self) -> str:
        """Return the rules in it as rule text."""
        return self.text

    def place(self, start: int, end: int) -> Place:
        line = bisect_right(self._starts, start)
        column = start - self._starts[line - 1] + 1
        if line == len(self._starts) or end < self._starts[line]:
            return Place(self.name, line, column, line, column + end - start)
        end_line = bisect_right(self._starts, end)
        return Place(self.name, line, column, end_line, end - self._starts[end_line - 1] + 1)

    def error(self, code: str, message: str, place: Place, hint: str) -> Diagnostic:
        """Make an error of a place in this text, which shows its line."""
        return Diagnostic(code, "error", message, place, hint, line=self.line(place.line))

    def line(self, number: int) -> str:
        if number > len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")
