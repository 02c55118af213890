"""`holdsfor state`: what a checkpoint or a saved session holds, and whether its files are whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.output.console import say, show

if TYPE_CHECKING:
    from holdsfor.local.state import HeldRows

CHECKPOINT = typer.Argument(metavar="CHECKPOINT", help="A stream's checkpoint.")
FOLDER = typer.Argument(metavar="DIR", help="A stream's checkpoint, or what `session.save` wrote.")
ROWS = typer.Option("--rows", metavar="RELATION", help="Print the rows of one fluent or event, such as gap or gap/1.")
LIMIT = typer.Option(min=1, help="How many rows at most.")
HEADER = ("where", "what for", "relation", "rows", "bytes", "oldest", "newest")

state = typer.Typer(no_args_is_help=True, help="Look at the state of a stream or of a saved session.")


@state.callback()
def _group() -> None:
    """Look at the state of a stream or of a saved session."""


@state.command("show")
def show_state(
    folder: Annotated[str, FOLDER],
    relation: Annotated[str | None, ROWS] = None,
    limit: Annotated[int, LIMIT] = 50,
) -> None:
    """Print what a checkpoint or a saved session holds: rows, bytes and times of each relation, by stage and bucket."""
    from holdsfor.local.state import read_state

    held = read_state(folder)
    if relation is not None:
        _show_rows(relation, held.of_relation(relation), limit)
        return
    cells = [
        (each.place, each.use, each.relation, each.rows, each.size, str(each.oldest), str(each.newest))
        for each in held.holdings
    ]
    show(folder, HEADER, cells)
    fired = "no query time yet" if held.fired is None else f"last query time {held.fired}"
    rows = sum(each.rows for each in held.holdings)
    say(f"{held.kind}, format version {held.version}, {fired}, {rows:,} rows, {held.size:,} bytes on disk")


@state.command("verify")
def verify_state(checkpoint: Annotated[str, CHECKPOINT]) -> None:
    """Check all files of a checkpoint and its tables; say what is damaged, and what of it can be made again."""
    from holdsfor.job.live.state.verify import report_lines, verify_stream

    parts = verify_stream(checkpoint)
    for line in report_lines(parts):
        say(line)
    raise typer.Exit(int(any(part.damages for part in parts)))


def _show_rows(relation: str, holdings: Sequence[HeldRows], limit: int) -> None:
    show(relation, ("where", "what for", "args", "value", "start", "end", "arrival"), islice(_rows(holdings), limit))
    total = sum(each.rows for each in holdings)
    if total > limit:
        say(f"{total:,} rows; the first {limit:,} are shown. --limit shows more.")


def _rows(holdings: Sequence[HeldRows]) -> Iterator[tuple[object, ...]]:
    """Return the rows one after the other, made as they are asked for."""
    from holdsfor.io.events import OPEN

    for holding in holdings:
        for block in holding.blocks:
            for row in range(len(block)):
                about = ", ".join(str(column[row].as_py()) for column in block.args)
                value = "" if block.value is None else block.value[row].as_py()
                end = None if block.end is None else int(block.end[row])
                shown = "" if end is None else "open" if end == OPEN else str(end)
                times = (str(block.start[row]), shown, str(block.arrival[row]))
                yield holding.place, holding.use, about, value, *times
