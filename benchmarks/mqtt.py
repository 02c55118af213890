"""How fast messages go from a broker to disk and become events, and whether any is lost when the broker restarts.

Usage: python -m benchmarks.mqtt [MESSAGES]. Needs mosquitto (apt-get install mosquitto); runs its own, on loopback.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from holdsfor.io.mqtt import MqttSettings, Spool, Spooler, messages_to_events
from holdsfor.io.mqtt.publisher import Outgoing, publish
from holdsfor.io.mqtt.spool import read_segment
from holdsfor.language.description import Input, Signature

TOPIC = "ais/position"
INPUTS = (Input(Signature("velocity", 2), "event", True, frozenset({1})),)
MAPPING = {"events": {"velocity": ["vessel", "speed"]}, "topics": {"ais/#": "velocity"}}
MANY = 100  # events in a message that carries many


class Broker:
    """mosquitto, keeping everything for clients that are away."""

    def __init__(self, program: str, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous true", "persistence true", "log_type error"]
        lines += [f"persistence_location {folder}/", "max_queued_messages 0", "max_inflight_messages 0"]
        lines += ["user root"] if os.geteuid() == 0 else []
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")
        self._command = [program, "-c", str(folder / "mosquitto.conf")]

    def start(self) -> None:
        self._process = subprocess.Popen(self._command)
        wait(lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def anew(self) -> None:
        """Without the sessions of earlier measurements: it would keep all messages for them, too."""
        self.stop()
        (self.folder / "mosquitto.db").unlink(missing_ok=True)
        self.start()

    def settings(self) -> MqttSettings:
        return MqttSettings("127.0.0.1", self.port, ("ais/#",))

    def publisher(self, messages: int, events: int = 1) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "benchmarks.mqtt", "publish", str(self.port), str(messages), str(events)]
        return subprocess.Popen(command)


def payload(number: int, events: int) -> bytes:
    rows = [{"time": number * events + n, "vessel": f"v{n % 50}", "speed": 12.5} for n in range(events)]
    return json.dumps(rows if events > 1 else rows[0]).encode()


def publish_all(port: int, messages: int, events: int) -> None:
    """With QoS 1, by bytes on a socket: a client library would be slower than what is measured."""
    topic = TOPIC.encode()
    pipe = socket.create_connection(("127.0.0.1", port))
    pipe.sendall(b"\x10\x10\x00\x04MQTT\x04\x02\x00\x00\x00\x04" + b"pub1")
    assert pipe.recv(4) == b"\x20\x02\x00\x00"
    confirmed = 0
    for first in range(0, messages, 200):
        frames = []
        for number in range(first, min(first + 200, messages)):
            body = (
                struct.pack(">H", len(topic)) + topic + struct.pack(">H", number % 65_535 + 1) + payload(number, events)
            )
            frames.append(b"\x32" + _length(len(body)) + body)
        pipe.sendall(b"".join(frames))
        while confirmed < 4 * (first + len(frames) - 2000):
            confirmed += len(pipe.recv(65_536))
    while confirmed < 4 * messages:
        confirmed += len(pipe.recv(65_536))
    pipe.sendall(b"\xe0\x00")
    pipe.close()


def _length(size: int) -> bytes:
    found = bytearray()
    while True:
        size, digit = divmod(size, 128)
        found.append(digit | (128 if size else 0))
        if not size:
            return bytes(found)


def wait(ready: Callable[[], bool], seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.01)


def numbers(folder: Path) -> list[int]:
    """The times of all single events in a spool."""
    tables = [read_segment(segment.path) for segment in Spool(folder).segments()]
    return [json.loads(row)["time"] for table in tables for row in table["payload"].to_pylist()]


def measure_rate(label: str, broker: Broker, folder: Path, messages: int, events: int) -> None:
    """From the first message that is received to the last that is acknowledged, while another process publishes."""
    with Spooler(broker.settings(), folder) as spooler:
        publisher = broker.publisher(messages, events)
        wait(lambda: spooler.metrics()["received"] > 0)
        began = time.perf_counter()
        wait(lambda: spooler.metrics()["acknowledged"] >= messages)
        seconds = time.perf_counter() - began
        publisher.wait()
        commits = spooler.metrics()["commits"]
    rate = messages / seconds
    each = f"{messages / commits:.0f} messages a write"
    print(f"{label:<42} {rate:9,.0f} messages/s   {rate * events:11,.0f} events/s   {each}")
    table = pa.concat_tables([read_segment(segment.path) for segment in Spool(folder).segments()])
    began = time.perf_counter()
    found = messages_to_events(table, MAPPING, INPUTS)
    seconds = time.perf_counter() - began
    assert sum(len(block) for block in found.blocks) == messages * events, found.rejects
    rate = messages / seconds
    print(f"{'  payloads to events':<42} {rate:9,.0f} messages/s   {rate * events:11,.0f} events/s")


def measure_backlog(broker: Broker, folder: Path, messages: int) -> None:
    """What waited at the broker while nobody listened; it restarts when a part is taken, and so many are still left."""
    left, messages = messages, messages + messages // 4
    Spooler(broker.settings(), folder).start().stop()
    broker.publisher(messages).wait()
    began = time.perf_counter()
    with Spooler(broker.settings(), folder) as spooler:
        wait(lambda: spooler.metrics()["received"] > (messages - left) // 2)
        held = messages - int(spooler.metrics()["acknowledged"])
        broker.stop()
        broker.start()
        wait(lambda: spooler.metrics()["spooled"] >= messages and spooler.metrics()["waiting"] == 0)
        seconds = time.perf_counter() - began
        time.sleep(1)
        again = spooler.metrics()["repeated"]
    report(f"broker restarted, {held:,} unacknowledged", numbers(folder), messages, seconds, again)


def measure_both(broker: Broker, folder: Path, messages: int) -> None:
    """The broker restarts while messages come in and go out; the publisher names them, for it must send some again."""
    outgoing = [Outgoing(str(n), TOPIC, payload(n, 1), False) for n in range(messages)]
    began = time.perf_counter()
    with Spooler(broker.settings(), folder) as spooler:
        publisher = threading.Thread(target=publish, args=(broker.settings(), outgoing))
        publisher.start()
        for part in (1, 2):
            wait(lambda part=part: spooler.metrics()["received"] > part * messages // 3)  # type: ignore[misc]
            broker.stop()
            broker.start()
        publisher.join()
        wait(lambda: spooler.metrics()["spooled"] >= messages and spooler.metrics()["waiting"] == 0)
        seconds = time.perf_counter() - began
        time.sleep(1)
        again = spooler.metrics()["repeated"]
    report("broker restarted twice while publishing", numbers(folder), messages, seconds, again)


def report(label: str, found: list[int], messages: int, seconds: float, again: int) -> None:
    lost, doubled = messages - len(set(found)), len(found) - len(set(found))
    came = f"{again:,} came again"
    print(f"{label:<42} {messages:,} messages: {lost} lost, {doubled} doubled ({came}), {seconds:.1f} s")
    assert not lost
    assert not doubled


def main(messages: int = 100_000) -> None:
    program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        print("mosquitto is not installed: apt-get install mosquitto")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "broker")
        folder.mkdir()
        broker = Broker(program, folder)
        broker.start()
        try:
            measure_rate("one event a message", broker, Path(name, "one"), messages, 1)
            broker.anew()
            measure_rate(f"{MANY} events a message", broker, Path(name, "many"), messages // 20, MANY)
            broker.anew()
            measure_backlog(broker, Path(name, "backlog"), messages)
            broker.anew()
            measure_both(broker, Path(name, "both"), messages)
        finally:
            broker.stop()


if __name__ == "__main__":
    if sys.argv[1:2] == ["publish"]:
        publish_all(*map(int, sys.argv[2:5]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
