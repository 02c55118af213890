"""Settings of a connection to a broker. From Python, or from an address:

mqtt://user@host:1883/ais/+/position,plant/#?client_id=harbour&password_env=BROKER_PASSWORD
mqtts://host/ais/#?ca=ca.pem&cert=client.pem&key=client.key
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from paho.mqtt.client import topic_matches_sub

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import read_secret, show_address, split_address
from holdsfor.io.readers.mapping import did_you_mean

#: What an address may say after its question mark, and what it is turned into.
_OPTIONS: dict[str, Callable[[str], Any]] = {
    "client_id": str,
    "ca": str,
    "cert": str,
    "key": str,
    "version": int,
    "keepalive": int,
    "in_flight": int,
    "session_expiry": int,
    "patience": float,
}
LONGEST_TOPIC = 65_535  # bytes
_SECRETS = ("password_env", "password_file")  # where the password is


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """One broker, one user. Plain values: it can be sent to Spark's workers."""

    host: str = "localhost"
    port: int | None = None  # 1883, with TLS 8883
    topics: tuple[str, ...] = ()  # filters to subscribe to; publishing needs none
    client_id: str | None = None  # None: a name of its own for each spool folder
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    ca: str | None = None  # the authority that signed the broker's certificate; None: those of the system
    cert: str | None = None  # the client's own certificate and key, where the broker asks for them
    key: str | None = None
    version: int = 5  # of the protocol: 5, or 4 for MQTT 3.1.1
    keepalive: int = 30  # seconds
    in_flight: int = 10_000  # messages on their way and not acknowledged yet
    session_expiry: int = 7 * 86400  # seconds that the broker keeps messages for a client that is away (MQTT 5)
    patience: float = 60.0  # seconds without any progress after which publishing, or the first connection, fails

    def __post_init__(self) -> None:
        if self.version not in (4, 5):
            raise HoldsforError(f"version = {self.version} of MQTT is not known: write 5, or 4 for MQTT 3.1.1.")
        if not 1 <= self.in_flight <= 65_000:
            raise HoldsforError(f"in_flight = {self.in_flight}: MQTT allows 1 to 65000 messages in flight.")
        if isinstance(self.topics, str):
            raise HoldsforError(f"topics = {self.topics!r}: give a list of topic filters, such as ['ais/+/position'].")
        for topic in self.topics:
            check_filter(topic)
        if (self.ca or self.cert or self.key) and not self.tls:
            raise HoldsforError("ca, cert and key are for TLS: write tls=True, or mqtts:// in an address.")
        for path in filter(None, (self.ca, self.cert, self.key)):
            if not Path(path).is_file():
                raise HoldsforError(f"no such file: {path}. TLS needs it (ca, cert and key are PEM files).")

    @property
    def address(self) -> str:
        return f"{self.host}:{self.actual_port}"

    @property
    def actual_port(self) -> int:
        return self.port or (8883 if self.tls else 1883)

    @classmethod
    def parse(cls, address: str, **more: Any) -> MqttSettings:
        """Read the settings in an address; `more` overrides."""
        parts = split_address(address, ("mqtt", "mqtts"))
        if parts is None:
            raise HoldsforError(
                f"{show_address(address)} is not the address of a broker. Write mqtt://host/topic, or mqtts:// "
                "for TLS, with a port such as mqtt://host:1884/topic if it is not 1883 (TLS: 8883)."
            )
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        arguments: dict[str, Any] = {
            "host": parts.hostname,
            "port": parts.port,
            "topics": tuple(topic for topic in unquote(parts.path.removeprefix("/")).split(",") if topic),
            "tls": parts.scheme == "mqtts",
            "username": unquote(parts.username) if parts.username else None,
            "password": _password(parts.username, parts.password, options),
        }
        arguments |= dict(_option(name, value) for name, value in options.items() if name not in _SECRETS)
        allowed = [f.name for f in fields(cls)]
        for name in more:
            if name not in allowed:
                raise HoldsforError(f"unknown setting {name!r}.{did_you_mean(name, allowed)}")
        return cls(**(arguments | more))


def fits(topic_filter: str, topic: str) -> bool:
    """Return whether a subscription brings the messages of a topic."""
    shared = topic_filter.split("/", 2)
    return topic_matches_sub(shared[2] if shared[0] == "$share" and len(shared) == 3 else topic_filter, topic)


def check_filter(topic: str) -> None:
    """Refuse what no broker takes as a topic filter."""
    size = len(topic.encode(errors="replace"))
    if size > LONGEST_TOPIC:
        raise HoldsforError(
            f"the topic filter {topic[:40]!r}... has {size:,} bytes, and MQTT allows {LONGEST_TOPIC:,}. Subscribe to a "
            "shorter one; + and # stand for many topics."
        )
    levels = topic.split("/")
    wild = [level for level in levels if ("+" in level or "#" in level) and level not in ("+", "#")]
    if not topic or wild or "#" in levels[:-1] or "\0" in topic:
        raise HoldsforError(
            f"{topic!r} is not a topic filter: + stands for one whole level, # for all that follow and comes last."
        )


def _password(username: str | None, written: str | None, options: Mapping[str, str]) -> str | None:
    secret = read_secret("password", options)
    if secret is not None and not username:
        raise HoldsforError("a password needs a user name: mqtt://user@host/topic?password_env=NAME.")
    if written and secret is not None:
        raise HoldsforError("the address of the broker has a password and says where to find one: leave one out.")
    return unquote(written) if written else secret


def _option(name: str, value: str) -> tuple[str, Any]:
    if name not in _OPTIONS:
        allowed = [*_OPTIONS, *_SECRETS]
        hint = did_you_mean(name, allowed)
        raise HoldsforError(f"unknown option {name!r} in the address of the broker.{hint} Known: {', '.join(allowed)}.")
    try:
        return name, _OPTIONS[name](value)
    except ValueError as error:
        raise HoldsforError(f"{name}={value} in the address of the broker: a number is needed.") from error
