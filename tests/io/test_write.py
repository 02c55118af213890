"""Results on disk."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.tables.write import write_tables

INTERVALS = pa.table(
    {
        "fluent": ["near", "idle"],
        "args": pa.array([["v1", "'Two, \"words\"'"], []], pa.list_(pa.string())),
        "value": ["true", "7.0"],
        "start": [1, 2],
        "end": pa.array([5, None], pa.int64()),
    }
)


def test_parquet_and_metrics(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    written = write_tables({"intervals": INTERVALS}, folder, metrics={"rows": 2})
    assert written == [folder / "intervals.parquet", folder / "metrics.json"]
    assert pq.read_table(folder / "intervals.parquet").equals(INTERVALS)
    assert json.loads((folder / "metrics.json").read_text()) == {"rows": 2}
    assert sorted(p.name for p in folder.iterdir()) == ["intervals.parquet", "metrics.json"]


def test_csv_has_the_arguments_as_a_prolog_list_and_open_ends_empty(tmp_path: Path) -> None:
    write_tables({"intervals": INTERVALS}, tmp_path, format="csv")
    with (tmp_path / "intervals.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["fluent", "args", "value", "start", "end"],
            ["near", "[v1,'Two, \"words\"']", "true", "1", "5"],
            ["idle", "[]", "7.0", "2", ""],
        ]


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables({"intervals": INTERVALS}, tmp_path)

    def half(table: pa.Table, file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", half)
    with pytest.raises(HoldsforError, match=r"cannot write .*intervals\.parquet: No space left on device"):
        write_tables({"intervals": INTERVALS.slice(1)}, tmp_path)
    assert pq.read_table(tmp_path / "intervals.parquet").equals(INTERVALS)
    assert [p.name for p in tmp_path.iterdir()] == ["intervals.parquet"]


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    for folder in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(HoldsforError, match=r"is, or lies in, a file\. Give another folder"):
            write_tables({"intervals": INTERVALS}, folder)


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(HoldsforError, match=r"Permission denied\. Give a folder that you may write to"):
        write_tables({"intervals": INTERVALS}, tmp_path)


def test_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="cannot write format 'xml'"):
        write_tables({"intervals": INTERVALS}, tmp_path, format="xml")
