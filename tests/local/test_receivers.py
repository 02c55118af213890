"""Receivers of a stream that are dead, slow or back again: they hold up neither the stream nor each other."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io.metrics import BatchMetrics
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.mqtt.sink import MqttSink
from holdsfor.io.sinks.messages import Sink
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.local.stream import LocalQuery, stream_feed
from tests.io.mqtt.broker import Broker, eventually, free_port
from tests.io.mqtt.conftest import broker as broker
from tests.io.mqtt.conftest import mosquitto as mosquitto
from tests.io.mqtt.test_sink import listening

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
"""


@dataclass
class Receiver:
    """Takes changes while it is up; `gate` is closed as long as it does not answer."""

    name: str = "receiver"
    up: bool = True
    batches: list[int] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        self.gate.wait()
        if not self.up:
            raise HoldsforError(f"{self.name} is away.")
        self.batches.append(batch)
        return len(changes)


@dataclass
class Running:
    """A stream on a folder: each file is a batch that brings one change."""

    folder: Path
    live: LocalQuery
    metrics: list[BatchMetrics]
    files: int = 0

    def put(self) -> None:
        self.files += 1
        at = 10 * self.files
        path = self.folder / f"{self.files:03d}.csv"
        path.with_suffix(".tmp").write_text(f"velocity|{at}|{at}|v{self.files}|1.0\nvelocity|{at + 9}|{at + 9}|x|9.0\n")
        path.with_suffix(".tmp").rename(path)
        eventually(lambda: self.has_done(self.files))

    def has_done(self, batches: int) -> bool:
        if self.live.exception() is not None:
            raise AssertionError("the stream has stopped") from self.live.exception()
        return len(self.metrics) >= batches


@contextmanager
def running(folder: Path, sinks: Sequence[Sink], **options: Any) -> Iterator[Running]:
    incoming = folder / "incoming"
    incoming.mkdir(exist_ok=True)
    checkpoint = str(folder / "state")
    metrics: list[BatchMetrics] = []
    with open_feed(str(incoming), checkpoint=checkpoint) as (feed, reader):
        live = stream_feed(
            holdsfor.parse(RULES),
            feed,
            reader,
            window=100,
            step=5,
            start=0,
            checkpoint=checkpoint,
            sinks=sinks,
            watch=metrics.append,
            **options,
        )
        try:
            yield Running(incoming, live, metrics)
        finally:
            live.stop()


def test_nothing_listens_and_neither_the_stream_nor_the_other_receiver_waits(tmp_path: Path) -> None:
    """Each batch waited for 60 s, and the receiver behind it, too."""
    dead = MqttSink(MqttSettings("127.0.0.1", free_port()), name="dead")
    other = Receiver("other")
    begun = time.monotonic()
    with running(tmp_path, [dead, other], on_sink_failure="keep") as job:
        for _ in range(3):
            job.put()
        eventually(lambda: other.batches == [0, 1, 2])
    assert time.monotonic() - begun < 15


def test_a_receiver_that_does_not_answer_holds_up_no_other(tmp_path: Path) -> None:
    """When the stream stops on failures, too: the others have the batch at once."""
    slow, other = Receiver("slow"), Receiver("other")
    slow.gate.clear()
    with running(tmp_path, [slow, other]) as job:
        (job.folder / "1.csv").write_text("velocity|10|10|v1|1.0\nvelocity|19|19|x|9.0\n")
        eventually(lambda: other.batches == [0])
        assert not job.metrics
        slow.gate.set()
        eventually(lambda: len(job.metrics) == 1)
    assert slow.batches == [0]


@pytest.mark.parametrize("on_sink_failure", ["stop", "keep"])
def test_to_end_the_stream_takes_no_longer_than_a_short_bound(on_sink_failure: str, tmp_path: Path) -> None:
    slow = Receiver("slow")
    slow.gate.clear()
    with running(tmp_path, [slow], on_sink_failure=on_sink_failure) as job:
        (job.folder / "1.csv").write_text("velocity|10|10|v1|1.0\nvelocity|19|19|x|9.0\n")
        eventually(lambda: job.live.sinks()[0].undelivered == 1)
        begun = time.monotonic()
        job.live.stop()
        assert time.monotonic() - begun < 10
        assert job.live.exception() is None
    again = Receiver("slow")
    with running(tmp_path, [again], on_sink_failure=on_sink_failure):
        eventually(lambda: again.batches == [0])
    slow.gate.set()


def test_what_waits_is_not_overtaken_by_a_start_that_keeps_nothing(tmp_path: Path) -> None:
    receiver = Receiver("pager", up=False)
    with running(tmp_path, [receiver], on_sink_failure="keep") as job:
        job.put()
    with pytest.raises(HoldsforError, match=r"changes that pager has not taken wait in .*undelivered/pager"):
        running(tmp_path, [receiver]).__enter__()
    receiver.up = True
    with running(tmp_path, [receiver], on_sink_failure="keep"):
        eventually(lambda: receiver.batches == [0])
    with running(tmp_path, [receiver]) as job:
        assert job.live.exception() is None


def test_a_receiver_that_is_away_is_seen_and_gets_all_in_order_when_it_is_back(tmp_path: Path) -> None:
    receiver = Receiver("pager", up=False)
    with running(tmp_path, [receiver], on_sink_failure="keep") as job:
        job.put()
        eventually(lambda: job.live.sinks()[0].error is not None)
        job.put()
        (told,) = job.live.sinks()
        assert (told.name, told.undelivered, told.last_success) == ("pager", 2, None)
        assert told.error == "pager is away."
        assert told.seconds_behind() > 0
        receiver.up = True
        eventually(lambda: receiver.batches == [0, 1])  # without another batch
        eventually(lambda: job.live.sinks()[0].undelivered == 0)
        (told,) = job.live.sinks()
        assert told.error is None
        assert told.last_success is not None
        assert told.latency is not None
        assert told.seconds_behind() == 0


def test_latency_has_the_delivery_in_it(tmp_path: Path) -> None:
    slow = Receiver("slow")
    slow.gate.clear()
    with running(tmp_path, [slow]) as job:
        (job.folder / "1.csv").write_text("velocity|10|10|v1|1.0\nvelocity|19|19|x|9.0\n")
        eventually(lambda: job.live.sinks()[0].undelivered == 1)
        time.sleep(0.3)
        slow.gate.set()
        eventually(lambda: len(job.metrics) == 1)
        (batch,) = job.metrics
        assert batch.latency_ms >= 300
        assert batch.seconds["to_deliver"] >= 0.3
        (told,) = job.live.sinks()
        assert told.latency is not None
        assert told.latency >= 0.3


def test_a_fault_of_a_receiver_itself_stops_the_stream(tmp_path: Path) -> None:
    class Broken(Receiver):
        def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
            raise KeyError("a bug")

    with running(tmp_path, [Broken()], on_sink_failure="keep") as job:
        for number in range(1, 6):
            (job.folder / f"{number}.csv").write_text(f"velocity|{number}0|{number}0|v1|1.0\n")
            time.sleep(0.3)
        with pytest.raises(KeyError):
            job.live.awaitTermination(10)


def test_a_stream_that_ends_delivers_what_it_can(tmp_path: Path) -> None:
    receiver = Receiver()
    with running(tmp_path, [receiver], on_sink_failure="keep", once=True) as job:
        (job.folder / "1.csv").write_text("velocity|10|10|v1|1.0\nvelocity|19|19|x|9.0\n")
    with running(tmp_path, [receiver], on_sink_failure="keep", once=True) as job:
        job.live.awaitTermination(30)
        assert receiver.batches


def test_a_broker_that_comes_up_later_gets_all(mosquitto: Broker, tmp_path: Path) -> None:
    mosquitto.stop()
    sink = MqttSink(mosquitto.settings(), name="broker")
    with running(tmp_path, [sink], on_sink_failure="keep") as job:
        job.put()
        job.put()
        eventually(lambda: job.live.sinks()[0].error is not None)
        mosquitto.start()
        with listening(mosquitto, "recognised/#") as messages:
            eventually(lambda: len(messages) == 2)
    assert [json.loads(payload)["args"] for _, payload, _ in messages] == [["v1"], ["v2"]]
