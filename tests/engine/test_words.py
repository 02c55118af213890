"""What stages tell each other, word by word, and who says so."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from holdsfor.engine.stepping.upstream_changes import ALL, Words, as_words, speaker
from holdsfor.io.events import Block


def row(name: str) -> Block:
    time = np.array([5])
    return Block("near", "event", (pa.array([name]).dictionary_encode(),), None, time, None, time)


def told(words: Words, query_time: int) -> set[str]:
    return {name.as_py() for block in words.at(query_time) for name in block.args[0]}


def spoken(*said: tuple[int, str, int]) -> Words:
    """Each with who says so (negative: that the row is there no more), the row, and the query time."""
    return Words().add([as_words(row(name), who, query_time) for who, name, query_time in said])


def test_the_last_word_counts() -> None:
    words = spoken((ALL, "a", 10), (ALL, "b", 10), (-ALL, "a", 20), (ALL, "a", 30))
    assert [told(words, time) for time in (9, 10, 20, 30)] == [set(), {"a", "b"}, {"b"}, {"a", "b"}]


def test_a_row_is_there_as_long_as_one_says_so() -> None:
    one, other = speaker(0), speaker(300)
    words = spoken((one, "a", 10), (other, "a", 10), (-one, "a", 20), (-other, "a", 30))
    assert [told(words, time) for time in (10, 20, 30)] == [{"a"}, {"a"}, set()]
