"""The formats of events: a module reads each, and a line of `FORMATS` says what others need to know of it.

The command line, readers of events and of facts, streams of files and tasks that share a file out ask this table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io import EVENT_FORMATS, EventFormat
from holdsfor.io.events import Events
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.fields import first_line
from holdsfor.io.readers.formats import csv_files, drtec, etalis, json_lines, parquet, rtec, terms
from holdsfor.io.readers.mapping import Mapping, did_you_mean
from holdsfor.language.description import Input

SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")

ReadLines = Callable[[pa.Array, Sequence[Input], str], Events]  # a column of lines
Content: TypeAlias = Path | pa.Table | tuple[str, ...]
"""A file, a table, or lines of text."""


class Pieces(NamedTuple):
    """Functions of a format whose files can be read in pieces, such as row groups."""

    count_rows: Callable[[Path], list[int]]
    read: Callable[[Path, Sequence[int], Mapping, Sequence[Input], str, int], Events]
    read_first_rows: Callable[[Path, int, Mapping, Sequence[Input], str, int], Events]
    time_span: Callable[[Path, Mapping, Sequence[Input]], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How a format is recognised, and what reads it.

    name: what users call it; all files with columns are 'columns'. is_certain: its endings, or the opening of lines in
    memory, tell it; otherwise one of the marks in the first line does. is_packed: a file has fewer bytes than its text.
    """

    name: EventFormat
    read: Callable[[Any, Mapping, Sequence[Input], str], Events]
    endings: tuple[str, ...] = ()
    is_certain: bool = False
    opening: str = ""
    marks: tuple[str, ...] = ()
    is_typed: bool = False
    is_packed: bool = False
    pieces: Pieces | None = None
    read_facts: Callable[[Path], pa.Table] | None = None
    read_lines: ReadLines | None = None

    def fits(self, path: Path) -> bool:
        return not set(self.endings).isdisjoint(path.suffixes)


PARQUET = FileFormat(
    "columns",
    parquet.read_parquet,
    (".parquet",),
    is_certain=True,
    is_typed=True,
    is_packed=True,
    pieces=Pieces(parquet.count_rows, parquet.read_groups, parquet.read_first_rows, parquet.time_span),
    read_facts=parquet.read_table,
)
TABLE = FileFormat("columns", blocks_from_table, is_certain=True, is_typed=True)  # in memory
CSV = FileFormat("columns", csv_files.read_csv, (".csv", ".tsv"), read_facts=csv_files.read_table)
FORMATS = (
    PARQUET,
    CSV,
    FileFormat("columns", parquet.read_feather, (".feather", ".arrow", ".ipc"), is_certain=True, is_typed=True),
    FileFormat("columns", json_lines.read_json_lines, (".jsonl", ".ndjson", ".json"), is_certain=True, opening="{"),
    FileFormat("drtec", drtec.read_drtec, marks=("happensAt,", "holdsFor,"), read_lines=drtec.read_lines),
    FileFormat("rtec", rtec.read_rtec, marks=("|",), read_lines=rtec.read_lines),
    FileFormat("terms", terms.read_terms, marks=("@",), read_lines=terms.read_lines),
    FileFormat("etalis", etalis.read_etalis, (".stream",), is_certain=True, opening="event("),
)


def check_format(name: str) -> None:
    """Refuse a name that no format has."""
    if name not in EVENT_FORMATS:
        hint = did_you_mean(name, EVENT_FORMATS)
        raise HoldsforError(f"unknown format {name!r}.{hint} Formats: {', '.join(EVENT_FORMATS)}.")


def endings_but_parquet() -> tuple[str, ...]:
    """Return the endings of files that are read from a folder without Parquet."""
    return tuple(ending for form in FORMATS if form is not PARQUET for ending in form.endings)


def recognise_format(content: Content) -> FileFormat | None:
    """Return the format that a file's name, or the opening of lines, tells for certain."""
    if isinstance(content, pa.Table):
        return TABLE
    certain = [form for form in FORMATS if form.is_certain]
    if isinstance(content, Path):
        return next((form for form in certain if form.fits(content)), None)
    opening = first_line(content).lstrip()
    return next((form for form in certain if form.opening and opening.startswith(form.opening)), None)


def guess_format(content: Content) -> EventFormat:
    """Return the name of the format that a content's name and first line make clear."""
    certain = recognise_format(content)
    if certain is not None or isinstance(content, pa.Table):
        return "columns"
    first = first_line(content)
    if not first.strip():  # no format can go wrong
        return "rtec"
    fitting = [form for form in FORMATS if isinstance(content, Path) and form.fits(content)]
    for form in [form for form in FORMATS if any(mark in first for mark in form.marks)] + fitting:
        return form.name
    if isinstance(content, Path) and content.suffix.lower() in SPREADSHEETS:
        raise HoldsforError(
            f"{content} is a spreadsheet: save it as CSV, or give the frame of pandas.read_excel('{content}')."
        )
    *names, last = map(repr, EVENT_FORMATS)
    names_text = f"{', '.join(names)} or {last}"
    raise HoldsforError(f"cannot tell the format of {show_content(content)}. Say which: format={names_text}.")


def name_format(content: Content, name: str | None) -> str:
    """Return the name of a content's format: the one that a user gives, if it fits."""
    if name is None:
        return guess_format(content)
    certain = recognise_format(content)
    if certain is not None and name != certain.name:
        raise HoldsforError(f"{show_content(content)} has columns: its format is 'columns', not {name!r}.")
    return name


def find_format(content: Content, name: str) -> FileFormat:
    """Return the format of a content that is called so: columns in files of no other kind are CSV."""
    check_format(name)
    return next((form for form in FORMATS if form.name == name != "columns"), recognise_format(content) or CSV)


def line_reader(name: str) -> ReadLines:
    """Return the reader of a column of lines in a format."""
    check_format(name)
    for form in FORMATS:
        if form.name == name and form.read_lines:
            return form.read_lines
    raise HoldsforError(
        f"the format {name!r} is for whole files: a line of it says nothing by itself. Use holdsfor run."
    )


def facts_reader(path: Path) -> tuple[Callable[[Path], pa.Table], bool]:
    """Return the reader of a file of facts, CSV if it is of no other kind, and whether its columns have types."""
    readers = [(form.read_facts, form.is_typed) for form in FORMATS if form.read_facts and form.fits(path)]
    return readers[0] if readers else (csv_files.read_table, False)


def show_content(content: Content) -> str:
    """Name a content in a message."""
    if isinstance(content, Path):
        return str(content)
    return "the table" if isinstance(content, pa.Table) else "these lines"
