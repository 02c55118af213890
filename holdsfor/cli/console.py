"""What a person sees: results on stdout; progress, warnings and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from holdsfor.printable import printable, printable_lines

PATIENCE = 2.0  # seconds of silence before a step says that it is at work
REPEAT = 30.0  # seconds between further lines where there is no terminal to draw on


def out() -> Console:
    return Console(file=sys.stdout, soft_wrap=True)


def err() -> Console:
    return Console(file=sys.stderr, soft_wrap=True)


def say(text: str) -> None:
    out().print(printable_lines(text), markup=False, highlight=False)


def complain(text: str, style: str = "red") -> None:
    """An error or a warning, as it stands: brackets in it are no markup, and its lines are not folded."""
    err().print(Text(printable_lines(text), style=style))


def show(title: str, columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> None:
    """A table on stdout; columns of numbers go to the right."""
    body = list(rows)
    table = Table(title=Text(printable(title)), title_justify="left")
    for index, column in enumerate(columns):
        numbers = bool(body) and all(isinstance(row[index], int) for row in body)
        table.add_column(column, justify="right" if numbers else "left")
    for row in body:
        table.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else printable(str(cell))) for cell in row))
    # Without a terminal there is no width to fit into: let every row stand on one line.
    console = Console(file=sys.stdout) if sys.stdout.isatty() else Console(file=sys.stdout, width=200)
    console.print(table)


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show that a step is at work: a line that moves on a terminal, plain lines elsewhere, nothing if it is quick."""
    done = Event()
    watch = Thread(target=_draw if sys.stderr.isatty() else _tell, args=(doing, done), name=doing, daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


def _draw(doing: str, done: Event) -> None:
    if done.wait(PATIENCE):
        return
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=err(), transient=True
    )
    with bar:
        bar.add_task(escape(printable(doing)), total=None)
        done.wait()


def _tell(doing: str, done: Event) -> None:
    begin = monotonic()
    if done.wait(PATIENCE):
        return
    complain(f"{doing} ...", style="")
    while not done.wait(REPEAT):
        complain(f"{doing} ... {monotonic() - begin:.0f} s", style="")
