"""Where changes go, besides tables: consoles, files of JSON, receivers of webhooks."""

from holdsfor.io.sinks.console import ConsoleSink
from holdsfor.io.sinks.jsonlines import JsonLinesSink
from holdsfor.io.sinks.messages import messages
from holdsfor.io.sinks.sink import Sink
from holdsfor.io.sinks.webhook import WebhookSink

__all__ = ["ConsoleSink", "JsonLinesSink", "Sink", "WebhookSink", "messages"]
