"""Columns that are worked out when asked for: a term has a code, a number has a value, and some things have both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from holdsfor.engine.data.axis import Axis
from holdsfor.engine.data.dictionary import Dictionary, Ints, Numbers
from holdsfor.kernels.rows.moving import compress, take

Mask = npt.NDArray[np.bool_]


class Selection:
    """A choice of rows: a mask or positions, each made from the other when needed."""

    __slots__ = ("_composed", "_index", "_mask", "size")

    def __init__(self, mask: Mask | None = None, index: Ints | None = None, size: int = -1) -> None:
        self._mask, self._index = mask, index
        self._composed: tuple[Selection, Selection] | None = None
        if index is not None:
            self.size = len(index)
        else:
            assert mask is not None
            self.size = size if size >= 0 else int(np.count_nonzero(mask))

    @property
    def index(self) -> Ints:
        if self._index is None:
            assert self._mask is not None
            self._index = self._mask.nonzero()[0]  # np.flatnonzero makes ten calls for it
        return self._index

    def within(self, larger: Selection) -> Selection:
        """Compose with a larger selection that this one selects from; columns with the same two share the result."""
        if self._composed is None or self._composed[0] is not larger:
            self._composed = larger, Selection(index=larger.index[self.index])
        return self._composed[1]

    def of(self, values: Numbers) -> Numbers:
        if self._mask is not None and self._index is None:
            return compress(values, self._mask)
        return take(values, self.index) if values.flags.carray else values[self.index]


class Column:
    """One column: its codes, its numbers, or both, possibly still to be selected from a larger column.

    whole: which of the numbers are integers, where integers and floats are mixed.
    """

    __slots__ = (
        "_bounds",
        "_codes",
        "_dictionary",
        "_from",
        "_has_nulls",
        "_make",
        "_numbers",
        "_selection",
        "_uniform",
        "_whole",
    )

    def __init__(
        self,
        dictionary: Dictionary,
        codes: Ints | None = None,
        numbers: Numbers | None = None,
        whole: Mask | None = None,
    ) -> None:
        self._dictionary = dictionary
        self._codes, self._numbers, self._whole = codes, numbers, whole
        self._uniform = numbers is not None and whole is None  # as made: numbers of terms may be asked for later
        self._from: Column | None = None
        self._selection: Selection | None = None
        self._bounds: tuple[float, float] | None = None
        self._has_nulls: bool | None = None
        self._make: Callable[[], Numbers] | None = None

    @classmethod
    def later(cls, dictionary: Dictionary, make: Callable[[], Numbers], may_lack: bool = False) -> Column:
        """Numbers of one kind that are made when they are asked for. may_lack: some rows may have none (NaN)."""
        column = cls(dictionary)
        column._make, column._uniform = make, True
        column._has_nulls = None if may_lack else False
        return column

    def made_as(self, make: Callable[[], Numbers]) -> Column:
        return Column.later(self._dictionary, make)

    def select(self, selection: Selection) -> Column:
        """Select rows; where the column has not been worked out, only these rows will be."""
        column = Column(self._dictionary)
        column._from, column._selection = self, selection
        is_worked_out = self._codes is not None or self._numbers is not None
        if self._from is not None and not is_worked_out and selection.size < self.selection.size:
            column._from, column._selection = self._from, selection.within(self.selection)
        return column

    @property
    def selection(self) -> Selection:
        assert self._selection is not None
        return self._selection

    @property
    def is_number(self) -> bool:
        """Whether the column is made of numbers of one kind rather than of terms in general."""
        if self._from is not None:
            return self._from.is_number
        return self._uniform

    @property
    def is_coded(self) -> bool:
        """Whether its codes are known: no term has to be looked up for them."""
        return self._codes is not None or (self._from is not None and self._from.is_coded)

    def nulls(self) -> Mask | None:
        """Mark the rows that have no value; None: all have one."""
        return self._find_nulls() if self._may_have_nulls() else None

    def _may_have_nulls(self) -> bool:
        """Say whether a row may have no value; a selection asks the column that it selects from."""
        if self._from is not None:
            return self._from._may_have_nulls()
        if self._has_nulls is None:
            self._has_nulls = bool(self._find_nulls().any())
        return self._has_nulls

    def _find_nulls(self) -> Mask:
        if self.is_number:
            numbers = self.numbers()
            return np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), np.bool_)
        null = self._dictionary.null_code
        return np.zeros(1, np.bool_) if null is None else self.codes() == null

    def codes(self) -> Ints:
        if self._codes is None:
            if self._from is not None:
                assert self._selection is not None
                if self._from._codes is not None or not self.is_number:  # what is known, or what must be
                    self._codes = np.asarray(self._selection.of(self._from.codes()), np.int64)
                else:
                    self._codes = self._dictionary.encode(self.numbers())
            else:
                numbers = self.numbers()
                if self._whole is not None:
                    self._codes = self._dictionary.encode_mixed(numbers, self._whole)
                else:
                    self._codes = self._dictionary.encode(numbers)
        return self._codes

    def numbers(self) -> Numbers:
        if self._numbers is None:
            if self._make is not None:
                self._numbers = self._make()
            elif self._from is not None and (self._from.is_number or self._from._numbers is not None):
                assert self._selection is not None
                self._numbers = self._selection.of(self._from.numbers())
            else:
                self._numbers = self._dictionary.numbers(self.codes())
        return self._numbers

    def integers(self) -> Ints:
        """Its numbers, where all of them are integers of up to 64 bits."""
        numbers = self.numbers()
        if numbers.dtype.kind != "i" and not self.is_number:
            numbers = self._dictionary.numbers(self.codes())  # by themselves, not as floats among floats
        return np.asarray(numbers, np.int64)

    def whole(self) -> Mask | bool:
        """Say which numbers are integers: all, none, or a mask."""
        if self._from is None and self._whole is not None:
            return self._whole
        if self._from is not None and not self._from.is_number and self._from._whole is not None:
            assert self._selection is not None
            return self._from._whole[self._selection.index]
        if self.is_number:
            return bool(self.numbers().dtype.kind == "i")
        return self._dictionary.whole(self.codes())

    def bounds(self) -> tuple[float, float]:
        """Between what its numbers lie; of a selection, what the column that it is from has."""
        if self._bounds is None:
            if self._from is not None and self._from._numbers is not None:
                self._bounds = self._from.bounds()
            else:
                self._bounds = _bounds(self.numbers())
        return self._bounds

    def exact(self) -> list[int | float | None]:
        """Its numbers, integers of any size; None where there is none."""
        if self.is_number:
            return [None if number != number else number for number in self.numbers().tolist()]
        return self._dictionary.exact(self.codes())


class TimeColumn(Column):
    """The times of packed points, worked out where they are asked for: of a selection, only its own."""

    __slots__ = ("_axis", "_packed")

    def __init__(self, dictionary: Dictionary, axis: Axis, packed: Ints) -> None:
        super().__init__(dictionary)
        self._axis, self._packed = axis, packed
        self._uniform = True

    def numbers(self) -> Numbers:
        if self._numbers is None:
            self._numbers = self._axis.time(self._packed)
        return self._numbers

    def codes(self) -> Ints:
        self.numbers()
        return super().codes()

    def select(self, selection: Selection) -> Column:
        return TimeColumn(self._dictionary, self._axis, np.asarray(selection.of(self._packed), np.int64))


def concatenated(columns: Sequence[Column], dictionary: Dictionary) -> Column:
    """One column after the other: numbers if all of them are numbers of one kind, else terms."""
    numbers = [column.numbers() for column in columns if column.is_number]
    if len(numbers) == len(columns) and len({array.dtype for array in numbers}) == 1:
        coded = all(column.is_coded for column in columns)
        codes = np.concatenate([column.codes() for column in columns]) if coded else None
        return Column(dictionary, codes, np.concatenate(numbers))
    return Column(dictionary, np.concatenate([column.codes() for column in columns]))


def _bounds(numbers: Numbers) -> tuple[float, float]:
    if not len(numbers):
        return 0.0, 0.0
    if numbers.dtype.kind == "i":
        return float(numbers.min()), float(numbers.max())
    low, high = float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers))
    return (0.0, 0.0) if np.isnan(low) else (low, high)
