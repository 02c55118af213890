"""MQTT in and out: messages are spooled to disk before they are acknowledged; changes are published as JSON."""

from holdsfor.io.mqtt.payload import messages_to_events
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.mqtt.sink import MqttSink
from holdsfor.io.mqtt.spool import Spool
from holdsfor.io.mqtt.spooler import Spooler
from holdsfor.io.mqtt.topics import topic_filters

__all__ = ["MqttSettings", "MqttSink", "Spool", "Spooler", "messages_to_events", "topic_filters"]
