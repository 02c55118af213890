"""The kernel that reads facts of rule files: `name(argument, ...).`, with names and numbers for arguments.

It accepts only what the parser would read in the same way, and stops before anything else. Bytes are UTF-8.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy import uint8
from numpy.typing import NDArray

from holdsfor.kernels.kernel import kernel
from holdsfor.kernels.text.lines import Bytes, Places

TAB, NEWLINE, RETURN, SPACE, PERCENT, QUOTE, OPEN, CLOSE, COMMA, MINUS, POINT = (
    9,
    10,
    13,
    32,
    37,
    39,
    40,
    41,
    44,
    45,
    46,
)
DIGIT_ZERO, DIGIT_NINE, UPPER_A, UPPER_Z, BACKSLASH, UNDERSCORE, LOWER_A, LOWER_Z = 48, 57, 65, 90, 92, 95, 97, 122
FIRST_BEYOND_ASCII = 128
MOST_DIGITS = 18  # before the point: an integer of so many surely fits in 64 bits

#: What an argument is. A quoted name that needs no quotes is a NAME without them. REFUSED: the parser is to read it.
INTEGER, DECIMAL, NAME, QUOTED_WORD, REFUSED = range(5)


class FactPlaces(NamedTuple):
    """Fact i has the name number `name[i]`, and arguments from `first[i]` on; argument k is `data[begin[k]:end[k]]`."""

    name: Places
    first: Places
    begin: Places
    end: Places
    kind: NDArray[uint8]


@kernel
def read_plain_facts(
    data: Bytes, at: int, names: Bytes, name_end: Places, places: FactPlaces, facts: int, arguments: int
) -> tuple[int, int, int]:
    """Reads facts of some names that follow each other; gives where they end, and the facts and arguments so far.

    Name n ends at `name_end[n]` of `names`. facts, arguments: how many are known before. White space and comments to
    the end of the line may stand between facts.
    """
    size, end, last = len(data), at, 0
    while True:
        at = _skip_blank(data, at)
        last = _find_name(data, at, names, name_end, last)
        if last < 0:
            return end, facts, arguments
        at += name_end[last] - (name_end[last - 1] if last else 0)
        count, separator = arguments, COMMA
        while separator == COMMA:
            at = _skip_space(data, at + 1)
            kind, stop = _read_argument(data, at)
            if kind == REFUSED:
                return end, facts, arguments
            inner = int(kind == QUOTED_WORD)
            places.begin[count], places.end[count] = at + inner, stop - inner
            places.kind[count] = NAME if inner else kind
            count += 1
            at = _skip_space(data, stop)
            separator = int(data[at]) if at < size else POINT
        if separator != CLOSE:
            return end, facts, arguments
        at = _skip_space(data, at + 1)
        if (
            at == size
            or data[at] != POINT
            or (at + 1 < size and data[at + 1] != PERCENT and not _is_space(data[at + 1]))
        ):
            return end, facts, arguments
        places.name[facts], places.first[facts] = last, arguments
        at += 1
        end, facts, arguments = at, facts + 1, count


@kernel
def _find_name(data: Bytes, at: int, names: Bytes, name_end: Places, last: int) -> int:
    """The number of the name that stands there with its parenthesis, or -1. last: the one to try first."""
    for turn in range(-1, len(name_end)):
        number = last if turn < 0 else turn
        begin = name_end[number - 1] if number else 0
        length = name_end[number] - begin
        if at + length >= len(data) or data[at + length] != OPEN:
            continue
        k = 0
        while k < length and data[at + k] == names[begin + k]:
            k += 1
        if k == length:
            return number
    return -1


@kernel
def _read_argument(data: Bytes, at: int) -> tuple[int, int]:
    """Read an argument: return its kind, and where it ends."""
    if at == len(data):
        return REFUSED, at
    if data[at] == QUOTE:
        return _read_quoted(data, at)
    if LOWER_A <= data[at] <= LOWER_Z:
        return NAME, _skip_word(data, at)
    return _read_number(data, at)


@kernel
def _read_number(data: Bytes, at: int) -> tuple[int, int]:
    at += int(data[at] == MINUS)
    point = _skip_digits(data, at)
    if point == at or point - at > MOST_DIGITS:
        return REFUSED, at
    if point == len(data) or data[point] != POINT:
        return INTEGER, point
    stop = _skip_digits(data, point + 1)
    return (DECIMAL if stop > point + 1 else REFUSED), stop


@kernel
def _read_quoted(data: Bytes, at: int) -> tuple[int, int]:
    """A name in quotes, with nothing inside that has a meaning there."""
    first = at + 1
    at, is_no_symbol = first, False
    while at < len(data) and data[at] != QUOTE:
        if data[at] == BACKSLASH or data[at] == NEWLINE:
            return REFUSED, at
        is_no_symbol |= _is_word(data[at]) or data[at] == SPACE or data[at] >= FIRST_BEYOND_ASCII
        at += 1
    if at == len(data) or not is_no_symbol:  # names such as + and [] may go without quotes
        return REFUSED, at
    if LOWER_A <= data[first] <= LOWER_Z and _skip_word(data, first) == at:
        return QUOTED_WORD, at + 1
    return NAME, at + 1


@kernel
def _skip_blank(data: Bytes, at: int) -> int:
    at = _skip_space(data, at)
    while at < len(data) and data[at] == PERCENT:
        while at < len(data) and data[at] != NEWLINE:
            at += 1
        at = _skip_space(data, at)
    return at


@kernel
def _skip_space(data: Bytes, at: int) -> int:
    while at < len(data) and _is_space(data[at]):
        at += 1
    return at


@kernel
def _skip_word(data: Bytes, at: int) -> int:
    while at < len(data) and _is_word(data[at]):
        at += 1
    return at


@kernel
def _skip_digits(data: Bytes, at: int) -> int:
    while at < len(data) and DIGIT_ZERO <= data[at] <= DIGIT_NINE:
        at += 1
    return at


@kernel
def _is_space(byte: uint8) -> bool:
    return bool(byte in (SPACE, NEWLINE, TAB, RETURN))


@kernel
def _is_word(byte: uint8) -> bool:
    """A letter, digit or underscore of ASCII."""
    is_letter = LOWER_A <= byte <= LOWER_Z or UPPER_A <= byte <= UPPER_Z
    return bool(is_letter or DIGIT_ZERO <= byte <= DIGIT_NINE or byte == UNDERSCORE)
