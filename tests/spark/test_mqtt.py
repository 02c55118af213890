"""A spool as a source of a stream: every message once, in batches as large as asked for, across restarts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, ReadMaxFiles, ReadMaxRows

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import spool as module
from holdsfor.io.mqtt.inbox import Message, as_batch
from holdsfor.io.mqtt.spool import Segment, Spool, SpoolWriter
from holdsfor.spark.mqtt import MqttPartition, MqttStreamReader, admitted, mqtt_stream, shared_out

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def fill(folder: Path, *segments: Sequence[int]) -> None:
    writer = SpoolWriter(folder)
    for numbers in segments:
        found = [Message(None, "t", str(n).encode(), 1000 + n, 1, False, 0, 0) for n in numbers]
        writer.append(as_batch(found, f"s-{writer.number}", 0))
        writer.close()
    writer.release()


def drain(spark: SparkSession, folder: Path, checkpoint: Path, **options: Any) -> list[list[dict[str, Any]]]:
    """What each batch of a query reads that runs until the spool is empty."""
    batches: list[list[dict[str, Any]]] = []

    def keep(frame: DataFrame, _: int) -> None:
        batches.append(sorted(frame.toArrow().to_pylist(), key=lambda row: int(row["payload"])))

    stream = mqtt_stream(spark, str(folder), **options)
    query = stream.writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
    query.trigger(availableNow=True).start().awaitTermination()
    return batches


@pytest.mark.spark
def test_every_message_once_in_batches_of_the_size_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    spool, checkpoint = tmp_path / "spool", tmp_path / "checkpoint"
    fill(spool, range(0, 4), range(4, 6), range(6, 9), range(9, 10))
    found = drain(spark, spool, checkpoint, maxMessages=6)
    assert [[int(row["payload"]) for row in batch] for batch in found] == [list(range(6)), list(range(6, 10))]
    assert found[0][5] == {"id": "s-1-1", "topic": "t", "payload": b"5", "received": 1005}
    fill(spool, range(10, 12))
    (rest,) = drain(spark, spool, checkpoint, maxMessages=1)  # one segment in any case
    assert [int(row["payload"]) for row in rest] == [10, 11]
    assert Spool(spool).first == 4  # a batch is committed with the next one


def reader(folder: Path, **options: str) -> MqttStreamReader:
    return MqttStreamReader({"folder": str(folder)} | options)


def test_committed_segments_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_SEGMENTS", 0)
    fill(tmp_path, [1], [2], [3])
    reader(tmp_path, forget="false").commit({"segment": 2})
    assert [s.number for s in Spool(tmp_path).segments()] == [0, 1, 2]
    source = reader(tmp_path)
    assert source.initialOffset() == {"segment": 0}
    source.commit({"segment": 2})
    assert [s.number for s in Spool(tmp_path).segments()] == [2]
    assert source.initialOffset() == {"segment": 2}  # a new query begins with what is left


def test_offsets_of_a_spool_that_is_not_there_yet(tmp_path: Path) -> None:
    source = reader(tmp_path / "none")
    assert source.latestOffset(source.initialOffset(), ReadAllAvailable()) == {"segment": 0}
    assert source.partitions({"segment": 0}, {"segment": 0}) == []


def test_what_comes_later_is_not_for_now(tmp_path: Path) -> None:
    fill(tmp_path, [1], [2])
    source = reader(tmp_path)
    source.prepareForTriggerAvailableNow()
    fill(tmp_path, [3])
    assert source.latestOffset({"segment": 0}, ReadAllAvailable()) == {"segment": 2}
    assert source.reportLatestOffset() == {"segment": 3}


def test_a_lost_segment_stops_the_query(tmp_path: Path) -> None:
    fill(tmp_path, [1], [2], [3])
    Spool(tmp_path).segments()[1].path.unlink()
    with pytest.raises(HoldsforError, match="segment 1 is missing"):
        reader(tmp_path).partitions({"segment": 0}, {"segment": 3})


SEGMENTS = [Segment(n, rows, Path(f"{n}")) for n, rows in enumerate([10, 20, 30, 40])]


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        (ReadAllAvailable(), 4),
        (ReadMaxFiles(3), 3),
        (ReadMaxRows(60), 3),
        (ReadMaxRows(59), 2),
        (ReadMaxRows(5), 1),
        (ReadMaxRows(1000), 4),
    ],
)
def test_how_much_a_batch_takes(limit: ReadLimit, count: int) -> None:
    assert len(admitted(SEGMENTS, limit)) == count
    assert admitted([], limit) == []


def test_how_many_bytes_a_batch_takes(tmp_path: Path) -> None:
    fill(tmp_path, [1], [2], [3])
    segments = Spool(tmp_path).segments()
    size = segments[0].path.stat().st_size
    assert len(admitted(segments, ReadMaxBytes(2 * size))) == 2


def test_tasks_have_about_the_same_to_do() -> None:
    segments = [Segment(n, 10_000, Path(f"{n}")) for n in range(8)]
    runs = [p.paths for p in shared_out(segments, 2) if isinstance(p, MqttPartition)]
    assert runs == [("0", "1", "2", "3"), ("4", "5", "6", "7")]
    assert len(shared_out(segments[:1], 4)) == 1
    assert len(shared_out(SEGMENTS, 4)) == 1  # too little to share


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"maxMessages": "0"}, "maxMessages"),
        ({"partitions": "few"}, "partitions"),
        ({"maxMessages": "5", "maxSegments": "5"}, "not both"),
    ],
)
def test_mistakes_in_options_are_told(tmp_path: Path, options: dict[str, str], told: str) -> None:
    with pytest.raises(HoldsforError, match=told):
        reader(tmp_path, **options)


def test_the_folder_is_needed() -> None:
    with pytest.raises(HoldsforError, match="needs the folder of a spool"):
        MqttStreamReader({})
