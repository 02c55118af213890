"""Addresses of brokers, and what is wrong with them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import MqttSettings


def test_an_address() -> None:
    found = MqttSettings.parse(
        "mqtt://me:se%40cret@host:1884/ais/+/position,plant/#?client_id=c1&version=4&patience=1.5"
    )
    assert (found.host, found.port, found.topics) == ("host", 1884, ("ais/+/position", "plant/#"))
    assert (found.username, found.password, found.client_id) == ("me", "se@cret", "c1")
    assert (found.version, found.patience, found.tls) == (4, 1.5, False)


def test_tls_has_a_port_of_its_own(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.touch()
    assert MqttSettings.parse(f"mqtts://host?ca={ca}").address == "host:8883"
    assert MqttSettings.parse("mqtt://host").address == "host:1883"


def test_passwords_are_not_shown() -> None:
    assert "hidden" not in repr(MqttSettings("host", username="me", password="hidden"))


def test_settings_can_be_sent_to_workers() -> None:
    settings = MqttSettings("host", topics=("a", "b"), password="p")
    assert pickle.loads(pickle.dumps(settings)) == settings


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://host/t", "Write mqtt://host/topic"),
        ("mqtt:///t", "not the address of a broker"),
        ("mqtt://host:99999/t", "port"),
        ("mqtt://host/t?keepalve=3", "Did you mean 'keepalive'"),
        ("mqtt://host/t?keepalive=x", "a number is needed"),
        ("mqtt://host/a/#/b", "is not a topic filter"),
        ("mqtt://host/a+/b", "is not a topic filter"),
        ("mqtt://host/t?version=3", "write 5, or 4"),
        ("mqtt://host/t?in_flight=0", "1 to 65000"),
        ("mqtt://host/t?ca=x.pem", "mqtts://"),
        ("mqtts://host/t?ca=there_is_none.pem", "no such file"),
    ],
)
def test_mistakes_are_told(address: str, told: str) -> None:
    with pytest.raises(HoldsforError) as caught:
        MqttSettings.parse(address)
    assert told in str(caught.value)


def test_topics_are_a_list() -> None:
    wrong: Any = "ais/#"
    with pytest.raises(HoldsforError, match="give a list of topic filters"):
        MqttSettings("host", topics=wrong)
