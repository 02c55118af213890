"""`holdsfor stream`: the same rules, live."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated
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
    Facts,
    Format,
    Functions,
    Mapping,
    Master,
    Only,
    RuleFiles,
    UnitOfTicks,
    engine_option,
    fault_option,
    input_option,
    metrics_option,
    output_option,
    rules_option,
    time_option,
)
from holdsfor.cli.output.console import complain, say
from holdsfor.cli.output.logs import begin_logs
from holdsfor.cli.start.reading import add_bounds, load_rules, read_spark_settings
from holdsfor.cli.start.streaming import (
    LocalHost,
    SparkHost,
    check_source,
    log_of,
    needs_spark,
    serving,
    sink_of,
    told_failures,
    wait,
    warn_of_passwords,
    watching,
)
from holdsfor.duration import GivenTimes, ticks

if TYPE_CHECKING:
    from holdsfor.io.metrics.neighbours import SourceMetrics

FROM = input_option(
    "--from", metavar="DIR|mqtt://...|kafka://...", help="A folder that gets new files, or a broker and topics."
)
ONCE = input_option("--once", help="End when all that is there has been read.")
EVERY = input_option(
    metavar="DURATION", help="How often to look for new rows, such as 5s. Default: as soon as possible."
)
MOST_EVENTS = input_option(
    metavar="NUMBER", help="How many events (of a broker: messages) a batch takes at most, in whole files."
)
MOST_FILES = input_option(metavar="NUMBER", help="How many files a batch takes at most.")
REPLAY_SPEED = input_option(
    metavar="FACTOR", help="Replay a recording at so many times its own speed. Default: as fast as possible."
)

START = time_option(metavar="TIME", help="The history begins after this tick. Default: before the first event.")
END = time_option(metavar="TIME", help="What arrives after this tick is not read.")
CLOCK = time_option(help="Query times by what rows say of their arrival, or by the clock on the wall.")
MAX_FUTURE = time_option(
    metavar="DURATION",
    help="Set aside rows that arrive further ahead of the rest than this, unless enough of them agree: ticks, or a "
    "duration; 0 believes all. Default: ten windows, or a day if that is more.",
)

TO = output_option(
    metavar="console|mqtt://...|kafka://...|http://...|DIR", help="Where changes go; may be given several times."
)
MESSAGE_TIMES = output_option(help="Times in messages: as ticks, or in ISO 8601 (2026-03-01T09:15:25Z).")
MESSAGE_FORMAT = output_option(help="Messages as JSON, or as dRTEC's lines, which brokers and files get.")
MESSAGE_ARGUMENTS = output_option(help="Arguments in messages: as a list, or named as columns of results are.")
OUT = output_option("--out", "-o", metavar="DIR", help="A folder for the tables. Default: in the checkpoint.")
REPORT = output_option(help="Tell all that is known, what has begun for certain, or what will never change.")

CHECKPOINT = fault_option(
    metavar="DIR", help="A folder for the state. A stream that finds its own there goes on where it was."
)
RULES_FROM = rules_option(
    metavar="DIR",
    help="A folder that is watched: rule files that are put there take over between two batches, all of them together.",
)
FSYNC = fault_option("--fsync", help="Survive a power cut, not only the death of processes; slower.")
TAKE_OVER = fault_option("--take-over", help="Take the checkpoint from another process that has it; that one stops.")
ON_POISON = fault_option(
    help="What to do with a file, message or row that makes its batch fail three times: set it aside, or stop."
)
ON_SINK_FAILURE = fault_option(
    help="What to do when a receiver (--to) does not take changes: stop, or keep them on disk, go on, and deliver them "
    "in order when it does."
)

HOST = engine_option(help="In this process, or on Spark; auto: on Spark for Kafka, --master or --conf.")
BUCKETS = engine_option(
    metavar="NUMBER",
    help="Entities are shared out over so many, for the life of the stream. Default: 1; on Spark 2 a core.",
)

METRICS_PORT = metrics_option(metavar="PORT", help="Serve metrics for Prometheus on this port of this machine.")
METRICS_HOST = metrics_option(metavar="HOST", help="Serve them to others, too: 0.0.0.0 for all, as in a container.")
STALL_AFTER = metrics_option(
    metavar="DURATION", help="/healthz says 'stalled' when one batch takes longer than this: seconds, or 10min."
)
AWAY_AFTER = metrics_option(
    metavar="DURATION",
    help="/healthz says 'away' when a broker is not there, or a receiver takes nothing, for longer than this.",
)
LOG_FORMAT = metrics_option(help="How lines on stderr are written: as text, or as an object of JSON each.")
LOG_LEVEL = metrics_option(
    help="What is told: debug has a line for each batch, info one a minute, warning only trouble."
)


def stream(
    context: typer.Context,
    rules: RuleFiles,
    source: Annotated[str, FROM],
    window: Annotated[str, WINDOW],
    step: Annotated[str, STEP],
    checkpoint: Annotated[str, CHECKPOINT],
    to: Annotated[list[str] | None, TO] = None,
    message_times: Annotated[OneOf["ticks", "iso"], MESSAGE_TIMES] = "ticks",
    message_arguments: Annotated[OneOf["list", "named"], MESSAGE_ARGUMENTS] = "list",
    message_format: Annotated[OneOf["json", "drtec"], MESSAGE_FORMAT] = "json",
    out: Annotated[str | None, OUT] = None,
    format: Format = None,
    mapping: Mapping = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    sample_every: Annotated[str, SAMPLE_EVERY] = "1",
    tick_unit: UnitOfTicks = None,
    report: Annotated[OneOf["eager", "settling", "final"], REPORT] = "eager",
    clock: Annotated[OneOf["arrival", "wall"], CLOCK] = "arrival",
    max_future: Annotated[str | None, MAX_FUTURE] = None,
    replay_speed: Annotated[float | None, REPLAY_SPEED] = None,
    every: Annotated[str | None, EVERY] = None,
    once: Annotated[bool, ONCE] = False,
    buckets: Annotated[int | None, BUCKETS] = None,
    max_events: Annotated[int | None, MOST_EVENTS] = None,
    max_files: Annotated[int | None, MOST_FILES] = None,
    metrics_port: Annotated[int | None, METRICS_PORT] = None,
    metrics_host: Annotated[str, METRICS_HOST] = "127.0.0.1",
    stall_after: Annotated[str, STALL_AFTER] = "10min",
    away_after: Annotated[str, AWAY_AFTER] = "2min",
    fsync: Annotated[bool, FSYNC] = False,
    take_over: Annotated[bool, TAKE_OVER] = False,
    on_poison: Annotated[OneOf["quarantine", "stop"], ON_POISON] = "quarantine",
    on_sink_failure: Annotated[OneOf["stop", "keep"], ON_SINK_FAILURE] = "stop",
    log_format: Annotated[OneOf["text", "json"], LOG_FORMAT] = "text",
    log_level: Annotated[OneOf["debug", "info", "warning", "error"], LOG_LEVEL] = "info",
    engine: Annotated[OneOf["auto", "spark", "local"], HOST] = "auto",
    master: Master = None,
    conf: Conf = None,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    policy: DefaultPolicy = None,
    bound: Bound = None,
    only: Only = None,
    rules_from: Annotated[str | None, RULES_FROM] = None,
) -> None:
    """Recognise on a live stream, until stopped (Ctrl-C), and tell what changes."""
    from holdsfor.io.metrics import Health
    from holdsfor.io.readers.mapping import as_mapping
    from holdsfor.job.live.start.checks import check_early
    from holdsfor.language.choosing import agree_on_tick_unit, choose_results

    context.find_root().call_on_close(begin_logs(log_format, log_level))
    settings = read_spark_settings(engine, master, conf)
    description = load_rules(rules, facts, allow_dir, functions, policy, mapping)
    unit = agree_on_tick_unit(description, tick_unit, as_mapping(mapping).given_unit)
    description = choose_results(add_bounds(description, bound or [], unit), only or None)
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    addresses = [source, checkpoint, out or "", *(to or [])]
    warn_of_passwords(addresses)
    check_source(source, checkpoint, format, mapping, once)
    sinks = [sink_of(text, unit, number) for number, text in enumerate(to or [], 1)]
    is_on_spark = needs_spark(engine, addresses, master or settings)
    if is_on_spark:
        check_early(description, checkpoint, GivenTimes(window, step, start, end, sample_every, unit), report)
    log = log_of(checkpoint)
    with ExitStack() as stack:
        health = Health(ticks(stall_after, "s"), away_after=ticks(away_after, "s"))
        server = stack.enter_context(serving(metrics_port, metrics_host, health))
        host = SparkHost(master, settings, log) if is_on_spark else LocalHost()
        stack.callback(host.stop)
        # Entered after these two, so that /healthz tells of a failure while Spark is being stopped.
        stack.enter_context(told_failures(log, addresses, server.fail if server else lambda _: None))
        sources: list[Callable[[], SourceMetrics]] = []
        place = (source, checkpoint, format, mapping, max_events, max_files, take_over, sources.append)
        begin = stack.enter_context(host.source(*place))
        health.sources = lambda: [tell() for tell in sources]
        live = begin(
            description,
            every=every,
            once=once,
            window=window,
            step=step,
            checkpoint=checkpoint,
            start=start,
            end=end,
            sample_every=sample_every,
            tick_unit=unit,
            out=out,
            buckets=buckets,
            report=report,
            clock=clock,
            max_future=max_future,
            replay_speed=replay_speed,
            fsync=fsync,
            on_poison=on_poison,
            sinks=sinks,
            message_times=message_times,
            message_arguments=message_arguments,
            message_format=message_format,
            on_sink_failure=on_sink_failure,
            watch=stack.enter_context(watching(unit, server, log_format == "text", health)),
            take_over=take_over,
            only=only or None,
            rules_from=rules_from,
        )
        health.seconds_at_work, health.sinks = live.seconds_at_work, live.sinks
        wait(live, may_lose_spark=is_on_spark)
        say(f"Tables in {live.tables.shown()}")
