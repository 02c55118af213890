"""Brokers for tests: mosquitto where it is installed, else the pure-Python amqtt."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from holdsfor.io.mqtt.publisher import Outgoing, publish
from holdsfor.io.mqtt.settings import MqttSettings

MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

NAME = "tester"  # amqtt keeps no messages for the nameless; mosquitto does not mind

AMQTT = """
import asyncio, sys
from amqtt.broker import Broker
async def run():
    listener = {"default": {"type": "tcp", "bind": "127.0.0.1:" + sys.argv[1]}}
    named = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": False}}
    await Broker({"listeners": listener, "plugins": named}).start()
    await asyncio.Event().wait()
asyncio.run(run())
"""


class Broker:
    """A process on a free port of this machine."""

    version = 5

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> Broker:
        with (self.folder / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        for _ in range(200):
            if listens(self.port):
                return self
            time.sleep(0.05)
        raise AssertionError((self.folder / "broker.log").read_text())

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(10)
            self._process = None

    def restart(self, pause: float = 0.0) -> None:
        self.stop()
        time.sleep(pause)
        self.start()

    def settings(self, *topics: str, **more: Any) -> MqttSettings:
        given = {"port": self.port, "topics": topics, "version": self.version, "patience": 20.0, "username": NAME}
        return MqttSettings("127.0.0.1", **(given | more))

    def publish(self, payloads: list[bytes], topic: str = "t", ids: list[str] | None = None, **more: Any) -> None:
        """Returns when the broker has confirmed all. ids: without them, as a publisher that does not know of them."""
        settings = self.settings(**({"version": 5 if ids else 4} | more))
        names = ids or [""] * len(payloads)
        publish(settings, [Outgoing(name, topic, p, False) for name, p in zip(names, payloads, strict=True)])


class Mosquitto(Broker):
    """Keeps sessions and messages when it is stopped and started again."""

    def __init__(self, folder: Path, *lines: str, persistence: bool = True) -> None:
        super().__init__(folder)
        self.lines = list(lines)
        self.persistence = persistence

    def command(self) -> list[str]:
        lines = [
            f"listener {self.port} 127.0.0.1",
            "max_queued_messages 0",
            "max_inflight_messages 0",
            "log_type error",
            f"persistence {str(self.persistence).lower()}",
            f"persistence_location {self.folder}/",
            *(["user root"] if os.geteuid() == 0 else []),
            *(self.lines or ["allow_anonymous true"]),
        ]
        conf = self.folder / "mosquitto.conf"
        conf.write_text("\n".join(lines) + "\n")
        assert MOSQUITTO
        return [MOSQUITTO, "-c", str(conf)]


class Amqtt(Broker):
    version = 4

    def command(self) -> list[str]:
        return [sys.executable, "-c", AMQTT, str(self.port)]

    def publish(self, payloads: list[bytes], topic: str = "t", ids: list[str] | None = None, **more: Any) -> None:
        super().publish(payloads, topic, None, version=4)


needs_mosquitto = pytest.mark.skipif(not MOSQUITTO, reason="mosquitto is not installed")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def eventually(true: Any, seconds: float = 20.0) -> None:
    """Waits for something to become true."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not come true in time"
        time.sleep(0.02)
