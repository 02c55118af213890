"""Tables with a header: one row an event, a mapping says which column is which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.names import shorten_blocks
from holdsfor.io.columns.strings import TextColumn
from holdsfor.io.columns.taking import take_rows
from holdsfor.io.columns.text import Mask, as_text, cast_to, mark_nulls, mask, number_terms
from holdsfor.io.columns.utf8 import NOT_UTF8, escape_text, mend_column
from holdsfor.io.events import NOT_NUMBERS, OPEN, REJECTS_SCHEMA, SINCE_EVER, TIMES_CUT, Block, Events, Ints
from holdsfor.io.readers.arguments import (
    column_terms,
    numeric,
    plain,
    terms_as_written,
    terms_of_fields,
    typed_terms,
)
from holdsfor.io.readers.column_types import NUMBER, column_key, look_at_terms
from holdsfor.io.readers.grouped import TextTable
from holdsfor.io.readers.mapping import UNITS, Mapping, Roles, own_columns, roles, used_columns
from holdsfor.io.readers.sieve import (
    SHOWN,
    Readable,
    Sieve,
    check_interval,
    constant_text,
    default_arrival,
    ops,
    rejects_table,
    shorten,
    time_blocks,
)
from holdsfor.io.readers.times import ReadTimes, ends, first_told, has_time_stamps, is_time_stamp, times
from holdsfor.io.readers.validity import fact_operations, validity_blocks
from holdsfor.io.tables.wide import came_as
from holdsfor.kernels.rows.moving import order_by_key
from holdsfor.kernels.text.numerals import INTEGER
from holdsfor.language.description import Input, Signature, declare_fact
from holdsfor.printable import count_text

_UNUSED, _REFUSED = -1, -2
_LEAST = -2
#: Sections of a mapping, and what they list.
SECTIONS = {"events": "an event", "fluents": "a fluent", "facts": "a fact that changes"}
ReadColumn = Callable[[pa.Array, str, str, str | None], ReadTimes]
#: Whether columns are text that is yet to be typed; of messages some are, and the other values have their own types.
Untyped = bool | Set[str]


def blocks_from_table(
    table: pa.Table,
    mapping: Mapping,
    inputs: Sequence[Input],
    source: str,
    first_row: int = 1,
    untyped: Untyped = False,
) -> Events:
    """Read the rows of a table, or of a part of one that begins with row `first_row`.

    untyped: columns are text that is yet to be typed (a CSV file), all or some; otherwise a string is an atom, whatever
    it looks like.
    """
    rows = np.arange(first_row, first_row + len(table))
    return TableReader(table, mapping, inputs, untyped, source).read(rows)


class InputRows(NamedTuple):
    """Rows of one input and the columns of its arguments.

    reader: of a table that has these rows, perhaps among others; at: where they are in it.
    """

    input: Input
    columns: tuple[str, ...]
    rows: Ints
    reader: TableReader
    at: Ints


class RowTimes(NamedTuple):
    """Times of rows, and which of them are wrong; None: all are right."""

    times: ReadTimes
    wrong: Mask | None

    @property
    def readable(self) -> Readable:
        """Return the times, OPEN where none is told, and which of them are not wrong."""
        ticks, missing = self.times.ticks, self.times.missing
        if self.wrong is None:
            return ticks, np.ones(len(ticks), np.bool_)
        return np.where(missing, OPEN, ticks), ~self.wrong | missing

    def take(self, rows: Ints) -> RowTimes:
        if self.wrong is None and self.times.cut is None:
            return RowTimes(ReadTimes(self.times.ticks[rows], self.times.good[:0], self.times.missing[:0]), None)
        return RowTimes(self.times.at(rows), None if self.wrong is None else self.wrong[rows])


class TableReader:
    """One table and what is known about its columns. A column is made into terms once, for all events that use it."""

    def __init__(
        self, table: pa.Table | TextTable, mapping: Mapping, inputs: Sequence[Input], untyped: Untyped, source: str
    ) -> None:
        check_names(table.column_names)
        self.source = source
        self.table = table
        self.mapping = mapping
        self.inputs = inputs
        self.untyped = untyped
        self.roles: Roles = roles(mapping, table.column_names, inputs, source)
        self._plain: dict[str, pa.Array] = {}
        self._read: dict[str, TextColumn] = {}
        self._terms: dict[tuple[str, bool], pa.Array] = {}
        self.seen: dict[str, int] = {}
        self.types: dict[str, str] = {}
        self._times: dict[str, RowTimes] = {}

    def read(self, rows: Ints) -> Events:
        """Read all events. rows: the number of each row in its source."""
        check_mapping(self.mapping, self.inputs)
        if not len(self.table):
            return Events((), REJECTS_SCHEMA.empty_table(), 0, 0)
        whole = Sieve(np.arange(len(self.table)))
        whole.refuse(self._bad_text(), NOT_UTF8)
        is_used, is_read = np.zeros(len(self.table), np.bool_), np.zeros(len(self.table), np.bool_)
        sieves, blocks = [whole], list[Block]()
        for chosen, name, reader in self._with_readers(list(self._named_rows(whole))):
            for group in self._groups(name, chosen, reader, whole):
                if not group.input.read:
                    continue
                is_used[group.rows] = True
                sieve = Sieve(group.rows)
                blocks += group.reader._blocks(group, sieve)
                is_read[group.rows[sieve.keep]] = True
                sieves.append(sieve)
        unused = int((~is_used & ~whole.is_refused).sum())
        counts: Counter[str] = Counter()
        for sieve in sieves:
            counts.update(sieve.counts)
        rejects = self._rejects(sieves, rows)
        length, others = self._nanoseconds(), self._other_times(np.flatnonzero(~is_read))
        size = len(self.table)
        named = shorten_blocks(blocks, self.inputs)
        return Events(named, rejects, size, unused, 0, length, self.types, counts, self.seen, others)

    def _other_times(self, rows: Ints) -> tuple[Block, ...]:
        """Return the times of rows of which nothing else is read."""
        reader, roles = self, self.roles
        if not len(rows) or roles.time is None:
            return ()
        if isinstance(self.table, TextTable):  # of these rows only
            names = [name for name in (roles.time, roles.arrival, roles.end) if name is not None]
            table, rows = self.table.take(rows), np.arange(len(rows))
            reader = self._reader_of(table)
            reader._read.update(zip(names, table.columns(names), strict=True))
        end = None if roles.end is None else reader._ends(roles.end, rows)
        arrival = None if roles.arrival is None else reader._as_times(roles.arrival, rows).readable
        span = None if end is None else (end.ticks, end.good)
        return time_blocks(reader._as_times(roles.time, rows).readable, arrival, span)

    def _named_rows(self, whole: Sieve) -> Iterator[tuple[Ints, str]]:
        """Yield the rows of each event or fluent that rules know; in a wide table a row may be several."""
        names = list(dict.fromkeys(i.signature.name for i in self.inputs))
        if not self.roles.is_wide:
            yield from _by_code(self._codes(names, whole), names)
            return
        for name in self.mapping.arguments:
            if name in names:
                own = [mask(self._column(column).is_valid()) for column in own_columns(self.mapping, name)]
                yield np.flatnonzero(np.logical_or.reduce(own) & whole.keep), name

    def _with_readers(self, named: list[tuple[Ints, str]]) -> Iterator[tuple[Ints, str, TableReader]]:
        """Yield named rows and their reader: for text one for each name, which reads no other rows and columns."""
        is_for_one = len(named) == 1 and len(named[0][0]) == len(self.table)
        if self.untyped is not True or self.roles.is_wide or is_for_one:
            yield from ((chosen, name, self) for chosen, name in named)
            return
        if isinstance(self.table, TextTable):
            yield from self._text_readers(self.table, named)
            return
        for chosen, name in named:
            yield chosen, name, self._reader_of(self.table.take(pa.array(chosen)))

    def _text_readers(self, table: TextTable, named: list[tuple[Ints, str]]) -> Iterator[tuple[Ints, str, TableReader]]:
        group = np.full(len(table), -1, np.int32)
        for number, (chosen, _) in enumerate(named):
            group[chosen] = number
        needed = [self._columns_of(name) for _, name in named]
        columns = table.groups(group, needed)
        for (chosen, name), names, read in zip(named, needed, columns, strict=True):
            reader = self._reader_of(table.take(chosen))
            reader._read.update(zip(names, read, strict=True))
            yield chosen, name, reader

    def _reader_of(self, table: pa.Table | TextTable) -> TableReader:
        """Make a reader of some of the rows."""
        reader = TableReader(table, self.mapping, self.inputs, self.untyped, self.source)
        reader.seen, reader.types = self.seen, self.types
        return reader

    def _columns_of(self, name: str) -> list[str]:
        """Return the columns that rows of this name need."""
        inputs = [i for i in self.inputs if i.signature.name == name]
        roles = self.roles
        lasts = any(i.kind != "event" or i.may_last for i in inputs)
        needed = {roles.time, roles.arrival, roles.op} | ({roles.end, roles.value} if lasts else set())
        needed.update(*((roles.valid_from, roles.valid_to) if any(i.key is not None for i in inputs) else ()))
        needed.update(self.mapping.arguments.get(name, roles.others))
        return [each for each in self.table.column_names if each in needed]

    def _nanoseconds(self) -> int | None:
        """Return the length of a tick, if times are time stamps; None if they are ticks already."""
        names = [name for name in (self.roles.time, *self.roles.valid_from, *self.roles.valid_to) if name is not None]
        if isinstance(self.table, TextTable):
            is_dated = any(is_time_stamp(self.table.first_text(name) or "") for name in names)
        else:
            is_dated = any(has_time_stamps(self._dated(name)) for name in names)
        return UNITS[self.mapping.date_unit] if is_dated else None

    def _codes(self, names: list[str], whole: Sieve) -> Ints:
        """Number each row by its name, or mark that it is not used."""
        read = {i.signature.name for i in self.inputs if i.read}
        codes = {name: number for number, name in enumerate(names) if name in read}
        if self.roles.name is None:
            code = np.full(len(self.table), codes.get(self.roles.event or "", _UNUSED), np.int64)
        else:
            column = self._encoded(self.roles.name)
            lookup = [codes.get(name, _UNUSED) for name in cast_to(column.dictionary, pa.string()).to_pylist()]
            at = pc.fill_null(column.indices, len(lookup)).to_numpy(zero_copy_only=False)
            code = np.array([*lookup, _UNUSED], np.int64)[at]
            if column.null_count:
                whole.refuse(mask(column.is_null()), "no name")
        whole.drop(code == _UNUSED)
        if whole.reasons:
            code[~whole.keep & (code >= 0)] = _REFUSED
        return code

    def _bad_text(self) -> Mask:
        """Mark rows with bytes that are no text. A CSV file has been looked at; other sources may give any bytes."""
        wrong = np.zeros(len(self.table), np.bool_)
        if isinstance(self.table, TextTable) or self.untyped is True:
            return wrong
        texts = [field.name for field in self.table.schema if _is_text(field.type)]
        for name in texts:
            self._plain[name], bad = mend_column(self._column(name))
            wrong |= False if bad is None else bad
        return wrong

    def _groups(self, name: str, chosen: Ints, reader: TableReader, whole: Sieve) -> Iterator[InputRows]:
        """Yield the rows of each input of a name. reader: of these rows, or of all."""
        at = chosen if reader is self else np.arange(len(chosen))
        candidates = [i for i in self.inputs if i.signature.name == name]
        listed = self.mapping.arguments.get(name)
        if listed is not None:
            kinds = ("event",) if name in self.mapping.events else ("interval", "point")
            fits = [i for i in candidates if i.signature.arity == len(listed) and i.kind in kinds]
            yield InputRows(fits[0], listed, chosen, reader, at)
            return
        others = self.roles.others
        if len({i.kind == "event" for i in candidates}) > 1:
            raise HoldsforError(f"{name} is both an event and a fluent. List it in the mapping.")
        longest = max(i.signature.arity for i in candidates)
        if longest > len(others):
            raise HoldsforError(
                f"{name}/{longest} needs {longest} argument columns, the table has {len(others)}"
                f"{': ' if others else ''}{', '.join(others)}. List its columns in the mapping."
            )
        used = reader._used_columns(at)
        arities = [i.signature.arity for i in candidates]
        if len(arities) == 1:  # then a null at the end is a missing argument, not another event
            used = np.maximum(used, arities[0])
        right = [used == arity for arity in arities]
        for candidate, fit in zip(candidates, right, strict=True):
            rows = slice(None) if fit.all() else fit
            yield InputRows(candidate, others[: candidate.signature.arity], chosen[rows], reader, at[rows])
        wrong = np.zeros(len(self.table), np.bool_)
        wrong[chosen[~np.logical_or.reduce(right)]] = True
        expected = " or ".join(str(i.signature) for i in candidates)
        whole.refuse(wrong, f"wrong arity: the row has values in columns beyond the arguments of {expected}")

    def _used_columns(self, chosen: Ints) -> npt.NDArray[np.int64]:
        """Count the argument columns that each row uses: up to the last one that is not null."""
        columns = [self._column(name) for name in self.roles.others]
        last = max((position for position, column in enumerate(columns, 1) if not column.null_count), default=0)
        used = np.full(len(chosen), last, np.int64)  # whatever comes before a column without nulls
        for position, column in enumerate(columns[last:], last + 1):
            used[mask(column.is_valid())[chosen]] = position
        return used

    def _blocks(self, group: InputRows, sieve: Sieve) -> Iterator[Block]:
        """Yield the blocks of the rows of an input."""
        declared = group.input
        if declared.key is None:
            block = sieve.block(self._block(group, sieve))
            if block is not None:
                yield replace(block, args=tuple(map(mark_nulls, block.args)))
            return
        rows, is_over = self._fact_block(group, sieve)
        block = sieve.block(rows)
        if block is not None:
            yield from validity_blocks(declared, block, is_over[sieve.keep])

    def _fact_block(self, group: InputRows, sieve: Sieve) -> tuple[Block, Mask]:
        """Return rows of a fact that changes, and a mask of those that say from when on it is not valid any more."""
        declared, roles, rows = group.input, self.roles, group.at
        none = np.zeros(len(rows), np.bool_)
        op = None if roles.op is None else self._rows(self._column(roles.op), rows)
        retracts, is_over = (none, none) if op is None else fact_operations(op, declared, sieve)
        begins = self._first_told(roles.valid_from, rows, times, sieve, "valid_from")
        limits = self._first_told(roles.valid_to, rows, ends, sieve, "valid_to")
        sieve.refuse(is_over & (none if begins is None else begins.missing), "no time from when on it is not valid")
        start = np.full(len(rows), SINCE_EVER) if begins is None else np.where(begins.missing, SINCE_EVER, begins.ticks)
        end = np.where(is_over, OPEN, OPEN if limits is None else limits.ticks)
        sieve.refuse(end < start, "valid_to before valid_from")
        sieve.drop(end == start)
        arrival = self._arrival(rows, start, None, sieve)
        may_lack = is_over if declared.key else none  # who ends what has a key names the key
        args = tuple(
            self._argument(group, position, sieve, none if position in (declared.key or ()) else may_lack)
            for position in range(declared.signature.arity)
        )
        value = constant_text("true", len(rows))
        return Block(declared.signature.name, "interval", args, value, start, end, arrival, ops(retracts)), is_over

    def _first_told(
        self, names: Sequence[str], rows: Ints, read: ReadColumn, sieve: Sieve, what: str
    ) -> ReadTimes | None:
        """Return the times of the first of some columns that has one in a row; None: there are no such columns."""
        mapping = self.mapping
        columns = [read(self._rows(self._dated(name), rows), mapping.date_unit, name, mapping.zone) for name in names]
        if not columns:
            return None
        moments = reduce(first_told, columns)
        self._refuse_skipped(moments, sieve, what)
        sieve.refuse(~moments.good & ~moments.missing, f"{what} is not an integer or an ISO 8601 time")
        sieve.note(TIMES_CUT, moments.cut)
        return moments

    def _block(self, group: InputRows, sieve: Sieve) -> Block:
        declared, roles = group.input, self.roles
        assert roles.time is not None
        start = self._time(roles.time, group.at, sieve)
        end = value = None
        kind = declared.kind
        if kind == "interval" and roles.end is None:
            kind = "point"  # declarations are never needed: without an end the rows are points
        if kind == "interval" and roles.end is not None:
            end = self._end(roles.end, group.at, sieve)
            check_interval(sieve, start, end)
        onset = None
        if declared.may_last and roles.end is not None:
            onset, start = start, self._last_point(roles.end, group.at, start, sieve)
        if kind != "event":
            value = self._value(group, sieve)
        arrival = self._arrival(group.at, start, end, sieve)
        args = tuple(self._argument(group, position, sieve) for position in range(declared.signature.arity))
        op = self._op(group.at, sieve)
        return Block(declared.stored_as.name, kind, args, value, start, end, arrival, op, onset)

    def _last_point(self, name: str, rows: Ints, start: Ints, sieve: Sieve) -> Ints:
        """Return the last points of events that take time: the column has them, or null for a point."""
        last = self._end(name, rows, sieve)
        sieve.refuse(last < start, "end before start")
        return np.where(last == OPEN, start, last)

    def _end(self, name: str, rows: Ints, sieve: Sieve) -> Ints:
        """Return the ends of intervals; null is open."""
        end = self._ends(name, rows)
        self._refuse_skipped(end, sieve, "end")
        sieve.refuse(~end.good, "end is not a time")
        sieve.note(TIMES_CUT, end.cut)
        return end.ticks

    def _ends(self, name: str, rows: Ints) -> ReadTimes:
        return ends(self._rows(self._dated(name), rows), self.mapping.date_unit, name, self.mapping.zone)

    def _time(self, name: str, rows: Ints, sieve: Sieve) -> Ints:
        read = self._as_times(name, rows)
        if read.wrong is not None:
            sieve.refuse(read.times.missing, "no time")
            self._refuse_skipped(read.times, sieve, "time")
            sieve.refuse(read.wrong, "time is not an integer or an ISO 8601 time")
        sieve.note(TIMES_CUT, read.times.cut)
        return read.times.ticks

    def _refuse_skipped(self, times: ReadTimes, sieve: Sieve, what: str) -> None:
        if times.skipped is not None:
            sieve.refuse(times.skipped, f"{what} does not exist: the clock in {self.mapping.zone} skips it")

    def _arrival(self, rows: Ints, start: Ints, end: Ints | None, sieve: Sieve) -> Ints:
        if self.roles.arrival is None:
            return default_arrival(start, end)
        read = self._as_times(self.roles.arrival, rows)
        if read.wrong is None:
            return read.times.ticks
        self._refuse_skipped(read.times, sieve, "arrival")
        sieve.refuse(read.wrong & ~read.times.missing, "arrival is not an integer or an ISO 8601 time")
        return np.where(read.times.missing, default_arrival(start, end), read.times.ticks)

    def _value(self, group: InputRows, sieve: Sieve) -> pa.Array:
        if self.roles.value is None:
            return constant_text("true", len(group.at))
        terms = self._as_terms(self.roles.value, group.input.signature.name)
        value = as_text(self._rows(terms, group.at))
        sieve.refuse(mask(value.is_null()), "no value")
        return value

    def _op(self, rows: Ints, sieve: Sieve) -> npt.NDArray[np.int8] | None:
        if self.roles.op is None:
            return None
        op = self._rows(self._column(self.roles.op), rows).cast(pa.string())
        retracts = mask(pc.is_in(op, pa.array(["-1", "-1.0", "retract"])))
        inserts = mask(pc.is_in(op, pa.array(["1", "1.0", "+1", "insert"]))) | mask(op.is_null())
        sieve.refuse(~retracts & ~inserts, "op is neither 1 (insert) nor -1 (retract)")
        return ops(retracts)

    def _argument(self, group: InputRows, position: int, sieve: Sieve, may_lack: Mask | None = None) -> pa.Array:
        what = f"argument {position + 1} of {group.input.signature}"
        name, calculates = group.columns[position], position in group.input.numbers
        event = group.input.signature.name
        owner = event if name == f"arg{position + 1}" and event not in self.mapping.arguments else ""
        column = self._rows(self._as_terms(name, owner, calculates), group.at)
        self.types[f"{group.input.signature} {position + 1}"] = self._came_as(name)
        missing = None
        if column.null_count:
            missing = mask(column.is_null())
            values = self._rows(self._column(name), group.at)
            if pa.types.is_floating(values.type):
                sieve.note(NOT_NUMBERS, mask(pc.is_nan(values)))
            kind = self.mapping.types.get(name) or self.mapping.agreed.get(self._key(name, owner))
            wrong = f"{what} is {_wrong_type(name, kind)}"
            sieve.refuse(missing & ~mask(values.is_null(nan_is_null=True)), wrong)
            if group.input.kind != "event":
                sieve.refuse(missing if may_lack is None else missing & ~may_lack, f"{what} is null")
        if calculates and pa.types.is_dictionary(column.type):
            good = numeric(column)
            sieve.refuse_numbers(~good if missing is None else ~good & ~missing, column, what)
            column = number_terms(column, good)
        return column

    def _rows(self, column: pa.Array, rows: Ints) -> pa.Array:
        return column if len(rows) == len(column) else take_rows(column, rows)

    def _column(self, name: str) -> pa.Array:
        if name not in self._plain:
            fields = self._fields(name) if isinstance(self.table, TextTable) else self.table[name]
            self._plain[name] = fields.array() if isinstance(fields, TextColumn) else plain(fields)
        return self._plain[name]

    def _fields(self, name: str) -> pa.Array | TextColumn:
        """Return a column as it is: of a text file, fields that may have been read as numbers already."""
        if not isinstance(self.table, TextTable):
            return self._column(name)
        if not self._read and name != self.roles.name:  # all that will be asked for, in one go
            used = used_columns(self.roles, self.mapping, self.inputs)
            names = [each for each in self.table.column_names if each in used]
            self._read.update(zip(names, self.table.columns(names), strict=True))
        if name not in self._read:
            self._read[name] = self.table.column(name)
        return self._read[name]

    def _dated(self, name: str) -> pa.Array:
        """Return a column of times."""
        fields = self._fields(name)
        numbers = fields.numbers() if isinstance(fields, TextColumn) and fields.kind == INTEGER else None
        return self._column(name) if numbers is None else numbers

    def _encoded(self, name: str) -> pa.DictionaryArray:
        column = self._fields(name)
        if isinstance(column, TextColumn):
            return column.encode()
        return column if pa.types.is_dictionary(column.type) else column.cast(pa.string()).dictionary_encode()

    def _as_times(self, name: str, rows: Ints) -> RowTimes:
        if name not in self._times:
            read = times(self._fields(name), self.mapping.date_unit, name, self.mapping.zone)
            self._times[name] = RowTimes(read, None if read.good.all() else ~read.good)
        whole = self._times[name]
        return whole if len(rows) == len(whole.times.ticks) else whole.take(rows)

    def _as_terms(self, name: str, owner: str = "", calculates: bool = False) -> pa.Array:
        """Return the terms of a column. owner: the event or fluent that has it for itself.

        calculates: rules do so with it; then each field is typed by itself, and what is no number is refused later.
        """
        if (name, calculates) not in self._terms:
            self._terms[name, calculates] = self._terms_of(name, owner, calculates)
        return self._terms[name, calculates]

    def _came_as(self, name: str) -> str:
        if self.untyped is not False or isinstance(self.table, TextTable) or name in self.mapping.types:
            return ""
        return came_as(self.table.schema.field(name).type, UNITS[self.mapping.date_unit], self.mapping.zone)

    def _key(self, name: str, owner: str) -> str:
        """Name the column, for whoever compares parts. Text is typed for each owner, a typed column is one for all."""
        return column_key(self.mapping.table or self.mapping.event or "", name, owner if self.untyped is True else "")

    def _terms_of(self, name: str, owner: str, calculates: bool) -> pa.Array:
        mapping, fields = self.mapping, self._fields(name)
        kind = mapping.types.get(name)
        if kind is not None:
            return typed_terms(fields, kind, mapping.date_unit, name)
        if not isinstance(self.untyped, bool) or calculates:
            untyped = self.untyped if isinstance(self.untyped, bool) else name in self.untyped
            make_terms = terms_of_fields if calculates else terms_as_written
            return column_terms(fields, untyped, mapping.date_unit, name, mapping.zone, make_terms)
        key = self._key(name, owner)
        if key in mapping.agreed:
            terms = typed_terms(fields, mapping.agreed[key], mapping.date_unit, name, self.untyped)
        else:
            terms = column_terms(fields, self.untyped, mapping.date_unit, name, mapping.zone)
        self.seen[key] = self.seen.get(key, 0) | look_at_terms(terms, self.untyped)
        return terms

    def _rejects(self, sieves: list[Sieve], rows: Ints) -> pa.Table:
        """Return each refused row once, though it may be several events."""
        if not any(sieve.reasons for sieve in sieves):
            return REJECTS_SCHEMA.empty_table()
        refused = [sieve.refused() for sieve in sieves]
        at, first = np.unique(np.concatenate([lines for lines, _ in refused]), return_index=True)
        reasons = pa.concat_arrays([reason for _, reason in refused]).take(pa.array(first))
        return rejects_table(self.source, rows[at], self._row_text(at), reasons)

    def _row_text(self, at: Ints) -> pa.ChunkedArray:
        """Write rows as `column=value` without nulls; piece by piece, for Arrow counts bytes with 32 bits."""
        piece = max(1, (1 << 29) // (SHOWN * (len(self.table.column_names) + 1)))
        reader = self
        if isinstance(self.table, TextTable):  # of these rows only
            reader = self._reader_of(self.table.take(at))
            at = np.arange(len(at))
        pieces = np.split(at, range(piece, len(at), piece)) if len(at) else []
        return pa.chunked_array([shorten(reader._text_of(pa.array(rows))) for rows in pieces], pa.string())

    def _text_of(self, rows: pa.Array) -> pa.Array:
        names = self.table.column_names
        parts = [pc.binary_join_element_wise(f"{name}=", _shown(self._column(name), rows), "") for name in names]
        blank = np.logical_and.reduce([mask(part.is_null()) for part in parts])
        parts[0] = pc.if_else(pa.array(blank), "", parts[0])  # where all is null, Arrow would leave out the row itself
        return pc.binary_join_element_wise(*parts, " ", null_handling="skip")


def needed_columns(names: Sequence[str], mapping: Mapping, inputs: Sequence[Input], source: str) -> list[str]:
    """Return the columns of a table that reading it needs, in the order of the table."""
    needed = used_columns(roles(mapping, names, inputs, source), mapping, inputs)
    return [name for name in names if name in needed]


def check_names(names: Sequence[str]) -> None:
    """Refuse a name that two columns have."""
    for name, count in Counter(names).items():
        if count > 1:
            raise HoldsforError(f"the table has {count} columns called {name!r}. Rename all but one.")


def check_mapping(mapping: Mapping, inputs: Sequence[Input]) -> None:
    """Refuse a mapping that does not fit the rules."""
    by_name: dict[str, list[Input]] = {}
    for each in inputs:
        by_name.setdefault(each.signature.name, []).append(each)
    for name, columns in mapping.arguments.items():
        used = by_name.get(name, [])
        section = next(section for section in SECTIONS if name in getattr(mapping, section))
        kinds = [i for i in used if _section_of(i) == section]
        if used and not kinds:
            kind = SECTIONS[_section_of(used[0])]
            raise HoldsforError(f"{name} is listed under [{section}] in the mapping, but for the rules it is {kind}.")
        if kinds and not any(i.signature.arity == len(columns) for i in kinds):
            signatures = ", ".join(str(i.signature) for i in kinds)
            listed = f"{count_text(len(columns), 'column')} for {name} ({', '.join(columns)})"
            raise HoldsforError(f"the mapping lists {listed}, but the rules use {signatures}.")
    for name, (arity, key) in mapping.changing.items():
        declared = next((i for i in by_name.get(name, []) if i.signature.arity == arity), None)
        if declared is None:
            raise HoldsforError(
                f"{name} is listed under [facts] in the mapping, and the rules do not know that it changes. Load them "
                "with the mapping, holdsfor.load(..., mapping=...), or declare it in the rules: "
                f"{declare_fact(Signature(name, arity), key)}"
            )
        if key and key != declared.key:
            written = declare_fact(declared.signature, declared.key or ())
            raise HoldsforError(f"the mapping gives {name}/{arity} another key than the rules do: {written}")


def _section_of(declared: Input) -> str:
    """Name the section of a mapping that lists an input."""
    return "facts" if declared.key is not None else "events" if declared.kind == "event" else "fluents"


def _by_code(code: Ints, names: list[str]) -> Iterator[tuple[Ints, str]]:
    if len(code) and (code == code[0]).all():
        if code[0] >= 0:
            yield np.arange(len(code)), names[code[0]]
        return
    shifted = code - _LEAST
    ends = np.cumsum(np.bincount(shifted, minlength=len(names) - _LEAST))
    order = order_by_key(shifted, len(ends))
    for number, name in enumerate(names, -_LEAST):
        if ends[number] > ends[number - 1]:
            yield order[ends[number - 1] : ends[number]], name


def _wrong_type(name: str, kind: str | None) -> str:
    if kind is None:
        return "out of range"
    if kind != NUMBER:
        return f"not of type {kind}"
    return f'no number, as all before it in {name} were; for names write in the mapping: [types] {name} = "text"'


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _shown(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Write some values as text, shortened before they are many."""
    if pa.types.is_dictionary(column.type):
        return shorten(_as_string(column.dictionary)).take(column.indices.take(rows))
    return shorten(_as_string(column.take(rows)))


def _as_string(column: pa.Array) -> pa.Array:
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.array([None if x is None else escape_text(str(x)) for x in column.to_pylist()], pa.string())
