"""`holdsfor stream`: the same rules, live."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from typing import Literal as OneOf

import typer

from holdsfor.cli.console import complain, progress, say
from holdsfor.cli.duration import TickUnit, ticks
from holdsfor.cli.run import CONF, FACTS, FORMAT, MAPPING, MASTER, RULES, TICK, TICK_UNIT, pairs
from holdsfor.errors import HoldsforError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from holdsfor.io.metrics import BatchMetrics
    from holdsfor.io.sinks.sink import Sink
    from holdsfor.spark.live.query import LiveQuery
    from holdsfor.spark.live.reading import Reader

FROM = typer.Option("--from", metavar="FOLDER|mqtt://...", help="A folder that gets new files, or a broker and topics.")
TO = typer.Option(
    "--to", metavar="console|mqtt://...|http://...|FOLDER", help="Where changes go; may be given several times."
)
CHECKPOINT = typer.Option(help="A folder for the state. A stream that finds its own there goes on where it was.")
OUT = typer.Option("--out", "-o", help="A folder for the tables. Default: in the checkpoint.")
WINDOW = typer.Option(help="How far back an event may lie when it arrives: ticks, or a duration such as 4h.")
STEP = typer.Option(help="Ticks, or a duration, from one query time to the next.")
START = typer.Option(help="The history begins after this tick. Default: before the first event.")
END = typer.Option(help="What arrives after this tick is not read.")
REPORT = typer.Option(help="Tell all that is known, what has begun for certain, or what will never change.")
CLOCK = typer.Option(help="Query times by what rows say of their arrival, or by the clock on the wall.")
SPEED = typer.Option(help="Replay a recording at so many times its own speed. Default: as fast as possible.")
EVERY = typer.Option(help="How often to look for new rows, such as '5 seconds'. Default: as soon as possible.")
ONCE = typer.Option("--once", help="End when all that is there has been read.")
BUCKETS = typer.Option(help="Entities are shared out over so many, for the life of the stream. Default: 2 a core.")
MOST = typer.Option(help="How many events (of a broker: messages) a batch takes at most, in whole files.")
MOST_FILES = typer.Option(help="How many files a batch takes at most.")
METRICS = typer.Option(metavar="PORT", help="Serve figures for Prometheus on this port of this machine.")
ON_POISON = typer.Option(
    help="What to do with a file, message or row that makes its batch fail three times: set it aside, or stop."
)
DURABLE = typer.Option("--durable", help="Survive a power cut, not only the death of processes; slower.")


def stream(
    rules: Annotated[list[Path], RULES],
    source: Annotated[str, FROM],
    window: Annotated[str, WINDOW],
    step: Annotated[str, STEP],
    checkpoint: Annotated[str, CHECKPOINT],
    to: Annotated[list[str] | None, TO] = None,
    out: Annotated[str | None, OUT] = None,
    format: Annotated[OneOf["rtec", "columns", "terms"] | None, FORMAT] = None,
    mapping: Annotated[Path | None, MAPPING] = None,
    start: Annotated[int | None, START] = None,
    end: Annotated[int | None, END] = None,
    tick: Annotated[str, TICK] = "1",
    tick_unit: Annotated[TickUnit, TICK_UNIT] = "s",
    report: Annotated[OneOf["eager", "settling", "final"], REPORT] = "eager",
    clock: Annotated[OneOf["arrival", "wall"], CLOCK] = "arrival",
    speed: Annotated[float | None, SPEED] = None,
    every: Annotated[str | None, EVERY] = None,
    once: Annotated[bool, ONCE] = False,
    buckets: Annotated[int | None, BUCKETS] = None,
    max_events: Annotated[int | None, MOST] = None,
    max_files: Annotated[int | None, MOST_FILES] = None,
    metrics_port: Annotated[int | None, METRICS] = None,
    durable: Annotated[bool, DURABLE] = False,
    on_poison: Annotated[OneOf["quarantine", "stop"], ON_POISON] = "quarantine",
    master: Annotated[str | None, MASTER] = None,
    conf: Annotated[list[str] | None, CONF] = None,
    facts: Annotated[list[str] | None, FACTS] = None,
) -> None:
    """Recognise on a live stream, until stopped (Ctrl-C), and tell what changes."""
    import holdsfor
    import holdsfor.spark

    settings = pairs("--conf", conf or [], "spark.driver.memory=2g")
    description = holdsfor.load(*rules, facts=pairs("--facts", facts or [], "vesselType=types.csv"))
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    sinks = [sink_of(text, tick_unit, number) for number, text in enumerate(to or [], 1)]
    with ExitStack() as stack:
        with progress("Starting Spark"):
            spark = holdsfor.spark.session(master, settings)
        stack.callback(_stop, spark)
        limits = {"files": max_files, "events": max_events}
        events, reader = stack.enter_context(_source(spark, source, checkpoint, format, mapping, limits, once))
        watch = stack.enter_context(_watching(tick_unit, metrics_port))
        live = holdsfor.spark.stream(
            spark,
            description,
            events,
            window=ticks(window, tick_unit),
            step=ticks(step, tick_unit),
            checkpoint=checkpoint,
            start=start,
            end=end,
            tick=ticks(tick, tick_unit),
            out=out,
            buckets=buckets,
            format=reader,
            report=report,
            clock=tick_unit if clock == "wall" else None,
            pace=None if speed is None else speed * ticks("1s", tick_unit),
            every=every,
            once=once,
            durable=durable,
            on_poison=on_poison,
            sinks=sinks,
            watch=watch,
        )
        wait(live)
        say(f"Tables in {live.tables.shown()}")


def wait(live: LiveQuery) -> None:
    """Until the stream ends; Ctrl-C and SIGTERM end it after the batch that runs."""
    asked: list[int] = []
    before = {name: signal.signal(name, lambda number, _: asked.append(number)) for name in _SIGNALS}
    try:
        while not live.wait(1):
            if asked:
                complain("Stopping after this batch ...", style="")
                live.stop()
                return
    except Exception:
        if not asked:
            raise
        # Whoever ends a service tells all its processes, and Spark does not wait for us.
        complain("Spark was ended, too. Nothing is lost: a batch that was running is done again at the next start.", "")
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _stop(spark: SparkSession) -> None:
    with suppress(Exception):  # it may be gone already
        spark.stop()


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def _source(
    spark: SparkSession,
    place: str,
    checkpoint: str,
    format: str | None,
    mapping: Path | None,
    limits: dict[str, int | None],
    once: bool,
) -> Iterator[tuple[DataFrame, Reader]]:
    from holdsfor.spark.live.sources import folder_stream, message_stream

    if "://" not in place:
        most = {"maxFiles": limits["files"], "maxEvents": limits["events"]}
        yield folder_stream(spark, place, checkpoint, format, mapping, most)
        return
    if not place.startswith(("mqtt://", "mqtts://")):
        raise HoldsforError(f"cannot stream from {place}: give a folder, or mqtt://host/topic.")
    if once:
        raise HoldsforError("--once ends when all has been read, and a broker's topics never end: leave it out.")
    with message_stream(spark, place, f"{checkpoint}/spool", mapping, limits["events"]) as found:
        yield found


def sink_of(text: str, unit: TickUnit, number: int) -> Sink:
    """What `--to` names; number: its place among them, by which it is known again after a restart."""
    from holdsfor.io.mqtt.settings import Settings
    from holdsfor.io.mqtt.sink import MqttSink
    from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, WebhookSink
    from holdsfor.io.store import Store

    if text == "console":
        return ConsoleSink(unit)
    if text.startswith(("http://", "https://")):
        return WebhookSink(text, name=f"webhook-{number}")
    if text.startswith(("mqtt://", "mqtts://")):
        address, topic = _topic_of(text)
        return MqttSink(Settings.parse(address), topic or "recognised/{fluent}", name=f"mqtt-{number}")
    if "://" in text and not text.startswith("file:"):
        raise HoldsforError(f"cannot send changes to {text}: give console, http(s)://, mqtt(s):// or a folder.")
    return JsonLinesSink(Store(text), name=f"jsonlines-{number}")


def _topic_of(text: str) -> tuple[str, str]:
    """mqtt://host:1883/recognised/{fluent}?client_id=x: the address without the topic, and the topic."""
    scheme, _, rest = text.partition("://")
    host, _, after = rest.partition("/")
    topic, mark, options = after.partition("?")
    return f"{scheme}://{host}{mark}{options}", topic


@contextmanager
def _watching(unit: TickUnit, port: int | None) -> Iterator[Callable[[BatchMetrics], None]]:
    """Progress for people, and figures for machines if asked."""
    from holdsfor.io.metrics import MetricsServer
    from holdsfor.view.live import LiveProgress

    with ExitStack() as stack:
        shown: list[Callable[[BatchMetrics], Any]] = [stack.enter_context(LiveProgress(unit)).show]
        if port is not None:
            server = MetricsServer(port)
            stack.callback(server.close)
            shown.append(server.add)
        yield lambda metrics: _all(shown, metrics)


def _all(shown: Sequence[Callable[[BatchMetrics], Any]], metrics: BatchMetrics) -> None:
    for show in shown:
        show(metrics)
