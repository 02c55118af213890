"""Columns of text as columns of Prolog terms. Each distinct value is looked at once, and by Arrow, not by Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.strings import Strings, TextColumn, strings_of
from holdsfor.io.columns.taking import coded
from holdsfor.io.events import NULL, OUT_OF_RANGE
from holdsfor.io.readers.ground import NotATerm, term_text, unquoted
from holdsfor.kernels.text.numerals import TEXT

Mask = npt.NDArray[np.bool_]

TERM_TYPE = pa.dictionary(pa.int32(), pa.string())
_SOME = 1000  # rows that most often show what the others are too

# The same atoms as `holdsfor.language.terms.quoted` leaves without quotes, for Arrow's RE2.
_PLAIN_ATOM = r"^(?:[a-z][A-Za-z0-9_]*|\[\]|[+\-*/\\^<>=~:.?@#&$]+|[!;])$"
_COMPOUND = r"^(?:[a-z][A-Za-z0-9_]*|'(?:[^'\\]|\\.|'')*')\(.*\)$"
_INTEGER = r"^-?[0-9]+$"
_SHORT_INTEGER = r"^-?[0-9]{1,18}$"  # always fits 64 bits
_RTEC_FLOAT = r"^-?[0-9]+\.[0-9]+$"
_FLOAT_AS_WRITTEN = (
    r"^(?:0\.0|-?(?:0|[1-9][0-9]{0,9})\.[0-9]{0,3}[1-9]|-?[1-9][0-9]{0,9}\.0)$"  # Python writes it in the same way
)
LEADING_ZERO = r"^-?0[0-9]"
_ANY_FLOAT = r"^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"


def mask(array: pa.Array) -> Mask:
    """Turn an Arrow boolean array into NumPy's; null is False."""
    return np.asarray(pc.fill_null(array, False).to_numpy(zero_copy_only=False), dtype=np.bool_)


def cast_to(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast a column unless it is of that type: Arrow takes its time also for nothing."""
    return column if column.type == kind else column.cast(kind)


def atom_text(names: pa.Array) -> pa.Array:
    """Write names of atoms as Prolog text: in quotes where they need them."""
    if strings_of(names).are_words():
        return names
    plain = pc.match_substring_regex(names, _PLAIN_ATOM)
    plain = pc.and_not(plain, pc.match_substring_regex(names, r"^(?:/\*|\.$)"))  # a comment or a full stop begins there
    if pc.all(plain, min_count=0).as_py():
        return names
    body = names
    for mark, written in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n")):
        body = pc.replace_substring(body, mark, written)
    return pc.if_else(plain, names, pc.binary_join_element_wise("'", body, "'", ""))


def plain_text(terms: pa.Array) -> pa.Array:
    """Write terms for people and other tools: an atom in quotes is its name, all else stays as rules write it."""
    in_quotes = pc.and_(pc.starts_with(terms, "'"), pc.ends_with(terms, "'"))  # `'A b'(c)` is no atom
    if not pc.any(in_quotes, min_count=0).as_py():
        return terms
    quoted = terms.filter(in_quotes)
    names = pc.utf8_slice_codeunits(quoted, 1, -1)
    escaped = pc.match_substring(quoted, "\\")
    if pc.any(escaped, min_count=0).as_py():
        written = [unquoted(text) for text in quoted.filter(escaped).to_pylist()]
        names = pc.replace_with_mask(names, escaped, pa.array(written, pa.string()))
    return pc.replace_with_mask(terms, in_quotes, names)


def number_text(numbers: pa.Array) -> pa.Array:
    """Write numbers as Prolog text: 7, 7.0. One that is missing stays so."""
    if pa.types.is_integer(numbers.type):
        return numbers.cast(pa.string())
    return pa.array([None if x is None else float_text(x) for x in numbers.to_pylist()], pa.string())


def float_text(number: float) -> str:
    """Write a float as Prolog text. There is one zero: -0.0 is 0.0."""
    return NULL if number != number else repr(number + 0.0)


def mark_nulls(column: pa.Array) -> pa.Array:
    """Replace Arrow's nulls in an argument column: by NaN among floats, by NULL among all else."""
    if not column.null_count:
        return column
    if pa.types.is_floating(column.type):
        return column.fill_null(float("nan"))
    encoded = as_text(column)
    indices = pc.fill_null(encoded.indices, len(encoded.dictionary))
    return pa.DictionaryArray.from_arrays(indices, pa.concat_arrays([encoded.dictionary, pa.array([NULL])]))


def is_number(values: pa.Array, exponents: bool = False) -> Mask:
    """Mark fields that are numbers: integers of any length, finite floats. RTEC's have no exponents."""
    if strings_of(values).mark_integers() is not None:
        return np.ones(len(values), np.bool_)
    number = mask(pc.match_substring_regex(values, _INTEGER))
    floats = mask(pc.match_substring_regex(values, _ANY_FLOAT if exponents else _RTEC_FLOAT)) & ~number
    if floats.any():
        floats[floats] = np.isfinite(values.filter(pa.array(floats)).cast(pa.float64()).to_numpy())
    return number | floats


def field_terms(fields: pa.Array | Strings | TextColumn) -> pa.Array:
    """Type fields as terms: all integers -> int64, all floats -> float64, anything else -> Prolog text."""
    strings = strings_of(fields) if isinstance(fields, pa.Array) else fields
    numbers = strings.numbers()
    if numbers is not None:
        return numbers
    if isinstance(strings, TextColumn) and strings.kind == TEXT:
        return strings.texts.make(_rtec_terms).spread(strings.codes())
    encoded = strings.encode()
    return _rtec_terms(encoded.dictionary).spread(encoded.indices)


def _rtec_terms(words: pa.Array) -> TermList:
    return list_terms(words, value_terms(words, exponents=False))


def string_terms(column: pa.Array) -> pa.Array:
    """Turn a column of strings, encoded or not, into atoms."""
    if pa.types.is_dictionary(column.type):  # perhaps with a name twice
        return spread(atom_text(cast_to(column.dictionary, pa.string())), column.indices)
    encoded = strings_of(column.cast(pa.string())).encode()
    return coded(encoded.indices, atom_text(encoded.dictionary))


class TermList(NamedTuple):
    """Numbers, or texts of terms, each once; place: that of each word there, None if it has its own."""

    terms: pa.Array
    place: pa.Array | None

    def spread(self, indices: pa.Array) -> pa.Array:
        """Return the term of each row; numbers stay plain, text stays encoded."""
        if not pa.types.is_string(self.terms.type):
            return self.terms.take(indices)
        if self.place is not None:
            indices = self.place.take(indices)
        return coded(cast_to(indices, pa.int32()), self.terms)


def list_terms(words: pa.Array, terms: pa.Array) -> TermList:
    """List the terms of different words: two words may be the same term, unless terms are as they are written."""
    if terms is words or not pa.types.is_string(terms.type):
        return TermList(terms, None)
    once = terms.dictionary_encode()
    return TermList(terms, None) if len(once.dictionary) == len(terms) else TermList(once.dictionary, once.indices)


def spread(terms: pa.Array, indices: pa.Array) -> pa.Array:
    """Return each row's term; numbers stay plain, text stays encoded, each text once in the dictionary."""
    return list_terms(pa.array([], pa.string()), terms).spread(indices)


def as_text(column: pa.Array) -> pa.Array:
    """Turn an argument column of any of the three types into dictionary<int32, string>."""
    if pa.types.is_dictionary(column.type):
        return column
    encoded = column.dictionary_encode()
    return spread(number_text(encoded.dictionary), encoded.indices)


def integers(fields: pa.Array | Strings | TextColumn) -> tuple[npt.NDArray[np.int64], Mask]:
    """Return fields as 64-bit integers (too long: OUT_OF_RANGE; no integer: 0), and a mask of the integers."""
    strings = strings_of(fields) if isinstance(fields, pa.Array) else fields
    numbers, good = strings.integers()
    if not good.all():
        rest = np.flatnonzero(~good)
        texts = strings.take(rest).array()
        long = mask(pc.match_substring_regex(texts, _INTEGER))
        rest, texts = rest[long], texts.filter(pa.array(long))
        numbers[rest], good[rest] = _long_integers(texts), True
    return numbers, good


def _long_integers(fields: pa.Array) -> npt.NDArray[np.int64]:
    """Read integers of more than 18 digits; OUT_OF_RANGE where one does not fit in 64 bits."""
    body = pc.replace_substring_regex(fields, r"^(-?)0+([0-9])", r"\1\2")
    fits = pc.match_substring_regex(body, r"^-?[0-9]{1,19}$")
    digits = pc.if_else(fits, pc.replace_substring(body, "-", ""), str(OUT_OF_RANGE)).cast(pa.uint64()).to_numpy()
    small = digits < 1 << 63
    numbers = np.where(small, digits, OUT_OF_RANGE).astype(np.int64)
    return np.where(mask(pc.and_(pc.starts_with(body, "-"), fits)) & small, -numbers, numbers)


def mark_numbers(values: pa.Array) -> Mask:
    """Mark texts that can be in a column of numbers: those without leading zeros."""
    if len(values) and strings_of(values).are_words():
        return np.zeros(len(values), np.bool_)
    return is_number(values, exponents=True) & ~mask(pc.match_substring_regex(values, LEADING_ZERO))


def word_terms(values: pa.Array) -> pa.Array:
    """Write texts as names, also where they look like numbers, and as terms with arguments."""
    return _with_compounds(atom_text(values), values)


def value_terms(values: pa.Array, exponents: bool) -> pa.Array:
    """Type texts, each there once, as terms."""
    strings = strings_of(values)
    if len(values) and strings.are_words():
        return values
    is_integer = strings.mark_integers() if len(values) else None
    if is_integer is not None and is_integer.any() != is_integer.all():  # numbers of two kinds, as terms write them
        return values
    short = mask(pc.match_substring_regex(values, _SHORT_INTEGER))
    present = mask(values.is_valid())
    if len(values) and (short == present).all():
        return values.cast(pa.int64())
    number = is_number(values, exponents)
    integer = mask(pc.match_substring_regex(values, _INTEGER))
    if number.any() and (number == present).all() and not integer.any():
        return values.cast(pa.float64())
    text = _with_compounds(atom_text(values), values)
    if not number.any():
        return text
    return _with_number_text(text, values, number, integer)


def _with_compounds(text: pa.Array, values: pa.Array) -> pa.Array:
    """Turn fields that are the text of a term with arguments into that term: `pair(a, 7)`."""
    likely = mask(pc.match_substring_regex(values, _COMPOUND))
    if not likely.any():
        return text
    written = [_compound_text(value) for value in values.filter(pa.array(likely)).to_pylist()]
    likely[np.flatnonzero(likely)[[term is None for term in written]]] = False
    return pc.replace_with_mask(text, pa.array(likely), pa.array([term for term in written if term], pa.string()))


def _compound_text(value: str) -> str | None:
    try:
        return term_text(value)
    except NotATerm:
        return None


def _with_number_text(text: pa.Array, values: pa.Array, number: Mask, integer: Mask) -> pa.Array:
    text = pc.if_else(pa.array(number), values, text)
    floats = number & ~integer & ~mask(pc.match_substring_regex(values, _FLOAT_AS_WRITTEN))
    if floats.any():
        written = number_text(values.filter(pa.array(floats)).cast(pa.float64()))
        text = pc.replace_with_mask(text, pa.array(floats), written)
    if integer.any():  # as text, not as int64: Prolog's integers have no bound
        written = pc.replace_substring_regex(values.filter(pa.array(integer)), r"^(-?)0+([0-9])", r"\1\2")
        written = pc.replace_substring_regex(written, r"^-0$", "0")
        text = pc.replace_with_mask(text, pa.array(integer), written)
    return text


def number_terms(column: pa.DictionaryArray, is_number: Mask) -> pa.Array:
    """Type the rows of an encoded column that are numbers by themselves; the others are null."""
    codes = pc.fill_null(column.indices, 0).to_numpy()
    integer = strings_of(column.dictionary).mark_integers()
    if integer is None:
        integer = mask(pc.match_substring_regex(column.dictionary, _INTEGER))
    are_all = bool(is_number.all())
    if _are_mixed(integer, codes[:_SOME], is_number[:_SOME]) or _are_mixed(integer, codes, is_number):  # they stay text
        if are_all:
            return column
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=~is_number), column.dictionary)
    is_used = np.zeros(len(column.dictionary), np.bool_)
    is_used[codes[is_number]] = True
    place = np.append(np.cumsum(is_used, dtype=np.int32) - 1, np.int32(0))  # there may be no text at all
    terms = value_terms(column.dictionary.filter(pa.array(is_used)), exponents=True)
    return spread(terms, pa.array(place[codes], mask=~is_number))


def _are_mixed(integer: Mask, codes: npt.NDArray[np.int32], use: Mask) -> bool:
    """Return whether both integers and floats are among the rows that are used. integer: of each word."""
    of_rows = integer[codes[use]]
    return bool(of_rows.any() and not of_rows.all())
