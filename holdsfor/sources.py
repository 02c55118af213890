"""Sources of a stream that need more than an address: brokers with their settings, and DataFrames of Spark's."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdsfor.io.mqtt import MqttSettings, Spooler, messages_to_events, topic_filters

if TYPE_CHECKING:
    from holdsfor.spark.kafka import kafka_package
    from holdsfor.spark.live.sources import open_source
    from holdsfor.spark.mqtt import mqtt_stream

__all__ = [
    "MqttSettings",
    "Spooler",
    "kafka_package",
    "messages_to_events",
    "mqtt_stream",
    "open_source",
    "topic_filters",
]

#: These need Spark, and are loaded when asked for.
_ON_SPARK = {
    "kafka_package": "holdsfor.spark.kafka",
    "mqtt_stream": "holdsfor.spark.mqtt",
    "open_source": "holdsfor.spark.live.sources",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_SPARK:
        raise AttributeError(f"module 'holdsfor.sources' has no attribute {name!r}")
    return getattr(import_module(_ON_SPARK[name]), name)


def __dir__() -> list[str]:
    return __all__
