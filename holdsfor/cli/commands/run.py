"""`holdsfor run`: the history of a stream, on Spark or in process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar
from typing import Literal as OneOf

import typer

from holdsfor.cli.commands.options import (
    SAMPLE_EVERY,
    STEP,
    WINDOW,
    AllowDir,
    Bound,
    Conf,
    DefaultPolicy,
    Events,
    Facts,
    Format,
    Functions,
    Mapping,
    Master,
    Only,
    RuleFilesOrTable,
    UnitOfTicks,
    engine_option,
    fault_option,
    input_option,
    output_option,
    time_option,
)
from holdsfor.cli.output.console import complain, warn_of_overflows
from holdsfor.cli.start.order import RunOrder, Writing, carry_out
from holdsfor.cli.start.reading import add_bounds, load_rules, make_plan, mapped_files, read_spark_settings
from holdsfor.cli.start.rtec_defaults import split
from holdsfor.cli.start.run_inputs import name_inputs, note_inputs
from holdsfor.duration import GivenTimes
from holdsfor.errors import HoldsforError

_Value = TypeVar("_Value")

APP = input_option("--app", metavar="NAME", help="Which application of RTEC's defaults.toml, if it has several.")
START = time_option(metavar="TIME", help="The history begins after it: a tick, or 2026-03-01T08:00.")
END = time_option(metavar="TIME", help="What arrives after it is not read: a tick, or 2026-03-01T08:00.")
OUT = output_option("--out", "-o", metavar="DIR", help="Where the tables go.")
WIDE = output_option("--wide", help="Also write a table for each fluent and event, with a column for each argument.")
FORM = output_option(help="Format of the tables.")
CHANGES = output_option("--changes", help="Also write the log of changes per query time; in this process.")
STRICT = fault_option("--strict", help="Fail if any row was rejected.")
HOST = engine_option(help="In this process, or on Spark; auto: by the size of the events.")
THREADS = engine_option(
    min=1, metavar="NUMBER", help="Threads of a run in this process. Without it: all cores where there are rows enough."
)


def run(
    context: typer.Context,
    rules: RuleFilesOrTable,
    events: Events = None,
    out: Annotated[Path | None, OUT] = None,
    app: Annotated[str | None, APP] = None,
    window: Annotated[str | None, WINDOW] = None,
    step: Annotated[str | None, STEP] = None,
    format: Format = None,
    mapping: Mapping = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    sample_every: Annotated[str | None, SAMPLE_EVERY] = None,
    tick_unit: UnitOfTicks = None,
    engine: Annotated[OneOf["auto", "spark", "local"], HOST] = "auto",
    threads: Annotated[int | None, THREADS] = None,
    master: Master = None,
    conf: Conf = None,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    policy: DefaultPolicy = None,
    bound: Bound = None,
    only: Only = None,
    changes: Annotated[bool, CHANGES] = False,
    strict: Annotated[bool, STRICT] = False,
    output_format: Annotated[OneOf["parquet", "csv"], FORM] = "parquet",
    wide: Annotated[bool, WIDE] = False,
) -> None:
    """Recognise, over a whole stream, what the rules define, and write the intervals and occurrences to a folder."""
    from holdsfor.cli.output.findings import show_outcome
    from holdsfor.io.readers.mapping import as_mapping
    from holdsfor.language.choosing import agree_on_tick_unit, choose_results

    own, table = split(rules, app)
    rules = own or _require(list(table.rules), "RULES: rule files are needed, and the table names none.")
    form = format or ("rtec" if table.events and not events and not mapping else None)
    sources = events or list(table.events) or _require(mapped_files(mapping), "--events: event files are needed.")
    out = out or _require(table.out, "--out: a folder for the tables is needed.")
    settings = read_spark_settings(engine, master, conf)
    if changes and (engine == "spark" or master or settings):
        raise typer.BadParameter("--changes goes through the query times one by one, in this process: not on Spark.")
    description = load_rules(rules, facts, allow_dir, functions, policy, mapping)
    read = name_inputs(
        rules,
        sources,
        form,
        mapping,
        facts=facts,
        allow=allow_dir,
        functions=functions,
        bound=bound,
        tick_unit=tick_unit,
        policy=policy,
    )
    unit = agree_on_tick_unit(description, tick_unit, as_mapping(mapping).given_unit)
    times = GivenTimes(
        window=window or table.window,
        step=step or table.step,
        start=table.start if start is None else start,
        end=table.end if end is None else end,
        sample_every=sample_every or (1 if table.sample_every is None else table.sample_every),
        tick_unit=unit,
    )
    description = choose_results(add_bounds(description, bound or [], unit), only or None)
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    order = RunOrder(
        description=description,
        plan=make_plan(description),
        sources=sources,
        form=form,
        mapping=mapping,
        times=times,
        writing=Writing(out, output_format, wide=wide, changes=changes),
        threads=threads,
        engine=engine,
        needs_spark="--master" if master else "--conf" if settings else None,
        needs_process="--changes" if changes else None,
    )
    outcome = carry_out(order, context.obj, master, settings)
    note_inputs(out, read)
    show_outcome(outcome, out)
    if outcome.metrics.get("arithmetic_overflows"):
        warn_of_overflows(outcome.metrics["arithmetic_overflows"])
    if strict and outcome.rejected:
        count, first = outcome.metrics["events_rejected"], outcome.rejected
        raise HoldsforError(
            f"--strict allows no rejected row, and {count:,} of them are in {out / f'rejects.{output_format}'}. "
            f"The first: {first['source']}, row {first['row']}: {first['reason']}."
        )


def _require(value: _Value | None, otherwise: str) -> _Value:
    if not value:
        raise typer.BadParameter(otherwise)
    return value
