"""Text for people that does nothing to their terminal: rule files, file names and data may come from anyone."""

from __future__ import annotations


def printable(text: str) -> str:
    """Write control and direction characters as escapes, such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def count_text(number: int, noun: str, nouns: str = "") -> str:
    """`1 row`, `2,000 rows`. nouns: more of them, if an s is not enough."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def printable_lines(text: str) -> str:
    """Do the same for text of several lines: their ends, and tabs, stay."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
