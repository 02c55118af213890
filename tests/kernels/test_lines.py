"""Lines are cut 64 bytes at a time as they are one byte after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.kernel import kernel
from holdsfor.kernels.text.bytes64 import count_bits, lowest_bit, mark_bytes
from holdsfor.kernels.text.lines import cut_lines, find_lines, has_simple_quotes
from tests.kernels.packed import law

FIELDS = st.sampled_from(['"', '""', '"a"', '"a', 'a"', 'a"b', '"a"b"', "", "", "a", "a" * 9, "b" * 63, "\u00e9", "\0"])
ENDS = st.sampled_from(["|", "|", "|", "\n"])
TEXTS = st.lists(st.tuples(FIELDS, ENDS), max_size=80).map(lambda pieces: "".join(map("".join, pieces)) + "\n")
PLAIN = st.lists(st.tuples(st.sampled_from(["", "a", '"abc"', '"a b"']), ENDS), max_size=80)


@law
@given(TEXTS | PLAIN.map(lambda pieces: "".join(map("".join, pieces)) + "\n"))
def test_that_blocks_are_cut_as_bytes_are(text: str) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    cuts = np.array([at for at, byte in enumerate(data) if byte in b"|\n"], np.int32)
    found = cut_lines(data, ord("|"))
    assert found.cuts.tolist() == cuts.tolist()
    for mine, other in zip(found[1:5], find_lines(data, cuts), strict=True):
        assert mine.tolist() == other.tolist()
    assert found.quoted == ('"' in text)
    assert found.is_simple == has_simple_quotes(data, cuts)
    assert not found.returns


@law
@given(st.text("a|\r\n", max_size=200))
def test_that_returns_are_seen(text: str) -> None:
    data = np.frombuffer(f"{text}\n".encode(), np.uint8)
    found = cut_lines(data, ord("|"))
    assert found.returns == ("\r" in text)
    assert found.cuts.tolist() == [at for at, byte in enumerate(data) if byte in b"|\n"]


@kernel
def _compiled(data: np.ndarray, at: np.uint64, byte: int) -> tuple[np.uint64, np.uint64, np.uint64]:  # type: ignore[type-arg]
    marks = mark_bytes(data, at, byte)
    return marks, count_bits(marks), lowest_bit(marks)


@law
@given(st.binary(min_size=64, max_size=100), st.integers(0, 36), st.integers(0, 255))
def test_that_instructions_do_what_the_functions_do(data: bytes, at: int, byte: int) -> None:
    array, place = np.frombuffer(data, np.uint8), np.uint64(min(at, len(data) - 64))
    marks = mark_bytes(array, place, byte)
    assert _compiled(array, place, byte) == (marks, count_bits(marks), lowest_bit(marks))
    assert int(marks) == sum(1 << k for k in range(64) if data[int(place) + k] == byte)
