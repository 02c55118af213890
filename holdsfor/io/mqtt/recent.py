"""Messages that were spooled lately, to recognise those that come again."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.io.mqtt.spool import KEPT_ROWS, SEGMENT_SCHEMA, Segment, read_segment


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
