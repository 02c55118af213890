"""Takes messages from a broker and acknowledges them when they are safe on disk."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.network import Backoff, is_lasting
from holdsfor.io.metrics.neighbours import SourceMetrics
from holdsfor.io.mqtt.connection import ID_PROPERTY, begin, new_client, refusal, unreachable, why_not
from holdsfor.io.mqtt.inbox import Inbox, Message, Recent, as_batch
from holdsfor.io.mqtt.settings import MqttSettings, fits
from holdsfor.io.mqtt.spool import BrokerSession, SpoolWriter
from holdsfor.io.storage.lease import LeaseLost

_log = logging.getLogger(__name__)

SEGMENT_ROWS = 20_000
SEGMENT_BYTES = 1 << 25
# Nobody has read so many segments: then fewer and larger ones are better than early ones.
MANY_SEGMENTS = 1000
LONGEST_PAUSE = 10.0  # seconds between attempts to write to a disk that is full


@dataclass(slots=True)
class Counts:
    """Counts of a spooler since its start."""

    received: int = 0
    spooled: int = 0
    repeated: int = 0  # came again and were recognised
    acknowledged: int = 0
    commits: int = 0  # writes to disk, each with all messages that had come by then
    segments: int = 0
    connections: int = 0
    lost_sessions: int = 0  # the broker did not know us any more: what was published meanwhile is lost
    stalled: bool = False  # nothing can be written: nothing is acknowledged either, the broker keeps the messages
    error: str | None = None  # what is wrong now
    away_since: float | None = None  # seconds since 1970; None while the broker is there


class Spooler:
    """Runs in threads of this process, from `start` to `stop`; one for a folder.

    segment_seconds: after how long messages become a segment that readers see. linger: how long the first message
    waits for others, to share one write to disk with them. take_over: from another spooler that has the folder.
    """

    def __init__(
        self,
        settings: MqttSettings,
        folder: str | Path,
        segment_seconds: float = 0.5,
        linger: float = 0.005,
        take_over: bool = False,
    ) -> None:
        if not settings.topics:
            raise HoldsforError("there is nothing to subscribe to: give topics, such as topics=('ais/+/position',).")
        self.settings = settings
        self.folder = Path(folder)
        self.segment_seconds = segment_seconds
        self.linger = linger
        self.take_over = take_over
        self._counts = Counts()
        self._inbox = Inbox()
        self._connection = 0  # counts connections; acknowledgements belong to the one by which a message came
        self._sessions = 0
        self._connected = False
        self._turn = threading.Lock()  # of connecting, disconnecting and acknowledging
        self._settled = threading.Event()  # the first connection is there, or refused
        self._refused: str | None = None
        self._why: str | None = None  # there was no connection, the last time it was tried
        self._silent = frozenset(settings.topics)  # filters of which no message has come since the start
        self._client: Client | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Spooler:
        """Connect, and return when the broker has let us in; raise if it does not within the patience."""
        if self._thread is not None:
            raise HoldsforError("this spooler was started already. Make a new one: Spooler(settings, folder).start().")
        self._writer = SpoolWriter(self.folder, self.take_over)
        try:
            self._session = BrokerSession.load(self.folder, self.settings.client_id)
            self._recent = Recent(self.settings.in_flight if self.settings.version == 5 else 65_535)
            self._recent.restore(self._writer.spool.last())
            self._files = len(self._writer.spool.segments())
            self._client = self._listening(new_client(self.settings, self._session.client_id, persistent=True))
        except BaseException:
            self._writer.release()
            raise
        self._thread = threading.Thread(target=self._write_all, name="mqtt-spooler", daemon=True)
        self._thread.start()
        begin(self._client, self.settings, persistent=True)
        if not self._settled.wait(self.settings.patience) or self._refused:
            reason = self._refused or unreachable(self.settings, self._why)
            self.stop()
            raise HoldsforError(reason)
        return self

    def stop(self) -> None:
        """Write and acknowledge what has come, publish the last segment and leave. The broker keeps the rest."""
        self._inbox.shut()
        if self._thread is not None:
            self._thread.join()
        if self._client is not None:
            self._client.disconnect()  # goes out after the acknowledgements
            self._client.loop_stop()
            self._client = None
            self._writer.release()

    def __enter__(self) -> Spooler:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def metrics(self) -> dict[str, Any]:
        return asdict(self._counts) | {
            "connected": self._connected,
            "waiting": len(self._inbox),
            "silent_topics": sorted(self._silent),
        }

    def source_metrics(self) -> SourceMetrics:
        """Return the metrics that health and Prometheus show."""
        counts = self._counts
        return SourceMetrics(
            f"the broker at {self.settings.address}",
            self._connected,
            counts.away_since,
            counts.received,
            len(self._inbox),
            counts.lost_sessions,
            tuple(sorted(self._silent)),
            counts.error,
        )

    # ---------------------------------------------------------------- in the client's thread

    def _listening(self, client: Client) -> Client:
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        return client

    def _on_connect(
        self, client: Client, _: Any, flags: ConnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        if reason.is_failure:
            self._trouble(refusal(self.settings, reason))
            self._refused = self._counts.error if not self._counts.connections else None
            self._settled.set()
            return
        with self._turn:
            if not flags.session_present:
                self._sessions += 1
                if self._session.topics:
                    self._counts.lost_sessions += 1
                    _log.warning("the broker at %s has no session for us any more", self.settings.address)
            self._connected = True
            self._counts.connections += 1
            self._counts.error = None
            self._greet()
        dropped = [topic for topic in self._session.topics if topic not in self.settings.topics]
        if dropped and flags.session_present:
            client.unsubscribe(dropped)
        if flags.session_present and set(self.settings.topics) == set(self._session.topics):
            self._settled.set()  # subscribing again would bring retained messages again
        else:
            client.subscribe(self._subscriptions())

    def _greet(self) -> None:
        """Say that the broker is back, if it was away."""
        since, self._counts.away_since = self._counts.away_since, None
        if since is not None:
            _log.warning("the broker at %s is back after %.0f s.", self.settings.address, time.time() - since)

    def _on_connect_fail(self, client: Client, _: Any) -> None:
        error = sys.exception()  # the client calls us while it handles it
        self._unreached(error)
        if error is not None and is_lasting(error) and not self._counts.connections:
            self._refused = self._counts.error
            self._settled.set()

    def _unreached(self, error: BaseException | None) -> None:
        self._why = why_not(self.settings, error)
        self._trouble(unreachable(self.settings, self._why, is_over=False))

    def _subscriptions(self) -> list[tuple[str, Any]]:
        if self.settings.version == 5:  # retained messages come with a subscription that is new, and then only
            return [(topic, SubscribeOptions(qos=1, retainHandling=1)) for topic in self.settings.topics]
        return [(topic, 1) for topic in self.settings.topics]

    def _on_subscribe(
        self, client: Client, _: Any, packet: int, reasons: list[ReasonCode], properties: Properties | None
    ) -> None:
        refused = [
            f"{topic} ({str(reason).lower()})"
            for topic, reason in zip(self.settings.topics, reasons, strict=True)
            if reason.is_failure
        ]
        if refused:
            self._trouble(f"the broker at {self.settings.address} does not let us read {', '.join(refused)}.")
            self._refused = f"{self._counts.error} Check what it allows this user."
        else:
            with suppress(OSError):  # a disk that is full: then we subscribe again next time
                self._session = self._session.subscribed(self.settings.topics)
        self._settled.set()

    def _on_disconnect(
        self, client: Client, _: Any, flags: DisconnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        with self._turn:
            if self._connected and not self._inbox.is_shut:
                self._counts.away_since = time.time()
            self._connected = False
            self._connection += 1  # what came before will come again: it is not ours to acknowledge now
        if self._inbox.is_shut or self._refused:
            return
        if not self._counts.connections:
            self._unreached(None)
        else:
            self._trouble(f"the connection to {self.settings.address} was lost ({str(reason).lower()}); trying again.")

    def _on_message(self, client: Client, _: Any, message: MQTTMessage) -> None:
        properties = getattr(message.properties, "UserProperty", ()) if message.properties is not None else ()
        name = next((value for key, value in properties if key == ID_PROPERTY), None)
        packet = message.mid if message.qos else 0
        now = time.time_ns() // 1_000_000
        place = (self._connection, self._sessions)
        self._inbox.put(Message(name, message.topic, bytes(message.payload), now, packet, bool(message.dup), *place))
        self._counts.received += 1

    # ---------------------------------------------------------------- in our own thread

    def _write_all(self) -> None:
        opened = time.monotonic()
        while True:
            messages = self._inbox.take(self.segment_seconds / 2, self.linger)
            if messages:
                if not self._writer.rows:
                    opened = time.monotonic()
                self._commit(messages)
            done = self._inbox.is_shut and not len(self._inbox)
            if self._writer.rows and (done or self._is_due(opened)):
                self._insist(self._close)
            if done:
                return

    def _is_due(self, opened: float) -> bool:
        seconds = self.segment_seconds * max(1.0, self._files / MANY_SEGMENTS)
        large = self._writer.rows >= SEGMENT_ROWS or self._writer.bytes >= SEGMENT_BYTES
        return large or time.monotonic() - opened >= seconds

    def _insist(self, action: Callable[[], None]) -> bool:
        """Write again and again while the disk is full, or once if we are to stop; return whether it was done."""
        backoff = Backoff(0.2, LONGEST_PAUSE)
        while True:
            try:
                action()
                if self._counts.stalled:
                    self._counts.stalled, self._counts.error = False, None
                return True
            except LeaseLost as lost:  # what is not acknowledged, the broker gives to the new owner
                self._trouble(str(lost))
                self._inbox.shut()
                return False
            except OSError as error:
                self._counts.stalled = True
                self._trouble(
                    f"cannot write to the spool {self.folder}: {error.strerror}. Messages stay with the broker, "
                    "unacknowledged; make room, and it goes on by itself."
                )
            if self._inbox.is_shut:
                return False
            self._inbox.pause(backoff.pause())

    def _commit(self, messages: Sequence[Message]) -> None:
        if self._silent:
            topics = {m.topic for m in messages}
            self._silent = frozenset(f for f in self._silent if not any(fits(f, topic) for topic in topics))
        fresh = self._fresh(messages)
        if fresh:
            batch = as_batch(fresh, f"{self._session.name}-{self._writer.number}", self._writer.rows)
            if not self._insist(lambda: self._writer.append(batch)):
                return
            self._counts.commits += 1
        for m in fresh:
            self._recent.add(m.id, m.packet, m.topic, m.payload)
        self._counts.spooled += len(fresh)
        self._counts.repeated += len(messages) - len(fresh)
        self._acknowledge(messages)

    def _fresh(self, messages: Sequence[Message]) -> list[Message]:
        """Return messages that are not spooled yet, each once."""
        fresh: list[Message] = []
        here = Recent(self._recent.span)
        for m in messages:
            self._recent.begin(m.session)
            identity = (m.id, m.packet, m.topic, m.payload)
            if not (self._recent.has(*identity, m.again) or here.has(*identity, m.again)):
                here.add(*identity)
                fresh.append(m)
        return fresh

    def _acknowledge(self, messages: Sequence[Message]) -> None:
        client = self._client
        with self._turn:
            for m in messages:
                if client is not None and m.packet and self._connected and m.connection == self._connection:
                    client.ack(m.packet, 1)
                    self._counts.acknowledged += 1

    def _close(self) -> None:
        self._writer.close()
        self._counts.segments += 1
        self._files = len(self._writer.spool.segments())

    def _trouble(self, what: str) -> None:
        if what != self._counts.error:
            _log.warning("%s", what)
        self._counts.error = what
