"""The depth of brackets, against Python's own parser."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.kernels.text.lines import nested_beyond

PLAIN = st.none() | st.integers(-5, 5) | st.text('{}[]"\\ab', max_size=6)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('{["\\', max_size=3), inner, max_size=2)
)


def depth(value: Any) -> int:
    if not isinstance(value, list | dict):
        return 0
    return 1 + max((depth(item) for item in (value.values() if isinstance(value, dict) else value)), default=0)


def beyond(texts: list[bytes], limit: int) -> list[bool]:
    ends = np.cumsum([0, *map(len, texts)])
    found: list[bool] = nested_beyond(np.frombuffer(b"".join(texts), np.uint8), ends[:-1], ends[1:], limit).tolist()
    return found


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(0, 4))
def test_depth_is_that_of_the_value(values: list[Any], limit: int) -> None:
    texts = [json.dumps(value).encode() for value in values]
    assert beyond(texts, limit) == [depth(value) > limit for value in values]


def test_what_is_not_closed_or_closed_too_often() -> None:
    assert beyond([b"[[[", b"]]]]]][[", b'"[[[[', b"[[][][]", b"{[{", b""], 2) == [
        True,
        False,
        False,
        False,
        True,
        False,
    ]
