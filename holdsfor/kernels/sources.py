"""Which files the code of a kernel is made of: its own, and those of the kernels that it calls.

Numba looks at the first alone. If a kernel in another file changes, what was compiled with it must not be used again.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

IMPORT = re.compile(r"^from holdsfor\.kernels\.(\w+) import", re.MULTILINE)


@cache
def find_sources(path: str) -> tuple[Path, ...]:
    """A file of kernels, and those that it imports from, however far; none where it is no file, as in an archive."""
    sources: set[Path] = set()
    waiting = [Path(path)]
    while waiting:
        source = waiting.pop()
        if source not in sources and source.is_file():
            sources.add(source)
            waiting += [source.with_name(f"{name}.py") for name in IMPORT.findall(source.read_text("utf-8"))]
    return tuple(sorted(sources))
