"""The same on another broker, which speaks MQTT 3.1.1 only."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from holdsfor.io.mqtt import MqttSink, Spool, Spooler
from holdsfor.io.mqtt.spool import read_segment
from tests.io.mqtt.broker import Amqtt, eventually
from tests.io.mqtt.test_sink import change, changes


def spooled(folder: Path) -> list[bytes]:
    tables = [read_segment(s.path) for s in Spool(folder).segments()]
    return pa.concat_tables(tables)["payload"].to_pylist() if tables else []


def test_spooler(amqtt: Amqtt, tmp_path: Path) -> None:
    settings = amqtt.settings("t/#")
    with Spooler(settings, tmp_path / "spool") as spooler:
        amqtt.publish([b"1", b"2", b"3"], "t/x")
        eventually(lambda: spooler.metrics()["acknowledged"] == 3)
    amqtt.publish([b"4", b"5"], "t/y")  # while nobody listens
    with Spooler(settings, tmp_path / "spool") as spooler:
        eventually(lambda: spooler.metrics()["acknowledged"] == 2)
    assert spooled(tmp_path / "spool") == [b"1", b"2", b"3", b"4", b"5"]


def test_sink(amqtt: Amqtt, tmp_path: Path) -> None:
    with Spooler(amqtt.settings("recognised/#"), tmp_path / "spool") as spooler:
        rows = changes(*(change("insert", f"i{n}") for n in range(20)))
        assert MqttSink(amqtt.settings()).deliver(1, "p", rows) == 20
        eventually(lambda: spooler.metrics()["acknowledged"] == 20)
    assert len(spooled(tmp_path / "spool")) == 20
