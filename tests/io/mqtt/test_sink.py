"""Changes published as JSON: each arrives, under its topic, and the latest state can be kept by the broker."""

from __future__ import annotations

import json
import pickle
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import MqttSettings, MqttSink, Spool, Spooler
from holdsfor.io.mqtt.spool import read_segment
from tests.io.mqtt.broker import NAME, Broker, Mosquitto, eventually

SCHEMA = pa.schema(
    [
        ("query_time", pa.int64()),
        ("op", pa.string()),
        ("id", pa.string()),
        ("fluent", pa.string()),
        ("args", pa.list_(pa.string())),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)


def change(op: str, name: str, end: int | None = None, time: int = 10, fluent: str = "stopped") -> dict[str, Any]:
    return {
        "query_time": time,
        "op": op,
        "id": name,
        "fluent": fluent,
        "args": ["v1", "'Two words'"],
        "value": "true",
        "start": 3,
        "end": end,
    }


def changes(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), SCHEMA)


@contextmanager
def listening(broker: Broker, topic: str) -> Iterator[list[tuple[str, bytes, bool]]]:
    """Topic, payload and the mark of a retained message, of all that comes."""
    found: list[tuple[str, bytes, bool]] = []
    ready = threading.Event()
    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv311)
    client.on_message = lambda _client, _, m: found.append((m.topic, bytes(m.payload), m.retain))
    client.on_subscribe = lambda *_: ready.set()
    client.username_pw_set(NAME)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.subscribe(topic, 1)
    assert ready.wait(5)
    yield found
    client.disconnect()
    client.loop_stop()


def test_one_message_a_change(broker: Broker) -> None:
    sink = pickle.loads(pickle.dumps(MqttSink(broker.settings())))  # as it comes to a worker
    rows = [change("insert", "i1"), change("extend", "i2", 20, fluent="near port")]
    with listening(broker, "recognised/#") as found:
        assert sink.deliver(4, "p0", changes(*rows)) == 2
        eventually(lambda: len(found) == 2)
    assert [topic for topic, _, _ in found] == ["recognised/stopped", "recognised/near port"]
    assert [json.loads(payload) for _, payload, _ in found] == [row | {"batch": 4} for row in rows]


def test_the_latest_state_is_kept(broker: Broker) -> None:
    sink = MqttSink(broker.settings(), "out/{fluent}/{value}", retained=True)
    sink.deliver(1, "p0", changes(change("insert", "i1"), change("insert", "i/2")))
    sink.deliver(2, "p0", changes(change("extend", "i1", 20, 20), change("withdraw", "i/2", None, 20)))
    with listening(broker, "out/#") as found:
        eventually(lambda: len(found) == 1)
        time.sleep(0.2)
    ((topic, payload, retained),) = found
    assert (topic, retained) == ("out/stopped/true/i1", True)
    assert json.loads(payload) == change("extend", "i1", 20, 20) | {"batch": 2}


def test_names_in_topics_are_one_level(broker: Broker) -> None:
    with listening(broker, "#") as found:
        MqttSink(broker.settings()).deliver(1, "p", changes(change("insert", "i", fluent="a/b+#%")))
        eventually(lambda: len(found) == 1)
    assert found[0][0] == "recognised/a%2Fb%2B%23%25"


def test_nothing_to_publish(tmp_path: Path) -> None:
    assert MqttSink(MqttSettings("there.is.no.such.host.invalid")).deliver(1, "p", changes()) == 0


def test_occurrences_too(broker: Broker) -> None:
    """They have no value, and their topic says which event."""
    columns = [field for field in SCHEMA if field.name not in ("fluent", "value")]
    row = {"query_time": 10, "op": "insert", "id": "o1", "event": "call", "args": ["a"], "start": 3, "end": 3}
    log = pa.Table.from_pylist([row], pa.schema([*columns, ("event", pa.string())]))
    with listening(broker, "recognised/#") as found:
        MqttSink(broker.settings()).deliver(2, "p0", log)
        eventually(lambda: len(found) == 1)
    assert found[0][0] == "recognised/call"
    assert json.loads(found[0][1]) == row | {"batch": 2}


def test_a_batch_delivered_twice_is_one_for_a_spooler(mosquitto: Mosquitto, tmp_path: Path) -> None:
    sink = MqttSink(mosquitto.settings())
    rows = changes(*(change("insert", f"i{n}") for n in range(100)))
    with Spooler(mosquitto.settings("recognised/#"), tmp_path) as spooler:
        sink.deliver(1, "p", rows)
        sink.deliver(1, "p", rows)
        eventually(lambda: spooler.metrics()["acknowledged"] == 200)
    found = [row for s in Spool(tmp_path).segments() for row in read_segment(s.path)["payload"].to_pylist()]
    assert [json.loads(row)["id"] for row in found] == [f"i{n}" for n in range(100)]


def test_the_broker_restarts_meanwhile(mosquitto: Mosquitto, tmp_path: Path) -> None:
    Spooler(mosquitto.settings("recognised/#"), tmp_path).start().stop()
    rows = changes(*(change("insert", f"i{n}") for n in range(8000)))
    done: list[int] = []
    thread = threading.Thread(target=lambda: done.append(MqttSink(mosquitto.settings()).deliver(1, "p", rows)))
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()
    mosquitto.restart(pause=0.3)
    thread.join()
    assert done == [8000]
    with Spooler(mosquitto.settings("recognised/#"), tmp_path) as spooler:
        eventually(lambda: spooler.metrics()["spooled"] == 8000)
    found = [row for s in Spool(tmp_path).segments() for row in read_segment(s.path)["payload"].to_pylist()]
    assert sorted(json.loads(row)["id"] for row in found) == sorted(f"i{n}" for n in range(8000))


def test_a_broker_that_stays_away_is_told(broker: Broker) -> None:
    broker.stop()
    sink = MqttSink(broker.settings(patience=1.0))
    with pytest.raises(HoldsforError, match=r"1 of 1 messages could not be published.*Check that it runs"):
        sink.deliver(1, "p", changes(change("insert", "i")))


@pytest.mark.parametrize("topic", ["a/{vessel}", "a/+", "a/#", ""])
def test_topics_that_cannot_be(topic: str) -> None:
    with pytest.raises(HoldsforError, match="topic"):
        MqttSink(MqttSettings("host"), topic)
