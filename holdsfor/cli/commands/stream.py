"""`holdsfor stream`: the same rules, live."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from typing import Literal as OneOf
from urllib.parse import urlsplit

import typer

from holdsfor.cli.commands.run import (
    ALLOW,
    BOUND,
    CONF,
    FACTS,
    FORMAT,
    FUNCTIONS,
    MAPPING,
    MASTER,
    ONLY,
    RULES,
    TICK,
    TICK_UNIT,
    load_rules,
    overflow_warning,
    pairs,
    with_bounds,
)
from holdsfor.cli.output.console import complain, progress, say
from holdsfor.cli.output.logs import begin_logs
from holdsfor.cli.start.failure import log_of, told_failures
from holdsfor.duration import TickUnit, ticks
from holdsfor.errors import HoldsforError
from holdsfor.io import EventFormat
from holdsfor.io.brokers.address import has_password, show_address

if TYPE_CHECKING:
    from holdsfor.io.metrics import BatchMetrics, Health, MetricsServer
    from holdsfor.io.metrics.neighbours import SourceMetrics
    from holdsfor.io.sinks.sink import Sink
    from holdsfor.job.live.query import LiveQuery

KAFKA = "kafka://"
FROM = typer.Option(
    "--from", metavar="FOLDER|mqtt://...|kafka://...", help="A folder that gets new files, or a broker and topics."
)
TO = typer.Option(
    "--to",
    metavar="console|mqtt://...|kafka://...|http://...|FOLDER",
    help="Where changes go; may be given several times.",
)
MESSAGE_TIMES = typer.Option(help="Times in messages: as ticks, or in ISO 8601 (2026-03-01T09:15:25Z).")
MESSAGE_ARGUMENTS = typer.Option(help="Arguments in messages: as a list, or named as columns of results are.")
CHECKPOINT = typer.Option(help="A folder for the state. A stream that finds its own there goes on where it was.")
OUT = typer.Option("--out", "-o", help="A folder for the tables. Default: in the checkpoint.")
WINDOW = typer.Option(help="How far back an event may lie when it arrives: ticks, or a duration such as 4h.")
STEP = typer.Option(help="Ticks, or a duration, from one query time to the next.")
START = typer.Option(help="The history begins after this tick. Default: before the first event.")
END = typer.Option(help="What arrives after this tick is not read.")
REPORT = typer.Option(help="Tell all that is known, what has begun for certain, or what will never change.")
CLOCK = typer.Option(help="Query times by what rows say of their arrival, or by the clock on the wall.")
AHEAD = typer.Option(
    help="Set aside rows that arrive further ahead of the rest than this, unless enough of them agree: ticks, or a "
    "duration; 0 believes all. Default: ten windows, or a day if that is more."
)
SPEED = typer.Option(help="Replay a recording at so many times its own speed. Default: as fast as possible.")
EVERY = typer.Option(help="How often to look for new rows, such as 5s. Default: as soon as possible.")
ONCE = typer.Option("--once", help="End when all that is there has been read.")
BUCKETS = typer.Option(
    help="Entities are shared out over so many, for the life of the stream. Default: 2 a core; 1 with --engine local."
)
MOST = typer.Option(help="How many events (of a broker: messages) a batch takes at most, in whole files.")
MOST_FILES = typer.Option(help="How many files a batch takes at most.")
METRICS = typer.Option(metavar="PORT", help="Serve figures for Prometheus on this port of this machine.")
METRICS_HOST = typer.Option(metavar="HOST", help="Serve them to others, too: 0.0.0.0 for all, as in a container.")
TAKE_OVER = typer.Option("--take-over", help="Take the checkpoint from another process that has it; that one stops.")
STALL_AFTER = typer.Option(help="/healthz says 'stalled' when one batch takes longer than this: seconds, or 10min.")
AWAY_AFTER = typer.Option(
    help="/healthz says 'away' when a broker is not there, or a receiver takes nothing, for longer than this."
)
ON_POISON = typer.Option(
    help="What to do with a file, message or row that makes its batch fail three times: set it aside, or stop."
)
ON_FAILURE = typer.Option(
    help="What to do when a receiver (--to) does not take changes: stop, or keep them on disk, go on, and deliver them "
    "in order when it does."
)
LOG_FORMAT = typer.Option(help="How lines on stderr are written: as text, or as an object of JSON each.")
LOG_LEVEL = typer.Option(help="What is told: debug has a line for each batch, info one a minute, warning only trouble.")
ENGINE = typer.Option(help="On Spark, or in this process.")
DURABLE = typer.Option("--durable", help="Survive a power cut, not only the death of processes; slower.")


def _verify(checkpoint: str | None) -> None:
    """Looks at a checkpoint instead of running a stream: needs no rules, so it comes before they are asked for."""
    if checkpoint is None:
        return
    from holdsfor.job.live.state.verify import report_lines, verify_stream

    parts = verify_stream(checkpoint)
    for line in report_lines(parts):
        say(line)
    raise typer.Exit(int(any(part.damages for part in parts)))


VERIFY = typer.Option(
    metavar="CHECKPOINT",
    callback=_verify,
    is_eager=True,
    help="Only check all files of a checkpoint and its tables, and say what is damaged and can be made again.",
)


def stream(
    context: typer.Context,
    rules: Annotated[list[Path], RULES],
    source: Annotated[str, FROM],
    window: Annotated[str, WINDOW],
    step: Annotated[str, STEP],
    checkpoint: Annotated[str, CHECKPOINT],
    to: Annotated[list[str] | None, TO] = None,
    message_times: Annotated[OneOf["ticks", "iso"], MESSAGE_TIMES] = "ticks",
    message_arguments: Annotated[OneOf["list", "named"], MESSAGE_ARGUMENTS] = "list",
    out: Annotated[str | None, OUT] = None,
    format: Annotated[EventFormat | None, FORMAT] = None,
    mapping: Annotated[Path | None, MAPPING] = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    tick: Annotated[str, TICK] = "1",
    tick_unit: Annotated[TickUnit | None, TICK_UNIT] = None,
    report: Annotated[OneOf["eager", "settling", "final"], REPORT] = "eager",
    clock: Annotated[OneOf["arrival", "wall"], CLOCK] = "arrival",
    max_ahead: Annotated[str | None, AHEAD] = None,
    speed: Annotated[float | None, SPEED] = None,
    every: Annotated[str | None, EVERY] = None,
    once: Annotated[bool, ONCE] = False,
    buckets: Annotated[int | None, BUCKETS] = None,
    max_events: Annotated[int | None, MOST] = None,
    max_files: Annotated[int | None, MOST_FILES] = None,
    metrics_port: Annotated[int | None, METRICS] = None,
    metrics_host: Annotated[str, METRICS_HOST] = "127.0.0.1",
    stall_after: Annotated[str, STALL_AFTER] = "10min",
    away_after: Annotated[str, AWAY_AFTER] = "2min",
    durable: Annotated[bool, DURABLE] = False,
    take_over: Annotated[bool, TAKE_OVER] = False,
    verify: Annotated[str | None, VERIFY] = None,
    on_poison: Annotated[OneOf["quarantine", "stop"], ON_POISON] = "quarantine",
    on_failure: Annotated[OneOf["stop", "keep"], ON_FAILURE] = "stop",
    log_format: Annotated[OneOf["text", "json"], LOG_FORMAT] = "text",
    log_level: Annotated[OneOf["debug", "info", "warning", "error"], LOG_LEVEL] = "info",
    engine: Annotated[OneOf["spark", "local"], ENGINE] = "spark",
    master: Annotated[str | None, MASTER] = None,
    conf: Annotated[list[str] | None, CONF] = None,
    facts: Annotated[list[str] | None, FACTS] = None,
    allow: Annotated[list[Path] | None, ALLOW] = None,
    functions: Annotated[Path | None, FUNCTIONS] = None,
    bound: Annotated[list[str] | None, BOUND] = None,
    only: Annotated[list[str] | None, ONLY] = None,
) -> None:
    """Recognise on a live stream, until stopped (Ctrl-C), and tell what changes."""
    from holdsfor.io.metrics import Health
    from holdsfor.io.readers.mapping import as_mapping
    from holdsfor.job.live.start.preflight import check_early
    from holdsfor.language.choosing import choose_results
    from holdsfor.language.tick_unit import agree_on_tick_unit

    context.find_root().call_on_close(begin_logs(log_format, log_level))
    settings = pairs("--conf", conf or [], "spark.driver.memory=2g")
    if engine == "local" and (master or settings):
        raise typer.BadParameter("--master and --conf are for Spark: leave them out, or write --engine spark.")
    description = load_rules(rules, facts, allow, functions)
    unit = agree_on_tick_unit(description, tick_unit, as_mapping(mapping).given_unit)
    description = choose_results(with_bounds(description, bound or [], unit), only or None)
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    addresses = [source, checkpoint, out or "", *(to or [])]
    warn_of_passwords(addresses)
    check_source(source, checkpoint, format, mapping, once)
    sinks = [sink_of(text, unit, number) for number, text in enumerate(to or [], 1)]
    if engine == "local" and any(address.startswith(KAFKA) for address in addresses):
        raise HoldsforError("kafka:// goes through Spark's connector: leave out --engine local.")
    if engine == "spark":
        check_early(
            description,
            checkpoint,
            window=window,
            step=step,
            start=start,
            end=end,
            tick=tick,
            tick_unit=unit,
            report=report,
        )
    log = log_of(checkpoint)
    with ExitStack() as stack:
        health = Health(ticks(stall_after, "s"), away_after=ticks(away_after, "s"))
        server = stack.enter_context(_serving(metrics_port, metrics_host, health))
        host = _Spark(master, settings, log) if engine == "spark" else _Local()
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
            tick=tick,
            tick_unit=unit,
            out=out,
            buckets=buckets,
            report=report,
            clock=unit if clock == "wall" else None,
            max_ahead=max_ahead,
            pace=None if speed is None else speed * ticks("1s", unit),
            durable=durable,
            on_poison=on_poison,
            sinks=sinks,
            message_times=message_times,
            message_arguments=message_arguments,
            on_failure=on_failure,
            watch=stack.enter_context(_watching(unit, server, log_format == "text", health)),
            take_over=take_over,
        )
        health.seconds_at_work, health.sinks = live.seconds_at_work, live.sinks
        wait(live, may_lose_spark=engine == "spark")
        say(f"Tables in {live.tables.shown()}")


Begin = Callable[..., "LiveQuery"]


class _Local:
    """This process."""

    def stop(self) -> None:
        """There is nothing to stop."""

    @contextmanager
    def source(self, *place: Any) -> Iterator[Begin]:
        from holdsfor.job.live.input.feeds import open_feed
        from holdsfor.local.stream import stream

        with open_feed(*place) as (feed, reader):
            yield lambda description, **options: stream(description, feed, reader, **options)


@dataclass(slots=True)
class _Spark:
    master: str | None
    settings: dict[str, str]
    log: Path

    def stop(self) -> None:
        from pyspark.sql import SparkSession

        with suppress(Exception):  # it may be gone already
            running = SparkSession.getActiveSession()
            if running is not None:
                running.stop()

    @contextmanager
    def source(self, *place: Any) -> Iterator[Begin]:
        from holdsfor.spark import stream
        from holdsfor.spark.live.sources import open_source, require_sources
        from holdsfor.spark.session import start_session

        if not place[0].startswith(KAFKA):
            require_sources()
        with progress("Starting Spark"):
            spark = start_session(self.master, self.settings, log=self.log, is_lean=True)
        with open_source(spark, *place) as (events, reader):
            yield lambda description, **options: stream(spark, description, events, format=reader, **options)


def wait(live: LiveQuery, may_lose_spark: bool) -> None:
    """Until the stream ends; Ctrl-C and SIGTERM end it after the batch that runs."""
    signals: list[int] = []
    before = {name: signal.signal(name, lambda number, _: signals.append(number)) for name in _SIGNALS}
    try:
        while not live.awaitTermination(1):
            if signals:
                complain("Stopping after this batch ...", style="")
                live.stop()
                return
    except Exception:
        if not signals or not may_lose_spark:
            raise
        # Whoever ends a service tells all its processes, and Spark does not wait for us.
        complain("Spark was ended, too. Nothing is lost: a batch that was running is done again at the next start.", "")
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def warn_of_passwords(addresses: Sequence[str]) -> None:
    for address in filter(has_password, addresses):
        takes_options = address.startswith(("mqtt:", "mqtts:", "http:", "https:"))
        advice = (
            "Write ?password_env=NAME or ?password_file=PATH after the address instead."
            if takes_options
            else "Give it in the environment, as the filesystem knows it (for s3: AWS_SECRET_ACCESS_KEY)."
        )
        complain(
            f"warning: the password for {show_address(address)} is on the command line, where every user of this "
            f"machine can see it (ps). {advice}",
            style="yellow",
        )


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def check_source(place: str, checkpoint: str, format: str | None, mapping: Path | None, once: bool) -> None:
    """Finds mistakes before Spark is started for nothing."""
    from holdsfor.io.mqtt.settings import Settings
    from holdsfor.io.readers.mapping import as_mapping
    from holdsfor.job.live.input.feeds import Folder

    if "://" not in place:
        Folder.of(place, checkpoint, format, mapping)
        return
    as_mapping(mapping)
    if place.startswith(KAFKA):
        from holdsfor.io.brokers.kafka import Kafka

        Kafka.parse(place)
        return
    if not place.startswith(("mqtt://", "mqtts://")):
        raise HoldsforError(
            f"cannot stream from {show_address(place)}: give a folder, mqtt://host/topic or kafka://host/topic."
        )
    if once:
        raise HoldsforError("--once ends when all has been read, and a broker's topics never end: leave it out.")
    Settings.parse(place)


def sink_of(text: str, unit: TickUnit, number: int) -> Sink:
    """What `--to` names; number: its place among them, by which it is known again after a restart."""
    from holdsfor.io.mqtt.settings import Settings
    from holdsfor.io.mqtt.sink import MqttSink
    from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, WebhookSink
    from holdsfor.io.storage.store import Store

    if text == "console":
        return ConsoleSink(unit)
    if text.startswith(("http://", "https://")):
        return WebhookSink.parse(text, name=f"webhook-{number}")
    if text.startswith(("mqtt://", "mqtts://")):
        return MqttSink(Settings.parse(text, topics=()), _topic_of(text), name=f"mqtt-{number}")
    if text.startswith(KAFKA):
        from holdsfor.spark.kafka import KafkaSink

        return KafkaSink.parse(text, name=f"kafka-{number}")
    if "://" in text and not text.startswith("file:"):
        raise HoldsforError(
            f"cannot send changes to {show_address(text)}: give console, http(s)://, mqtt(s)://, kafka:// or a folder."
        )
    return JsonLinesSink(Store(text), name=f"jsonlines-{number}")


def _topic_of(address: str) -> str:
    """Of mqtt://host:1883/recognised/{fluent}?client_id=x what stands between host and options."""
    return urlsplit(address, allow_fragments=False).path.removeprefix("/") or "recognised/{fluent}"


@contextmanager
def _serving(port: int | None, host: str, health: Health) -> Iterator[MetricsServer | None]:
    """Figures for machines, if asked."""
    from holdsfor.io.metrics import MetricsServer

    if port is None:
        yield None
        return
    with MetricsServer(port, host, health) as server:
        yield server


@contextmanager
def _watching(
    unit: TickUnit, server: MetricsServer | None, draws: bool, health: Health
) -> Iterator[Callable[[BatchMetrics], None]]:
    """Progress for people, and figures for machines if asked."""
    from holdsfor.view.live import LiveProgress

    with LiveProgress(unit, draws=draws, sinks=lambda: health.sinks()) as display:
        shown: list[Callable[[BatchMetrics], Any]] = [display.show]
        if server is not None:
            shown.append(server.add)
        shown.append(_OverflowWarning())
        yield lambda metrics: _all(shown, metrics)


def _all(shown: Sequence[Callable[[BatchMetrics], Any]], metrics: BatchMetrics) -> None:
    for show in shown:
        show(metrics)


@dataclass(slots=True)
class _OverflowWarning:
    """Says once that arithmetic has overflowed."""

    said: bool = False

    def __call__(self, metrics: BatchMetrics) -> None:
        if metrics.overflows and not self.said:
            self.said = True
            complain(overflow_warning(metrics.overflows), style="yellow")
