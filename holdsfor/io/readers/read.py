"""Reads events: from files, lines of text, Arrow tables and data frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, replace
from datetime import date
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.column_types import Agreed, agree, is_as_agreed, join_seen
from holdsfor.io.readers.columns import check_mapping, check_names
from holdsfor.io.readers.fields import PACKINGS
from holdsfor.io.readers.formats import (
    PARQUET,
    Content,
    FileFormat,
    check_format,
    endings_but_parquet,
    find_format,
    name_format,
)
from holdsfor.io.readers.mapping import Mapping, as_mapping, did_you_mean
from holdsfor.language.description import Input


@dataclass(frozen=True, slots=True)
class EventPart:
    """Events of one shape, in one place. mapping: for the format 'columns'. label: what it is called in place of its
    path."""

    content: Content
    format: str
    mapping: Mapping
    label: str = ""

    @property
    def source(self) -> str:
        """Return the name of the part in messages and in rejects."""
        if self.label:
            return self.label
        if isinstance(self.content, Path):
            return str(self.content)
        return f"<{self.mapping.table or ('table' if isinstance(self.content, pa.Table) else 'lines')}>"

    @property
    def file_format(self) -> FileFormat:
        return find_format(self.content, self.format)

    def from_anywhere(self) -> EventPart:
        """Return the part for a process that is in another folder."""
        path = self.content
        return replace(self, content=path.absolute(), label=self.source) if isinstance(path, Path) else self

    def agreeing(self, types: Agreed) -> EventPart:
        """Return the part with types that all parts agree on."""
        return replace(self, mapping=self.mapping.agreeing(types)) if types else self

    def read(self, inputs: Sequence[Input]) -> Events:
        return self.file_format.read(self.content, self.mapping, inputs, self.source)


@dataclass(frozen=True, slots=True)
class EventSource:
    """Events that are not yet read: what a row means depends on the description that reads it."""

    parts: tuple[EventPart, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files, for readers that share them out; () if any part is in memory."""
        files = tuple(part.content for part in self.parts if isinstance(part.content, Path))
        return files if len(files) == len(self.parts) else ()

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Return the columns that mappings list, by event or fluent."""
        return {name: columns for part in self.parts for name, columns in part.mapping.arguments.items()}

    @property
    def changing(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Return the facts that mappings list, as one mapping does."""
        return {name: fact for part in self.parts for name, fact in part.mapping.changing.items()}

    @property
    def given_unit(self) -> str | None:
        """Return the unit of dates that a mapping gives."""
        return next((part.mapping.given_unit for part in self.parts if part.mapping.given_unit), None)

    def counting_in(self, unit: str) -> EventSource:
        """Return the source with dates counted in a unit, unless a mapping gives another."""
        return replace(self, parts=tuple(replace(p, mapping=p.mapping.counting_in(unit)) for p in self.parts))

    def agreeing(self, types: Agreed) -> EventSource:
        """Return the source with types that columns have by now."""
        return replace(self, parts=tuple(part.agreeing(types) for part in self.parts)) if types else self

    def read(self, inputs: Sequence[Input]) -> Events:
        """Read all events that the inputs of a description can use."""
        for part in self.parts:
            if part.format == "columns":
                check_mapping(part.mapping, inputs)
        return join_events(read_alike(self.parts, lambda parts: (part.read(inputs) for part in parts)))

    def move(self, share: float) -> None:
        """Take note of the share of the parts that whoever reads them by themselves has read."""

    def finish(self) -> None:
        """Take note that whoever reads the parts by themselves has read all."""


class Readable(Protocol):
    """A part of an input that can be read with types that all parts agree on."""

    def agreeing(self, types: Agreed) -> Self: ...


P = TypeVar("P", bound=Readable)


def read_alike(parts: Sequence[P], read: Callable[[Iterable[P]], Iterable[Events]]) -> list[Events]:
    """Read the events of each part; once more where a column is of another type than in all together."""
    events = list(read(parts))
    types = agree(join_seen(part.seen for part in events))
    others = [place for place, part in enumerate(events) if not is_as_agreed(part.seen, types)]
    again = read([parts[place].agreeing(types) for place in others]) if others else ()
    for place, part in zip(others, again, strict=True):
        events[place] = part
    return events


def read_events(
    source: Any, format: str | None = None, mapping: Mapping | AnyMapping[str, Any] | str | Path | None = None
) -> EventSource:
    """Read events from a path (Parquet, Feather, CSV, JSON lines), several, a folder of such files, a pattern, lines of
    text, an Arrow table or a data frame; or from several tables of different shape, by their names in the mapping.

    format: 'rtec', 'columns' or 'terms'; guessed where it is clear. mapping: which column is which, for 'columns'
    (a Mapping, a dict, or the path of a TOML file).
    """
    if format is not None:
        check_format(format)
    named = as_mapping(mapping)
    if isinstance(source, AnyMapping):
        _check_tables(source)
        parts = [part for name, table in source.items() for part in _table_parts(str(name), table, format, named)]
    else:
        parts = [_event_part(content, format, named) for content in _contents(source, format)]
    if not parts:
        raise HoldsforError("there are no events to read: the list of sources is empty.")
    return EventSource(tuple(parts))


def _check_tables(tables: AnyMapping[Any, Any]) -> None:
    """Refuse a dict of columns: it is easily taken for a table."""
    for name, table in tables.items():
        if isinstance(table, Sequence) and not isinstance(table, str) and table and not _is_source(table):
            raise HoldsforError(
                f"a dict of events has tables by their names, and {name!r} is a column. "
                "Make a table of the columns: pyarrow.table({...}), or pandas.DataFrame({...})."
            )


def _is_source(items: Sequence[Any]) -> bool:
    """Return whether a list can be lines, paths, rows or tables, rather than the values of a column."""
    return any(
        _is_path(item) or not set(item).isdisjoint("@|{") if isinstance(item, str) else not _is_value(item)
        for item in items
    )


def _is_value(item: object) -> bool:
    return item is None or isinstance(item, int | float | date)


def _table_parts(name: str, source: Any, format: str | None, mapping: Mapping) -> Iterator[EventPart]:
    """Yield the parts of one of several tables, by its name."""
    own = mapping.of_table(name)
    for content in _contents(source, format):
        yield EventPart(content, name_format(content, format), own)


def _event_part(content: Content, format: str | None, mapping: Mapping) -> EventPart:
    form = name_format(content, format)
    if form != "columns" or not mapping.tables:
        return EventPart(content, form, mapping)
    if isinstance(content, Path):
        return EventPart(content, form, mapping.of_file(content))
    names = ", ".join(mapping.tables)
    raise HoldsforError(f"the mapping is for several tables: give the events as a dict, by their names ({names}).")


def as_source(events: Any, format: str | None = None, mapping: Any = None) -> EventSource:
    """Return a source of events, or make it as `read_events` does."""
    if not isinstance(events, EventSource):
        return read_events(events, format, mapping)
    if format is not None or mapping is not None:
        raise HoldsforError("these events have format and mapping from read_events already: give them there only.")
    return events


def _contents(source: Any, form: str | None) -> Iterable[Content]:
    if isinstance(source, EventSource):
        raise HoldsforError(
            "events from read_events are one source already: give recognise that one alone, or tables by their names "
            "({'readings': table, 'doors': other}), each as it is."
        )
    if isinstance(source, str | os.PathLike):
        return _files(str(os.fspath(source)))
    if isinstance(source, pa.Table | pa.RecordBatch):
        return [source if isinstance(source, pa.Table) else pa.Table.from_batches([source])]
    if hasattr(source, "collect") and not hasattr(source, "__arrow_c_stream__"):  # a Polars LazyFrame
        source = source.collect()
    if type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns"):
        return [_from_pandas(source)]
    if hasattr(source, "__arrow_c_stream__"):
        return [pa.table(source)]
    if isinstance(source, Iterable) and not isinstance(source, bytes) and not hasattr(source, "__array__"):
        return _several(list(source), form)
    kind = type(source).__name__
    raise HoldsforError(f"cannot read events from {kind}. Give paths, lines, an Arrow table or a data frame.")


def _from_pandas(frame: Any) -> pa.Table:
    """Make a table of a data frame. An index that has a name is a column like any other."""
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    if named:
        frame = frame.reset_index(level=named)
    check_names([str(name) for name in getattr(frame, "columns", ())])
    try:
        return with_integers(pa.Table.from_pandas(frame, preserve_index=False))
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise HoldsforError(
            f"the data frame has a column that is not of one type: {' '.join(map(str, error.args))}. "
            "Make it one: frame[column].astype(str), or pandas.to_numeric."
        ) from error


def with_integers(table: pa.Table) -> pa.Table:
    """Turn floats back into integers that pandas made floats because a null is among them."""
    for place, column in enumerate(table.columns):
        if pa.types.is_float64(column.type) and column.null_count:
            whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), float(1 << 53)))
            if pc.all(whole, min_count=1).as_py():
                table = table.set_column(place, table.column_names[place], column.cast(pa.int64()))
    return table


def _several(items: list[Any], form: str | None) -> Iterable[Content]:
    """Return the contents of a list: it holds lines of text, or sources."""
    if not items and form is not None:
        return [()]
    if items and all(isinstance(item, AnyMapping) for item in items):
        return [_from_rows(items)]
    if items and all(isinstance(item, str) for item in items) and not any(_is_path(item) for item in items):
        return [tuple(item.rstrip("\r\n") for item in items)]
    return [part for item in items for part in _contents(item, form)]


def _from_rows(rows: list[Any]) -> pa.Table:
    """Make a table of dicts: a column is whatever any of them has."""
    names = dict.fromkeys(str(name) for row in rows for name in row)
    try:
        return pa.table({name: [row.get(name) for row in rows] for name in names})
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise HoldsforError(f"these rows have a column that is not of one type: {error}.") from error


def _is_path(text: str) -> bool:
    """Return whether a string in a list is meant as a path; a missing file is reported, not read as a line."""
    if os.path.isfile(text) or (text.strip() and os.path.isdir(text)):
        return True
    return (
        text.endswith((*PARQUET.endings, *endings_but_parquet(), *PACKINGS, ".txt"))
        and "|" not in text
        and "@" not in text
    )


def _files(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        return _files_in(path)
    if path.is_file():
        return [path]
    if has_magic(text):
        paths = sorted(Path(name) for name in glob(text, recursive=True))
        if paths:
            return paths
        raise HoldsforError(f"no file matches {text}.")
    if "\n" in text or "|" in text or "@" in text:
        raise HoldsforError(f"no such file: {text!r}. Lines of text are given as a list: read_events([{text!r}]).")
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise HoldsforError(f"no such file: {text}.{did_you_mean(path.name, near, 0.7)}")


def _files_in(folder: Path) -> list[Path]:
    """List the Parquet files of a folder and those below it; without any, files of the other kinds."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not _is_hidden(p.relative_to(folder)))
    for endings in (PARQUET.endings, others := endings_but_parquet()):
        if paths := [path for path in files if not set(endings).isdisjoint(path.suffixes)]:
            return paths
    raise HoldsforError(f"no event files in {folder}: looked for .parquet, {', '.join(others)}. Name the files.")


def _is_hidden(path: Path) -> bool:
    """Return whether Spark or another has left the file while it writes: _temporary, .part.crc."""
    return any(name.startswith((".", "_")) for name in path.parts)
