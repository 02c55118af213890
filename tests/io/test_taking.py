"""Rows that are taken by NumPy are those that Arrow takes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.io.taking import take_rows

KINDS = [pa.int64(), pa.float64(), pa.int32(), pa.string(), pa.dictionary(pa.int32(), pa.string())]
VALUES = {"string": ["a", "b", "c"], "number": [1, 0, -7]}


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(deadline=None)
@given(st.data())
def test_the_same_rows_and_nulls(kind: pa.DataType, data: st.DataObject) -> None:
    texts = kind in (pa.string(), pa.dictionary(pa.int32(), pa.string()))
    value = st.sampled_from([*VALUES["string" if texts else "number"], None])
    values = data.draw(st.lists(value, min_size=1, max_size=12))
    column = pa.array(values, pa.string() if texts else kind).cast(kind)
    low = data.draw(st.integers(0, len(values) - 1))
    rows = np.array(data.draw(st.lists(st.integers(0, len(values) - low - 1), max_size=8)), np.int64)
    part = column.slice(low)
    assert take_rows(part, rows).equals(part.take(pa.array(rows)))
