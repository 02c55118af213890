"""Columns of any type as argument columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.strings import TextColumn, strings_of
from holdsfor.io.columns.text import (
    LEADING_ZERO,
    Mask,
    TermList,
    as_text,
    cast_to,
    is_number,
    list_terms,
    mark_numbers,
    mask,
    number_terms,
    number_text,
    plain_text,
    spread,
    string_terms,
    value_terms,
    word_terms,
)
from holdsfor.io.readers.column_types import NUMBER, WORD
from holdsfor.io.readers.times import ticks_of_dates
from holdsfor.kernels.text.numerals import TEXT

#: From texts, each once, to terms.
MakeTerms = Callable[[pa.Array], TermList]
#: A part of a table may have the terms of the whole: with so many for a row, it is encoded anew.
MANY_TERMS = 4


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return one array of a type we know: no views, no large strings; what is encoded stays encoded."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        target = pa.dictionary(pa.int32(), _plain_type(kind.value_type))
    else:
        target = _plain_type(kind)
    if isinstance(column, pa.ChunkedArray):
        column = _one_array(column)
    column = cast_to(column, target)
    if pa.types.is_dictionary(target) and len(column.dictionary) > MANY_TERMS * (len(column) + 1):
        return column.dictionary_decode().dictionary_encode()
    return column


def column_terms(
    column: pa.Array | TextColumn,
    untyped: bool,
    unit: str,
    name: str,
    zone: str | None = None,
    make_terms: MakeTerms | None = None,
) -> pa.Array:
    """Return the terms of a column; nulls stay null. Dates are ticks; text is of one type, or by `make_terms`."""
    if isinstance(column, TextColumn):
        return _csv_terms(column, make_terms or terms_of_column)
    kind = column.type
    if pa.types.is_dictionary(kind) and not pa.types.is_string(kind.value_type):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
        return _csv_terms(column, make_terms or terms_of_column) if untyped else string_terms(column)
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
    """Join chunks; where there is one, without the copy that Arrow would make."""
    if column.num_chunks == 1:
        return column.chunk(0)
    joined = (column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column).combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined


def typed_terms(column: pa.Array | TextColumn, kind: str, unit: str, name: str, untyped: bool = False) -> pa.Array:
    """Return the terms of a column as a mapping, or all parts of the input, say; null where that cannot be."""
    if isinstance(column, TextColumn):
        column = column.array()
    if pa.types.is_dictionary(column.type):
        terms = typed_terms(column.dictionary, kind, unit, name, untyped)
        return spread(terms, column.indices)
    if kind == WORD and untyped:
        return _csv_terms(column, words_of_column)
    if kind in ("text", WORD):
        texts = column if pa.types.is_string(column.type) else _number_texts(column_terms(column, False, unit, name))
        return string_terms(texts)
    if kind == NUMBER and untyped:
        column = pc.if_else(pc.match_substring_regex(column, LEADING_ZERO), pa.scalar(None, pa.string()), column)
    terms = column_terms(column, True, unit, name, make_terms=terms_of_fields)
    if kind == NUMBER:
        numbers = numeric(terms)
        return terms if numbers.all() else number_terms(as_text(terms), numbers)
    if pa.types.is_dictionary(terms.type):
        numbers = numeric(terms)
        texts = pc.if_else(pa.array(numbers), terms.cast(pa.string()), pa.scalar(None, pa.string()))
        terms = texts.cast(pa.float64())
    if kind == "float" or pa.types.is_integer(terms.type):
        return terms.cast(pa.float64() if kind == "float" else pa.int64())
    is_whole = pc.equal(pc.floor(terms), terms)
    return pc.if_else(is_whole, terms, pa.scalar(None, pa.float64())).cast(pa.int64())


def _number_texts(terms: pa.Array) -> pa.Array:
    """Write terms as people do: 17, also where it has become 17.0 among nulls."""
    if pa.types.is_dictionary(terms.type):
        return plain_text(terms.cast(pa.string()))
    if pa.types.is_floating(terms.type):
        return pc.replace_substring_regex(terms.cast(pa.string()), r"\.0$", "")
    return terms.cast(pa.string())


def numeric(column: pa.Array) -> Mask:
    """Mark rows of an argument column with a number. Text that looks like one and is none stands in quotes."""
    if not pa.types.is_dictionary(column.type):
        return mask(column.is_valid())
    of_word = is_number(column.dictionary, exponents=True)
    if of_word.all() and not column.null_count:
        return np.ones(len(column), np.bool_)
    number = np.append(of_word, False)
    result: Mask = number[pc.fill_null(column.indices, len(column.dictionary)).to_numpy(zero_copy_only=False)]
    return result


def _csv_terms(column: pa.Array | TextColumn, make_terms: MakeTerms) -> pa.Array:
    if isinstance(column, pa.Array) and pa.types.is_dictionary(column.type):
        return make_terms(column.dictionary).spread(column.indices)  # perhaps with a text twice
    numbers = _read_numbers(column) if make_terms in (terms_of_column, terms_of_fields) else None
    if numbers is not None:
        return numbers
    if isinstance(column, TextColumn) and column.kind == TEXT:
        if make_terms is terms_of_column:  # the list may have texts of other columns, too
            make_terms = terms_of_fields if _are_all(column.texts.make(mark_numbers), column) else words_of_column
        return column.texts.make(make_terms).spread(column.codes())
    encoded = (strings_of(column) if isinstance(column, pa.Array) else column).encode()
    return make_terms(encoded.dictionary).spread(encoded.indices)


def _are_all(words: Mask, column: TextColumn) -> bool:
    """Return whether the texts of a column are among these words."""
    are_among: Mask = words[column.values] if column.valid is None else words[column.values[column.valid]]
    return bool(are_among.all())


def _read_numbers(column: pa.Array | TextColumn) -> pa.Array | None:
    """Read fields that are all short numbers without leading zeros; None: some are not."""
    if isinstance(column, TextColumn):
        return column.numbers()
    numbers = strings_of(column).numbers()
    if numbers is None or pc.any(pc.match_substring_regex(column, LEADING_ZERO), min_count=0).as_py():
        return None
    return numbers


def terms_of_column(words: pa.Array) -> TermList:
    """Make numbers of texts if all are, and else names of all."""
    if mark_numbers(words).all():
        return list_terms(words, value_terms(words, exponents=True))
    return words_of_column(words)


def words_of_column(words: pa.Array) -> TermList:
    """Make names of texts, and terms of those that have arguments."""
    return list_terms(words, word_terms(_with_truth_values(words)))


def terms_of_fields(words: pa.Array) -> TermList:
    """Make a number of each text that is one, whatever the others are."""
    return list_terms(words, value_terms(_with_truth_values(words), exponents=True))


def terms_as_written(words: pa.Array) -> TermList:
    """Make a number of each text that is written as numbers are: 7, 12.5, but not 007 or 3e7."""
    terms = value_terms(words, exponents=False)
    texts = number_text(terms) if not pa.types.is_string(terms.type) else terms
    changed = pc.and_(pc.match_substring_regex(texts, r"^-?[0-9]"), pc.not_equal(texts, words))
    return list_terms(words, pc.if_else(changed, word_terms(words), texts) if pc.any(changed).as_py() else terms)


def _with_truth_values(words: pa.Array) -> pa.Array:
    """Turn True and False, as pandas writes them, into the atoms: a CSV file has no booleans."""
    for written, meant in (("True", "true"), ("False", "false")):
        is_written = pc.equal(words, written)
        if pc.any(is_written, min_count=0).as_py():
            words = pc.if_else(is_written, meant, words)
    return words


def terms_of_lists(column: pa.Array, unit: str, name: str) -> pa.Array:
    """Write lists as Prolog text; one with a null among its items is null."""
    items = column_terms(plain(column.flatten()), False, unit, name)
    texts = as_text(items).cast(pa.string())
    sizes = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ",")
    written = pc.binary_join_element_wise("[", joined, "]", "")
    return pc.if_else(column.is_null(), pa.scalar(None, pa.string()), written).dictionary_encode()


def _integers(column: pa.Array) -> pa.Array:
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:  # unsigned, too large: a term without bound
        encoded = column.dictionary_encode()
        return spread(number_text(encoded.dictionary), encoded.indices)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    text = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return pa.string() if text else kind
