"""The packed axis: `codes of the arguments << time bits | time`: one sorted line of integers for all groundings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.errors import HoldsforError
from holdsfor.kernels.rows.numbering import Numbering

Ints = npt.NDArray[np.int64]
BITS = 63
INT64 = np.dtype(np.int64)
EMPTY = np.empty(0, np.int64)


class KeyTable:
    """Numbers for tuples that have too many arguments to stand side by side: given in order of arrival."""

    def __init__(self, arity: int) -> None:
        self._numbering = Numbering()  # of combined codes
        self.columns = [np.empty(0, np.int64) for _ in range(arity)]  # the codes of each number
        self._room: list[Ints] = []  # arrays that the columns are the beginnings of

    def copy(self) -> KeyTable:
        other = KeyTable(0)
        other._numbering, other.columns = self._numbering.copy(), self.columns
        return other

    def encode(self, combined: Ints, codes: Sequence[Ints]) -> Ints:
        numbers, fresh = self._numbering.number(combined)
        if len(fresh):
            self._append([column[fresh] for column in codes])
        return numbers

    def _append(self, columns: list[Ints]) -> None:
        """Append codes, in place where there is room for them."""
        size, more = len(self.columns[0]), len(columns[0])
        if not self._room or len(self._room[0]) < size + more:
            self._room = [np.empty(size + more + size // 2, np.int64) for _ in columns]
            for room, column in zip(self._room, self.columns, strict=True):
                room[:size] = column
        for room, added in zip(self._room, columns, strict=True):
            room[size : size + more] = added
        self.columns = [room[: size + more] for room in self._room]


@dataclass(frozen=True, slots=True)
class Axis:
    """How time and argument codes share the 63 bits. Time is relative to the origin, a multiple of the clock tick.

    The codes of a key stand side by side where they fit; a key with more of them is a number out of a table.
    """

    origin: int
    tick: int
    time_bits: int
    code_bits: int
    tables: dict[int, KeyTable] = field(default_factory=dict, repr=False, compare=False)
    mask: int = field(init=False, repr=False, compare=False)  # of the time; asked for everywhere

    def __post_init__(self) -> None:
        object.__setattr__(self, "mask", (1 << self.time_bits) - 1)

    def is_wide(self, arity: int) -> bool:
        """Whether keys with so many arguments are numbers out of a table (and so not in the order of their codes)."""
        return arity * self.code_bits + self.time_bits > BITS

    def leading_shift(self, arity: int) -> int | None:
        """By how many bits the first code of keys with so many arguments stands before the rest; None: in a table."""
        before = arity * self.code_bits
        return None if not arity or before + self.time_bits > BITS else before - self.code_bits + self.time_bits

    @property
    def codes(self) -> int:
        """How many different codes there is room for."""
        return 1 << self.code_bits

    def pack(self, codes: Sequence[Ints], time: Ints) -> Ints:
        """time: absolute. A time off the axis is moved to its edge, where nothing happens and open intervals hold."""
        first, last = self.origin, self.origin + self.mask - 1
        if time.size and (time.min() < first or time.max() > last):
            time = np.clip(time, first, last)
        if not codes:
            return time - self.origin
        packed = self.key(codes) << self.time_bits
        packed += time  # in place: new memory costs more than what is done with it
        packed -= self.origin
        return packed

    def key(self, codes: Sequence[Ints]) -> Ints:
        if self.is_wide(len(codes)):
            return self._wide_key(codes)
        key = codes[0]
        for more in codes[1:]:
            key = (key << self.code_bits) | more
        return key

    def _wide_key(self, codes: Sequence[Ints]) -> Ints:
        if len(codes) * self.code_bits <= BITS:
            combined = codes[0]
            for more in codes[1:]:
                combined = (combined << self.code_bits) | more
        else:
            combined = (self._wide_key(codes[:-1]) << self.code_bits) | codes[-1]
        table = self.tables.setdefault(len(codes), KeyTable(len(codes)))
        numbers = table.encode(combined, codes)
        if len(table.columns[0]).bit_length() + self.time_bits > BITS:
            raise AxisFull(len(table.columns[0]), self.time_bits, BITS - len(table.columns[0]).bit_length())
        return numbers

    def code(self, key: Ints, position: int, arity: int) -> Ints:
        """The code of one argument of keys with `arity` arguments."""
        if arity == 1:
            return key
        if self.is_wide(arity):
            return self.tables[arity].columns[position][key] if arity in self.tables else np.empty(0, np.int64)
        shift = (arity - 1 - position) * self.code_bits
        part = key >> shift if shift else key
        return part if position == 0 else part & ((1 << self.code_bits) - 1)

    def covers(self, first: int, last: int) -> bool:
        """Whether times first..last are on it, with some to spare at both ends (see `fit`)."""
        return first // self.tick * self.tick >= self.origin + 2 * self.tick and (
            last + 4 * self.tick + 4 <= self.origin + self.mask
        )

    def time(self, packed: Ints) -> Ints:
        return (packed & self.mask) + self.origin

    def following(self, packed: Ints) -> Ints:
        """The next grid point after each point."""
        return packed + 1 if self.tick == 1 else packed + self.tick - (packed & self.mask) % self.tick

    def next_time(self, time: int) -> int:
        """The next grid point after a time, relative to the origin."""
        return time + self.tick - time % self.tick

    def preceding(self, packed: Ints) -> Ints:
        """The grid point before each point."""
        if self.tick == 1:
            return packed - 1
        over = (packed & self.mask) % self.tick
        return packed - np.where(over == 0, self.tick, over)


class AxisFull(HoldsforError):
    """A relation has more groundings times points in time than fit in 63 bits. left: the bits that time could have."""

    def __init__(self, keys: int, time_bits: int, left: int) -> None:
        self.left = left
        super().__init__(
            f"{keys:,} groundings and {time_bits} bits of time do not fit in {BITS} bits; "
            "use a coarser time unit, a shorter history, or run on Spark with more buckets"
        )


def fit(
    first: int, last: int, tick: int, terms: int, room: int = 2, columns: int = BITS, tuning: Tuning = DEFAULT
) -> Axis:
    """Make an axis for times first..last, with some to spare, and for `room` times as many terms as there are.

    There is room for more terms, up to a point, where keys with so many columns still fit: rules may make new terms,
    and those for which there is no room cost a second evaluation.
    """
    origin = (first // tick - 2) * tick
    time_bits = max((last - origin + 4 * tick + 4).bit_length(), 4)
    spare = min(_code_bits(tuning.spare_terms, terms), (BITS - time_bits) // columns)
    axis = Axis(origin, tick, time_bits, max(_code_bits(room, terms), spare))
    if axis.is_wide(1):
        raise AxisFull(terms, axis.time_bits, BITS - axis.code_bits)
    return axis


def _code_bits(room: int, terms: int) -> int:
    return (room * (terms + 1) + 16).bit_length()  # rules can make terms out of none at all
