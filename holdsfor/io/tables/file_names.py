"""File names for the names of fluents and events: inside their folder, not too long, and no two alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

#: In bytes: with an ending and a process id beside it, every file system takes it.
LONGEST = 120
#: What means something in a path, on a terminal or to a shell, and `%` and `~`, which stand for what has been changed.
_RESERVED = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%~]|^[.]|[. ]$')


def file_names(names: Sequence[str]) -> list[str]:
    """Return a file name for each name; a later one that is equal but for its case gets a number."""
    taken: set[str] = set()
    chosen = []
    for name in names:
        stem, number = _file_name(name), 1
        text = stem
        while _folded(text) in taken:
            number += 1
            text = f"{stem}~{number}"
        taken.add(_folded(text))
        chosen.append(text)
    return chosen


def _file_name(name: str) -> str:
    """Quote as in web addresses what is reserved; cut a long name, which `~` shows."""
    text = _RESERVED.sub(lambda match: f"%{ord(match[0]):02X}", name) or "%"
    encoded = text.encode("utf-8", "replace")
    return text if len(encoded) <= LONGEST else encoded[:LONGEST].decode("utf-8", "ignore") + "~"


def _folded(text: str) -> str:
    """Return what file systems take for the same name."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
