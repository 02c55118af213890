"""Kernels over text against what Python says of the same text."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.columns.strings import TextColumn, strings_of
from holdsfor.io.readers.fields import split
from holdsfor.io.readers.grouped import read_groups
from holdsfor.kernels.text.fields import SOME_ROWS
from holdsfor.kernels.text.numerals import ANY, INTEGER, TEXT
from holdsfor.kernels.text.strings import KnownStrings, find_strings, index_strings
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


WIDTHS = (1, 3, 2)
DIGITS = st.integers(1, 20).flatmap(lambda length: st.text("0123456789", min_size=length, max_size=length))
DECIMALS = st.tuples(st.sampled_from(["", "-"]), DIGITS, DIGITS).map(lambda parts: f"{parts[0]}{parts[1]}.{parts[2]}")
FIELDS = st.one_of(
    st.just(""), st.sampled_from("ab"), st.text("0123456789.-", min_size=1, max_size=17), DIGITS, DECIMALS
)


@st.composite
def grouped_rows(draw: st.DrawFn) -> tuple[list[tuple[int, list[str]]], list[list[int]]]:
    """Rows of groups, mostly with fields that are alike in a column; and what is known of the columns."""
    usual = {
        (g, k): draw(st.sampled_from([st.sampled_from("ab"), DIGITS, DECIMALS])) for g in range(3) for k in range(3)
    }
    rows = []
    for g in draw(st.lists(st.integers(-1, 2), max_size=12)):
        width = WIDTHS[g] if g >= 0 else draw(st.integers(1, 4))
        odd = draw(st.integers(0, 9)) == 0
        rows.append((g, [draw(FIELDS if odd or g < 0 else usual[g, k]) for k in range(width)]))
    return rows, [[draw(st.sampled_from([ANY, INTEGER, TEXT])) for _ in range(width)] for width in WIDTHS]


@law
@given(
    grouped_rows(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from([0, 0, SOME_ROWS // 3, SOME_ROWS])
)
def test_that_rows_of_several_groups_are_read_as_python_reads_them(
    made: tuple[list[tuple[int, list[str]]], list[list[int]]], end: str, quoted: bool, repeated: int
) -> None:
    """repeated: how often the first rows stand before all, since rows are read some at a time."""
    rows, kinds = made
    rows = rows[:3] * repeated + rows
    written = [[f'"{text}"' if quoted and text != "a" else text for text in texts] for _, texts in rows]
    fields = split("".join("|".join(texts) + end for texts in written).encode())
    group = np.array([g for g, _ in rows], np.int32)
    read = read_groups(
        fields, fields.first[: len(rows)], group, [list(enumerate(each)) for each in kinds], quoted, nullable=True
    )
    for g, found in enumerate(read):
        assert found.rows.tolist() == [i for i, (of, _) in enumerate(rows) if of == g]
        for k, column in enumerate(found.columns):
            check_column(column, [texts[k] or None for of, texts in rows if of == g], kinds[g][k])


def check_column(column: TextColumn, texts: list[str | None], kind: int) -> None:
    told = [text for text in texts if text is not None]
    assert column.array().to_pylist() == texts
    assert column.encode().to_pylist() == texts
    assert column.encode().dictionary.to_pylist() == list(dict.fromkeys(told))
    right = [text is not None and re.fullmatch(r"-?[0-9]{1,18}", text) is not None for text in texts]
    numbers, good = column.integers()
    assert good.tolist() == right
    assert numbers.tolist() == [int(text) if text and fits else 0 for text, fits in zip(texts, right, strict=True)]
    terms = column.numbers()
    if terms is not None and terms.type == pa.float64():
        assert all(re.fullmatch(r"-?[0-9]+\.[0-9]+", text) for text in told)
        assert list(map(repr, terms.to_pylist())) == [repr(None if text is None else float(text)) for text in texts]
    elif terms is not None:
        assert terms.to_pylist() == [None if text is None else int(text) for text in texts]
    elif kind == ANY:
        short = [re.fullmatch(r"-?[0-9]{1,10}\.[0-9]{1,5}", text) for text in told]
        has_zeros = any(re.match(r"-?0[0-9]", text) for text in told)
        assert not told or has_zeros or not (sum(right) == len(told) or all(short))


def test_that_the_table_of_texts_of_all_columns_grows() -> None:
    rows = [(number % 70_000, number % 3) for number in range(150_000)]
    fields = split("".join(f"name {name}|kind {kind}\n" for name, kind in rows).encode())
    (found,) = read_groups(fields, fields.first, np.zeros(len(rows), np.int32), [[(0, ANY), (1, TEXT)]])
    names, kinds = (column.encode() for column in found.columns)
    assert (len(names.dictionary), len(kinds.dictionary)) == (70_000, 3)
    assert names.to_pylist() == [f"name {name}" for name, _ in rows]
    assert kinds.to_pylist() == [f"kind {kind}" for _, kind in rows]


def test_that_the_table_of_texts_grows() -> None:
    texts = [f"name {number % 70_000}" for number in range(150_000)]
    encoded = strings_of(pa.array(texts)).encode()
    assert len(encoded.dictionary) == 70_000
    assert encoded.to_pylist() == texts


AS_WRITTEN = st.one_of(
    st.integers(-(10**6), 10**6).map(str), st.integers(-(10**6), 10**6).map(lambda number: repr(number / 100))
)


@law
@given(st.lists(AS_WRITTEN, max_size=8), st.lists(NUMBERS, max_size=1))
def test_that_numbers_as_python_writes_them_are_known(texts: list[str], odd: list[str]) -> None:
    marks = strings_of(pa.array(texts + odd, pa.string())).mark_integers()
    if marks is None:
        assert odd
        return
    assert marks.tolist() == ["." not in text for text in texts + odd]
    assert [repr(float(text) if "." in text else int(text)) for text in texts + odd] == texts + odd


@law
@given(st.lists(st.text("ab\u00e9", max_size=20) | LENGTHS, max_size=40), st.lists(LENGTHS | st.text("ab", max_size=9)))
def test_that_strings_are_found_where_they_are(texts: list[str], wanted: list[str]) -> None:
    strings, asked = strings_of(pa.array(texts, pa.string())), strings_of(pa.array(wanted, pa.string()))
    slots, hashes, are_distinct = index_strings(strings.data, strings.begin, strings.end)
    assert are_distinct == (len(set(texts)) == len(texts))
    if are_distinct:
        known = KnownStrings(strings.data, strings.begin, strings.end, slots, hashes)
        places = find_strings(asked.data, asked.begin, asked.end, known)
        assert places.tolist() == [texts.index(text) if text in texts else -1 for text in wanted]


def test_that_many_different_strings_are_told_apart() -> None:
    texts = [f"v{number % 7000}" for number in range(9000)]  # so many that the table grows, at once and by and by
    encoded = strings_of(pa.array(["v0"] * 3000 + texts)).encode()
    assert encoded.to_pylist() == ["v0"] * 3000 + texts
    assert len(encoded.dictionary) == 7000
    assert strings_of(pa.array(texts)).encode().to_pylist() == texts
