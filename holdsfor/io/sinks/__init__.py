"""Send changes to where they go besides tables: consoles, files of JSON, receivers of webhooks.

A sink may get a batch again after a crash: each message has batch, query time, operation and id. With
`on_sink_failure="keep"` an outbox on disk stands before a sink, and the batch does not wait for it.
"""

from holdsfor.io.sinks.console import ConsoleSink
from holdsfor.io.sinks.messages import JsonLinesSink, Sink, changes_as_json
from holdsfor.io.sinks.webhook import WebhookSink

__all__ = ["ConsoleSink", "JsonLinesSink", "Sink", "WebhookSink", "changes_as_json"]
