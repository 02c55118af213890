"""Input events as columns: what readers give and the engine takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.columns.taking import take_rows
from holdsfor.kernels.rows.moving import value_span

Ints = npt.NDArray[np.int64]

#: Times lie between this and its opposite, so that sums of a few of them fit in 64 bits.
MOST_TIME = 1 << 61
#: When a fact has begun to be valid that does not tell it: before any history.
SINCE_EVER = -MOST_TIME
#: Stands for a time that is further off: readers refuse it.
OUT_OF_RANGE = MOST_TIME + 1
#: In the place of a term: the event has no value for this argument. No term has this text. Among floats it is NaN.
NULL = "NULL"
#: Figures: rows with a time that has parts of a tick, and rows with NaN in the place of a number.
TIMES_CUT, NOT_NUMBERS = "times_cut", "rows_with_nan"
#: The end of a durative input that has not ended yet.
OPEN = np.iinfo(np.int64).max

REJECTS_SCHEMA = pa.schema(
    [("source", pa.string()), ("row", pa.int64()), ("text", pa.string()), ("reason", pa.string())]
)


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of one input event or fluent, as columns of equal length without nulls.

    An argument column is dictionary<int32, string> of terms in Prolog text (v1, 7, 7.0, 'Two words'), or plain int64,
    or float64. Of an event an argument may be missing: NULL, or NaN.
    """

    name: str
    kind: OneOf["event", "interval", "point"]
    args: tuple[pa.Array, ...]
    value: pa.Array | None  # fluents: dictionary<int32, string> of Prolog text; events: None
    start: Ints  # when it happened, or the first point of an interval
    end: Ints | None  # intervals: the point after the last one, or OPEN
    arrival: Ints
    op: npt.NDArray[np.signedinteger] | None = None  # > 0 insert, < 0 retract; None: all inserts
    onset: Ints | None = None  # events that take time: when each began; `start` is then when it was over
    _spans: list[tuple[int, int, int, int]] = field(init=False, repr=False, compare=False, default_factory=list)

    def __len__(self) -> int:
        return len(self.start)

    def span(self) -> tuple[int, int, int, int]:
        """Return the least and the greatest start, then arrival; looked for once. There must be a row."""
        if not self._spans:
            starts = value_span(self.start)
            self._spans.append((*starts, *(starts if self.arrival is self.start else value_span(self.arrival))))
        return self._spans[0]

    def filter(self, mask: npt.NDArray[np.bool_]) -> Block:
        """Return the rows for which the mask is true."""
        if mask.all():
            return self
        chosen = pa.array(mask)
        return self._map(lambda column: column.filter(chosen), lambda numbers: numbers[mask])

    def take(self, rows: Ints) -> Block:
        """Return the rows at these places, in their order."""
        return self._map(lambda column: take_rows(column, rows), lambda numbers: numbers[rows])

    def slice(self, low: int, high: int) -> Block:
        """Return rows low..high, without copying."""
        return self._map(lambda column: column.slice(low, high - low), lambda numbers: numbers[low:high])

    def column(self, position: int) -> pa.Array:
        """Return an argument column, or at the place after the last one the value."""
        return self.args[position] if position < len(self.args) else self.value

    def _map(self, of_column: Callable[[pa.Array], pa.Array], of_numbers: Callable[[Any], Any]) -> Block:
        start = of_numbers(self.start)
        return replace(
            self,
            args=tuple(map(of_column, self.args)),
            value=None if self.value is None else of_column(self.value),
            start=start,
            end=None if self.end is None else of_numbers(self.end),
            arrival=start if self.arrival is self.start else of_numbers(self.arrival),
            op=None if self.op is None else of_numbers(self.op),
            onset=None if self.onset is None else of_numbers(self.onset),
        )


@dataclass(frozen=True, slots=True)
class Events:
    """All that was read: at most one block per name, kind and number of arguments, and the rows that were refused."""

    blocks: tuple[Block, ...]
    rejects: pa.Table  # REJECTS_SCHEMA
    read: int  # rows read in all
    unused: int  # rows of declared inputs that no rule reads
    files_changed: int = 0  # files of a stream that changed after they were found
    nanoseconds: int | None = None  # how long a tick is, where times were time stamps or dates
    types: Mapping[str, str] = field(default_factory=dict)  # of arguments as they came, see `wide.came_as`
    counts: Mapping[str, int] = field(default_factory=dict)  # of rows with something odd, by names of figures
    seen: Mapping[str, int] = field(default_factory=dict)  # in columns, see `readers.column_types`
    other_times: tuple[Block, ...] = ()  # when all other rows happened and arrived; blocks without name and arguments

    @property
    def timed(self) -> tuple[Block, ...]:
        """Return blocks of all rows whose time could be read: time passes with every row."""
        return (*self.blocks, *self.other_times)
