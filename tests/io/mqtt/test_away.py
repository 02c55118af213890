"""A broker that is away, or brings nothing: seen in figures and told in lines."""

from __future__ import annotations

import logging
import socket
import time
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import MqttSettings, Spooler
from holdsfor.io.mqtt.settings import fits
from tests.attack.test_brokers import serving
from tests.io.mqtt.broker import Mosquitto, eventually, needs_mosquitto


def test_away_and_back(mosquitto: Mosquitto, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "holdsfor"), Spooler(mosquitto.settings("t"), tmp_path / "spool") as spooler:
        metrics = spooler.source_metrics()
        assert (metrics.name, metrics.connected) == (f"the broker at 127.0.0.1:{mosquitto.port}", True)
        assert (metrics.away_since, metrics.seconds_away()) == (None, 0.0)
        mosquitto.stop()
        eventually(lambda: not spooler.source_metrics().connected)
        metrics = spooler.source_metrics()
        assert metrics.away_since is not None
        assert abs(metrics.away_since - time.time()) < 20
        assert metrics.error is not None
        mosquitto.start()
        eventually(lambda: spooler.source_metrics().connected)
        assert spooler.source_metrics().seconds_away() == 0.0
        assert spooler.source_metrics().error is None
    lines = [record.getMessage() for record in caplog.records]
    assert any("was lost" in line for line in lines)
    assert any(f"the broker at 127.0.0.1:{mosquitto.port} is back after " in line for line in lines)


def test_a_spooler_ends_at_once_though_the_broker_is_away(mosquitto: Mosquitto, tmp_path: Path) -> None:
    spooler = Spooler(mosquitto.settings("t"), tmp_path / "spool").start()
    mosquitto.stop()
    eventually(lambda: not spooler.source_metrics().connected)
    time.sleep(3)
    begun = time.monotonic()
    spooler.stop()
    assert time.monotonic() - begun < 5


@needs_mosquitto
def test_a_user_without_rights_sees_which_subscription_brings_nothing(tmp_path: Path) -> None:
    """mosquitto grants such a subscription, and sends nothing."""
    folder = tmp_path / "broker"
    folder.mkdir()
    (tmp_path / "rights").write_text("user tester\ntopic readwrite allowed/#\nuser other\ntopic readwrite #\n")
    broker = Mosquitto(folder, "allow_anonymous true", f"acl_file {tmp_path / 'rights'}")
    broker.start()
    try:
        with Spooler(broker.settings("secret/#", "allowed/#"), tmp_path / "spool") as spooler:
            assert spooler.metrics()["silent_topics"] == ["allowed/#", "secret/#"]
            for topic in ("secret/a", "allowed/a"):
                broker.publish([b"x"], topic, username="other")
            eventually(lambda: spooler.metrics()["spooled"] == 1)
            assert spooler.metrics()["silent_topics"] == ["secret/#"]
            assert spooler.source_metrics().silent_topics == ("secret/#",)
    finally:
        broker.stop()


def test_each_filter_that_a_broker_refuses_is_told(tmp_path: Path) -> None:
    def refuse(connection: socket.socket) -> None:
        connection.recv(1024)
        connection.sendall(b"\x20\x03\x00\x00\x00")
        packet = connection.recv(1024)[2:4]
        connection.sendall(b"\x90\x06" + packet + b"\x00\x01\x87\x8f")
        connection.recv(1024)

    with serving(refuse) as port:
        settings = MqttSettings("127.0.0.1", port, ("open/#", "shut/#", "odd/#"), patience=5.0)
        with pytest.raises(HoldsforError) as refused:
            Spooler(settings, tmp_path / "spool").start()
    assert str(refused.value) == (
        f"the broker at 127.0.0.1:{port} does not let us read shut/# (not authorized), odd/# (topic filter invalid). "
        "Check what it allows this user."
    )


def test_a_filter_that_no_packet_can_hold_is_refused_with_its_cause() -> None:
    with pytest.raises(HoldsforError, match=r"'aaaa.*has 70,000 bytes, and MQTT allows 65,535"):
        MqttSettings("host", topics=("a" * 70_000,))
    MqttSettings("host", topics=("a" * 65_535,))
    with pytest.raises(HoldsforError, match="70,000 bytes"):
        MqttSettings("host", topics=("é" * 35_000,))


def test_shared_subscriptions_fit_by_what_comes_after_their_group() -> None:
    assert fits("$share/workers/ais/+/speed", "ais/v1/speed")
    assert not fits("$share/workers/ais/+/speed", "ais/v1/course")
    assert fits("ais/#", "ais")
