"""`holdsfor diff`: what a change of rules changes, before anybody switches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.commands.options import (
    SAMPLE_EVERY,
    STEP,
    WINDOW,
    AllowDir,
    Events,
    Facts,
    Format,
    Functions,
    Mapping,
    UnitOfTicks,
    output_option,
    rules_option,
    time_option,
)
from holdsfor.cli.output.console import complain, say, show
from holdsfor.cli.start.reading import load_functions, load_rules, read_pairs

if TYPE_CHECKING:
    from holdsfor.comparison.diff import DefinitionChange, RuleDiff

OLD = typer.Argument(metavar="OLD", help="The rule file as it is.")
NEW = typer.Argument(metavar="NEW", help="The rule file as it shall be; not needed with --sweep.")
BESIDE = rules_option("--beside", metavar="FILE", help="A rule file of both versions; may be given several times.")
SWEEP = rules_option(metavar="VALUES", help="Try values of a number in OLD: 'Celsius > {80..100..5}'.")
START = time_option(metavar="TIME", help="The history begins after it: a tick, or 2026-03-01T08:00.")
END = time_option(metavar="TIME", help="What arrives after it is not read.")
LIMIT = output_option(min=0, metavar="NUMBER", help="How many intervals and occurrences that differ are shown.")


def diff_rules(
    old: Annotated[Path, OLD],
    new: Annotated[Path | None, NEW] = None,
    events: Events = None,
    sweep: Annotated[str | None, SWEEP] = None,
    beside: Annotated[list[Path] | None, BESIDE] = None,
    format: Format = None,
    mapping: Mapping = None,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    window: Annotated[str | None, WINDOW] = None,
    step: Annotated[str | None, STEP] = None,
    sample_every: Annotated[str | None, SAMPLE_EVERY] = None,
    tick_unit: UnitOfTicks = None,
    limit: Annotated[int, LIMIT] = 20,
) -> None:
    """Compare two versions of rules: which definitions change, and with events, what they find more, less and else."""
    import holdsfor

    times = {"window": window, "step": step, "start": start, "end": end, "tick_unit": tick_unit}
    times |= {} if sample_every is None else {"sample_every": sample_every}
    source = holdsfor.read_events(events, format=format, mapping=mapping) if events else None
    if sweep is not None:
        from holdsfor.comparison.sweep import sweep as try_values

        if source is None:
            raise typer.BadParameter("--sweep: event files are needed (--events).")
        tables, registered = read_pairs("--facts", facts or [], "vesselType=types.csv"), load_functions(functions)
        table = try_values(
            old,
            sweep,
            source,
            background=beside or (),
            facts=tables,
            functions=registered,
            **times,  # type: ignore[arg-type]
        )
        rows = [tuple(row.values()) for row in table.to_pylist()]
        show(f"{sweep}", table.column_names, rows)
        return
    if new is None:
        raise typer.BadParameter("NEW: the rule file as it shall be is needed.")
    before, after = (
        load_rules([path, *(beside or ())], facts, allow_dir, functions, mapping=mapping) for path in (old, new)
    )
    _show_diff(holdsfor.diff(before, after, source, **times), limit)  # type: ignore[arg-type]


def _show_diff(outcome: RuleDiff, limit: int) -> None:
    rules = outcome.rules
    for word in ("added", "removed", "changed", "affected", "untouched"):
        names = getattr(rules, word)
        if names:
            say(f"{word + ':':<11}{', '.join(names)}")
    again = len(rules.added) + len(rules.changed) + len(rules.affected)
    say(f"A switch evaluates {again} of {again + len(rules.untouched)} definitions again.")
    if outcome.differences is None:
        return
    rows = [
        (each.name, each.before, each.after, *(each.differences.get(kind, 0) for kind in _KINDS), _rates(each))
        for each in outcome.definitions
    ]
    show("Definitions", ("name", "before", "after", *_KINDS, "per day"), rows)
    differences = outcome.differences.slice(0, limit).to_pylist()
    if differences:
        shown = [
            (row["change"], _about(row), _span(row["start_before"], row["end_before"]), _span(row["start"], row["end"]))
            for row in differences
        ]
        show("Differences", ("change", "about", "before", "after"), shown)
    if len(outcome.differences) > limit:
        say(f"... and {len(outcome.differences) - limit:,} more (--limit)")
    for each in outcome.definitions:
        if each.is_noisy:
            complain(f"{each.name} becomes noisy: {_rates(each)} a day", "yellow")


_KINDS = ("appear", "vanish", "grow", "shrink", "move")


def _rates(definition_change: DefinitionChange) -> str:
    return f"{definition_change.per_day_before:g} -> {definition_change.per_day_after:g}"


def _about(row: dict[str, object]) -> str:
    args = ",".join(map(str, row["args"]))  # type: ignore[call-overload]
    value = "" if row["value"] is None else f"={row['value']}"
    return f"{row['name']}({args}){value}" if args else f"{row['name']}{value}"


def _span(start: int | None, end: int | None) -> str:
    if start is None:
        return ""
    return f"{start} to {'open' if end is None else end}" if end != start else str(start)
