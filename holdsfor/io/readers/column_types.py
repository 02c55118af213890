"""Types of columns that all parts of an input agree on.

Each part says what it has seen in a column. Where parts differ, those that are of another type are read once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

#: Seen in a column: fields of text that are all numbers, or are not; numbers and strings of typed columns.
FIELD_NUMBER, FIELD_TEXT, INTEGER, FLOAT, STRING = 1, 2, 4, 8, 16
Seen = Mapping[str, int]
#: Types by column, as the parts agree: numbers, floats, or words, which are names also where they look like numbers.
Agreed = Mapping[str, str]
NUMBER, FLOATS, WORD = "number", "float", "word"
_NUMBER = r"^-?[0-9]"


def column_key(table: str, column: str, owner: str = "") -> str:
    """Name a column of one of several tables; with an owner it is another one for each event or fluent."""
    return f"{table}:{column}" + (f" of {owner}" if owner else "")


def look_at_terms(terms: pa.Array, untyped: bool) -> int:
    """Tell what a column has, by its terms; 0 if it has none."""
    if terms.null_count == len(terms):
        return 0
    if pa.types.is_dictionary(terms.type):
        first = pc.index(terms.is_valid(), True).as_py()
        is_number = re.match(_NUMBER, terms[first].as_py()) is not None
        if untyped:
            return FIELD_NUMBER if is_number else FIELD_TEXT
        return INTEGER if is_number else STRING
    if untyped:
        return FIELD_NUMBER
    return INTEGER if pa.types.is_integer(terms.type) else FLOAT


def join_seen(parts: Iterable[Seen]) -> dict[str, int]:
    joined: dict[str, int] = {}
    for part in parts:
        for key, seen in part.items():
            joined[key] = joined.get(key, 0) | seen
    return joined


def agree(seen: Seen) -> dict[str, str]:
    """Decide the columns in which parts differ: words if any has text, floats if any typed column has them."""
    types = {key: _common_type(kinds) for key, kinds in seen.items()}
    return {key: kind for key, kind in types.items() if kind is not None}


def _common_type(seen: int) -> str | None:
    has_text, has_numbers = seen & (FIELD_TEXT | STRING), seen & (FIELD_NUMBER | INTEGER | FLOAT)
    if has_text and has_numbers:
        return WORD
    return FLOATS if seen & INTEGER and seen & FLOAT else None


def keep(seen: Seen) -> dict[str, str]:
    """Decide what columns of text input stay from now on, where an input has no end: as they were first."""
    fields = {key: kinds for key, kinds in seen.items() if kinds & (FIELD_NUMBER | FIELD_TEXT)}
    return {key: WORD if kinds & (FIELD_TEXT | STRING) else NUMBER for key, kinds in fields.items()}


def is_as_agreed(seen: Seen, types: Agreed) -> bool:
    """Return whether a part that was read by itself has the types that all agree on."""
    alike = {WORD: FIELD_TEXT | STRING, FLOATS: FLOAT}
    return all(not kinds & ~alike[types[key]] for key, kinds in seen.items() if key in types)
