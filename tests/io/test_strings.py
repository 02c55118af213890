"""Strings that are encoded: each text once, in the order of first occurrence, whether texts come again or not."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.io.columns import strings
from holdsfor.io.columns.strings import strings_of


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=40), st.booleans(), st.integers(1, 6))
def test_encoded_as_arrow_encodes_them(texts: list[str], are_distinct: bool, few: int) -> None:
    """However many there must be for a look at whether they are distinct."""
    texts = list(dict.fromkeys(texts)) if are_distinct else texts
    array = pa.array(texts, pa.string())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strings, "MANY", 1)
        patch.setattr(strings, "FEW", few)
        encoded = strings_of(array).encode()
    expected = array.dictionary_encode()
    assert encoded.dictionary.to_pylist() == expected.dictionary.to_pylist()
    assert encoded.indices.to_pylist() == expected.indices.to_pylist()
