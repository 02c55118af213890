"""Messages between the thread that receives them and the one that writes them, bounded in number and in bytes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from holdsfor.io.mqtt.spool import SEGMENT_SCHEMA

#: Bytes of payload that wait at most; then nothing more is read from the broker until they are on disk.
WAITING_BYTES = 1 << 26
WAITING_ROWS = 1 << 17


class Message(NamedTuple):
    id: str | None  # given by its publisher
    topic: str
    payload: bytes
    received: int  # milliseconds since 1970
    packet: int  # 0: not to be acknowledged
    again: bool  # sent before, says the broker
    connection: int  # by which it came
    session: int  # in which its packet identifier means something


class Inbox:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._messages: list[Message] = []
        self._bytes = 0
        self._shut = False

    def put(self, message: Message) -> None:
        """Add a message; wait while there are too many, so that the broker must wait, too."""
        with self._changed:
            self._changed.wait_for(lambda: self._shut or not self._full())
            self._messages.append(message)
            self._bytes += len(message.payload)
            if len(self._messages) == 1 or self._full():
                self._changed.notify_all()

    def take(self, timeout: float, linger: float) -> list[Message]:
        """Take all messages; none after `timeout` seconds. linger: seconds in which others may join the first one."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._messages or self._shut, timeout):
                return []
            self._changed.wait_for(lambda: self._shut or self._full(), linger)
            taken, self._messages, self._bytes = self._messages, [], 0
            self._changed.notify_all()
            return taken

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than until the inbox is shut."""
        with self._changed:
            self._changed.wait_for(lambda: self._shut, seconds)

    def shut(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self._shut = True
            self._changed.notify_all()

    @property
    def is_shut(self) -> bool:
        return self._shut

    def __len__(self) -> int:
        return len(self._messages)

    def _full(self) -> bool:
        return self._bytes >= WAITING_BYTES or len(self._messages) >= WAITING_ROWS


def as_batch(messages: Sequence[Message], prefix: str, first: int) -> pa.RecordBatch:
    """Turn messages into rows of a segment. One without an id is named by its place, counted from `first`."""
    ids, topics, payloads, received, packets, _, _, _ = zip(*messages, strict=True)
    names = [f"{prefix}-{row}" if name is None else name for row, name in enumerate(ids, first)]
    columns = (names, topics, payloads, received, packets)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SEGMENT_SCHEMA, strict=True)]
    return pa.record_batch(arrays, schema=SEGMENT_SCHEMA)
