"""How deep brackets nest in pieces of JSON, before a parser that recurses sees them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from holdsfor.kernels.kernel import Ints, Mask, kernel

_QUOTE, _ESCAPE = ord('"'), ord("\\")
_OPENING = (ord("{"), ord("["))
_CLOSING = (ord("}"), ord("]"))


@kernel
def nested_beyond(data: npt.NDArray[np.uint8], begin: Ints, end: Ints, limit: int) -> Mask:
    """Which pieces have more than `limit` open brackets somewhere; those in strings do not count.

    Piece i is data[begin[i]:end[i]]. A closing bracket too many is a mistake that every parser stops at.
    """
    deep = np.zeros(len(begin), np.bool_)
    for piece in range(len(begin)):
        depth = 0
        in_string = False
        at = begin[piece]
        while at < end[piece]:
            byte = data[at]
            if in_string:
                if byte == _ESCAPE:
                    at += 1
                elif byte == _QUOTE:
                    in_string = False
            elif byte == _QUOTE:
                in_string = True
            elif byte == _OPENING[0] or byte == _OPENING[1]:
                depth += 1
                if depth > limit:
                    deep[piece] = True
                    break
            elif byte == _CLOSING[0] or byte == _CLOSING[1]:
                depth = max(depth - 1, 0)
            at += 1
    return deep
