"""Codes outside of their terms are found, wherever the column was cut from."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.columns.taking import are_inside, coded, take_rows

TERMS = pa.array(["a", "b", "c"])
CODES = st.lists(st.integers(-2, 4) | st.none(), max_size=6)


@given(CODES, st.sampled_from([pa.int8(), pa.int32(), pa.int64()]), st.integers(0, 3))
def test_that_columns_are_those_of_arrow(codes: list[int | None], kind: pa.DataType, skipped: int) -> None:
    column, rest = pa.array(codes, kind)[skipped:], codes[skipped:]
    known = [code for code in rest if code is not None]
    if all(0 <= code < len(TERMS) for code in known):
        assert coded(column, TERMS).to_pylist() == [None if code is None else "abc"[code] for code in rest]
    else:
        assert not are_inside(column, len(TERMS))
        with pytest.raises(pa.ArrowException):
            coded(column, TERMS)


@given(st.lists(st.sampled_from("abc") | st.none(), max_size=6), st.integers(0, 3), st.lists(st.integers(0, 5)))
def test_that_rows_are_taken_as_they_are(texts: list[str | None], skipped: int, wanted: list[int]) -> None:
    column, rest = pa.array(texts, pa.string())[skipped:], texts[skipped:]
    rows = [row for row in wanted if row < len(rest)]
    for form in (column, column.dictionary_encode()):
        taken = take_rows(form, np.array(rows, np.int64))
        assert taken.type == form.type
        assert taken.to_pylist() == [rest[row] for row in rows]
