"""Sinks for the changes of a stream, besides its tables: consoles, files, webhooks, brokers, or your own `Sink`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.mqtt.sink import MqttSink
from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, Sink, WebhookSink, changes_as_json
from holdsfor.io.storage.store import Store

if TYPE_CHECKING:
    from holdsfor.spark.kafka import KafkaSink

__all__ = [
    "ConsoleSink",
    "JsonLinesSink",
    "KafkaSink",
    "MqttSettings",
    "MqttSink",
    "Sink",
    "Store",
    "WebhookSink",
    "changes_as_json",
]


def __getattr__(name: str) -> Any:
    if name != "KafkaSink":  # which needs Spark
        raise AttributeError(f"module 'holdsfor.sinks' has no attribute {name!r}")
    from holdsfor.spark.kafka import KafkaSink

    return KafkaSink


def __dir__() -> list[str]:
    return __all__
