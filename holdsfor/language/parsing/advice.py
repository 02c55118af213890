"""Advice about a clause that the grammar refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: What is not to be looked into: quoted names and comments.
SKIPPED = re.compile(r"""'(?:[^'\\\n]|\\.|'')*'|"(?:[^"\\\n]|\\.|"")*"|%[^\n]*|/\*.*?\*/""", re.S)


@dataclass(frozen=True, slots=True)
class Advice:
    """A mistake between two offsets of a clause.

    If two clauses ran together, the first ends at `cut` and the second begins at `split`.
    """

    code: str
    message: str
    hint: str
    start: int
    end: int
    construct: str | None = None
    cut: int = 0
    split: int | None = None
