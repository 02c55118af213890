"""From a broker to a broker: messages in, recognised intervals out, by one stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import holdsfor
from holdsfor.io.mqtt import MqttSink, Spool, Spooler
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.io.storage.store import Store
from holdsfor.job.live.input.feeds import MessageReader, SpoolFeed
from holdsfor.job.live.query import StreamQuery
from holdsfor.local import stream as local
from holdsfor.spark.live.query import stream
from holdsfor.spark.mqtt import mqtt_stream
from tests.io.mqtt.broker import Broker, eventually

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
"""
MAPPING = {"events": {"velocity": ["vessel", "knots"]}, "topics": {"ais/speed": "velocity"}}


@pytest.mark.parametrize("host", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_from_broker_to_broker(host: str, request: pytest.FixtureRequest, broker: Broker, tmp_path: Path) -> None:
    rows = [{"time": t, "vessel": f"v{t % 3}", "knots": (37 * t) % 11 + 0.5} for t in range(1, 121)]
    spool, heard = tmp_path / "spool", tmp_path / "heard"
    with (
        Spooler(broker.settings("recognised/#", client_id="listener"), heard),
        Spooler(broker.settings("ais/#", client_id="stream"), spool),
    ):
        broker.publish([json.dumps(row).encode() for row in rows] + [b"not json"], "ais/speed")
        eventually(lambda: sum(segment.rows for segment in Spool(spool).segments()) == len(rows) + 1)
        options: dict[str, Any] = {"window": 60, "step": 30, "start": 0, "checkpoint": tmp_path / "state"}
        options |= {"buckets": 2, "once": True, "sinks": [MqttSink(broker.settings())]}
        reader = MessageReader(as_mapping(MAPPING))
        live: StreamQuery
        if host == "local":
            live = local.stream_feed(holdsfor.parse(RULES), SpoolFeed(spool, most=50), reader, **options)
        else:
            spark = request.getfixturevalue("spark")
            frame = mqtt_stream(spark, str(spool), maxMessages=50)
            live = stream(spark, holdsfor.parse(RULES), frame, format=reader, **options)
        live.awaitTermination()
        told = live.changes()[0].num_rows
        eventually(lambda: sum(segment.rows for segment in Spool(heard).segments()) == told)
    expected = holdsfor.recognise(
        holdsfor.parse(RULES),
        holdsfor.read_events([f"velocity({r['vessel']}, {r['knots']}) @ {r['time']}" for r in rows], format="terms"),
        window=60,
        step=30,
        start=0,
    )
    assert sorted(map(str, live.current()[0].to_pylist())) == sorted(map(str, expected.intervals.to_pylist()))
    assert told >= expected.intervals.num_rows > 0
    refused = [Store(live.tables.location).read_table(name) for name in live.tables.names("rejects/")]
    assert [row["text"] for table in refused for row in table.to_pylist()] == ["not json"]
