"""Whether this process is for one run of a command and ends with it: then it saves what only a longer life pays for."""

from __future__ import annotations

_marks: set[str] = set()


def mark_for_one_run() -> None:
    """To be said before anything large is loaded."""
    _marks.add("one run")


def is_for_one_run() -> bool:
    return bool(_marks)
