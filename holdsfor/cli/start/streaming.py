"""Begin a stream for the command line: its host, source and sinks; who watches it; how its end is told."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdsfor.cli.output.console import complain, progress, warn_of_overflows
from holdsfor.duration import TickUnit
from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import has_password, hide_passwords, is_uri, show_address

if TYPE_CHECKING:
    from holdsfor.io.metrics import BatchMetrics, Health, MetricsServer
    from holdsfor.io.sinks.messages import Sink
    from holdsfor.job.live.query import StreamQuery

KAFKA = "kafka://"
LOG = "spark.log"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
Begin = Callable[..., "StreamQuery"]


class LocalHost:
    """A host that does the work in this process."""

    def stop(self) -> None:
        """Do nothing: there is nothing to stop."""

    @contextmanager
    def source(self, *place: Any) -> Iterator[Begin]:
        from holdsfor.job.live.input.feeds import open_feed
        from holdsfor.local.stream import stream_feed

        with open_feed(*place) as (feed, reader):
            yield lambda description, **options: stream_feed(description, feed, reader, **options)


@dataclass(slots=True)
class SparkHost:
    master: str | None
    settings: dict[str, str]
    log: Path

    def stop(self) -> None:
        with suppress(Exception):  # it may be gone already, or was never installed
            from pyspark.sql import SparkSession

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


def needs_spark(engine: str, addresses: Sequence[str], spark_options: object) -> bool:
    """Choose where a stream runs: on Spark if it is asked for, by name, by an option for Spark, or by Kafka."""
    has_kafka = any(address.startswith(KAFKA) for address in addresses)
    if engine == "local" and has_kafka:
        raise HoldsforError("kafka:// goes through Spark's connector: leave out --engine local.")
    return engine == "spark" or (engine == "auto" and (has_kafka or bool(spark_options)))


def wait(live: StreamQuery, may_lose_spark: bool) -> None:
    """Wait until the stream ends; Ctrl-C and SIGTERM end it after the batch that runs."""
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


def check_source(place: str, checkpoint: str, format: str | None, mapping: Path | None, once: bool) -> None:
    """Find mistakes before Spark is started for nothing."""
    from holdsfor.io.mqtt.settings import MqttSettings
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
    MqttSettings.parse(place)


def sink_of(text: str, unit: TickUnit, number: int) -> Sink:
    """Make the sink that `--to` names. number: its place among them, by which it is known again after a restart."""
    from holdsfor.io.mqtt.settings import MqttSettings
    from holdsfor.io.mqtt.sink import MqttSink
    from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, WebhookSink
    from holdsfor.io.storage.store import Store

    if text == "console":
        return ConsoleSink(unit)
    if text.startswith(("http://", "https://")):
        return WebhookSink.parse(text, name=f"webhook-{number}")
    if text.startswith(("mqtt://", "mqtts://")):
        return MqttSink(MqttSettings.parse(text, topics=()), _topic_of(text), name=f"mqtt-{number}")
    if text.startswith(KAFKA):
        from holdsfor.spark.kafka import KafkaSink

        return KafkaSink.parse(text, name=f"kafka-{number}")
    if "://" in text and not text.startswith("file:"):
        raise HoldsforError(
            f"cannot send changes to {show_address(text)}: give console, http(s)://, mqtt(s)://, kafka:// or a folder."
        )
    return JsonLinesSink(Store(text), name=f"jsonlines-{number}")


def _topic_of(address: str) -> str:
    """Return the path of an address: of mqtt://host:1883/recognised/{fluent}?client_id=x `recognised/{fluent}`."""
    return urlsplit(address, allow_fragments=False).path.removeprefix("/") or "recognised/{fluent}"


@contextmanager
def serving(port: int | None, host: str, health: Health) -> Iterator[MetricsServer | None]:
    """Serve metrics for machines, if asked."""
    from holdsfor.io.metrics import MetricsServer

    if port is None:
        yield None
        return
    with MetricsServer(port, host, health) as server:
        yield server


@contextmanager
def watching(
    unit: TickUnit, server: MetricsServer | None, draws: bool, health: Health
) -> Iterator[Callable[[BatchMetrics], None]]:
    """Show progress to people, and add it to metrics for machines if asked."""
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
    """A watcher that warns once that arithmetic has overflowed."""

    has_warned: bool = False

    def __call__(self, metrics: BatchMetrics) -> None:
        if metrics.counts.overflows and not self.has_warned:
            self.has_warned = True
            warn_of_overflows(metrics.counts.overflows)


def log_of(checkpoint: str) -> Path:
    """Return the log beside the state, or in our cache where that is no folder of this machine that we may write."""
    if not is_uri(checkpoint):
        folder = Path(checkpoint).expanduser().absolute()
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if folder.is_dir() and os.access(folder, os.W_OK):
            return folder / LOG
    from holdsfor.spark.session import cache_dir

    return cache_dir() / LOG


@contextmanager
def told_failures(log: Path, addresses: Sequence[str], tell: Callable[[str], None]) -> Iterator[None]:
    """Raise whatever stops a stream as a HoldsforError. addresses: they may have passwords that nobody should see."""
    try:
        yield
    except Exception as error:
        sentence = hide_passwords(_sentence(error, log), addresses)
        _write_details(log, hide_passwords("".join(traceback.format_exception(error)), addresses))
        tell(sentence)
        if isinstance(error, BrokenPipeError):
            raise  # nobody reads our output any more: there is no one to tell
        raise HoldsforError(sentence) from None


def _sentence(error: Exception, log: Path) -> str:
    from holdsfor.spark.errors import reason_of

    if isinstance(error, HoldsforError):
        return str(error)
    reason = reason_of(error).rstrip(".")
    return f"The stream has stopped: {reason} ({type(error).__name__}). All details are in {log}"


def _write_details(log: Path, details: str) -> None:
    with suppress(OSError), open(log, "a", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} the stream has stopped\n{details}\n")
