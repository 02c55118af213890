"""A receiver that is away for a while: nothing is lost, nothing comes out of order, the stream goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.sinks.keeping import KeepingSink
from holdsfor.io.storage.store import Store
from tests.io.sinks.logs import INTERVALS


@dataclass
class Receiver:
    """Takes changes while it is up."""

    up: bool = True
    got: list[tuple[int, str]] = field(default_factory=list)
    retries: int = 6
    asked_with: list[int] = field(default_factory=list)
    name: str = "receiver"

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        self.asked_with.append(self.retries)
        if not self.up:
            raise HoldsforError("it is away.")
        self.got.append((batch, part))
        return len(changes)


def deliver(sink: KeepingSink, batches: Sequence[int]) -> None:
    """As a stream does it: what waits comes first."""
    for batch in batches:
        sink.flush()
        for part in ("stage0-0", "occurrences-stage0-1"):
            sink.deliver(batch, part, INTERVALS)


def parts(*batches: int) -> list[tuple[int, str]]:
    return [(batch, part) for batch in batches for part in ("stage0-0", "occurrences-stage0-1")]


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def sink(receiver: Receiver, tmp_path: Path) -> KeepingSink:
    return KeepingSink(receiver, Store(tmp_path / "undelivered"))


def test_what_is_taken_is_not_kept(sink: KeepingSink, receiver: Receiver) -> None:
    deliver(sink, range(3))
    assert receiver.got == parts(0, 1, 2)
    assert not sink.store.names()


def test_all_is_delivered_in_order_when_it_is_back(sink: KeepingSink, receiver: Receiver, tmp_path: Path) -> None:
    deliver(sink, [0])
    receiver.up = False
    deliver(sink, [9, 10])
    assert len(sink.store.names()) == 4
    receiver.up = True
    again = KeepingSink(receiver, Store(tmp_path / "undelivered"))  # after a restart
    deliver(again, [11])
    assert sorted(receiver.got[:2]) == sorted(parts(0))
    assert [batch for batch, _ in receiver.got] == [0, 0, 9, 9, 10, 10, 11, 11]
    assert sorted(receiver.got) == sorted(parts(0, 9, 10, 11))
    assert not again.store.names()


def test_what_waits_is_the_same_table(tmp_path: Path) -> None:
    got: list[pa.Table] = []

    @dataclass
    class Taking(Receiver):
        def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
            got.append(changes)
            return super().deliver(batch, part, changes)

    receiver = Taking(up=False)
    sink = KeepingSink(receiver, Store(tmp_path / "undelivered"))
    sink.deliver(3, "stage0-0", INTERVALS)
    receiver.up = True
    assert sink.flush() == len(INTERVALS)
    assert got[-1].equals(INTERVALS)


def test_a_batch_delivered_again_is_kept_once(sink: KeepingSink, receiver: Receiver) -> None:
    receiver.up = False
    deliver(sink, [4, 4])
    assert len(sink.store.names()) == 2


def test_who_is_known_to_be_away_is_asked_once_a_batch(tmp_path: Path) -> None:
    """Six retries with pauses in each batch would hold the stream up."""
    asked: list[int] = []
    receiver = Receiver(up=False, asked_with=asked)
    sink = KeepingSink(receiver, Store(tmp_path / "undelivered"))
    deliver(sink, range(4))
    assert asked == [6, 0, 0, 0]


def test_nothing_is_told_of_no_changes(sink: KeepingSink, receiver: Receiver) -> None:
    assert sink.deliver(0, "stage0-0", INTERVALS.slice(0, 0)) == 0
    assert not receiver.asked_with


def test_what_is_no_failure_of_the_receiver_is_raised(tmp_path: Path) -> None:
    class Broken(Receiver):
        def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
            raise KeyError("a bug")

    with pytest.raises(KeyError):
        KeepingSink(Broken(), Store(tmp_path / "undelivered")).deliver(0, "stage0-0", INTERVALS)
