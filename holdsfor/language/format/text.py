"""Rule text as the formatter sees it: its comments, and what is left without them."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from holdsfor.language.diagnostics import Source
from holdsfor.language.parsing.pattern_mistakes import SKIPPED
from holdsfor.language.terms import Place

_NOT_NEWLINE = re.compile(r"[^\n]")
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comment:
    start: int
    end: int
    text: str

    @property
    def one_line(self) -> bool:
        """May something follow it on its line?"""
        return self.text[0] == "/" and "\n" not in self.text


@dataclass(slots=True)
class Around:
    """The comments that belong to one item of a list, and the empty lines that stand before them and before it."""

    own: list[tuple[bool, str]] = field(default_factory=list)  # on lines of their own, before it
    inline: list[str] = field(default_factory=list)  # before it, on its line
    after: list[str] = field(default_factory=list)  # behind it, before its comma
    trailing: list[str] = field(default_factory=list)  # at the end of its line
    blank: bool = False

    @property
    def breaks(self) -> bool:
        """Do the comments need lines of their own, or end one?"""
        return bool(self.own or self.trailing)


class Text:
    """masked: the text with comments blanked out and quoted names made harmless, every character in its place."""

    def __init__(self, source: Source) -> None:
        self.text = source.text
        self.comments: list[Comment] = []
        self.masked = SKIPPED.sub(self._mask, source.text)
        self._places = [comment.start for comment in self.comments]
        self._lines = [0, *(match.end() for match in re.finditer("\n", source.text))]

    def _mask(self, match: re.Match[str]) -> str:
        if match[0][0] in "'\"":
            return "q" * len(match[0])
        self.comments.append(Comment(match.start(), match.end(), match[0].rstrip()))
        return _NOT_NEWLINE.sub(" ", match[0])

    def span(self, place: Place) -> Span:
        """Return the offsets at which a place begins and ends."""
        return self._lines[place.line - 1] + place.column - 1, self._lines[place.end_line - 1] + place.end_column - 1

    def inside(self, start: int, end: int) -> list[Comment]:
        return self.comments[bisect_left(self._places, start) : bisect_left(self._places, end)]

    def blank_line(self, start: int, end: int) -> bool:
        return _EMPTY_LINE.search(self.text, start, end) is not None

    def same_line(self, start: int, end: int) -> bool:
        return "\n" not in self.text[start:end]

    def ends_line(self, comment: Comment) -> bool:
        newline = self.masked.find("\n", comment.start)
        return not self.masked[comment.start : newline if newline >= 0 else None].strip()

    def around(self, spans: list[Span], start: int, end: int) -> tuple[list[Around], list[tuple[bool, str]]]:
        """For each item between start and end the comments that belong to it; and those that come after the last."""
        surroundings = [Around() for _ in spans]
        rest: list[tuple[bool, str]] = []
        edge = start
        for index in range(len(spans) + 1):
            upto = spans[index][0] if index < len(spans) else end
            for comment in self.inside(edge, upto):
                blank = edge > start and self.blank_line(edge, comment.start)
                self._belong(comment, spans, index, surroundings, rest, blank)
                edge = comment.end
            if index < len(spans):
                surroundings[index].blank = edge > start and self.blank_line(edge, upto)
                edge = spans[index][1]
        return surroundings, rest

    def _belong(
        self,
        comment: Comment,
        spans: list[Span],
        index: int,
        surroundings: list[Around],
        rest: list[tuple[bool, str]],
        blank: bool,
    ) -> None:
        """Finds the item for a comment that stands before item `index`; blank: after an empty line."""
        before = spans[index - 1][1] if index else None
        if before is not None and self.same_line(before, comment.start):
            if self.ends_line(comment):
                surroundings[index - 1].trailing.append(comment.text)
                return
            if comment.one_line and not self.masked[before : comment.start].strip():
                surroundings[index - 1].after.append(comment.text)
                return
        if index == len(spans):
            rest.append((blank, comment.text))
            return
        between = self.masked[comment.end : spans[index][0]]
        if comment.one_line and not between.strip() and "\n" not in between:
            surroundings[index].inline.append(comment.text)
        else:
            surroundings[index].own.append((blank, comment.text))
