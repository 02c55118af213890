"""`holdsfor timeline`: the results of a run as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def timeline(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `holdsfor run` wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("timeline.html"),
) -> None:
    """Draw intervals and occurrences as one self-contained HTML page."""
