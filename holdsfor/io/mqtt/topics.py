"""Rules for the messages on a topic. The section [topics] of a mapping, where the first pattern that matches counts:

    [topics]
    "ais/{vessel}/speed" = "velocity"                   # messages are this event; the level is the column `vessel`
    "ais/+/track" = { name = "velocity" }               # + and # are as in topic filters
    "ais/+/undo" = { name = "velocity", op = -1 }       # messages take events back
    "rtec/#" = { format = "rtec" }                      # or drtec; else: json or rtec, as each message looks

Without a name the messages say themselves which event they are. Without the section every topic is taken like that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import mask
from holdsfor.io.events import Ints
from holdsfor.io.mqtt.settings import check_filter
from holdsfor.io.readers.mapping import Mapping, as_mapping, did_you_mean

_LEVEL = re.compile(r"^\{([A-Za-z_]\w*)\}$")
_FORMATS = ("json", "rtec", "drtec")
_KEYS = ("name", "format", "op")


@dataclass(frozen=True, slots=True)
class TopicRule:
    pattern: str
    name: str | None = None  # of the event or fluent; None: the message says
    format: str | None = None  # one of these; None: as the message looks
    op: int = 1

    @property
    def levels(self) -> tuple[str, ...]:
        """Name the levels that become columns."""
        return tuple(match[1] for level in self.pattern.split("/") if (match := _LEVEL.match(level)))

    @property
    def filter(self) -> str:
        """Return the topic filter to subscribe to."""
        return "/".join("+" if _LEVEL.match(level) else level for level in self.pattern.split("/"))

    @property
    def regex(self) -> str:
        levels = self.pattern.split("/")
        rest = levels.pop() if levels[-1] == "#" else None
        text = "/".join(_level_regex(level) for level in levels)
        if rest is None:
            return f"^{text}$"
        return f"^{text}(?:/.*)?$" if levels else "^.*$"  # a/# is also a itself


EVERYTHING = TopicRule("#")


def topic_rules(mapping: Mapping) -> tuple[TopicRule, ...]:
    """Read and check the section [topics]."""
    return tuple(_rule(pattern, settings) for pattern, settings in mapping.topics.items()) or (EVERYTHING,)


def topic_filters(mapping: Mapping | AnyMapping[str, Any] | str | Path | None) -> tuple[str, ...]:
    """Return the topic filters to subscribe to for a mapping, each once."""
    return tuple(dict.fromkeys(rule.filter for rule in topic_rules(as_mapping(mapping))))


def routed(rules: tuple[TopicRule, ...], topics: pa.Array) -> Iterator[tuple[TopicRule | None, Ints]]:
    """Yield the rows of each rule, and of none."""
    encoded = topics.dictionary_encode()
    rule_of_topic = np.full(len(encoded.dictionary), -1, np.int64)
    for number, rule in enumerate(rules):
        fits = mask(pc.match_substring_regex(encoded.dictionary, rule.regex))
        rule_of_topic[fits & (rule_of_topic < 0)] = number
    which = rule_of_topic[encoded.indices.to_numpy()]
    for number in range(-1, len(rules)):
        rows = np.flatnonzero(which == number)
        if len(rows):
            yield (rules[number] if number >= 0 else None), rows


def level_columns(rule: TopicRule, topics: pa.Array) -> dict[str, pa.Array]:
    """Return the levels that a rule names, as columns."""
    if not rule.levels:
        return {}
    encoded = topics.dictionary_encode()
    levels = pc.extract_regex(encoded.dictionary, rule.regex)
    return {name: pc.struct_field(levels, name).take(encoded.indices) for name in rule.levels}


def _level_regex(level: str) -> str:
    if named := _LEVEL.match(level):
        return f"(?P<{named[1]}>[^/]*)"
    return "[^/]*" if level == "+" else re.escape(level)


def _rule(pattern: str, settings: Any) -> TopicRule:
    if isinstance(settings, str):
        settings = {"name": settings}
    if not isinstance(settings, AnyMapping):
        raise HoldsforError(f'[topics]: {pattern!r} is followed by the name of an event, or by {{ name = "..." }}.')
    for key in settings:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS)
            raise HoldsforError(f"[topics]: unknown key {key!r} of {pattern!r}.{hint} Known keys: {', '.join(_KEYS)}.")
    rule = TopicRule(pattern, **settings)
    if rule.format not in (None, *_FORMATS):
        raise HoldsforError(
            f"[topics]: format = {rule.format!r} of {pattern!r} is not known. Write json, rtec or drtec."
        )
    if rule.op not in (1, -1):
        raise HoldsforError(f"[topics]: op of {pattern!r} is 1 (the messages insert) or -1 (they retract).")
    if rule.format in ("rtec", "drtec") and (rule.name or rule.levels):
        raise HoldsforError(
            f"[topics]: {pattern!r} is in the format {rule.format}, whose lines have names and arguments of their own."
        )
    if len(set(rule.levels)) < len(rule.levels):
        raise HoldsforError(f"[topics]: {pattern!r} names a level twice.")
    check_filter(rule.filter)
    return rule
