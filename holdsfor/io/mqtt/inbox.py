"""Messages between the thread that receives them and the one that writes them, and those that come again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyarrow as pa

from holdsfor.io.mqtt.spool import KEPT_ROWS, SEGMENT_SCHEMA, Segment, read_segment

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
    """Messages that wait to be written, bounded in number and in bytes."""

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


class Recent:
    """Recognises messages by the publisher's id, or by packet identifier and content among the last `span` messages.

    A broker that did not get an acknowledgement sends the message again, marked as such, with the same packet
    identifier. It cannot be among older messages than `span`: so many may be on their way without acknowledgement.
    """

    def __init__(self, span: int) -> None:
        self.span = span
        self._session = 0
        self._count = 0
        self._packets: dict[int, tuple[int, int]] = {}  # packet -> which message, and what was in it
        self._ids: dict[str, None] = {}  # in the order they came

    def restore(self, segments: Iterable[Segment]) -> None:
        """Add the messages of segments, in order."""
        for segment in segments:
            table = read_segment(segment.path, SEGMENT_SCHEMA)
            columns = (table[name].to_pylist() for name in ("id", "packet", "topic", "payload"))
            for name, packet, topic, payload in zip(*columns, strict=True):
                self.add(name, packet, topic, payload)

    def begin(self, session: int) -> None:
        """Forget packet identifiers of another session: they mean other messages."""
        if session != self._session:
            self._session = session
            self._packets.clear()

    def add(self, name: str | None, packet: int, topic: str, payload: bytes) -> None:
        if packet:
            self._count += 1
            self._packets[packet] = (self._count, hash((topic, payload)))
        if name is not None:
            self._ids[name] = None
            if len(self._ids) > KEPT_ROWS:
                del self._ids[next(iter(self._ids))]

    def has(self, name: str | None, packet: int, topic: str, payload: bytes, again: bool) -> bool:
        """Return whether a message is known. again: the broker says that it has sent it before."""
        if name is not None and name in self._ids:
            return True
        if not again or packet not in self._packets:
            return False
        count, content = self._packets[packet]
        return self._count - count < self.span and content == hash((topic, payload))
