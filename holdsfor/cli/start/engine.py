"""Which engine a run takes, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Literal as OneOf

if TYPE_CHECKING:
    from holdsfor.io.readers.read import EventSource

Engine = OneOf["auto", "spark", "local"]
#: Up to so many bytes one process is done before Spark has started and shared them out. Some files are packed.
MOST_BYTES, PACKED = 512 << 20, 4


@dataclass(frozen=True, slots=True)
class Choice:
    on_spark: bool
    reason: str


def choose_engine(wanted: Engine, source: EventSource, needs_spark: str | None, needs_process: str | None) -> Choice:
    """needs_spark, needs_process: the option that only Spark, or only one process, can do."""
    if wanted != "auto":
        return Choice(wanted == "spark", f"--engine {wanted}")
    if needs_spark or needs_process:
        return Choice(needs_spark is not None, f"{needs_spark or needs_process}")
    size = sum(path.stat().st_size for path in source.paths)
    weight = sum(path.stat().st_size * _packing(path) for path in source.paths)
    files = f"{len(source.paths)} file{'s' if len(source.paths) != 1 else ''}, {_shown(size)}"
    if weight <= MOST_BYTES:
        return Choice(False, f"{files} of events fit in one process; --engine spark takes Spark")
    return Choice(True, f"{files} of events are more than one process should take; --engine local takes one")


def _packing(path: Path) -> int:
    from holdsfor.io.readers.formats import recognise_format

    form = recognise_format(path)
    return PACKED if ".gz" in path.suffixes or (form is not None and form.is_packed) else 1


def _shown(size: int) -> str:
    for unit in ("bytes", "kB"):
        if size < 1000:
            return f"{size} {unit}"
        size //= 1000
    return f"{size:,} MB"
