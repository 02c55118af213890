"""Tables of one fluent or event: a column for each argument, in its type, and times as time stamps where there were.

Notebooks show them, and any table of Arrow, as HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from html import escape
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import is_number, mask
from holdsfor.printable import count_text

Kinds = int
INTEGER, FLOAT, TEXT, BOOLEAN, LARGE = 1, 2, 4, 8, 16
MOST_DIGITS = 38  # of a large integer, with its sign: those that decimals have
#: The unit in Arrow of so many nanoseconds a tick; longer ticks become seconds.
UNITS = {1: "ns", 10**3: "us", 10**6: "ms", 10**9: "s"}
SECOND = 10**9
#: Under these names a run tells its tables, and how long a tick is where the input had time stamps.
SHAPES, NANOSECONDS = "tables", "nanoseconds_a_tick"
TYPES = "types_of_columns"
_PREFIX = "kinds of "


def kinds_key(is_event: bool, signature: str, position: int) -> str:
    """Name the count of an argument's kinds; the position after the last one is that of the value."""
    return f"{_PREFIX}{'event' if is_event else 'fluent'} {signature} {position}"


def is_kinds_key(name: str) -> bool:
    return name.startswith(_PREFIX)


@dataclass(frozen=True, slots=True)
class TableShape:
    """The shape of the table of one fluent or event. kinds: of its arguments, then of the value of a fluent.

    values: the kinds of the values that rules name. types: of the arguments, as they came (see `came_as`).
    """

    name: str
    is_event: bool
    columns: tuple[str, ...]
    kinds: tuple[Kinds, ...] = ()
    values: Kinds = 0
    types: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}/{len(self.columns)}"

    def with_kinds(self, counts: Mapping[str, Any]) -> TableShape:
        """Return the shape with the kinds that a run has counted."""
        positions = range(len(self.columns) + (not self.is_event))
        kinds = tuple(counts.get(kinds_key(self.is_event, str(self), position), 0) for position in positions)
        return self._with(kinds)

    def judged_by(self, table: pa.Table) -> TableShape:
        """Return the shape with kinds as texts look: streams do not count kinds. "17" is a number then."""
        rows = rows_of(table, self)
        texts = [_argument(rows["args"], position) for position in range(len(self.columns))]
        texts += [] if self.is_event else [rows["value"]]
        return self._with(tuple(map(_judge, texts)))

    def _with(self, kinds: tuple[Kinds, ...]) -> TableShape:
        """Add kinds that were seen to those that rules name."""
        return replace(self, kinds=kinds if self.is_event else (*kinds[:-1], kinds[-1] | self.values))

    def type_of(self, position: int) -> str:
        """Return the type an argument came as; empty: as its kind says."""
        return self.types[position] if position < len(self.types) else ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> TableShape:
        columns, kinds, types = (tuple(value.get(key, ())) for key in ("columns", "kinds", "types"))
        return TableShape(value["name"], value["is_event"], columns, kinds, value.get("values", 0), types)


def find_shape(shapes: Sequence[TableShape], named: str | HasName) -> TableShape:
    """Find the shape of what the user names: `near`, or `near/2` where there are several."""
    name = named if isinstance(named, str) else named.name
    matches = [shape for shape in shapes if name in (shape.name, str(shape))]
    if len(matches) == 1:
        return matches[0]
    if matches:
        several = " or ".join(repr(str(shape)) for shape in matches)
        raise HoldsforError(f"there are several results called {name!r}: ask for {several}.")
    names = [shape.name for shape in shapes]
    close = get_close_matches(name, names, 1, 0.6)
    hint = f"Did you mean {close[0]!r}?" if close else f"Rules define {', '.join(sorted(set(names))) or 'nothing'}."
    raise HoldsforError(f"no rule defines {name!r}. {hint}")


class HasName(Protocol):
    """Anything with a name: what names a fluent or an event in Python."""

    @property
    def name(self) -> str: ...


def shape_in(metrics: Mapping[str, Any], name: str | HasName) -> TableShape:
    """Find the shape of what the user names, in the metrics of a run."""
    shapes = [TableShape.from_json(value) for value in metrics.get(SHAPES, ())]
    return find_shape(shapes, name)


def rows_of(table: pa.Table, shape: TableShape) -> pa.Table:
    """Return the rows of a table of intervals or occurrences that are about one fluent or event."""
    named = pc.equal(table["event" if shape.is_event else "fluent"], shape.name)
    return table.filter(pc.and_(named, pc.equal(pc.list_value_length(table["args"]), len(shape.columns))))


@dataclass(frozen=True, slots=True, repr=False)
class ResultTable:
    """The table of one fluent or event, for whatever reads Arrow: `pyarrow.table`, `polars.DataFrame`, DuckDB."""

    arrow: pa.Table

    def to_arrow(self) -> pa.Table:
        return self.arrow

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame. Integers stay integers where some are missing: the end of what is not over."""
        import pandas as pd

        frame = pd.DataFrame(index=range(self.arrow.num_rows))
        for name, column in zip(self.arrow.column_names, self.arrow.columns, strict=True):
            is_nullable = pa.types.is_integer(column.type) and column.null_count
            frame[name] = column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get if is_nullable else None)
        return frame

    def to_polars(self) -> Any:
        """Return a Polars DataFrame."""
        try:
            import polars
        except ModuleNotFoundError as error:
            raise HoldsforError("to_polars() needs Polars. Install it: pip install polars") from error
        return polars.from_arrow(self.arrow)

    def to_pylist(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.arrow.to_pylist()
        return rows

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def __repr__(self) -> str:
        return f"<ResultTable: {count_text(len(self), 'row')} of {', '.join(self.arrow.column_names)}>"

    def _repr_html_(self) -> str:
        from holdsfor.io.tables.wide import arrow_html

        return arrow_html(self.arrow)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.arrow.__arrow_c_stream__(requested_schema)


def widen(table: pa.Table, shape: TableShape, nanoseconds: int | None, zone: str = "UTC") -> pa.Table:
    """Make a table of one fluent or event out of a table of intervals or occurrences.

    nanoseconds: how long a tick is where the input had time stamps, which are then given in the zone. Otherwise times
    are ticks.
    """
    rows = rows_of(table, shape)
    columns = {
        name: _typed(_argument(rows["args"], position), shape.kinds[position], shape.type_of(position))
        for position, name in enumerate(shape.columns)
    }
    if not shape.is_event:
        columns["value"] = _typed(rows["value"], shape.kinds[-1], shape.type_of(len(shape.columns)))
    columns |= {name: _time(rows[name], nanoseconds, zone) for name in ("start", "end")}
    columns["duration"] = _duration(rows, shape, nanoseconds)
    return pa.table(columns)


def _argument(lists: pa.ChunkedArray, position: int) -> pa.ChunkedArray:
    return pc.list_element(lists, position) if lists.length() else pa.chunked_array([], pa.string())


def _typed(texts: pa.ChunkedArray, kinds: Kinds, came: str = "") -> pa.ChunkedArray:
    if came and fits_type(kinds, came):
        return _as_it_came(texts, came)
    if kinds == BOOLEAN:
        return pc.equal(texts, "true")
    if kinds == INTEGER:
        return texts.cast(pa.int64())
    if kinds in (LARGE, LARGE | INTEGER):
        return _large(texts)
    return texts.cast(pa.float64()) if kinds in (FLOAT, FLOAT | INTEGER) else texts


def _large(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Type integers of any size by the smallest type that has all of them."""
    for kind in (pa.int64(), pa.uint64(), pa.decimal128(MOST_DIGITS, 0)):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    return texts


DATE, STAMP, DECIMAL = "date", "timestamp", "decimal"


def came_as(kind: pa.DataType, nanoseconds: int, zone: str | None) -> str:
    """Name the type of an input column, if terms do not show it; nanoseconds: how long a tick is."""
    if pa.types.is_date(kind):
        return f"{DATE} {nanoseconds} {zone or 'UTC'}"
    if pa.types.is_timestamp(kind):
        return f"{STAMP} {nanoseconds}"
    return f"{DECIMAL} {kind.precision} {kind.scale}" if pa.types.is_decimal128(kind) else ""


def fits_type(kinds: Kinds, came: str) -> bool:
    """Return whether what came out can be of the type that came in."""
    return kinds in (FLOAT, INTEGER, FLOAT | INTEGER) if came.startswith(DECIMAL) else kinds == INTEGER


def _as_it_came(texts: pa.ChunkedArray, came: str) -> pa.ChunkedArray:
    name, *words = came.split()
    if name == DECIMAL:
        precision, scale = map(int, words)
        return pc.round(texts.cast(pa.float64()).cast(pa.decimal256(76, 30)), scale).cast(
            pa.decimal128(precision, scale)
        )
    stamps = _time(texts.cast(pa.int64()), int(words[0]), words[1] if name == DATE else "UTC")
    return pc.local_timestamp(stamps).cast(pa.date32()) if name == DATE else stamps


def _judge(texts: pa.ChunkedArray) -> Kinds:
    distinct = texts.unique()
    if len(distinct) and mask(pc.is_in(distinct, pa.array(["true", "false"]))).all():
        return BOOLEAN
    if mask(pc.match_substring_regex(distinct, r"^-?[0-9]{1,18}$")).all():
        return INTEGER if len(distinct) else TEXT
    if mask(pc.match_substring_regex(distinct, r"^-?[0-9]{1,37}$")).all():
        return LARGE
    return FLOAT if is_number(distinct, exponents=True).all() else TEXT


def _time(ticks: pa.ChunkedArray, nanoseconds: int | None, zone: str) -> pa.ChunkedArray:
    if nanoseconds is None:
        return ticks
    count, unit = _scaled(ticks, nanoseconds)
    return count.cast(pa.timestamp(unit, zone))


def _duration(rows: pa.Table, shape: TableShape, nanoseconds: int | None) -> pa.ChunkedArray:
    """Return durations; null for what is not over. An event that takes no time lasts 0."""
    ticks = pc.subtract(rows["end"], rows["start"])
    if nanoseconds is None:
        return ticks
    count, unit = _scaled(ticks, nanoseconds)
    return count.cast(pa.duration(unit))


def _scaled(ticks: pa.ChunkedArray, nanoseconds: int) -> tuple[pa.ChunkedArray, str]:
    if nanoseconds in UNITS:
        return ticks, UNITS[nanoseconds]
    return pc.multiply(ticks, np.int64(nanoseconds // SECOND)), "s"


ROWS = 20


def table_html(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Write a plain HTML table. Empty cells are what is null."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def arrow_html(table: pa.Table) -> str:
    """Write the first rows of an Arrow table, and how many there are."""
    first = table.slice(0, ROWS)
    more = f", the first {ROWS} of them" if table.num_rows > ROWS else ""
    rows = zip(*(column.to_pylist() for column in first.columns), strict=True)
    return table_html(table.column_names, rows, f"{table.num_rows:,} rows{more}")


def _cell(value: object) -> str:
    align = ' style="text-align:right"' if isinstance(value, int | float) else ""
    return f"<td{align}>{'' if value is None else escape(str(value))}</td>"
