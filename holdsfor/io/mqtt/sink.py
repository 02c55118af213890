"""Publishes recognised intervals: one JSON message a change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import Formatter
from typing import Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt.publisher import Outgoing, publish
from holdsfor.io.mqtt.settings import Settings

#: What a message tells, in this order.
FIELDS = ("query_time", "op", "id", "fluent", "args", "value", "start", "end", "batch")
#: What a topic may be made of.
_IN_TOPICS = ("fluent", "value", "op", "id", "batch")
_RESERVED = re.compile(r"[/+#%\0]")


@dataclass(frozen=True, slots=True)
class MqttSink:
    """Plain values, to be sent to Spark's workers; a connection is made for each delivery.

    topic: `{fluent}`, `{value}`, `{op}`, `{id}` and `{batch}` are replaced. retained: the latest state of each interval
    is also kept by the broker, on the topic followed by the interval's id; an interval that is withdrawn is cleared.
    """

    settings: Settings
    topic: str = "recognised/{fluent}"
    retained: bool = False

    def __post_init__(self) -> None:
        for _, name, _, _ in Formatter().parse(self.topic):
            if name is not None and name not in _IN_TOPICS:
                raise HoldsforError(
                    f"{{{name}}} in the topic {self.topic!r} is not known. Known: {', '.join(_IN_TOPICS)}."
                )
        if not self.topic or "+" in self.topic or "#" in self.topic:
            raise HoldsforError(
                f"{self.topic!r} is not a topic to publish to: it may not be empty or have + or # in it."
            )

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        """Returns when the broker has confirmed all messages; gives how many changes were published.

        The same batch delivered again gives messages with the same ids, so that a reader can tell.
        """
        messages = [message for row in _rows(changes, batch) for message in self._messages(row)]
        publish(self.settings, messages)
        return len(changes)

    def _messages(self, row: dict[str, Any]) -> Iterator[Outgoing]:
        payload = json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()
        topic = self.topic.format(**{name: _level(row[name]) for name in _IN_TOPICS})
        name = f"{row['query_time']}/{row['op']}/{row['id']}"
        yield Outgoing(name, topic, payload, False)
        if self.retained:
            latest = b"" if row["op"] == "withdraw" else payload
            yield Outgoing(f"{name}/latest", f"{topic}/{_level(row['id'])}", latest, True)


def _rows(changes: pa.Table, batch: int) -> Iterator[dict[str, Any]]:
    if "batch" not in changes.column_names:
        changes = changes.append_column("batch", pa.repeat(batch, changes.num_rows))
    missing = [name for name in FIELDS if name not in changes.column_names]
    if missing:
        raise HoldsforError(f"changes to publish need the column {missing[0]!r}; there are {changes.column_names}.")
    yield from changes.select(list(FIELDS)).to_pylist()


def _level(value: object) -> str:
    """A value as one level of a topic: what means something there is written as in web addresses."""
    return _RESERVED.sub(lambda found: f"%{ord(found[0]):02X}", str(value))
