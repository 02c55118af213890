"""Text that does nothing to a terminal: rule files, file names and data may come from anyone."""

from __future__ import annotations


def printable(text: str) -> str:
    """Control and direction characters are written as escapes, such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def printable_lines(text: str) -> str:
    """The same for text of several lines: their ends, and tabs, stay."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
