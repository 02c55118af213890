"""How deep brackets nest in pieces of JSON, before a parser that recurses sees them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from holdsfor.kernels.kernel import Ints, Mask, kernel

_QUOTE, _ESCAPE = ord('"'), ord("\\")
# Square and curly brackets differ in one bit.
_BIT, _OPENING, _CLOSING = 0x20, ord("{"), ord("}")


@kernel
def nested_beyond(data: npt.NDArray[np.uint8], begin: Ints, end: Ints, limit: int) -> Mask:
    """Mark the pieces with more than `limit` open brackets somewhere; those in strings do not count.

    Piece i is data[begin[i]:end[i]]. A closing bracket too many is a mistake that every parser stops at.
    """
    deep = np.zeros(len(begin), np.bool_)
    for piece in range(len(begin)):
        brackets = 0
        for at in range(begin[piece], end[piece]):  # many bytes at once: most pieces have few brackets
            brackets += (data[at] | _BIT) == _OPENING
        if brackets > limit:
            deep[piece] = _is_deeper(data, begin[piece], end[piece], limit)
    return deep


@kernel
def _is_deeper(data: npt.NDArray[np.uint8], begin: int, end: int, limit: int) -> bool:
    depth = 0
    in_string = False
    at = begin
    while at < end:
        byte = data[at]
        if in_string:
            if byte == _ESCAPE:
                at += 1
            elif byte == _QUOTE:
                in_string = False
        elif byte == _QUOTE:
            in_string = True
        elif (byte | _BIT) == _OPENING:
            depth += 1
            if depth > limit:
                return True
        elif (byte | _BIT) == _CLOSING:
            depth = max(depth - 1, 0)
        at += 1
    return False
