"""The MQTT client, made from settings."""

from __future__ import annotations

import logging
import ssl

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.network import Remedies, explain_failure
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.printable import printable

_log = logging.getLogger(__name__)

#: The user property of MQTT 5 in which a publisher names a message, so that a copy of it is known as one.
ID_PROPERTY = "id"

_ADVICE = {
    "Bad user name or password": "Check username and password.",
    "Not authorized": "Check username and password, and what the broker allows this user.",
    "Client identifier not valid": "Give another client_id.",
    "Unsupported protocol version": "Write version=4: the broker speaks MQTT 3.1.1 only.",
}

REMEDIES = Remedies(
    authority="give the certificate of its authority, ?ca=FILE in the address (ca=... in Python)",
    client="give one, ?cert=FILE&key=FILE in the address (cert=..., key=... in Python)",
    plain="write mqtt:// in place of mqtts:// (tls=False in Python)",
)


class SteadyClient(Client):
    """Connects anew when it cannot read what a broker sends. The thread of a plain client would end, unnoticed."""

    def loop_read(self, max_packets: int = 1) -> MQTTErrorCode:
        try:
            return super().loop_read(max_packets)
        except Exception as error:
            _log.warning("what the broker sent cannot be read (%s: %s)", type(error).__name__, printable(str(error)))
            return self._loop_rc_handle(MQTTErrorCode.MQTT_ERR_PROTOCOL)


def new_client(settings: MqttSettings, client_id: str, persistent: bool) -> Client:
    """Make a client that is not connected yet. persistent: the broker keeps its session, and messages for it."""
    five = settings.version == 5
    client = SteadyClient(
        CallbackAPIVersion.VERSION2,
        client_id=client_id,
        clean_session=None if five else not persistent,
        protocol=MQTTProtocolVersion.MQTTv5 if five else MQTTProtocolVersion.MQTTv311,
        manual_ack=persistent,
    )
    if settings.username is not None:
        client.username_pw_set(settings.username, settings.password)
    if settings.tls:
        try:
            client.tls_set(settings.ca, settings.cert, settings.key)
        except (OSError, ssl.SSLError, ValueError) as error:
            raise HoldsforError(f"cannot use the TLS files: {error}. ca, cert and key must be PEM files.") from error
    client.reconnect_delay_set(1, 30)
    return client


def begin(client: Client, settings: MqttSettings, persistent: bool) -> None:
    """Begin to connect, and go on trying, in the client's own thread."""
    if settings.version == 5:
        wishes = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        wishes.ReceiveMaximum = settings.in_flight
        wishes.SessionExpiryInterval = settings.session_expiry if persistent else 0
        client.connect_async(
            settings.host, settings.actual_port, settings.keepalive, clean_start=not persistent, properties=wishes
        )
    else:
        client.connect_async(settings.host, settings.actual_port, settings.keepalive)
    client.loop_start()


def refusal(settings: MqttSettings, reason: ReasonCode) -> str:
    """Explain that the broker does not let us in."""
    advice = _ADVICE.get(str(reason), "See the broker's own log.")
    return f"the broker at {settings.address} refused the connection: {str(reason).lower()}. {advice}"


def why_not(settings: MqttSettings, error: BaseException | None) -> str:
    """Explain why there is no connection. error: None if the broker left before it let us in."""
    if error is not None:
        return explain_failure(error, REMEDIES)
    if settings.tls:
        return f"it ended the connection. If it wants a certificate of ours: {REMEDIES.client}"
    return "it ended the connection before it answered. If it wants TLS: write mqtts:// (tls=True in Python)"


def unreachable(settings: MqttSettings, reason: str | None, is_over: bool = True) -> str:
    """Explain that there is no connection. is_over: we have tried for as long as patience allows."""
    within = f" within {settings.patience:g} seconds" if is_over else ""
    cause = reason or "it does not answer. Check host and port, and whether it wants TLS (mqtts://)"
    return f"no connection to the broker at {settings.address}{within}: {cause}."
