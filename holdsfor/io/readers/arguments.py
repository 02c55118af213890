"""Columns of any type as argument columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.times import ticks_of_dates
from holdsfor.io.strings import TextColumn
from holdsfor.io.text import (
    Mask,
    TermList,
    cast_to,
    is_number,
    list_terms,
    mask,
    number_text,
    plain_text,
    spread,
    string_terms,
    typed_fields,
    value_terms,
)

#: A part of a table may have the terms of the whole: with so many for a row, it is encoded anew.
MANY_TERMS = 4


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """One array of a type we know: no views, no large strings; what is encoded stays encoded."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        wanted = pa.dictionary(pa.int32(), _plain_type(kind.value_type))
    else:
        wanted = _plain_type(kind)
    if isinstance(column, pa.ChunkedArray):
        column = _one_array(column)
    column = cast_to(column, wanted)
    if pa.types.is_dictionary(wanted) and len(column.dictionary) > MANY_TERMS * (len(column) + 1):
        return column.dictionary_decode().dictionary_encode()
    return column


def column_terms(
    column: pa.Array | TextColumn, untyped: bool, unit: str, name: str, zone: str | None = None
) -> pa.Array:
    """Terms of a column; nulls stay null. Dates are ticks; untyped text is typed field by field."""
    if isinstance(column, TextColumn):
        return _csv_terms(column)
    kind = column.type
    if pa.types.is_dictionary(kind) and not pa.types.is_string(kind.value_type):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
        return _csv_terms(column) if untyped else string_terms(column)
    if pa.types.is_boolean(kind):
        return string_terms(column.cast(pa.string()))
    if pa.types.is_integer(kind):
        return _integers(column)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        floats = cast_to(column, pa.float64())
        if np.isfinite(pc.sum(floats, min_count=0).as_py()):  # as it would not be with one that is not among them
            return floats
        return pc.if_else(pc.is_finite(floats), floats, pa.scalar(None, pa.float64()))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return ticks_of_dates(column, unit, zone)
    if pa.types.is_null(kind):
        return column.cast(pa.float64())
    raise HoldsforError(f"column {name!r} of type {kind} cannot be an argument. Use numbers, text, booleans or dates.")


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """Without a copy where there is one chunk, which Arrow would make."""
    if column.num_chunks == 1:
        return column.chunk(0)
    joined = (column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column).combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined


def typed_terms(column: pa.Array, kind: str, unit: str, name: str) -> pa.Array:
    """Terms of a column of which a mapping says what they are; null where that cannot be."""
    if pa.types.is_dictionary(column.type):
        terms = typed_terms(column.dictionary, kind, unit, name)
        return spread(terms, column.indices)
    if kind == "text":
        texts = column if pa.types.is_string(column.type) else _number_texts(column_terms(column, False, unit, name))
        return string_terms(texts)
    terms = column_terms(column, True, unit, name)
    if pa.types.is_dictionary(terms.type):
        numbers = numeric(terms)
        texts = pc.if_else(pa.array(numbers), terms.cast(pa.string()), pa.scalar(None, pa.string()))
        terms = texts.cast(pa.float64())
    if kind == "float" or pa.types.is_integer(terms.type):
        return terms.cast(pa.float64() if kind == "float" else pa.int64())
    is_whole = pc.equal(pc.floor(terms), terms)
    return pc.if_else(is_whole, terms, pa.scalar(None, pa.float64())).cast(pa.int64())


def _number_texts(terms: pa.Array) -> pa.Array:
    """As people write them: 17, also where it has become 17.0 among nulls."""
    if pa.types.is_dictionary(terms.type):
        return plain_text(terms.cast(pa.string()))
    if pa.types.is_floating(terms.type) and pc.all(pc.equal(pc.floor(terms), terms), min_count=0).as_py():
        terms = terms.cast(pa.int64())
    return terms.cast(pa.string())


def numeric(column: pa.Array) -> Mask:
    """Which rows of an argument column hold a number. Text that looks like one and is none stands in quotes."""
    if not pa.types.is_dictionary(column.type):
        return mask(column.is_valid())
    of_word = is_number(column.dictionary, exponents=True)
    if of_word.all() and not column.null_count:
        return np.ones(len(column), np.bool_)
    number = np.append(of_word, False)
    result: Mask = number[pc.fill_null(column.indices, len(column.dictionary)).to_numpy(zero_copy_only=False)]
    return result


def _csv_terms(column: pa.Array | TextColumn) -> pa.Array:
    """A CSV file has no booleans: True and False, as pandas writes them, are meant as the atoms."""
    if isinstance(column, pa.Array) and pa.types.is_dictionary(column.type):
        return spread(_terms_of_words(column.dictionary), column.indices)  # perhaps with a text twice
    return typed_fields(column, _list_of_words)


def _list_of_words(words: pa.Array) -> TermList:
    return list_terms(words, _terms_of_words(words))


def _terms_of_words(words: pa.Array) -> pa.Array:
    for written, meant in (("True", "true"), ("False", "false")):
        is_written = pc.equal(words, written)
        if pc.any(is_written, min_count=0).as_py():
            words = pc.if_else(is_written, meant, words)
    return value_terms(words, exponents=True)


def _integers(column: pa.Array) -> pa.Array:
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:  # unsigned, too large: a term without bound
        encoded = column.dictionary_encode()
        return spread(number_text(encoded.dictionary), encoded.indices)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    text = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return pa.string() if text else kind
