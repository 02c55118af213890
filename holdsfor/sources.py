"""Sources of the events of a stream: folders and brokers, in this process and as DataFrames of Spark's."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holdsfor.io.mqtt import Settings, Spooler, messages_to_events, topic_filters
from holdsfor.job.live.input.feeds import Feed, open_feed

if TYPE_CHECKING:
    from holdsfor.spark.live.files import file_stream
    from holdsfor.spark.live.sources import open_source
    from holdsfor.spark.mqtt import messages

__all__ = [
    "Feed",
    "Settings",
    "Spooler",
    "file_stream",
    "messages",
    "messages_to_events",
    "open_feed",
    "open_source",
    "topic_filters",
]

#: These need Spark, and are loaded when asked for.
_ON_SPARK = {
    "file_stream": "holdsfor.spark.live.files",
    "messages": "holdsfor.spark.mqtt",
    "open_source": "holdsfor.spark.live.sources",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_SPARK:
        raise AttributeError(f"module 'holdsfor.sources' has no attribute {name!r}")
    return getattr(import_module(_ON_SPARK[name]), name)


def __dir__() -> list[str]:
    return __all__
