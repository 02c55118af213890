"""Strings that are encoded: each text once, in the order of first occurrence, whether texts come again or not."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.io.columns.strings import strings_of


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=40))
def test_encoded_as_arrow_encodes_them(texts: list[str]) -> None:
    array = pa.array(texts, pa.string())
    encoded = strings_of(array).encode()
    expected = array.dictionary_encode()
    assert encoded.dictionary.to_pylist() == expected.dictionary.to_pylist()
    assert encoded.indices.to_pylist() == expected.indices.to_pylist()
