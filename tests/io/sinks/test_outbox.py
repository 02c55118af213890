"""A receiver that is away for a while: nothing is lost, nothing comes out of order, and nobody waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.network import Backoff
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.mqtt.sink import MqttSink
from holdsfor.io.sinks import WebhookSink
from holdsfor.io.sinks.outbox import Outbox
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.io.storage.store import Store
from tests.io.mqtt.broker import eventually, free_port
from tests.io.sinks.logs import INTERVALS


@dataclass
class Receiver:
    """Takes changes while it is up."""

    up: bool = True
    got: list[tuple[int, str]] = field(default_factory=list)
    tables: list[pa.Table] = field(default_factory=list)
    attempts: list[float] = field(default_factory=list)
    retries: int = 6
    name: str = "receiver"

    def single_attempt(self) -> Receiver:
        return replace(self, retries=0)

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        assert self.retries == 0
        self.attempts.append(time.monotonic())
        if not self.up:
            raise HoldsforError("it is away.")
        self.got.append((batch, part))
        self.tables.append(changes)
        return len(changes)


PARTS = ("occurrences-stage0-1", "stage0-0")


def put(box: Outbox, *batches: int) -> None:
    for batch in batches:
        for part in PARTS:
            box.put(batch, part, INTERVALS, time.time())


def parts(*batches: int) -> list[tuple[int, str]]:
    return [(batch, part) for batch in batches for part in PARTS]


@contextmanager
def outbox(receiver: Receiver, folder: Path) -> Iterator[Outbox]:
    box = Outbox(receiver, Store(folder / "undelivered"))
    box._backoff = Backoff(0.01, 0.02)
    box.start()
    yield box
    box.finish(5)


def test_what_is_taken_is_not_kept(tmp_path: Path) -> None:
    receiver = Receiver()
    with outbox(receiver, tmp_path) as box:
        put(box, 0, 1, 2)
    assert receiver.got == parts(0, 1, 2)
    assert receiver.tables[0].equals(INTERVALS)
    assert not box.store.names()
    assert box.metrics().undelivered == 0


def test_all_is_delivered_in_order_when_it_is_back(tmp_path: Path) -> None:
    receiver = Receiver()
    with outbox(receiver, tmp_path) as box:
        put(box, 0)
        eventually(lambda: receiver.got == parts(0))
        box._sink.up = receiver.up = False  # type: ignore[attr-defined]
        put(box, 9, 10)
        eventually(lambda: box.metrics().error is not None)
    assert len(box.store.names()) == 4
    assert box.metrics().undelivered == 4 * len(INTERVALS)
    receiver.up = True
    with outbox(receiver, tmp_path) as box:  # after a restart
        put(box, 11)
    assert receiver.got == parts(0, 9, 10, 11)
    assert not box.store.names()


def test_a_batch_delivered_again_is_kept_once(tmp_path: Path) -> None:
    with outbox(Receiver(up=False), tmp_path) as box:
        put(box, 4, 4)
    assert len(box.store.names()) == 2
    assert box.metrics().undelivered == 2 * len(INTERVALS)


def test_attempts_come_with_growing_pauses_however_many_batches_come(tmp_path: Path) -> None:
    attempts: list[float] = []
    box = Outbox(Receiver(up=False, attempts=attempts), Store(tmp_path / "undelivered"))
    box._backoff = Backoff(0.4, 100.0)
    box.start()
    begun = time.monotonic()
    while time.monotonic() - begun < 1.0:
        put(box, 1)
        time.sleep(0.01)
    assert 2 <= len(attempts) <= 4
    box.finish(5)


def test_a_receiver_with_retries_of_its_own_makes_one_attempt(tmp_path: Path) -> None:
    hook = WebhookSink(f"http://127.0.0.1:{free_port()}/", wait=30.0)
    broker = MqttSink(MqttSettings("127.0.0.1", free_port(), patience=60.0))
    for sink in (hook, broker):
        begun = time.monotonic()
        with pytest.raises(HoldsforError, match="nothing listens there"):
            sink.single_attempt().deliver(0, "stage0-0", INTERVALS)
        assert time.monotonic() - begun < 5


def test_nothing_is_told_of_no_changes(tmp_path: Path) -> None:
    receiver = Receiver()
    with outbox(receiver, tmp_path) as box:
        box.put(0, "stage0-0", INTERVALS.slice(0, 0), 0.0)
    assert not receiver.attempts


def test_a_damaged_file_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "undelivered").mkdir()
    (tmp_path / "undelivered" / "0000001-stage0-0.parquet").write_bytes(b"not Parquet")
    with outbox(Receiver(), tmp_path) as box:
        eventually(lambda: box.metrics().error is not None)
    assert "is not a Parquet file" in str(box.metrics().error)


def test_who_has_lost_the_checkpoint_delivers_nothing(tmp_path: Path) -> None:
    receiver = Receiver()

    @contextmanager
    def lost() -> Iterator[None]:
        raise LeaseLost("taken over")
        yield

    box = Outbox(receiver, Store(tmp_path / "undelivered"), lost)
    box.start()
    put(box, 1)
    box.finish(5)
    assert not receiver.attempts
    assert len(box.store.names()) == 2


def test_a_receiver_that_hangs_is_not_waited_for_at_the_end(tmp_path: Path) -> None:
    class Hanging(Receiver):
        def single_attempt(self) -> Receiver:
            return self

        def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
            threading.Event().wait()
            return 0

    box = Outbox(Hanging(), Store(tmp_path / "undelivered"))
    box.start()
    put(box, 1)
    begun = time.monotonic()
    box.finish(0.2)
    assert time.monotonic() - begun < 2


def test_as_long_as_a_receiver_takes_anything_the_end_waits(tmp_path: Path) -> None:
    class Slow(Receiver):
        def single_attempt(self) -> Receiver:
            return self

        def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
            time.sleep(0.15)
            self.got.append((batch, part))
            return len(changes)

    receiver = Slow()
    box = Outbox(receiver, Store(tmp_path / "undelivered"))
    put(box, 0, 1, 2)
    box.start()
    box.finish(0.3, while_taken=True)
    assert receiver.got == parts(0, 1, 2)


def test_what_is_no_failure_of_the_receiver_is_raised(tmp_path: Path) -> None:
    class Broken(Receiver):
        def single_attempt(self) -> Receiver:
            return self

        def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
            raise KeyError("a bug")

    with outbox(Broken(), tmp_path) as box:
        put(box, 1)
        eventually(lambda: raises(box.check))
        with pytest.raises(KeyError):
            box.check()


def raises(act: Callable[[], None]) -> bool:
    try:
        act()
    except KeyError:
        return True
    return False
