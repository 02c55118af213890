"""Levels of a topic are names, unless they are written as numbers are."""

from __future__ import annotations

import pyarrow as pa
import pytest

from holdsfor.io.mqtt.payload import messages_to_events
from tests.io.expect import args, block, inputs


@pytest.mark.parametrize(
    ("level", "term"),
    [
        ("7", "7"),
        ("12.5", "12.5"),
        ("007", "'007'"),
        ("3e7", "'3e7'"),
        ("060030", "'060030'"),
        ("a1", "a1"),
        ("-0", "'-0'"),
    ],
)
def test_a_level_keeps_its_name(level: str, term: str) -> None:
    mapping = {"events": {"pos": ["vessel"]}, "topics": {"ais/{vessel}": "pos"}}
    for others in ((), ("x", "8")):  # a message means the same whatever other messages come with it
        levels = [level, *others]
        messages = pa.table(
            {
                "topic": [f"ais/{each}" for each in levels],
                "payload": [b'{"time": 1}'] * len(levels),
                "received": [0] * len(levels),
            }
        )
        events = messages_to_events(messages, mapping, inputs("event pos/1"))
        assert args(block(events, "pos"))[0] == (term,)
