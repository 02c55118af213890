"""`holdsfor progress`: where patterns stand: what has occurred, what is awaited, and until when."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.commands.run import EVENTS, FACTS, FORMAT, FUNCTIONS, MAPPING, START, load_rules
from holdsfor.cli.output.console import say, show
from holdsfor.io import EventFormat

AT = typer.Option("--at", help="At which tick; the end of the events if not given.")
CHECKPOINT = typer.Option(help="Instead of events: the folder of a stream's checkpoint, or of a saved session.")
MOST = typer.Option("--most", help="How many partial matches are shown, those that end soonest first.")


def progress(
    rules: Annotated[list[Path], typer.Argument(metavar="RULES", help="Rule files, background knowledge included.")],
    events: Annotated[list[str] | None, EVENTS] = None,
    checkpoint: Annotated[str | None, CHECKPOINT] = None,
    at: Annotated[int | None, AT] = None,
    start: Annotated[int | None, START] = None,
    format: Annotated[EventFormat | None, FORMAT] = None,
    mapping: Annotated[Path | None, MAPPING] = None,
    facts: Annotated[list[str] | None, FACTS] = None,
    functions: Annotated[Path | None, FUNCTIONS] = None,
    most: Annotated[int, MOST] = 50,
) -> None:
    """Shows the partial matches of patterns: which parts have occurred, what they wait for, and until when."""
    import holdsfor

    description = load_rules(rules, facts, None, functions)
    source = holdsfor.read_events(events, format=format, mapping=mapping) if events else None
    table = holdsfor.progress(description, source, checkpoint=checkpoint, start=start, end=at)
    rows = sorted(table.to_pylist(), key=lambda row: (row["until"] is None, row["until"]))
    shown = [
        (
            row["event"],
            ", ".join(f"{name}={value}" for name, value in row["bindings"]),
            f"{row['start']}..{row['end']}",
            row["matched"],
            row["awaited"],
            "for ever" if row["until"] is None else row["until"],
        )
        for row in rows[:most]
    ]
    show("partial matches", ("event", "for", "since", "has occurred", "awaited", "until"), shown)
    if len(rows) > most:
        say(f"and {len(rows) - most} more")
