"""Addresses of Kafka, and the options that they mean for Spark's connector.

kafka://host:9092,other:9092/plant.readings,plant.doors?startingOffsets=earliest

Messages are read as those of MQTT: the topic says what they are, payloads are JSON or RTEC's CSV. Kafka's topics have
no levels; a dot in them stands for MQTT's slash, so that `plant/+/reading` takes `plant.m1.reading`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import read_secret, show_address
from holdsfor.io.mqtt.settings import check_filter
from holdsfor.io.readers.mapping import did_you_mean

SCHEME = "kafka://"
#: Options of Spark's connector that an address may give, besides those of Kafka itself, which begin with `kafka.`.
OPTIONS = ("startingOffsets", "startingTimestamp", "failOnDataLoss", "minPartitions", "groupIdPrefix", "includeHeaders")
SECRETS = ("jaas_env", "jaas_file")  # where the text of kafka.sasl.jaas.config is


@dataclass(frozen=True, slots=True)
class Kafka:
    """Brokers and topics. Plain values."""

    servers: str
    topics: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @staticmethod
    def parse(address: str, check_topics: bool = True) -> Kafka:
        place, _, query = address.removeprefix(SCHEME).partition("?")
        servers, _, path = place.partition("/")
        hosts = servers.split(",")
        if not address.startswith(SCHEME) or not all(re.fullmatch(r"[^\s:@]+(:\d+)?", host) for host in hosts):
            raise HoldsforError(
                f"{show_address(address)} is not a Kafka address. Write kafka://host:9092/topic; several brokers "
                "and several topics are separated by commas. User and password go into a file: ?jaas_file=PATH."
            )
        topics = tuple(topic for topic in unquote(path).split(",") if topic)
        if check_topics:
            for topic in topics:
                check_filter(topic.replace(".", "/"))
        full = ",".join(host if ":" in host else f"{host}:9092" for host in hosts)
        return Kafka(full, topics, _options(dict(parse_qsl(query, keep_blank_values=True))))

    @property
    def connection(self) -> dict[str, str]:
        """Return the options that reading and writing share."""
        own = {name: value for name, value in self.options.items() if name.startswith("kafka.")}
        return {"kafka.bootstrap.servers": self.servers, **own}


def _options(options: dict[str, str]) -> dict[str, str]:
    secret = read_secret("jaas", options)
    for name in options:
        if name not in (*OPTIONS, *SECRETS) and not name.startswith("kafka."):
            allowed = (*OPTIONS, *SECRETS)
            raise HoldsforError(
                f"unknown option {name!r} in the Kafka address.{did_you_mean(name, allowed)} "
                f"Known: {', '.join(allowed)}, and Kafka's own settings, with kafka. before their names."
            )
    plain = {name: value for name, value in options.items() if name not in SECRETS}
    return plain if secret is None else {**plain, "kafka.sasl.jaas.config": secret}


def subscription(topics: tuple[str, ...]) -> dict[str, str]:
    """Return Spark's option for the topics: their names, or a pattern where + or # is among them."""
    if not topics:
        raise HoldsforError("there is no Kafka topic: write kafka://host/topic, or topics in the mapping ([topics]).")
    names = [topic.replace("/", ".") for topic in topics]
    if not any("+" in name or "#" in name for name in names):
        return {"subscribe": ",".join(names)}
    return {"subscribePattern": "|".join(map(_pattern, names))}


def _pattern(name: str) -> str:
    written = re.escape(name).replace(r"\+", r"[^.]+")
    return re.sub(r"(\\\.)?\\#$", lambda match: r"(\..+)?" if match[1] else ".*", written)
