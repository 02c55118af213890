"""Receivers of a stream on Spark that do not answer: they hold up neither its end nor each other."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from holdsfor.errors import HoldsforError
from holdsfor.io.sinks import JsonLinesSink
from holdsfor.io.storage.store import Store
from holdsfor.language import parse
from tests.conformance.compare import differences
from tests.spark.live.files import Folder, live
from tests.spark.live.party import PAIRS
from tests.spark.live.test_live import ROWS, history, told, until
from tests.spark.live.undisturbed import WINDOWS

pytestmark = pytest.mark.spark


@dataclass
class Silent:
    """Does not answer as long as `gate` is closed, and is away unless it is up. Stays with the driver."""

    gate: threading.Event = field(default_factory=threading.Event)
    up: bool = True
    changes: int = 0
    name: str = "silent"
    on_driver: ClassVar[bool] = True

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        self.gate.wait()
        if not self.up:
            raise HoldsforError("it is away.")
        self.changes += len(changes)
        return len(changes)


def test_one_that_does_not_answer_holds_up_neither_the_other_nor_the_end(spark: SparkSession, tmp_path: Path) -> None:
    folder, silent = Folder(tmp_path / "in"), Silent()
    told_to = Store(tmp_path / "told")
    folder.add(ROWS[:90])
    sinks = [silent, JsonLinesSink(told_to)]
    first = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", once=False, sinks=sinks)
    until(lambda: bool(told_to.names()))
    begun = time.monotonic()
    first.stop()
    assert time.monotonic() - begun < 20
    assert first.exception() is None
    folder.add(ROWS[90:])
    away = Silent(up=False)
    away.gate.set()
    second = live(
        spark,
        parse(PAIRS),
        folder,
        WINDOWS,
        tmp_path / "checkpoint",
        sinks=[away, JsonLinesSink(told_to)],
        on_sink_failure="keep",
    )
    second.awaitTermination()
    assert not differences(history(), told(second))
    metrics, other = second.sinks()
    assert metrics.undelivered == sum(log.num_rows for log in second.changes())
    assert (other.undelivered, other.error) == (0, None)
    silent.gate.set()
