"""Addresses with characters that no address has."""

from __future__ import annotations

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import split_address
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.sinks import WebhookSink


@pytest.mark.parametrize("address", ["http://a\r\nb/", "http://a/x\ny", "http://a\tb/", "http://a/\x7f", "http://a/\n"])
def test_line_breaks_and_other_controls_are_refused(address: str) -> None:
    assert split_address(address, ["http"]) is None
    with pytest.raises(HoldsforError, match="a webhook needs a URL such as"):
        WebhookSink(address)
    with pytest.raises(HoldsforError, match="a webhook needs a URL such as"):
        WebhookSink.parse(address)
    with pytest.raises(HoldsforError, match="is not the address of a broker"):
        MqttSettings.parse(address.replace("http", "mqtt"))


def test_spaces_and_letters_of_all_languages_stay() -> None:
    assert split_address("http://bücher.example/a b/ä#1", ["http"]) is not None
