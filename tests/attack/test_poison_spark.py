"""Poison from end to end, on Spark: a message that used to end its worker, and a reader that does."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import holdsfor.spark
from holdsfor.io.events import Events
from holdsfor.io.mqtt.inbox import Message, as_batch
from holdsfor.io.mqtt.spool import SpoolWriter
from holdsfor.io.storage.changelog import commit_name, committed
from holdsfor.io.storage.store import Store
from holdsfor.job.live.input.feeds import MessageReader
from holdsfor.job.live.input.reading import LineReader
from holdsfor.language.description import Input
from tests.attack.test_poison_stream import DESCRIPTION, MAPPING, STEP, expected, good_line, good_message
from tests.spark.live.files import Folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

BATCHES = 4


def run(spark: SparkSession, frame: DataFrame, reader: Any, checkpoint: Path) -> list[tuple[Any, ...]]:
    live = holdsfor.spark.stream(
        spark, DESCRIPTION, frame, window=50, step=STEP, start=0, checkpoint=checkpoint, format=reader, once=True
    )
    live.awaitTermination()
    found = live.current()[0].to_pylist()
    rows = [(row["fluent"], *row["args"], row["value"], row["start"], row["end"]) for row in found]
    return sorted(rows, key=repr)


def table(checkpoint: Path, name: str) -> list[dict[str, Any]]:
    tables = Store(checkpoint / "tables")
    files = [file for batch in committed(tables) for file in tables.read_json(commit_name(batch))["files"]]
    return [row for file in files if file[0].startswith(f"{name}/") for row in tables.read_table(file[0]).to_pylist()]


def test_a_message_of_30000_levels_and_one_of_half_a_character(spark: SparkSession, tmp_path: Path) -> None:
    """A2, A3"""
    from holdsfor.spark.mqtt import mqtt_stream

    deep = b'{"a":' * 30_000 + b"1" + b"}" * 30_000
    half = rb'{"event": "velocity", "time": 15, "vessel": "\ud800", "speed": 3}'
    writer = SpoolWriter(tmp_path / "spool")
    for batch in range(BATCHES):
        payloads = [good_message(batch), deep, half]
        found = [Message(None, "t", payload, 1000, 1, False, 0, 0) for payload in payloads]
        writer.append(as_batch(found, f"s-{writer.number}", 0))
        writer.close()
    writer.release()
    frame = mqtt_stream(spark, str(tmp_path / "spool"), maxSegments=1)
    assert run(spark, frame, MessageReader(MAPPING), tmp_path / "checkpoint") == expected(BATCHES)
    assert len(table(tmp_path / "checkpoint", "rejects")) == 2 * BATCHES
    assert table(tmp_path / "checkpoint", "quarantine") == []


def test_a_row_of_which_a_worker_dies(spark: SparkSession, tmp_path: Path) -> None:
    class Crashing:
        """A reader whose parser crashes on some row, as Arrow's did."""

        def read(self, rows: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
            if any("crash" in text for text in rows["value"].to_pylist()):
                os.kill(os.getpid(), signal.SIGSEGV)
            return LineReader("rtec").read(rows, inputs, source, row)

    folder = Folder(tmp_path / "in")
    for batch in range(BATCHES):
        others = [f"velocity|{batch * STEP}|{batch * STEP}|other|9"] * 5
        folder.add([*others, "crash"[: 5 * (batch == 1)] or others[0], good_line(batch)])
    checkpoint = tmp_path / "checkpoint"
    assert run(spark, folder.frame(spark), Crashing(), checkpoint) == expected(BATCHES)
    (row,) = table(checkpoint, "quarantine")
    assert (row["row"], row["attempts"], row["reason"]) == (6, 3, "the worker process died")
    assert pa.ipc.open_stream(row["data"]).read_all().to_pylist() == [{"value": b"crash"}]
    assert table(checkpoint, "rejects") == []
