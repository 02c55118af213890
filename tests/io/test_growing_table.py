"""A table that is written while its rows are being found."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.tables import write
from holdsfor.io.tables.write import GrowingTable

SCHEMA = pa.schema([("name", pa.string()), ("start", pa.int64())])


def rows(*starts: int) -> pa.Table:
    return pa.table({"name": [f"v{start}" for start in starts], "start": list(starts)}, SCHEMA)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "LEAST_ROWS", 3)


def test_rows_come_in_their_order_and_the_file_only_when_all_are_there(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    with GrowingTable(path, SCHEMA) as table:
        for part in (rows(4, 2), rows(), rows(9, 1), rows(5)):
            table.receive(part)
        assert not path.exists()
        table.finish()
    assert pq.read_table(path).equals(rows(4, 2, 9, 1, 5))
    assert pq.ParquetFile(path).metadata.num_row_groups == 2
    assert [each.name for each in tmp_path.iterdir()] == ["table.parquet"]


def test_groups_grow_with_the_file(tmp_path: Path) -> None:
    with GrowingTable(tmp_path / "table.parquet", SCHEMA) as table:
        for start in range(200):
            table.receive(rows(start))
        table.finish()
    file = pq.ParquetFile(tmp_path / "table.parquet")
    assert file.read().equals(rows(*range(200)))
    sizes = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    assert sizes[0] == 3
    assert len(sizes) < 40  # of three rows each there would be 67
    assert sizes[:-1] == sorted(sizes[:-1])


def test_what_was_received_before_it_began_anew_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    with GrowingTable(path, SCHEMA) as table:
        table.receive(rows(1, 2, 3))
        table.receive(rows(4))
        table.restart()
        table.receive(rows(7))
        table.finish()
    assert pq.read_table(path).equals(rows(7))


def test_no_rows_make_a_file_too(tmp_path: Path) -> None:
    with GrowingTable(tmp_path / "table.parquet", SCHEMA) as table:
        table.finish()
    assert pq.read_table(tmp_path / "table.parquet").equals(rows())


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"earlier")
    with GrowingTable(path, SCHEMA) as table:  # as it is left by an error
        table.receive(rows(1, 2, 3))
    assert [each.name for each in tmp_path.iterdir()] == ["table.parquet"]
    assert path.read_bytes() == b"earlier"


def test_what_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: GrowingTable, part: pa.Table) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(GrowingTable, "_write", fail)
    path = tmp_path / "table.parquet"
    message = r"cannot write .*table\.parquet: No space left on device\. Is there space"
    with GrowingTable(path, SCHEMA) as table:
        table.receive(rows(1, 2, 3))
        with pytest.raises(HoldsforError, match=message):
            table.finish()
    assert not list(tmp_path.iterdir())
