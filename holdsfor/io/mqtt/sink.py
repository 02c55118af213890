"""Publishes recognised intervals: one JSON message a change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt.publisher import Outgoing, publish
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.sinks.messages import in_order, write_messages

#: What a topic may be made of.
IN_TOPICS = ("fluent", "value", "op", "id", "batch")
_RESERVED = re.compile(r"[/+#%\0]")


@dataclass(frozen=True, slots=True)
class MqttSink:
    """Plain values, to be sent to Spark's workers; a connection is made for each delivery.

    topic: `{fluent}` (of an occurrence: its event), `{value}`, `{op}`, `{id}` and `{batch}` are replaced. retained: the
    latest state of each interval is also kept by the broker, on the topic followed by the interval's id; an interval
    that is withdrawn is cleared.
    """

    settings: MqttSettings
    topic: str = "recognised/{fluent}"
    retained: bool = False
    name: str = "mqtt"
    tries_again: bool = True  # connects again and again, for as long as the settings' patience

    def __post_init__(self) -> None:
        check_placeholders(self.topic)
        if not self.topic or "+" in self.topic or "#" in self.topic:
            raise HoldsforError(
                f"{self.topic!r} is not a topic to publish to: it may not be empty or have + or # in it."
            )

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        """Publish, and return the number of changes when the broker has confirmed all messages.

        The same batch delivered again gives messages with the same ids, so that a reader can tell.
        """
        payloads = write_messages(batch, changes).to_pylist()
        rows = zip(change_fields(batch, in_order(changes)), payloads, strict=True)
        outgoing = [message for row, payload in rows for message in self._messages(row, payload)]
        publish(self.settings, outgoing, self.tries_again)
        return len(changes)

    def single_attempt(self) -> MqttSink:
        """Return the same receiver without retries, for a caller that has its own."""
        return replace(self, tries_again=False)

    def _messages(self, row: dict[str, Any], payload: str) -> Iterator[Outgoing]:
        topic = self.topic.format(**{name: _level(row[name]) for name in IN_TOPICS})
        name = f"{row['query_time']}/{row['op']}/{row['id']}"
        yield Outgoing(name, topic, payload.encode(), False)
        if self.retained:
            latest = b"" if row["op"] == "withdraw" else payload.encode()
            yield Outgoing(f"{name}/latest", f"{topic}/{_level(row['id'])}", latest, True)


def check_placeholders(topic: str) -> None:
    """Refuse `{names}` in a topic that no change has."""
    for _, name, _, _ in Formatter().parse(topic):
        if name is not None and name not in IN_TOPICS:
            raise HoldsforError(f"{{{name}}} in the topic {topic!r} is not known. Known: {', '.join(IN_TOPICS)}.")


def change_fields(batch: int, changes: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the fields of each change that topics and ids of messages are made of."""
    if "fluent" in changes.column_names:
        rows = changes.select(["query_time", "op", "id", "fluent", "value"])
    else:
        names = ["query_time", "op", "id", "fluent"]
        rows = changes.select(["query_time", "op", "id", "event"]).rename_columns(names)
        rows = rows.append_column("value", pa.repeat("", len(rows)))
    for row in rows.to_pylist():
        yield {**row, "batch": batch}


def _level(value: object) -> str:
    """Write a value as one level of a topic, quoted as in web addresses."""
    return _RESERVED.sub(lambda match: f"%{ord(match[0]):02X}", str(value))
