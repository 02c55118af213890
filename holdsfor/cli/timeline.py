"""`holdsfor timeline`: the results of a run as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from typing import Literal as OneOf

import typer

from holdsfor.cli.console import progress, say
from holdsfor.cli.results import read_results
from holdsfor.errors import HoldsforError


def timeline(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `holdsfor run` wrote, or a stream's tables.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The page; without it, timeline.html in DIR.")] = None,
    title: Annotated[str, typer.Option(help="What the page is called.")] = "Holdsfor timeline",
    clock: Annotated[
        OneOf["auto", "seconds", "milliseconds", "ticks"], typer.Option(help="How times are shown; auto looks at them.")
    ] = "auto",
) -> None:
    """Draw intervals and occurrences as one self-contained HTML page."""
    from holdsfor.view import timeline as draw

    page = out or folder / "timeline.html"
    results = read_results(folder)
    try:
        with progress("Drawing"):
            draw(results.intervals, results.occurrences, page, title, clock)
    except OSError as error:
        raise HoldsforError(f"cannot write {page}: {error.strerror}. Name another file with --out.") from error
    say(f"Timeline: {page}")
