"""Bytes that may not be UTF-8: which of them are not, and how they are shown."""

from __future__ import annotations

import re
from itertools import chain

import numpy as np
import pyarrow as pa

from holdsfor.io.columns.text import Mask

#: Why a row with such bytes is refused.
NOT_UTF8 = "not UTF-8 text"

_PRIVATE = range(0xE000, 0xF900), range(0xF0000, 0xFFFFE)  # characters that Unicode gives no meaning
_BAD_BYTE = re.compile("[\udc80-\udcff]")  # as `surrogateescape` lets it through


def is_utf8(data: bytes) -> bool:
    """Return whether all of it is text; surrogates are none."""
    ends = pa.py_buffer(np.array([0, len(data)], np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def escape(data: bytes) -> str:
    """Decode bytes; each that is not UTF-8 is written as \\xff."""
    return data.decode("utf-8", "backslashreplace")


def escape_text(text: str) -> str:
    """Write out half characters, and bytes that Python has let through as such: Arrow cannot hold them."""
    try:
        return escape(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()


def is_whole(text: str) -> bool:
    """Return whether a string has no half characters (lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def mark_invalid(data: bytes) -> tuple[bytes, str]:
    """Return text with each bad byte as a mark and two digits, and that mark: a character that is nowhere else."""
    text = data.decode("utf-8", "surrogateescape")
    mark = next(character for code in chain(*_PRIVATE) if (character := chr(code)) not in text)
    return _BAD_BYTE.sub(lambda match: f"{mark}{ord(match[0]) - 0xDC00:02x}", text).encode(), mark


def mend_column(column: pa.Array) -> tuple[pa.Array, Mask | None]:
    """Escape bad bytes in a column of strings, encoded or not. The mask of rows that had any is None if none had."""
    if pa.types.is_dictionary(column.type):
        words, bad = mend_column(column.dictionary)
        if bad is None:
            return column, None
        at = column.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)
        return pa.DictionaryArray.from_arrays(column.indices, words), np.append(bad, False)[at]
    try:
        column.validate(full=True)
        return column, None
    except pa.ArrowInvalid:
        pass
    values = column.cast(pa.binary()).to_pylist()
    texts = [None if value is None else escape(value) for value in values]
    wrong = [text is not None and text.encode() != value for text, value in zip(texts, values, strict=True)]
    return pa.array(texts, column.type), np.array(wrong, np.bool_)
