"""Output for a person: results on stdout; progress, warnings and errors on stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from holdsfor.cli.output.logs import is_logging
from holdsfor.printable import printable, printable_lines

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE = 2.0  # seconds of silence before a step says that it is at work
LEVELS = {"red": logging.ERROR, "yellow": logging.WARNING, "": logging.INFO}  # of styles
REDRAW = 0.25  # seconds between two looks at how much is done
REPEAT = 30.0  # seconds between further lines where there is no terminal to draw on


def out() -> Console:
    from rich.console import Console

    return Console(file=sys.stdout, soft_wrap=True)


def err() -> Console:
    from rich.console import Console

    return Console(file=sys.stderr, soft_wrap=True)


def say(text: str) -> None:
    out().print(printable_lines(text), markup=False, highlight=False)


def complain(text: str, style: str = "red") -> None:
    """Print an error or a warning as it stands: brackets in it are no markup, and its lines are not folded.

    Where lines on stderr are those of a log, it is one of them.
    """
    if is_logging():
        logging.getLogger(__name__).log(LEVELS[style], "%s", text)
        return
    from rich.text import Text

    err().print(Text(printable_lines(text), style=style))


def warn_of_overflows(times: int) -> None:
    complain(
        f"Arithmetic came to integers of more than 64 bits {times:,} times; these conditions failed. "
        "Use floats (1.0 * X) where numbers get that large.",
        style="yellow",
    )


def show(title: str, columns: Iterable[str], rows: Iterable[tuple[object, ...]], file: TextIO | None = None) -> None:
    """Print a table, or write it to a file; columns of numbers go to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    body = list(rows)
    table = Table(title=Text(printable(title)), title_justify="left")
    for index, column in enumerate(columns):
        numbers = bool(body) and all(isinstance(row[index], int) for row in body)
        table.add_column(column, justify="right" if numbers else "left")
    for row in body:
        table.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else printable(str(cell))) for cell in row))
    # Without a terminal there is no width to fit into: let every row stand on one line.
    place = file or sys.stdout
    console = Console(file=place) if place.isatty() else Console(file=place, width=200)
    console.print(table)


@dataclass(slots=True)
class ProgressStep:
    """A step of work, and how much of it is done, from 0 to 1; None where nobody knows.

    measure: asks for that, where it can be asked.
    """

    doing: str
    share: float | None = None
    measure: Callable[[], float | None] | None = None

    def move(self, doing: str, share: float | None = None) -> None:
        self.doing, self.share = doing, share

    def measured(self) -> float | None:
        return self.share if self.measure is None else self.measure()


@contextmanager
def progress(doing: str, measure: Callable[[], float | None] | None = None) -> Iterator[ProgressStep]:
    """Show that a step is at work: a bar on a terminal, plain lines elsewhere, nothing if it is quick."""
    done, step = Event(), ProgressStep(doing, measure=measure)
    watch = Thread(target=_draw if sys.stderr.isatty() else _tell, args=(step, done), name=doing, daemon=True)
    watch.start()
    try:
        yield step
    finally:
        done.set()
        watch.join()


def _draw(step: ProgressStep, done: Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task("", total=None)
        while True:
            share = step.measured()
            total = None if share is None else 1.0
            bar.update(task, description=escape(printable(step.doing)), total=total, completed=share or 0.0)
            if done.wait(REDRAW):
                return


def _tell(step: ProgressStep, done: Event) -> None:
    begin = monotonic()
    if done.wait(PATIENCE):
        return
    complain(f"{step.doing} ...", style="")
    while not done.wait(REPEAT):
        complain(f"{step.doing} ... {monotonic() - begin:.0f} s", style="")
