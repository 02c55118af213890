"""Reads events: from files, lines of text, Arrow tables and data frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, replace
from datetime import date
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.column_types import Agreed, agree, is_as_agreed, join_seen
from holdsfor.io.readers.columns import blocks_from_table, check_mapping, check_names
from holdsfor.io.readers.fields import chunks, open_text
from holdsfor.io.readers.formats.csv_files import csv_events
from holdsfor.io.readers.formats.files import feather_events, parquet_events
from holdsfor.io.readers.formats.json_lines import ENDINGS as JSON_ENDINGS
from holdsfor.io.readers.formats.json_lines import json_line_events
from holdsfor.io.readers.formats.rtec import read_rtec
from holdsfor.io.readers.formats.terms import read_terms
from holdsfor.io.readers.mapping import Mapping, as_mapping, did_you_mean
from holdsfor.language.description import Input

FORMATS = ("rtec", "columns", "terms")
SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
ARROW_ENDINGS = (".feather", ".arrow", ".ipc")
_TABLE_ENDINGS = (".csv", ".tsv", *ARROW_ENDINGS, *JSON_ENDINGS)
_FILE_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".zst", ".parquet", *ARROW_ENDINGS, *JSON_ENDINGS)


Content: TypeAlias = Path | pa.Table | tuple[str, ...]
"""A file, a table, or lines of text."""


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
        """What messages and rejected rows call it."""
        if self.label:
            return self.label
        if isinstance(self.content, Path):
            return str(self.content)
        return f"<{self.mapping.table or ('table' if isinstance(self.content, pa.Table) else 'lines')}>"

    @property
    def is_parquet(self) -> bool:
        return isinstance(self.content, Path) and ".parquet" in self.content.suffixes

    def from_anywhere(self) -> EventPart:
        """The same for a process that is in another folder."""
        path = self.content
        return replace(self, content=path.absolute(), label=self.source) if isinstance(path, Path) else self

    def agreeing(self, types: Agreed) -> EventPart:
        """The same, with types that all parts agree on."""
        return replace(self, mapping=self.mapping.agreeing(types)) if types else self

    def read(self, inputs: Sequence[Input]) -> Events:
        content, source = self.content, self.source
        if isinstance(content, pa.Table):
            return blocks_from_table(content, self.mapping, inputs, source)
        if self.format == "rtec":
            return read_rtec(chunks(content) if isinstance(content, Path) else [_bytes(content)], inputs, source)
        if self.format == "terms":
            return read_terms(_text_lines(content) if isinstance(content, Path) else content, inputs, source)
        if isinstance(content, Path) and self.is_parquet:
            return parquet_events(content, self.mapping, inputs)
        if isinstance(content, Path) and _is_arrow(content):
            return feather_events(content, self.mapping, inputs)
        lines = content if isinstance(content, Path) else _bytes(content)
        read = json_line_events if _is_json(content) else csv_events
        return read(lines, self.mapping, inputs, source)


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where events are, not yet read: what a row means depends on the description that reads it."""

    parts: tuple[EventPart, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, for readers that share them out; () if any part is in memory."""
        files = tuple(part.content for part in self.parts if isinstance(part.content, Path))
        return files if len(files) == len(self.parts) else ()

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that mappings list, by event or fluent."""
        return {name: columns for part in self.parts for name, columns in part.mapping.arguments.items()}

    @property
    def given_unit(self) -> str | None:
        """The unit of dates that a mapping gives."""
        return next((part.mapping.given_unit for part in self.parts if part.mapping.given_unit), None)

    def counting_in(self, unit: str) -> EventSource:
        """The same, where dates are counted in a unit unless a mapping gives another."""
        return replace(self, parts=tuple(replace(p, mapping=p.mapping.counting_in(unit)) for p in self.parts))

    def agreeing(self, types: Agreed) -> EventSource:
        """The same, with types that columns have by now."""
        return replace(self, parts=tuple(part.agreeing(types) for part in self.parts)) if types else self

    def read(self, inputs: Sequence[Input]) -> Events:
        """All events that the inputs of a description can use."""
        for part in self.parts:
            if part.format == "columns":
                check_mapping(part.mapping, inputs)
        return join_events(read_alike(self.parts, lambda parts: (part.read(inputs) for part in parts)))

    def move(self, share: float) -> None:
        """Called by those that read parts by themselves, with the share of the parts that they have read."""

    def finish(self) -> None:
        """Called by those that have read all parts by themselves."""


class Readable(Protocol):
    """A part of an input that can be read with types that all parts agree on."""

    def agreeing(self, types: Agreed) -> Self: ...


P = TypeVar("P", bound=Readable)


def read_alike(parts: Sequence[P], read: Callable[[Iterable[P]], Iterable[Events]]) -> list[Events]:
    """The events of each part. Parts in which a column is of another type than in all together are read once more."""
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
    """Events from a path (Parquet, Feather, CSV, JSON lines), several, a folder of such files, a pattern, lines of
    text, an Arrow table or a data frame; or from several tables of different shape, by their names in the mapping.

    format: 'rtec', 'columns' or 'terms'; guessed where it is clear. mapping: which column is which, for 'columns'
    (a Mapping, a dict, or the path of a TOML file).
    """
    if format is not None and format not in FORMATS:
        raise HoldsforError(f"unknown format {format!r}.{did_you_mean(format, FORMATS)} Formats: {', '.join(FORMATS)}.")
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
    """A dict of columns is easily taken for a table."""
    for name, table in tables.items():
        if isinstance(table, Sequence) and not isinstance(table, str) and table and not _is_source(table):
            raise HoldsforError(
                f"a dict of events has tables by their names, and {name!r} is a column. "
                "Make a table of the columns: pyarrow.table({...}), or pandas.DataFrame({...})."
            )


def _is_source(items: Sequence[Any]) -> bool:
    """Whether a list can be lines, paths, rows or tables, rather than the values of a column."""
    return any(
        _is_path(item) or not set(item).isdisjoint("@|{") if isinstance(item, str) else not _is_value(item)
        for item in items
    )


def _is_value(item: object) -> bool:
    return item is None or isinstance(item, int | float | date)


def _table_parts(name: str, source: Any, format: str | None, mapping: Mapping) -> Iterator[EventPart]:
    """One of several tables, by its name."""
    own = mapping.of_table(name)
    for content in _contents(source, format):
        yield EventPart(content, _checked(content, format or guess_format(content)), own)


def _event_part(content: Content, format: str | None, mapping: Mapping) -> EventPart:
    form = _checked(content, format or guess_format(content))
    if form != "columns" or not mapping.tables:
        return EventPart(content, form, mapping)
    if isinstance(content, Path):
        return EventPart(content, form, mapping.of_file(content))
    names = ", ".join(mapping.tables)
    raise HoldsforError(f"the mapping is for several tables: give the events as a dict, by their names ({names}).")


def as_source(events: Any, format: str | None = None, mapping: Any = None) -> EventSource:
    """Events as `read_events` gives them, or whatever it takes."""
    if not isinstance(events, EventSource):
        return read_events(events, format, mapping)
    if format is not None or mapping is not None:
        raise HoldsforError("these events have format and mapping from read_events already: give them there only.")
    return events


def guess_format(part: Content) -> str:
    """The format of a part, where name and first line make it clear."""
    if is_table(part) or _is_json(part):
        return "columns"
    first = _first_line(part)
    if "|" in first:
        return "rtec"
    if "@" in first:
        return "terms"
    if not first.strip():  # nothing in it: no format can go wrong
        return "rtec"
    if isinstance(part, Path) and (".csv" in part.suffixes or ".tsv" in part.suffixes):
        return "columns"
    if isinstance(part, Path) and part.suffix.lower() in SPREADSHEETS:
        raise HoldsforError(
            f"{part} is a spreadsheet: save it as CSV, or give the frame of pandas.read_excel('{part}')."
        )
    raise HoldsforError(f"cannot tell the format of {_shown(part)}. Say which: format='rtec', 'columns' or 'terms'.")


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
    """An index that has a name is a column like any other."""
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
    """pandas turns integers with a null among them into floats: here they are integers again."""
    for place, column in enumerate(table.columns):
        if pa.types.is_float64(column.type) and column.null_count:
            whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), float(1 << 53)))
            if pc.all(whole, min_count=1).as_py():
                table = table.set_column(place, table.column_names[place], column.cast(pa.int64()))
    return table


def _several(items: list[Any], form: str | None) -> Iterable[Content]:
    """A list holds lines of text, or sources."""
    if not items and form is not None:
        return [()]
    if items and all(isinstance(item, AnyMapping) for item in items):
        return [_from_rows(items)]
    if items and all(isinstance(item, str) for item in items) and not any(_is_path(item) for item in items):
        return [tuple(item.rstrip("\r\n") for item in items)]
    return [part for item in items for part in _contents(item, form)]


def _from_rows(rows: list[Any]) -> pa.Table:
    """Rows as dicts: a column is whatever any of them has."""
    names = dict.fromkeys(str(name) for row in rows for name in row)
    try:
        return pa.table({name: [row.get(name) for row in rows] for name in names})
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise HoldsforError(f"these rows have a column that is not of one type: {error}.") from error


def _is_path(text: str) -> bool:
    """Whether a string in a list is meant as a path; a missing file should be told as such, not read as a line."""
    if os.path.isfile(text) or (text.strip() and os.path.isdir(text)):
        return True
    return text.endswith(_FILE_ENDINGS) and "|" not in text and "@" not in text


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
    """The Parquet files of a folder and those below it; where there are none, files of the other kinds."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not _is_hidden(p.relative_to(folder)))
    for endings in ((".parquet",), _TABLE_ENDINGS):
        if paths := [path for path in files if not set(endings).isdisjoint(path.suffixes)]:
            return paths
    raise HoldsforError(
        f"no event files in {folder}: looked for .parquet, {', '.join(_TABLE_ENDINGS)}. Name the files."
    )


def _is_hidden(path: Path) -> bool:
    """What Spark and others leave behind while they write: _temporary, .part.crc."""
    return any(name.startswith((".", "_")) for name in path.parts)


def _checked(part: Content, form: str) -> str:
    if form != "columns" and (is_table(part) or _is_json(part)):
        raise HoldsforError(f"{_shown(part)} has columns: its format is 'columns', not {form!r}.")
    return form


def is_table(part: Content) -> bool:
    """Whether it has typed columns."""
    return isinstance(part, pa.Table) or (isinstance(part, Path) and (".parquet" in part.suffixes or _is_arrow(part)))


def _is_arrow(path: Path) -> bool:
    return path.suffix in ARROW_ENDINGS


def _is_json(part: Content) -> bool:
    """By the name of a file; lines are JSON if they begin like it."""
    if isinstance(part, Path):
        return not set(JSON_ENDINGS).isdisjoint(part.suffixes)
    return isinstance(part, tuple) and _first_line(part).lstrip().startswith("{")


def _shown(part: Content) -> str:
    return str(part) if isinstance(part, Path) else "the table" if isinstance(part, pa.Table) else "these lines"


def _first_line(part: Path | tuple[str, ...]) -> str:
    """The first line that is not blank."""
    if isinstance(part, tuple):
        return next((line for line in part if line.strip()), "")
    with open_text(part) as stream:
        first = next((line for line in stream if line.strip()), b"")
    return first.decode("utf-8", "replace").removeprefix("\ufeff")


def _bytes(lines: tuple[str, ...]) -> bytes:
    """Half characters pass through; they are no UTF-8, so that their lines are refused."""
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


def _text_lines(path: Path) -> list[str]:
    return b"".join(chunks(path)).decode("utf-8", "surrogateescape").removeprefix("\ufeff").splitlines()
