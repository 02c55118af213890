"""Columns of several readings as one: the same rows, and no new list of terms where the first has them all."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.io.columns.wire import address
from holdsfor.io.join import TermLists, join_columns

#: Rows of a column, and terms that stand in its list though no row has them.
columns = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdef"), max_size=8), st.sets(st.sampled_from("abcdef"))),
    min_size=1,
    max_size=4,
)


def encoded(rows: list[str], unused: set[str]) -> pa.DictionaryArray:
    terms = sorted({*rows, *unused}, reverse=bool(len(rows) % 2))
    codes = [terms.index(row) for row in rows]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(terms, pa.string()))


@settings(deadline=None)
@given(columns)
def test_all_rows_in_their_order(parts: list[tuple[list[str], set[str]]]) -> None:
    joined = join_columns([encoded(*part) for part in parts], TermLists())
    assert joined.to_pylist() == [row for rows, _ in parts for row in rows]


@settings(deadline=None)
@given(columns)
def test_the_first_list_of_terms_stays_if_it_has_all(parts: list[tuple[list[str], set[str]]]) -> None:
    arrays = [encoded(*part) for part in parts]
    known = set(arrays[0].dictionary.to_pylist())
    joined = join_columns(arrays, TermLists())
    if {row for rows, _ in parts for row in rows} <= known:
        assert address(joined.dictionary) == address(arrays[0].dictionary)
    assert len(set(joined.dictionary.to_pylist())) == len(joined.dictionary)


def test_lists_that_are_gone_are_not_taken_for_others() -> None:
    """A new list may lie where an earlier one was."""
    lists = TermLists()
    for number in range(100, 300):
        columns = [pa.array([f"{number}{end}"]).dictionary_encode() for end in "ab"]
        assert lists.join(columns).to_pylist() == [f"{number}a", f"{number}b"]
        del columns
