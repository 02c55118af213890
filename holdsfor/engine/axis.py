"""The packed axis: `codes of the arguments << time bits | time`, so that one sorted line of integers holds all groundings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.errors import HoldsforError

Ints = npt.NDArray[np.int64]
BITS = 63


@dataclass(frozen=True, slots=True)
class Axis:
    """How time and argument codes share the 63 bits. Time on the axis is relative to the origin, a multiple of the clock tick."""

    origin: int
    tick: int
    time_bits: int
    code_bits: int

    @property
    def mask(self) -> int:
        return (1 << self.time_bits) - 1

    def pack(self, codes: Sequence[Ints], time: Ints) -> Ints:
        """time: absolute. A time off the axis is moved to its edge, where nothing happens and open intervals hold."""
        relative = np.clip(time - self.origin, 0, self.mask - 1)
        return (self.key(codes) << self.time_bits) | relative if codes else relative

    def key(self, codes: Sequence[Ints]) -> Ints:
        self.check(len(codes))
        key = codes[0]
        for more in codes[1:]:
            key = (key << self.code_bits) | more
        return key

    def check(self, arity: int) -> None:
        if arity * self.code_bits + self.time_bits > BITS:
            raise AxisFull(arity, self.code_bits, self.time_bits)

    def code(self, key: Ints, position: int, arity: int) -> Ints:
        """The code of one argument of keys with `arity` arguments."""
        shift = (arity - 1 - position) * self.code_bits
        part = key >> shift if shift else key
        return part if position == 0 else part & ((1 << self.code_bits) - 1)

    def time(self, packed: Ints) -> Ints:
        return (packed & self.mask) + self.origin

    def following(self, packed: Ints) -> Ints:
        """The next grid point after each point."""
        return packed + 1 if self.tick == 1 else packed + self.tick - (packed & self.mask) % self.tick

    def preceding(self, packed: Ints) -> Ints:
        """The grid point before each point."""
        if self.tick == 1:
            return packed - 1
        over = (packed & self.mask) % self.tick
        return packed - np.where(over == 0, self.tick, over)


class AxisFull(HoldsforError):
    """A relation has more groundings times points in time than fit in 63 bits."""

    def __init__(self, arity: int, code_bits: int, time_bits: int) -> None:
        super().__init__(
            f"{arity} arguments of {code_bits} bits and {time_bits} bits of time do not fit in {BITS} bits; "
            "use a coarser time unit, fewer arguments, or run on Spark with more buckets"
        )


def fit(first: int, last: int, tick: int, terms: int) -> Axis:
    """An axis for times first..last with room at both ends, and for `terms` different terms with room to grow."""
    origin = (first // tick - 2) * tick
    span = last - origin + 4 * tick + 4
    return Axis(origin, tick, max(span.bit_length(), 4), max((2 * terms + 16).bit_length(), 1))
