"""Sinks for the changes of a stream, besides its tables: consoles, files, webhooks, brokers, or your own `Sink`."""

from holdsfor.io.mqtt.settings import Settings
from holdsfor.io.mqtt.sink import MqttSink
from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, Sink, WebhookSink, messages
from holdsfor.io.storage.store import Store

__all__ = ["ConsoleSink", "JsonLinesSink", "MqttSink", "Settings", "Sink", "Store", "WebhookSink", "messages"]


def __dir__() -> list[str]:
    return __all__
