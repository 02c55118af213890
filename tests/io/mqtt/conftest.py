from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.io.mqtt.broker import MOSQUITTO, Amqtt, Broker, Mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """Whichever broker there is."""
    folder = tmp_path / "broker"
    folder.mkdir()
    made = Mosquitto(folder) if MOSQUITTO else Amqtt(folder)
    yield made.start()
    made.stop()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    if not MOSQUITTO:
        pytest.skip("mosquitto is not installed: apt-get install mosquitto")
    folder = tmp_path / "broker"
    folder.mkdir()
    made = Mosquitto(folder)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def amqtt(tmp_path: Path) -> Iterator[Amqtt]:
    folder = tmp_path / "broker"
    folder.mkdir()
    made = Amqtt(folder)
    made.start()
    yield made
    made.stop()
