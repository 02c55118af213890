"""Fenced blocks of a text: what stands between lines of three backticks, with the heading above it.

Lines of three tildes fence a block in which others stand, as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^(```|~~~)(\w*)[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_SETTINGS = re.compile(r"\A%((?:[ \t]+\w+=\S+)+)[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A block: its kind, its text, the line in which its fence stands, and the last heading before it."""

    kind: str
    text: str
    line: int
    heading: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """Return what a first line such as `% window=20 step=10` says."""
        first = _SETTINGS.match(self.text)
        return dict(re.findall(r"(\w+)=(\S+)", first[1])) if first else {}

    @property
    def body(self) -> str:
        """Return the text without that line."""
        return _SETTINGS.sub("", self.text, count=1)


def find_blocks(text: str) -> Iterator[FencedBlock]:
    """Iterate over the blocks of a text. A heading inside of a block is none."""
    heading, end = "", 0
    for fence in _FENCE.finditer(text):
        headings = _HEADING.findall(text, end, fence.start())
        heading, end = headings[-1].strip() if headings else heading, fence.end()
        yield FencedBlock(fence[2], fence[3], text.count("\n", 0, fence.start()) + 1, heading)
