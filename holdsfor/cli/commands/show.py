"""`holdsfor show`: results on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdsfor.cli.output.console import say, show
from holdsfor.cli.output.findings import HEADER, finding_cells, length_text, summarise, with_unfound
from holdsfor.cli.output.results import Results, read_results
from holdsfor.duration import PER_SECOND
from holdsfor.errors import HoldsforError
from holdsfor.io.clock import Clock, clock_text
from holdsfor.io.readers.mapping import did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = typer.Argument(metavar="DIR", help="What `holdsfor run` wrote, or a stream's tables.")
NAME = typer.Argument(metavar="NAME", help="A fluent or an event; without one, how much there is of each.")
ENTITY = typer.Option(metavar="ENTITY", help="Only what is about it, by its exact name; may be given several times.")
SINCE = typer.Option("--since", metavar="TIME", help="Only what ends later, or is open: a tick, or 2026-03-01T08:00.")
UNTIL = typer.Option("--until", metavar="TIME", help="Only what begins before.")
LIMIT = typer.Option(min=1, help="How many rows of a table at most.")
ALL = typer.Option("--all", help="Every interval and occurrence, in the order of time.")
TIMES = ("start", "end", "duration")


def show_results(
    folder: Annotated[Path, FOLDER],
    name: Annotated[str | None, NAME] = None,
    entity: Annotated[list[str] | None, ENTITY] = None,
    since: Annotated[str | None, SINCE] = None,
    until: Annotated[str | None, UNTIL] = None,
    limit: Annotated[int, LIMIT] = 50,
    everything: Annotated[bool, ALL] = False,
) -> None:
    """Print what was recognised: how much of each fluent and event, the intervals of one, or all of them."""
    if name is not None and everything:
        raise typer.BadParameter(f"--all shows every fluent and event, {name} only one: take one of them.")
    results = read_results(folder)
    clock = results.clock
    span = (_read_time("--since", since, clock), _read_time("--until", until, clock))
    _check_entities(results, entity or [])
    tables = [_narrow(table, entity or [], *span) for table in (results.intervals, results.occurrences)]
    if everything:
        for table in tables:
            _show_rows(table, limit, clock)
    elif name is None:
        findings = [finding for table in tables for finding in summarise(table)]
        unfound = sorted({*results.defined} - results.names())
        show(str(folder), HEADER, finding_cells(with_unfound(findings, unfound), clock))
    elif name in {*results.defined} - results.names():
        say(f"{name}: defined, found nothing")
    else:
        _show_rows(_named(tables[_which(results, name)], name), limit, clock, name)


def _show_rows(table: pa.Table, limit: int, clock: Clock, name: str | None = None) -> None:
    """Show the rows of one fluent or event; without a name each row says of which."""
    rows = table.sort_by("start")
    kind = "fluent" if "value" in rows.column_names else "event"
    header = (*([kind] if name is None else []), "args", *(["value"] if kind == "fluent" else []), *TIMES)
    show(name or f"{kind}s", header, _cells(rows.slice(0, limit).to_pylist(), clock, kind if name is None else None))
    if rows.num_rows > limit:
        say(f"{rows.num_rows:,} rows; the first {limit:,} are shown. --limit shows more, --entity and --since fewer.")


def _check_entities(results: Results, entities: Sequence[str]) -> None:
    """Refuse an entity of which nothing was recognised: it is probably misspelt."""
    import pyarrow.compute as pc

    for entity in entities:
        if not any(pc.any(_mentions(table, entity)).as_py() for table in (results.intervals, results.occurrences)):
            columns = [pc.list_flatten(table["args"]).unique() for table in (results.intervals, results.occurrences)]
            entities_of_rows = sorted({name for column in columns for name in column.to_pylist()})
            raise HoldsforError(f"nothing was recognised of {entity!r}.{did_you_mean(entity, entities_of_rows)}")


def _which(results: Results, name: str) -> int:
    """Tell whether a name is among the intervals (0) or the occurrences (1)."""
    for number, column in enumerate((results.intervals["fluent"], results.occurrences["event"])):
        if name in column.unique().to_pylist():
            return number
    everything = sorted({*results.names(), *results.defined})
    hint = did_you_mean(name, everything, 0.6) or f" There is {', '.join(everything) or 'nothing'}."
    wrong = f"no rule defines {name!r}" if results.defined else f"nothing called {name!r} was recognised"
    raise HoldsforError(f"{wrong}.{hint}")


def _named(table: pa.Table, name: str) -> pa.Table:
    import pyarrow.compute as pc

    return table.filter(pc.equal(table["fluent" if "fluent" in table.column_names else "event"], name))


def _narrow(table: pa.Table, entities: Sequence[str], since: int | None, until: int | None) -> pa.Table:
    """Take the rows about the entities that end after `since`, or are open, and begin before `until`."""
    import pyarrow.compute as pc

    if since is not None:
        after = pc.greater_equal if "event" in table.column_names else pc.greater
        table = table.filter(pc.or_kleene(pc.is_null(table["end"]), after(table["end"], since)))
    if until is not None:
        table = table.filter(pc.less(table["start"], until))
    for entity in entities:
        table = table.filter(_mentions(table, entity))
    return table


def _mentions(table: pa.Table, entity: str) -> pa.Array:
    """Tell for each row whether the entity is among its arguments."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = table["args"].combine_chunks()
    owners = pc.list_parent_indices(lists).filter(pc.equal(pc.list_flatten(lists), entity))
    mask = np.zeros(table.num_rows, np.bool_)
    mask[np.asarray(owners)] = True
    return pa.array(mask)


def _cells(rows: Sequence[dict[str, Any]], clock: Clock, kind: str | None) -> Iterator[tuple[object, ...]]:
    """Return the cells of each row. kind: the column that names its fluent or event; None: all are of one."""
    for row in rows:
        of = [row[kind]] if kind else []
        start, end = row["start"], row["end"]
        value = [row["value"]] if "value" in row else []
        times = [clock_text(start, clock), "open" if end is None else clock_text(end, clock)]
        duration = "" if end is None else length_text(end - start, clock)
        yield *of, ", ".join(row["args"]), *value, *times, duration


def _read_time(option: str, text: str | None, clock: Clock) -> int | None:
    """Read a tick, or an ISO time where the results have times."""
    if text is None:
        return None
    if text.removeprefix("-").isdecimal():
        return int(text)
    if clock == "ticks":
        raise HoldsforError(f"{option} {text}: these results have ticks, not dates. Give a number.")
    try:
        stamp = datetime.fromisoformat(text)
    except ValueError:
        raise HoldsforError(f"{option} {text} is not a time. Write 2026-03-01T08:00, or a tick.") from None
    stamp = stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)
    return round(stamp.timestamp() * PER_SECOND[clock])
