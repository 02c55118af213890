"""A file format is a module and a line in one table: all that read files learn of it from there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io import EVENT_FORMATS
from holdsfor.io.events import Events
from holdsfor.io.readers import formats
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.facts import read_facts
from holdsfor.io.readers.formats import FORMATS, FileFormat
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.read import read_events
from holdsfor.job.parts import parts_of
from holdsfor.language.description import Input
from tests.io.expect import block, inputs

ONE = inputs("event e/1")


def read_spaced(path: Path, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    return blocks_from_table(read_spaced_table(path), mapping, inputs, source, untyped=True)


def read_spaced_table(path: Path) -> pa.Table:
    """Columns between blanks, under their names."""
    names, *rows = (line.split() for line in path.read_text().splitlines())
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.fixture
def spaced(monkeypatch: pytest.MonkeyPatch) -> None:
    added = FileFormat("columns", read_spaced, (".blanks",), is_certain=True, read_facts=read_spaced_table)
    monkeypatch.setattr(formats, "FORMATS", (*FORMATS, added))


@pytest.mark.usefixtures("spaced")
def test_one_line_of_the_table_is_enough_for_all_readers(tmp_path: Path) -> None:
    path = tmp_path / "e.blanks"
    path.write_text("event time arg1\ne 1 a\ne 2 b\n")
    for source in (path, [path], str(tmp_path), [str(path)], str(tmp_path / "*.blanks")):
        assert block(read_events(source).read(ONE), "e").start.tolist() == [1, 2]
    (part,) = parts_of(read_events(path))
    assert block(part.read(ONE), "e").args[0].to_pylist() == ["a", "b"]
    (tmp_path / "kinds.blanks").write_text("vessel kind\nv1 tug\n")
    facts = read_facts("kind", tmp_path / "kinds.blanks")
    assert [column.to_pylist() for column in facts.columns] == [["v1"], ["tug"]]
    with pytest.raises(HoldsforError, match=r"has columns: its format is 'columns', not 'rtec'"):
        read_events(path, format="rtec")


def test_without_the_line_the_file_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "e.blanks"
    path.write_text("event time arg1\ne 1 a\n")
    with pytest.raises(HoldsforError, match=r"Say which: format='rtec', 'columns', 'terms', 'drtec' or 'etalis'\."):
        holdsfor.read_events(path)
    with pytest.raises(HoldsforError, match=r"looked for \.parquet, \.csv, .*\.json, \.stream\. Name the files\."):
        holdsfor.read_events(tmp_path)


def test_users_have_a_name_for_each_format() -> None:
    assert {form.name for form in FORMATS} == set(EVENT_FORMATS)


def test_no_two_formats_have_the_same_ending() -> None:
    endings = [ending for form in FORMATS for ending in form.endings]
    assert len(set(endings)) == len(endings)
