"""Kernels over text against what Python says of the same text."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.readers.fields import split
from holdsfor.io.strings import strings_of
from tests.kernels.packed import law

LINES = st.text("ab|\r\n\u00e9x", max_size=60)
NUMBERS = st.one_of(
    st.integers(-(10**19), 10**19).map(str),
    st.decimals(-(10**9), 10**9, allow_nan=False, places=4).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text("0123456789.-+e ", max_size=20),
)
LENGTHS = st.sampled_from(["", "a" * 8, "a" * 16, "a" * 17, "b" * 9])
WORDS = st.none() | LENGTHS | st.text("ab\u00e9", max_size=20)


@law
@given(LINES)
def test_that_lines_are_cut_as_python_cuts_them(text: str) -> None:
    lines = (text if text.endswith("\n") else text + "\n").split("\n")[:-1]
    expected = [line.removesuffix("\r").split("|") for line in lines]
    fields = split(text.encode())
    assert len(fields.first) == len(expected)
    for i, parts in enumerate(expected):
        count = len(parts) - (parts[-1] == "")
        assert fields.count[i] == count
        assert fields.empty_field[i] == ("" in parts[:-1])
        assert fields.column(fields.first[i] + np.arange(count)).array().to_pylist() == parts[:count]
    whole = fields.lines(np.arange(len(lines)))
    assert whole.to_pylist() == [line.removesuffix("\r") for line in lines]


@law
@given(st.lists(st.none() | NUMBERS, max_size=20))
def test_that_integers_are_those_of_up_to_18_digits(texts: list[str | None]) -> None:
    numbers, good = strings_of(pa.array(texts, pa.string())).integers()
    right = [text is not None and re.fullmatch(r"-?[0-9]{1,18}", text) is not None for text in texts]
    assert good.tolist() == right
    expected = [int(text) if text and fits else 0 for text, fits in zip(texts, right, strict=True)]
    assert numbers.tolist() == expected


@law
@given(st.lists(st.none() | NUMBERS, max_size=6) | st.lists(st.decimals(-999, 999, places=3).map(str), max_size=20))
def test_that_columns_of_numbers_are_read_as_python_reads_them(texts: list[str | None]) -> None:
    numbers = strings_of(pa.array(texts, pa.string())).numbers()
    told = [text for text in texts if text is not None]
    if told and all(re.fullmatch(r"-?[0-9]{1,18}", text) for text in told):
        assert numbers is not None
        assert numbers.type == pa.int64()
        assert numbers.to_pylist() == [None if text is None else int(text) for text in texts]
    elif told and all(re.fullmatch(r"-?[0-9]{1,10}\.[0-9]{1,5}", text) for text in told):
        assert numbers is not None
        assert numbers.type == pa.float64()
        assert [repr(x) for x in numbers.to_pylist()] == [repr(None if t is None else float(t)) for t in texts]
    elif numbers is not None:  # others may be left to a closer look, but must not be read in another way
        assert numbers.type == pa.float64()
        assert all(re.fullmatch(r"-?[0-9]+\.[0-9]+", text) for text in told)
        assert [repr(x) for x in numbers.to_pylist()] == [repr(None if t is None else float(t)) for t in texts]


@law
@given(st.lists(WORDS, max_size=40), st.integers(0, 3))
def test_that_equal_strings_have_one_code(texts: list[str | None], skipped: int) -> None:
    column = pa.array(texts, pa.string())[skipped:]
    encoded = strings_of(column).encode()
    assert encoded.to_pylist() == texts[skipped:]
    distinct = list(dict.fromkeys(text for text in texts[skipped:] if text is not None))
    assert encoded.dictionary.to_pylist() == distinct


def test_that_the_table_of_texts_grows() -> None:
    texts = [f"name {number % 70_000}" for number in range(150_000)]
    encoded = strings_of(pa.array(texts)).encode()
    assert len(encoded.dictionary) == 70_000
    assert encoded.to_pylist() == texts
