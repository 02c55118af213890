"""Rows that are taken by NumPy are those that Arrow takes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.io.columns.taking import lend_numbers, lend_texts, take_rows

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


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64()], ids=str)
def test_numbers_are_lent_where_they_lie_and_stay_there(kind: pa.DataType) -> None:
    column = pa.array(range(1000), kind).slice(7, 500)
    numbers = lend_numbers(column)
    assert numbers.ctypes.data == column.buffers()[1].address + 7 * 8
    assert numbers.flags.writeable  # as kernels are compiled for
    del column
    taken = [pa.array(np.zeros(500)) for _ in range(50)]  # what would lie there now, if it had been given back
    assert numbers.tolist() == list(range(7, 507))
    assert len(taken) == 50


def test_what_cannot_be_lent_is_copied() -> None:
    assert lend_numbers(pa.array([], pa.int64())).tolist() == []
    assert np.array_equal(lend_numbers(pa.array([1.5, None])), [1.5, np.nan], equal_nan=True)
    shifted = pa.Array.from_buffers(pa.int64(), 2, [None, pa.py_buffer(np.arange(24, dtype=np.uint8)).slice(3, 16)])
    assert lend_numbers(shifted).tolist() == shifted.to_pylist()


def test_texts_are_lent_where_they_lie() -> None:
    texts = pa.array([str(number) for number in range(1000)]).slice(7, 500)
    offsets, data = lend_texts(texts)
    assert offsets.ctypes.data == texts.buffers()[1].address + 7 * 4
    assert data.ctypes.data == texts.buffers()[2].address
    assert offsets.flags.writeable
    assert data.flags.writeable
    del texts
    taken = [pa.array([str(number) for number in range(2000)]) for _ in range(50)]
    assert [bytes(data[a:b]) for a, b in pairwise(offsets)] == [str(n).encode() for n in range(7, 507)]
    assert len(taken) == 50


def test_texts_without_bytes_or_beside_their_place() -> None:
    for texts in (pa.array([], pa.string()), pa.array(["", ""])):
        offsets, data = lend_texts(texts)
        assert (offsets.tolist(), data.tolist()) == ([0] * (len(texts) + 1), [])
    places = pa.py_buffer(b"abc" + np.array([0, 1, 3], np.int32).tobytes()).slice(3)
    offsets, data = lend_texts(pa.StringArray.from_buffers(2, places, pa.py_buffer(b"xyz")))
    assert (offsets.tolist(), bytes(data)) == ([0, 1, 3], b"xyz")
