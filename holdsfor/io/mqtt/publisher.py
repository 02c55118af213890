"""Publishes messages with QoS 1 and returns when the broker has confirmed all of them, however often it goes away."""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.network import Backoff, is_lasting
from holdsfor.io.mqtt.connection import ID_PROPERTY, begin, new_client, refusal, unreachable, why_not
from holdsfor.io.mqtt.settings import MqttSettings

LONGEST_PAUSE = 5.0  # seconds between attempts to connect


class Outgoing(NamedTuple):
    id: str  # the same whenever the same is published again
    topic: str
    payload: bytes
    retain: bool


def publish(settings: MqttSettings, messages: Sequence[Outgoing], tries_again: bool = True) -> int:
    """Publish, and return how many messages were sent, with those that a lost connection made us send again.

    tries_again: go on after a connection that has delivered nothing, for as long as the settings' patience.
    """
    left = dict(enumerate(messages))
    sent = 0
    backoff = Backoff(0.2, LONGEST_PAUSE)
    progress = time.monotonic()
    while left:
        delivery = PublishingConnection(settings, left)
        done = delivery.run()
        sent += delivery.sent
        if done:
            progress = time.monotonic()
            backoff.reset()
        elif delivery.refused:
            raise HoldsforError(delivery.refused)
        elif not tries_again or time.monotonic() - progress > settings.patience:
            reason = unreachable(settings, delivery.why, is_over=tries_again)
            raise HoldsforError(f"{len(left)} of {len(messages)} messages could not be published: {reason}")
        if left:
            time.sleep(backoff.pause())
    return sent


class PublishingConnection:
    """One connection, and what is delivered by it. Confirmed messages are taken out of `left`."""

    def __init__(self, settings: MqttSettings, left: dict[int, Outgoing]) -> None:
        self.settings = settings
        self.left = left
        self.sent = 0
        self.refused: str | None = None  # for good
        self.why: str | None = None  # there was no connection
        self._changed = threading.Condition()
        self._window = 0  # how many may be on their way; 0: not connected yet
        self._over = False
        self._waiting: dict[int, int] = {}  # packet -> key in `left`
        self._early: dict[int, ReasonCode] = {}

    def run(self) -> int:
        """Deliver until all is done or the connection is lost; return how many were confirmed."""
        before = len(self.left)
        client = new_client(self.settings, f"holdsfor-{secrets.token_hex(8)}", persistent=False)
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_connect_fail, client.on_publish = self._on_connect_fail, self._on_publish
        client.max_inflight_messages_set(0)  # we count ourselves
        begin(client, self.settings, persistent=False)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._window or self._over, self.settings.patience)
            if self._window:
                self._send_all(client)
        finally:
            client.disconnect()
            client.loop_stop()
        return before - len(self.left)

    def _send_all(self, client: Client) -> None:
        for key, message in list(self.left.items()):
            with self._changed:
                if not self._wait(lambda: len(self._waiting) < self._window) or self._over:
                    return
            # Not while we hold our lock: the client holds its own when it tells us of confirmations.
            info = client.publish(message.topic, message.payload, 1, message.retain, self._properties(message))
            if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
                return
            self.sent += 1
            with self._changed:
                self._waiting[info.mid] = key
                if info.mid in self._early:
                    self._confirm(info.mid, self._early.pop(info.mid))
        with self._changed:
            self._wait(lambda: not self._waiting)

    def _wait(self, ready: Any) -> bool:
        """Wait until it is ready or the connection is over; return False if neither comes in time."""
        return self._changed.wait_for(lambda: self._over or ready(), self.settings.patience)

    def _properties(self, message: Outgoing) -> Properties | None:
        if self.settings.version != 5:
            return None
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.UserProperty = [(ID_PROPERTY, message.id)]
        return properties

    # ---------------------------------------------------------------- in the client's thread

    def _on_connect(
        self, client: Client, _: Any, flags: ConnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        with self._changed:
            if reason.is_failure:
                self.refused, self._over = refusal(self.settings, reason), True
            else:
                allowed = getattr(properties, "ReceiveMaximum", 65_535)
                self._window = min(self.settings.in_flight, allowed)
            self._changed.notify_all()

    def _on_connect_fail(self, client: Client, _: Any) -> None:
        error = sys.exception()  # the client calls us while it handles it
        self.why = why_not(self.settings, error)
        if error is not None and is_lasting(error):
            self.refused = unreachable(self.settings, self.why, is_over=False)
        self._end()

    def _on_disconnect(
        self, client: Client, _: Any, flags: DisconnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        if reason.is_failure:
            lost = f"it ended the connection ({str(reason).lower()})"
            self.why = lost if self._window else why_not(self.settings, None)
        self._end()

    def _end(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _on_publish(
        self, client: Client, _: Any, packet: int, reason: ReasonCode, properties: Properties | None
    ) -> None:
        with self._changed:
            if packet in self._waiting:
                self._confirm(packet, reason)
            else:  # confirmed before `publish` has returned
                self._early[packet] = reason

    def _confirm(self, packet: int, reason: ReasonCode) -> None:
        key = self._waiting.pop(packet)
        if reason.is_failure:
            self.refused = f"the broker does not let us publish to {self.left[key].topic}: {reason}."
            self._over = True
        else:
            del self.left[key]
        if not self._waiting or len(self._waiting) < self._window // 2 or self._over:
            self._changed.notify_all()
