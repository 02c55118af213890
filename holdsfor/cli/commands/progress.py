"""`holdsfor progress`: where patterns stand: what has occurred, what is awaited, and until when."""

from __future__ import annotations

from typing import Annotated

import typer

from holdsfor.cli.commands.options import (
    Events,
    Facts,
    Format,
    Functions,
    Mapping,
    RuleFiles,
    input_option,
    time_option,
)
from holdsfor.cli.output.console import say, show
from holdsfor.cli.start.reading import load_rules

CHECKPOINT = input_option(
    metavar="DIR", help="Instead of events: the folder of a stream's checkpoint, or of a saved session."
)
START = time_option(metavar="TIME", help="The history begins after it: a tick, or 2026-03-01T08:00.")
END = time_option(metavar="TIME", help="When; the end of the events if not given.")
LIMIT = typer.Option(min=1, metavar="NUMBER", help="How many partial matches are shown, those that end soonest first.")


def progress(
    rules: RuleFiles,
    events: Events = None,
    checkpoint: Annotated[str | None, CHECKPOINT] = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    format: Format = None,
    mapping: Mapping = None,
    facts: Facts = None,
    functions: Functions = None,
    limit: Annotated[int, LIMIT] = 50,
) -> None:
    """Show the partial matches of patterns: which parts have occurred, what they wait for, and until when."""
    import holdsfor

    description = load_rules(rules, facts, None, functions, mapping=mapping)
    source = holdsfor.read_events(events, format=format, mapping=mapping) if events else None
    table = holdsfor.progress(description, source, checkpoint=checkpoint, start=start, end=end)
    rows = sorted(table.to_pylist(), key=lambda row: (row["until"] is None, row["until"]))
    shown = [
        (
            row["event"],
            ", ".join(f"{name}={value}" for name, value in row["bindings"]),
            row["start"],
            row["end"],
            row["matched"],
            row["awaited"],
            "for ever" if row["until"] is None else row["until"],
            f"{row['share']:.0%}",
        )
        for row in rows[:limit]
    ]
    show("partial matches", ("event", "bindings", "start", "end", "matched", "awaited", "until", "share"), shown)
    if len(rows) > limit:
        say(f"and {len(rows) - limit} more")
