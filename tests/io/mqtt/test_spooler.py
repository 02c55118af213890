"""Messages from a real broker to disk: none lost, none twice, whoever is killed."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import MqttSettings, Spool, Spooler
from holdsfor.io.mqtt.spool import SpoolWriter, read_segment
from tests.io.mqtt.broker import Broker, Mosquitto, eventually

SPOOLER = """
import sys, time
from holdsfor.io.mqtt import MqttSettings, Spooler
Spooler(MqttSettings.parse(sys.argv[1]), sys.argv[2], segment_seconds=0.05).start()
print("ready", flush=True)
time.sleep(600)
"""


def numbers(count: int, first: int = 0) -> list[bytes]:
    return [str(n).encode() for n in range(first, first + count)]


def spooled(folder: Path) -> list[int]:
    return [int(p) for s in Spool(folder).segments() for p in read_segment(s.path)["payload"].to_pylist()]


def test_messages_are_spooled_in_order(broker: Broker, tmp_path: Path) -> None:
    began = time.time_ns() // 1_000_000
    with Spooler(broker.settings("a/+", "b/#"), tmp_path / "spool", segment_seconds=0.05) as spooler:
        broker.publish(numbers(50), "a/1")
        broker.publish(numbers(50, 50), "b/x/y")
        broker.publish(numbers(3, 900), "a/1/2")  # nobody asked for these
        eventually(lambda: spooler.metrics()["acknowledged"] == 100)
    assert spooled(tmp_path / "spool") == list(range(100))
    tables = [read_segment(s.path) for s in Spool(tmp_path / "spool").segments()]
    rows = [row for table in tables for row in table.to_pylist()]
    assert [row["topic"] for row in rows] == ["a/1"] * 50 + ["b/x/y"] * 50
    assert len({row["id"] for row in rows}) == 100
    assert all(began <= row["received"] <= time.time_ns() // 1_000_000 for row in rows)


def test_what_is_published_while_nobody_listens_is_kept(mosquitto: Mosquitto, tmp_path: Path) -> None:
    settings = mosquitto.settings("t")
    Spooler(settings, tmp_path / "spool").start().stop()
    mosquitto.publish(numbers(2000))
    with Spooler(settings, tmp_path / "spool") as spooler:
        eventually(lambda: spooler.metrics()["acknowledged"] == 2000)
        assert spooler.metrics()["commits"] < 1000  # many messages share one write to disk
    assert spooled(tmp_path / "spool") == list(range(2000))
    Spooler(settings, tmp_path / "spool").start().stop()
    assert spooled(tmp_path / "spool") == list(range(2000))  # acknowledged: they do not come again


def test_nothing_is_acknowledged_while_the_disk_is_full(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = threading.Event()
    full.set()
    real = SpoolWriter.append

    def append(self: SpoolWriter, batch: object) -> None:
        if full.is_set():
            raise OSError(errno.ENOSPC, "No space left on device")
        real(self, batch)

    monkeypatch.setattr(SpoolWriter, "append", append)
    with Spooler(broker.settings("t"), tmp_path / "spool") as spooler:
        broker.publish(numbers(100))
        eventually(lambda: spooler.metrics()["stalled"])
        assert "No space left on device" in spooler.metrics()["error"]
        assert "make room" in spooler.metrics()["error"]
        assert spooler.metrics()["acknowledged"] == 0
        full.clear()
        eventually(lambda: spooler.metrics()["acknowledged"] == 100)
        assert not spooler.metrics()["stalled"]
        assert spooler.metrics()["error"] is None
    assert spooled(tmp_path / "spool") == list(range(100))


def test_stopping_with_a_full_disk_leaves_messages_to_the_broker(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def append(self: SpoolWriter, batch: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(SpoolWriter, "append", append)
        spooler = Spooler(mosquitto.settings("t"), tmp_path / "spool").start()
        mosquitto.publish(numbers(10))
        eventually(lambda: spooler.metrics()["stalled"])
        spooler.stop()
    with Spooler(mosquitto.settings("t"), tmp_path / "spool") as spooler:
        eventually(lambda: spooler.metrics()["acknowledged"] == 10)
    assert spooled(tmp_path / "spool") == list(range(10))


def test_a_killed_spooler_loses_and_doubles_nothing(mosquitto: Mosquitto, tmp_path: Path) -> None:
    folder, count = tmp_path / "spool", 4000
    address = f"mqtt://127.0.0.1:{mosquitto.port}/t"
    Spooler(MqttSettings.parse(address), folder).start().stop()  # from now on the broker keeps messages for us
    publisher = threading.Thread(target=mosquitto.publish, args=(numbers(count),))
    publisher.start()
    for attempt in range(3):
        process = subprocess.Popen([sys.executable, "-c", SPOOLER, address, str(folder)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.05 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
    publisher.join()
    before = len(spooled(folder))
    with Spooler(MqttSettings.parse(address), folder) as spooler:
        eventually(lambda: len(spooled(folder)) >= count)
        time.sleep(0.3)
        assert spooler.metrics()["waiting"] == 0
    assert before < count or len(Spool(folder).segments()) > 1
    assert sorted(spooled(folder)) == list(range(count))


def test_a_crash_between_disk_and_acknowledgement(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is on disk, and the broker does not know: it sends everything again."""
    folder = tmp_path / "spool"
    with monkeypatch.context() as patch:
        patch.setattr(Spooler, "_acknowledge", lambda self, messages: None)
        with Spooler(mosquitto.settings("t"), folder) as spooler:
            mosquitto.publish(numbers(500))
            eventually(lambda: spooler.metrics()["spooled"] == 500)
    Spool(folder).forget(10**6)  # a reader has read all
    with Spooler(mosquitto.settings("t"), folder) as spooler:
        eventually(lambda: spooler.metrics()["acknowledged"] == 500)
        assert spooler.metrics()["repeated"] == 500
        mosquitto.publish(numbers(1, 500))
        eventually(lambda: spooler.metrics()["spooled"] == 1)
    assert spooled(folder) == list(range(501))


def test_the_broker_restarts_with_messages_on_their_way(mosquitto: Mosquitto, tmp_path: Path) -> None:
    folder, count = tmp_path / "spool", 5000
    settings = mosquitto.settings("t")
    Spooler(settings, folder).start().stop()
    mosquitto.publish(numbers(count))
    with Spooler(settings, folder, linger=0.1) as spooler:
        eventually(lambda: spooler.metrics()["received"] > 0)
        mosquitto.restart()
        eventually(lambda: spooler.metrics()["connections"] == 2)
        mosquitto.publish(numbers(10, count))
        eventually(lambda: spooler.metrics()["spooled"] >= count + 10)
        time.sleep(0.3)
        assert spooler.metrics()["lost_sessions"] == 0
    assert sorted(spooled(folder)) == list(range(count + 10))


def test_only_what_came_by_this_connection_is_acknowledged(mosquitto: Mosquitto, tmp_path: Path) -> None:
    """Else the broker might take it for the acknowledgement of another message, which is not safe yet."""
    with Spooler(mosquitto.settings("t"), tmp_path / "spool", linger=3.0) as spooler:
        mosquitto.publish(numbers(10))
        eventually(lambda: spooler.metrics()["received"] == 10)
        mosquitto.restart()
        eventually(lambda: spooler.metrics()["received"] == 20)
        assert spooler.metrics()["acknowledged"] == 0
        eventually(lambda: spooler.metrics()["acknowledged"] == 10)
        assert (spooler.metrics()["spooled"], spooler.metrics()["repeated"]) == (10, 10)
    assert spooler.metrics()["acknowledged"] == 10
    assert spooled(tmp_path / "spool") == list(range(10))


def test_a_broker_that_forgot_us_is_told_and_goes_on(mosquitto: Mosquitto, tmp_path: Path) -> None:
    mosquitto.persistence = False
    mosquitto.restart()
    with Spooler(mosquitto.settings("t"), tmp_path / "spool") as spooler:
        mosquitto.publish(numbers(10))
        eventually(lambda: spooler.metrics()["acknowledged"] == 10)
        mosquitto.restart()
        eventually(lambda: spooler.metrics()["connections"] == 2)
        assert spooler.metrics()["lost_sessions"] == 1
        time.sleep(0.3)  # subscribed again
        mosquitto.publish(numbers(10, 10))
        eventually(lambda: spooler.metrics()["acknowledged"] == 20)
    assert spooled(tmp_path / "spool") == list(range(20))


def test_a_publisher_that_names_its_messages_may_repeat_them(mosquitto: Mosquitto, tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    with Spooler(mosquitto.settings("t"), folder) as spooler:
        mosquitto.publish(numbers(5), ids=list("abcde"))
        mosquitto.publish(numbers(3), ids=list("abc"))
        eventually(lambda: spooler.metrics()["acknowledged"] == 8)
    with Spooler(mosquitto.settings("t"), folder) as spooler:  # and after a restart
        mosquitto.publish([b"4", b"5"], ids=["e", "f"])
        eventually(lambda: spooler.metrics()["acknowledged"] == 2)
    assert spooled(folder) == [0, 1, 2, 3, 4, 5]


def test_equal_messages_are_not_repetitions(broker: Broker, tmp_path: Path) -> None:
    with Spooler(broker.settings("t"), tmp_path / "spool") as spooler:
        broker.publish([b"1"] * 20)
        eventually(lambda: spooler.metrics()["acknowledged"] == 20)
    assert spooled(tmp_path / "spool") == [1] * 20


@pytest.mark.parametrize("version", [4, 5])
def test_topics_may_change_between_starts(mosquitto: Mosquitto, tmp_path: Path, version: int) -> None:
    folder = tmp_path / "spool"
    Spooler(mosquitto.settings("a", "b", version=version), folder).start().stop()
    with Spooler(mosquitto.settings("b", "c", version=version), folder) as spooler:
        for number, topic in enumerate("abc"):
            mosquitto.publish(numbers(1, number), topic)
        eventually(lambda: spooler.metrics()["acknowledged"] == 2)
    assert spooled(folder) == [1, 2]


def test_no_broker_there(tmp_path: Path, broker: Broker) -> None:
    broker.stop()
    with pytest.raises(HoldsforError, match=r"no connection to the broker at 127\.0\.0\.1:\d+ within 1 seconds"):
        Spooler(broker.settings("t", patience=1.0), tmp_path / "spool").start()
    SpoolWriter(tmp_path / "spool").release()  # the folder is free again


def test_nothing_to_subscribe_to(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="nothing to subscribe to"):
        Spooler(MqttSettings("127.0.0.1"), tmp_path)


def test_payloads_that_wait_are_bounded(broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.io.mqtt.inbox.WAITING_BYTES", 1000)
    monkeypatch.setattr("holdsfor.io.mqtt.spooler.SEGMENT_BYTES", 3000)
    with Spooler(broker.settings("t"), tmp_path / "spool", linger=0.05) as spooler:
        broker.publish([str(n).zfill(100).encode() for n in range(200)])
        eventually(lambda: spooler.metrics()["acknowledged"] == 200)
        assert spooler.metrics()["commits"] >= 20
    assert spooled(tmp_path / "spool") == list(range(200))
