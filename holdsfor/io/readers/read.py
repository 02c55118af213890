"""Reads events: from files, lines of text, Arrow tables and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.columns import blocks_from_table, check_mapping, check_names
from holdsfor.io.readers.csv_files import csv_events
from holdsfor.io.readers.fields import chunks, open_text
from holdsfor.io.readers.files import parquet_events
from holdsfor.io.readers.mapping import Mapping, as_mapping, did_you_mean
from holdsfor.io.readers.rtec import read_rtec
from holdsfor.io.readers.terms import read_terms
from holdsfor.language.description import Input

FORMATS = ("rtec", "columns", "terms")
_FILE_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".zst", ".parquet")


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where events are, not yet read: what a row means depends on the description that reads it."""

    parts: tuple[Path | pa.Table | tuple[str, ...], ...]  # files, tables, lines of text
    formats: tuple[str, ...]  # one per part
    mapping: Mapping

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, for readers that share them out; () if any part is in memory."""
        files = tuple(part for part in self.parts if isinstance(part, Path))
        return files if len(files) == len(self.parts) else ()

    def read(self, inputs: Sequence[Input]) -> Events:
        """All events that the inputs of a description can use."""
        if "columns" in self.formats:
            check_mapping(self.mapping, inputs)
        return join_events(
            self._read_part(part, form, inputs) for part, form in zip(self.parts, self.formats, strict=True)
        )

    def _read_part(self, part: Path | pa.Table | tuple[str, ...], form: str, inputs: Sequence[Input]) -> Events:
        source = str(part) if isinstance(part, Path) else "<table>" if isinstance(part, pa.Table) else "<lines>"
        if isinstance(part, pa.Table):
            return blocks_from_table(part, self.mapping, inputs, source)
        if form == "rtec":
            return read_rtec(chunks(part) if isinstance(part, Path) else [_bytes(part)], inputs, source)
        if form == "terms":
            return read_terms(_text_lines(part) if isinstance(part, Path) else part, inputs, source)
        if isinstance(part, Path) and ".parquet" in part.suffixes:
            return parquet_events(part, self.mapping, inputs)
        return csv_events(part if isinstance(part, Path) else _bytes(part), self.mapping, inputs, source)


def read_events(
    source: Any, format: str | None = None, mapping: Mapping | AnyMapping[str, Any] | str | Path | None = None
) -> EventSource:
    """Events from a path, several, a folder or pattern of Parquet files, lines of text, an Arrow table or a data frame.

    format: 'rtec', 'columns' or 'terms'; guessed where it is clear. mapping: which column is which, for 'columns'
    (a Mapping, a dict, or the path of a TOML file).
    """
    if format is not None and format not in FORMATS:
        raise HoldsforError(f"unknown format {format!r}.{did_you_mean(format, FORMATS)} Formats: {', '.join(FORMATS)}.")
    parts = tuple(_parts(source, format))
    if not parts:
        raise HoldsforError("there are no events to read: the list of sources is empty.")
    formats = tuple(_checked(part, format or guess_format(part)) for part in parts)
    return EventSource(parts, formats, as_mapping(mapping))


def as_source(events: Any, format: str | None = None, mapping: Any = None) -> EventSource:
    """Events as `read_events` gives them, or whatever it takes."""
    if not isinstance(events, EventSource):
        return read_events(events, format, mapping)
    if format is not None or mapping is not None:
        raise HoldsforError("these events have format and mapping from read_events already: give them there only.")
    return events


def guess_format(part: Path | pa.Table | tuple[str, ...]) -> str:
    """The format of a part, where name and first line make it clear."""
    if isinstance(part, pa.Table) or (isinstance(part, Path) and ".parquet" in part.suffixes):
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
    raise HoldsforError(f"cannot tell the format of {_shown(part)}. Say which: format='rtec', 'columns' or 'terms'.")


def _parts(source: Any, form: str | None) -> Iterable[Path | pa.Table | tuple[str, ...]]:
    if isinstance(source, EventSource):
        raise HoldsforError("these events are read already: pass them to recognise(description, events).")
    if isinstance(source, str | os.PathLike):
        return _files(str(os.fspath(source)))
    if isinstance(source, pa.Table | pa.RecordBatch):
        return [source if isinstance(source, pa.Table) else pa.Table.from_batches([source])]
    if hasattr(source, "collect") and not hasattr(source, "__arrow_c_stream__"):  # a Polars LazyFrame
        source = source.collect()
    if type(source).__module__.partition(".")[0] == "pandas":
        return [_from_pandas(source)]
    if hasattr(source, "__arrow_c_stream__"):
        return [pa.table(source)]
    if isinstance(source, Iterable) and not isinstance(source, bytes | AnyMapping):
        return _several(list(source), form)
    given = type(source).__name__
    raise HoldsforError(f"cannot read events from {given}. Give paths, lines, an Arrow table or a data frame.")


def _from_pandas(frame: Any) -> pa.Table:
    check_names([str(name) for name in getattr(frame, "columns", ())])
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise HoldsforError(
            f"the data frame has a column that is not of one type: {' '.join(map(str, error.args))}. "
            "Make it one: frame[column].astype(str), or pandas.to_numeric."
        ) from error


def _several(items: list[Any], form: str | None) -> Iterable[Path | pa.Table | tuple[str, ...]]:
    """A list holds lines of text, or sources."""
    if not items and form is not None:
        return [()]
    if items and all(isinstance(item, str) for item in items) and not any(_is_path(item) for item in items):
        return [tuple(item.rstrip("\r\n") for item in items)]
    return [part for item in items for part in _parts(item, form)]


def _is_path(text: str) -> bool:
    """Whether a string in a list is meant as a path; a missing file should be told as such, not read as a line."""
    if os.path.isfile(text) or (text.strip() and os.path.isdir(text)):
        return True
    return text.endswith(_FILE_ENDINGS) and "|" not in text and "@" not in text


def _files(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        found = sorted(p for p in path.rglob("*.parquet") if not _is_hidden(p.relative_to(path)))
        if not found:
            raise HoldsforError(f"no Parquet files in {path}. Give a folder of *.parquet files, or the files.")
        return found
    if path.is_file():
        return [path]
    if has_magic(text):
        found = sorted(Path(name) for name in glob(text, recursive=True))
        if found:
            return found
        raise HoldsforError(f"no file matches {text}.")
    if "\n" in text or "|" in text or "@" in text:
        raise HoldsforError(f"no such file: {text!r}. Lines of text are given as a list: read_events([{text!r}]).")
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise HoldsforError(f"no such file: {text}.{did_you_mean(path.name, near)}")


def _is_hidden(path: Path) -> bool:
    """What Spark and others leave behind while they write: _temporary, .part.crc."""
    return any(name.startswith((".", "_")) for name in path.parts)


def _checked(part: Path | pa.Table | tuple[str, ...], form: str) -> str:
    if form != "columns" and (isinstance(part, pa.Table) or (isinstance(part, Path) and ".parquet" in part.suffixes)):
        raise HoldsforError(f"{_shown(part)} is a table: its format is 'columns', not {form!r}.")
    return form


def _shown(part: Path | pa.Table | tuple[str, ...]) -> str:
    return str(part) if isinstance(part, Path) else "the table" if isinstance(part, pa.Table) else "these lines"


def _first_line(part: Path | tuple[str, ...]) -> str:
    """The first line that is not blank."""
    if isinstance(part, tuple):
        return next((line for line in part if line.strip()), "")
    with open_text(part) as stream:
        found = next((line for line in stream if line.strip()), b"")
    return found.decode("utf-8", "replace").removeprefix("\ufeff")


def _bytes(lines: tuple[str, ...]) -> bytes:
    """Half characters pass through; they are no UTF-8, so that their lines are refused."""
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


def _text_lines(path: Path) -> list[str]:
    with open_text(path) as stream:
        return stream.read().decode("utf-8", "surrogateescape").removeprefix("\ufeff").splitlines()
