"""`holdsfor timeline`: the results of a run as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from typing import Literal as OneOf

import typer

from holdsfor.cli.console import progress, say
from holdsfor.errors import HoldsforError

if TYPE_CHECKING:
    import pyarrow as pa


def timeline(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `holdsfor run` wrote.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The page; without it, timeline.html in DIR.")] = None,
    title: Annotated[str, typer.Option(help="What the page is called.")] = "Holdsfor timeline",
    clock: Annotated[
        OneOf["auto", "seconds", "milliseconds", "ticks"], typer.Option(help="How times are shown; auto looks at them.")
    ] = "auto",
) -> None:
    """Draw intervals and occurrences as one self-contained HTML page."""
    from holdsfor.view import timeline as draw

    page = out or folder / "timeline.html"
    intervals, occurrences = _table(folder, "intervals"), _table(folder, "occurrences")
    try:
        with progress("Drawing"):
            draw(intervals, occurrences, page, title, clock)
    except OSError as error:
        raise HoldsforError(f"cannot write {page}: {error.strerror}. Name another file with --out.") from error
    say(f"Timeline: {page}")


def _table(folder: Path, name: str) -> pa.Table:
    import pyarrow.parquet as pq

    path = folder / f"{name}.parquet"
    if not path.exists():
        other = (
            f" There is {name}.csv: run again with --output-format parquet."
            if path.with_suffix(".csv").exists()
            else ""
        )
        raise HoldsforError(f"{path} is not there. Name a folder that `holdsfor run` wrote.{other}")
    try:
        return pq.read_table(path)
    except (OSError, ValueError) as error:
        raise HoldsforError(
            f"{path} is not a Parquet file that can be read: {error}. Run again to replace it."
        ) from error
