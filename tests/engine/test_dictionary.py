"""Terms and their codes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine.data.dictionary import Dictionary, find_distinct
from holdsfor.engine.data.term_text import FEW, number_columns

NEAR = st.lists(st.integers(-5, 20), max_size=30)
FAR = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5)


@given(NEAR | FAR)
def test_that_integers_are_counted_as_they_are_sorted(numbers: list[int]) -> None:
    distinct, where = find_distinct(np.array(numbers, np.int64), dense=4)
    assert distinct.tolist() == sorted(set(numbers))
    assert distinct[where].tolist() == numbers


@given(NEAR)
def test_that_integers_and_floats_are_different_terms(numbers: list[int]) -> None:
    dictionary = Dictionary()
    integers = dictionary.encode(np.array(numbers, np.int64))
    floats = dictionary.encode(np.array(numbers, np.float64))
    assert [dictionary.text(code) for code in integers.tolist()] == [str(number) for number in numbers]
    assert not set(integers.tolist()) & set(floats.tolist())


@settings(deadline=None)
@given(st.lists(NEAR | FAR, max_size=4))
def test_that_columns_of_integers_share_their_codes(columns: list[list[int]]) -> None:
    dictionary = Dictionary()
    dictionary.code("7")
    for numbers in columns:
        codes = dictionary.encode(np.array(numbers, np.int64))
        copied = dictionary.copy().encode(np.array(numbers, np.int64))
        assert [dictionary.text(code) for code in codes.tolist()] == [str(number) for number in numbers]
        assert codes.tolist() == copied.tolist()
    assert len(dictionary) == len({7, *(number for numbers in columns for number in numbers)})


TEXTS = (
    "7",
    "-7",
    "07",
    "7.0",
    "-.5",
    "1e3",
    "inf",
    "nan",
    "info",
    "-",
    "a",
    "[]",
    "'7'",
    "f(7)",
    str(2**63),
    "1" * 400,
)


def test_that_few_terms_are_read_as_many_are() -> None:
    few, many = number_columns(TEXTS), number_columns([*TEXTS, *["a"] * FEW])
    for column in ("near", "integers", "whole", "fits"):
        np.testing.assert_array_equal(getattr(few, column), getattr(many, column)[: len(TEXTS)], column)
