"""`holdsfor run`: the history of a stream, on Spark or in process."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from typing import Literal as OneOf

import typer
from typer.core import TyperCommand

from holdsfor.cli.output.console import complain, show
from holdsfor.cli.start.rtec_defaults import split
from holdsfor.duration import TickUnit, ticks
from holdsfor.errors import HoldsforError
from holdsfor.io import EventFormat
from holdsfor.startup.worker import Worker

if TYPE_CHECKING:
    from holdsfor import EventDescription
    from holdsfor.cli.start.order import HistoryRun, RunOrder
    from holdsfor.plan import Plan

_Value = TypeVar("_Value")

COUNTS = (
    ("events_in", "events in"),
    ("events_unused", "of these, read by no rule"),
    ("events_equal", "equal to another, counted once"),
    ("times_cut", "with parts of a tick, which are cut"),
    ("rows_with_nan", "with NaN, which is taken for no value"),
    ("events_rejected", "rejected"),
    ("events_late", "late: older than the window when they arrived"),
    ("groundings_outside_domain", "groundings outside the declared domain, left out"),
    ("intervals_out", "intervals out"),
    ("occurrences_out", "occurrences out"),
)
#: What is told only where there is some.
SELDOM = ("events_equal", "times_cut", "rows_with_nan")

RULES = typer.Argument(
    metavar="RULES",
    help="Rule files, background knowledge included; or RTEC's defaults.toml, for all that is not given here.",
)
EVENTS = typer.Option(
    metavar="FILE...", help="Event files: RTEC's CSV, CSV with a header, JSON lines, Parquet, Feather, terms."
)
APP = typer.Option("--app", help="Which application of RTEC's defaults.toml, if it has several.")
WINDOW = typer.Option(help="How far back an event may lie when it arrives: ticks, or a duration such as 4h.")
STEP = typer.Option(help="Ticks, or a duration, from one query time to the next.")
FORMAT = typer.Option(help="Format of the events; guessed where it is clear.")
MAPPING = typer.Option(help="A TOML file that says which column is which.")
START = typer.Option(metavar="TIME", help="The history begins after it: a tick, or 2026-03-01T08:00.")
END = typer.Option(metavar="TIME", help="What arrives after it is not read: a tick, or 2026-03-01T08:00.")
TICK = typer.Option(help="Ticks between two readings of a fluent given point by point; 1 if not given.")
TICK_UNIT = typer.Option(help="What a tick is, for durations with a unit. Without it: as the rules say, or s.")
ENGINE = typer.Option(help="In this process, or on Spark; auto: by the size of the events.")
TABLES = typer.Option(help="wide: also a table for each fluent and event, with a column for each argument.")
THREADS = typer.Option(
    min=1, help="Threads of a run in this process. Without it: all cores where there are rows enough."
)
MASTER = typer.Option(help="A Spark cluster, such as spark://host:7077. Without one: all cores of this machine.")
CONF = typer.Option(metavar="KEY=VALUE", help="A setting of Spark; may be given several times.")
FACTS = typer.Option(
    metavar="NAME=FILE", help="A table of background facts, Parquet or CSV; may be given several times."
)
FUNCTIONS = typer.Option(
    metavar="FILE",
    help="A Python file with functions for aggregates. It is executed: name only what you trust.",
)
ALLOW = typer.Option(
    metavar="FOLDER", help="Another folder that rule files may name files in; may be given several times."
)
BOUND = typer.Option(
    metavar="[NAME/ARITY=]TICKS",
    help="How far a definition may look back and ahead that has no bound of its own: ticks, or a duration such as 4h. "
    "Without a name: each that has none. May be given several times.",
)
ONLY = typer.Option(
    metavar="NAME",
    help="A definition, by name or name/arity, that goes out; the others do not. May be given several times.",
)
CHANGES = typer.Option("--changes", help="Also write the log of changes per query time; in this process.")
STRICT = typer.Option("--strict", help="Fail if any row was rejected.")
OUT = typer.Option("--out", "-o", help="Where the tables go.")


#: What follows a number in `--window 5 minutes`, where the shell sees a word of its own.
_UNIT = re.compile(r"(?i)us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?")


class RunCommand(TyperCommand):
    """`--events a b c` is `--events a --events b --events c`: a shell expands `day-*.csv` to the former."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args, "--events"))


def spread(args: Sequence[str], option: str) -> list[str]:
    """Repeat the option before each of its values; they end at the next option."""
    result: list[str] = []
    values = -1  # of the option that is being read; -1: another one
    for arg in args:
        if arg.startswith("-"):
            values = 0 if arg == option else -1
        elif values >= 0:
            values += 1
            if values > 1:
                result.append(option)
        result.append(arg)
    return result


def run(
    context: typer.Context,
    rules: Annotated[list[Path], RULES],
    events: Annotated[list[str] | None, EVENTS] = None,
    out: Annotated[Path | None, OUT] = None,
    app: Annotated[str | None, APP] = None,
    window: Annotated[str | None, WINDOW] = None,
    step: Annotated[str | None, STEP] = None,
    format: Annotated[EventFormat | None, FORMAT] = None,
    mapping: Annotated[Path | None, MAPPING] = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    tick: Annotated[str | None, TICK] = None,
    tick_unit: Annotated[TickUnit | None, TICK_UNIT] = None,
    engine: Annotated[OneOf["auto", "spark", "local"], ENGINE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
    master: Annotated[str | None, MASTER] = None,
    conf: Annotated[list[str] | None, CONF] = None,
    facts: Annotated[list[str] | None, FACTS] = None,
    allow: Annotated[list[Path] | None, ALLOW] = None,
    functions: Annotated[Path | None, FUNCTIONS] = None,
    bound: Annotated[list[str] | None, BOUND] = None,
    only: Annotated[list[str] | None, ONLY] = None,
    changes: Annotated[bool, CHANGES] = False,
    strict: Annotated[bool, STRICT] = False,
    output_format: Annotated[OneOf["parquet", "csv"], typer.Option(help="Format of the tables.")] = "parquet",
    tables: Annotated[OneOf["lists", "wide"], TABLES] = "lists",
) -> None:
    """Recognise, over a whole stream, what the rules define, and write the intervals and occurrences to a folder."""
    from holdsfor.cli.start.order import RunOrder, RunTimes, Writing
    from holdsfor.io.readers.mapping import as_mapping
    from holdsfor.language.choosing import choose_results
    from holdsfor.language.tick_unit import agree_on_tick_unit

    own, table = split(rules, app)
    rules = own or _needed(list(table.rules), "RULES: rule files are needed, and the table names none.")
    form = format or ("rtec" if table.events and not events and not mapping else None)
    sources = events or list(table.events) or _needed(mapped_files(mapping), "--events: event files are needed.")
    out = out or _needed(table.out, "--out: a folder for the tables is needed.")
    settings = pairs("--conf", conf or [], "spark.driver.memory=2g")
    if engine == "local" and (master or settings):
        raise typer.BadParameter("--master and --conf are for Spark: leave them out, or write --engine spark.")
    if changes and (engine == "spark" or master or settings):
        raise typer.BadParameter("--changes goes through the query times one by one, in this process: not on Spark.")
    description = load_rules(rules, facts, allow, functions)
    unit = agree_on_tick_unit(description, tick_unit, as_mapping(mapping).given_unit)
    times = RunTimes(
        window=window or table.window,
        step=step or table.step,
        start=table.start if start is None else start,
        end=table.end if end is None else end,
        tick=tick or (1 if table.tick is None else table.tick),
        tick_unit=unit,
    )
    description = choose_results(with_bounds(description, bound or [], unit), only or None)
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    order = RunOrder(
        description=description,
        plan=make_plan(description),
        sources=sources,
        form=form,
        mapping=mapping,
        times=times,
        writing=Writing(out, output_format, wide=tables == "wide", changes=changes),
        threads=threads,
        engine=engine,
        needs_spark="--master" if master else "--conf" if settings else None,
        needs_process="--changes" if changes else None,
    )
    outcome = carry_out(order, context.obj, master, settings)
    show_outcome(outcome, out)
    if outcome.metrics.get("arithmetic_overflows"):
        complain(overflow_warning(outcome.metrics["arithmetic_overflows"]), style="yellow")
    if strict and outcome.rejected:
        count, first = outcome.metrics["events_rejected"], outcome.rejected
        raise HoldsforError(
            f"--strict allows no rejected row, and {count:,} of them are in {out / f'rejects.{output_format}'}. "
            f"The first: {first['source']}, row {first['row']}: {first['reason']}."
        )


def make_plan(description: EventDescription) -> Plan:
    """In this process: the other one is loading other things."""
    from holdsfor.language.diagnostics import shown_refusals
    from holdsfor.plan import plan

    with shown_refusals(description.sources):
        return plan(description)


def carry_out(order: RunOrder, worker: Worker | None, master: str | None, settings: Mapping[str, str]) -> HistoryRun:
    """In the process that stands ready for it, in this one, or on Spark."""
    outcome: HistoryRun | None
    if worker is not None:
        outcome = worker.call("holdsfor.cli.start.history", "carry_out", order, meanwhile=prepare_to_show)
    else:
        from holdsfor.cli.start import history

        outcome = history.carry_out(order)
    if outcome is None:
        from holdsfor.cli.start.history import carry_out_on_spark

        outcome = carry_out_on_spark(order, master, settings)
    return outcome


def prepare_to_show() -> None:
    """Loads what `show_outcome` needs, some of which is loaded when a table is drawn."""
    import holdsfor.cli.output.findings
    import holdsfor.io.clock  # noqa: F401

    show("", ("",), [("drawn for nobody",)], StringIO())


def show_outcome(outcome: HistoryRun, out: Path) -> None:
    from holdsfor.cli.output.findings import HEADER, finding_cells, hints, with_unfound
    from holdsfor.io.clock import clock_of
    from holdsfor.io.tables.wide import SHAPES

    counts = ((key, text, outcome.metrics.get(key, 0)) for key, text in COUNTS)
    show(f"{out}", ("", "rows"), ((text, count) for key, text, count in counts if count or key not in SELDOM))
    findings = with_unfound(outcome.findings, [shape["name"] for shape in outcome.metrics[SHAPES]])
    if findings:
        show("", HEADER, finding_cells(findings, clock_of(outcome.nanoseconds)))
    for hint in hints(findings):
        complain(hint, style="yellow")


def mapped_files(mapping: Path | None) -> dict[str, str]:
    """The files of each table that a mapping names, beside it."""
    from holdsfor.io.readers.mapping import as_mapping

    tables = {} if mapping is None else as_mapping(mapping).tables
    without = [name for name, table in tables.items() if not table.files]
    if without:
        raise typer.BadParameter(f"--events: event files are needed, or files = ... in [tables.{without[0]}].")
    return {name: str(Path(mapping or "").parent / (table.files or "")) for name, table in tables.items()}


def with_bounds(description: EventDescription, texts: Sequence[str], unit: TickUnit) -> EventDescription:
    """As given by --bound: those for named definitions first, so that one without a name is for the rest."""
    import holdsfor

    named = {name: ticks(value, unit) for name, equals, value in (t.rpartition("=") for t in texts) if equals}
    if named:
        description = holdsfor.bounded(description, named)
    for text in texts:
        if "=" not in text:
            description = holdsfor.bounded(description, ticks(text, unit))
    return description


def overflow_warning(times: int) -> str:
    return (
        f"Arithmetic came to integers of more than 64 bits {times:,} times; these conditions failed. "
        "Use floats (1.0 * X) where numbers get that large."
    )


def _needed(value: _Value | None, otherwise: str) -> _Value:
    if not value:
        raise typer.BadParameter(otherwise)
    return value


def load_rules(
    rules: Sequence[Path], facts: Sequence[str] | None, allow: Sequence[Path] | None, functions: Path | None
) -> EventDescription:
    """The rules with what the command line adds to them; who runs them makes their closures."""
    for path in rules:
        if _UNIT.fullmatch(str(path)) and not path.exists():
            raise HoldsforError(
                f"{path}: no such rule file. If it belongs to a duration, write that in one word: --window 5min."
            )
    from holdsfor import rules as engine_rules
    from holdsfor.cli.start.functions import load_functions

    tables = pairs("--facts", facts or [], "vesselType=types.csv")
    return engine_rules.load_rules(*rules, facts=tables, allow=allow or (), functions=load_functions(functions))


def pairs(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
    """`KEY=VALUE` as given several times."""
    options = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise typer.BadParameter(f"{option} {text}: write {example.partition('=')[0]}=..., such as {example}.")
        options[key] = value
    return options
