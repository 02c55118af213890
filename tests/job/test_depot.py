"""Parcels that lie in files say the same as those that travel in rows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from holdsfor.io.columns.wire import unpack
from holdsfor.io.events import Block
from holdsfor.job.parcel_files import ALIGNMENT, Depot, collect, make_depot_folder


def block(name: str, *times: int) -> Block:
    terms = pa.array([f"v{time % 3}" for time in times]).dictionary_encode()
    start = np.array(times, np.int64)
    return Block(name, "event", (terms, pa.array([time / 2 for time in times])), None, start, None, start)


def told(lot: bytes | pa.Buffer) -> list[tuple[str, str, list[list[object]], list[int]]]:
    blocks = unpack(lot)[1]
    return [(label, b.name, [arg.to_pylist() for arg in b.args], b.start.tolist()) for label, b in blocks]


def test_each_ticket_collects_its_own_lot(tmp_path: Path) -> None:
    lots = [[("input", block("go", 1, 2, 3))], [("forward", block("stop", 4)), ("input", block("go", 5, 6))]]
    tickets = list(Depot(str(tmp_path)).leave(lots))
    first, second = map(told, map(collect, tickets))
    assert first == [("input", "go", [["v1", "v2", "v0"], [0.5, 1.0, 1.5]], [1, 2, 3])]
    assert second == [
        ("forward", "stop", [["v1"], [2.0]], [4]),
        ("input", "go", [["v2", "v0"], [2.5, 3.0]], [5, 6]),
    ]


def test_lots_lie_where_columns_can_be_read_in_place(tmp_path: Path) -> None:
    tickets = [*Depot(str(tmp_path)).leave([[("input", block("go", *range(1, n)))] for n in (2, 3, 9)])]
    assert len(tickets) == 3
    assert all(json.loads(ticket)[1] % ALIGNMENT == 0 for ticket in tickets)


def test_tasks_that_are_repeated_write_files_of_their_own(tmp_path: Path) -> None:
    depot, lots = Depot(str(tmp_path)), [[("input", block("go", 1))]]
    one, other = [*depot.leave(lots)], [*depot.leave(lots)]
    assert one != other
    assert told(collect(one[0])) == told(collect(other[0]))


def test_a_depot_is_gone_when_its_run_is_over_or_fails(tmp_path: Path) -> None:
    def fail() -> None:
        with make_depot_folder(str(tmp_path)) as folder:
            list(Depot(folder).leave([[("input", block("go", 1))]]))
            assert list(tmp_path.rglob("*.arrow"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not list(tmp_path.iterdir())


def test_a_depot_lies_in_the_first_of_the_folders_that_spark_is_told(tmp_path: Path) -> None:
    with make_depot_folder(f"{tmp_path}/one/new, {tmp_path}/two") as folder:
        assert Path(folder).parent == tmp_path / "one" / "new"
    with make_depot_folder(None) as folder:
        assert Path(folder).parent == Path(tempfile.gettempdir())
