"""Finding the units that make a batch fail, and keeping them."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine.data.axis import AxisFull
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.attempts import Attempts, is_poison, reason_of
from holdsfor.job.live.batch.quarantine import (
    ALONE,
    KEPT_BYTES,
    Aside,
    Skip,
    find_guilty,
    quarantine_table,
    read_by_halves,
    spans,
    take_out,
)


class Trials:
    """Fails when a unit that is guilty is not left out."""

    def __init__(self, count: int, guilty: set[int]) -> None:
        self.count, self.guilty, self.made = count, guilty, 0

    def __call__(self, left_out: Sequence[range]) -> bool:
        self.made += 1
        return all(any(unit in units for units in left_out) for unit in self.guilty)


@settings(deadline=None)
@given(st.integers(1, 300), st.data())
def test_exactly_the_guilty_are_found(count: int, data: st.DataObject) -> None:
    guilty = data.draw(st.sets(st.integers(0, count - 1), max_size=ALONE))
    trials = Trials(count, guilty)
    found = find_guilty(count, trials)
    assert found is not None
    assert sorted(unit for units in found for unit in units) == sorted(guilty)
    assert trials.made <= 2 + len(guilty) * (log2(count) + 2)


def test_many_guilty_take_ever_larger_ranges() -> None:
    trials = Trials(1 << 16, set(range(1 << 16)))
    found = find_guilty(1 << 16, trials)
    assert found is not None
    assert {unit for units in found for unit in units} == set(range(1 << 16))
    assert trials.made < 500


def test_units_that_fail_only_together() -> None:
    found = find_guilty(100, lambda left_out: any(3 in units or 70 in units for units in left_out))
    assert found == (range(70, 71),)


def test_what_fails_without_any_unit_has_no_guilty() -> None:
    assert find_guilty(100, lambda left_out: False) is None
    assert find_guilty(0, lambda left_out: False) is None
    assert find_guilty(100, lambda left_out: True) == ()


def test_units_are_counted_through_all_partitions() -> None:
    assert list(spans([3, 0, 4], range(2, 5))) == [(0, 2, 3), (2, 0, 2)]
    assert list(spans([3, 0, 4], range(7))) == [(0, 0, 3), (2, 0, 4)]


@settings(deadline=None)
@given(st.integers(0, 20), st.integers(1, 30), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=4))
def test_rows_are_taken_out_by_their_numbers(size: int, row: int, ranges: list[tuple[int, int]]) -> None:
    table = pa.table({"n": list(range(row, row + size))})
    skips = [Skip(0, first, first + length, "bad", 3) for first, length in ranges]
    kept, aside = take_out(table, row, skips)
    out = {number + 1 for skip in skips for number in range(skip.first, skip.stop)}
    assert [n for first, piece in kept for n in piece["n"].to_pylist()] == [
        n for n in table["n"].to_pylist() if n not in out
    ]
    assert [n for piece in aside for n in piece.table["n"].to_pylist()] == [
        n for n in table["n"].to_pylist() if n in out
    ]
    for first, piece in [*kept, *((piece.row, piece.table) for piece in aside)]:
        assert piece["n"].to_pylist() == list(range(first, first + piece.num_rows))


@settings(deadline=None)
@given(st.integers(1, 60), st.data())
def test_halves_are_read_down_to_the_rows_at_fault(size: int, data: st.DataObject) -> None:
    bad = data.draw(st.sets(st.integers(1, size), max_size=5))

    def read(table: pa.Table, row: int) -> list[int]:
        numbers: list[int] = table["n"].to_pylist()
        assert numbers == list(range(row, row + len(numbers)))
        if bad & set(numbers):
            raise ValueError("poison")
        return numbers

    aside: list[Aside] = []
    read_rows = read_by_halves(read, pa.table({"n": list(range(1, size + 1))}), 1, aside)
    assert [n for piece in read_rows for n in piece] == [n for n in range(1, size + 1) if n not in bad]
    assert [(piece.row, piece.table.num_rows, piece.reason) for piece in aside] == [
        (n, 1, "ValueError: poison") for n in sorted(bad)
    ]


@pytest.mark.parametrize("error", [HoldsforError("a wrong setting"), OSError("disk full"), MemoryError()])
def test_what_is_no_fault_of_a_row_is_raised(error: Exception) -> None:
    def read(table: pa.Table, row: int) -> None:
        raise error

    with pytest.raises(type(error)):
        read_by_halves(read, pa.table({"n": [1, 2]}), 1, [])


def test_a_reader_that_always_fails_is_not_the_fault_of_rows() -> None:
    def read(table: pa.Table, row: int) -> None:
        raise TypeError("a bug")

    with pytest.raises(TypeError, match="a bug"):
        read_by_halves(read, pa.table({"n": list(range(1000))}), 1, [])


def test_the_quarantine_keeps_the_row_itself() -> None:
    row = pa.table({"id": ["m1", "m2"], "payload": [b"\xff\x00", b"x" * (KEPT_BYTES + 5)], "received": [5, 6]})
    first, second = quarantine_table([Aside(row, 7, "because \ud800", 3)], "<batch 1, partition 0>").to_pylist()
    assert (first["row"], second["row"], first["reason"], first["attempts"]) == (7, 8, "because \\ud800", 3)
    kept = [pa.ipc.open_stream(found["data"]).read_all().to_pylist()[0] for found in (first, second)]
    assert kept[0] == {"id": b"m1", "payload": b"\xff\x00", "received": 5}
    assert len(kept[1]["payload"]) == KEPT_BYTES


def test_attempts_are_remembered_when_the_process_ends(tmp_path: Path) -> None:
    store = Store(tmp_path, sync=False)
    for died in range(3):  # each process dies in its first batch
        assert Attempts.resume(store, 4).failed == died
    attempts = Attempts.resume(store, 4)
    attempts.forget()
    assert Attempts.resume(store, 4).failed == 0
    assert Attempts.resume(store, 5).failed == 0


def test_a_trial_that_ends_the_process_twice_has_failed(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def dies() -> bool:
        raise Killed

    store = Store(tmp_path, sync=False)
    for _ in range(2):
        with pytest.raises(Killed):
            Attempts.resume(store, 4).trial("read 0-3", dies)
    attempts = Attempts.resume(store, 4)
    assert attempts.trial("read 0-3", dies) is False
    assert attempts.trial("read 0-2", lambda: True) is True
    assert Attempts.resume(store, 4).trial("read 0-2", dies) is True  # known from before


def spark_error(text: str) -> Exception:
    from pyspark.errors import PythonException

    return PythonException(text)


TRACEBACK = "Traceback (most recent call last):\n  File x\n"


@pytest.mark.parametrize(
    ("error", "poison"),
    [
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), True),
        (RecursionError(), True),
        (MemoryError(), True),
        (pa.ArrowInvalid("overflow"), True),
        (AxisFull(5, 60, 3), True),
        (HoldsforError("no such column"), False),
        (OSError(28, "No space left on device"), False),
        (ConnectionResetError(), False),
        (spark_error(f"{TRACEBACK}ValueError: no\n"), True),
        (spark_error(f"{TRACEBACK}OSError: [Errno 28] No space left on device\n"), False),
        (spark_error(f"{TRACEBACK}FileNotFoundError: gone\n"), False),
        (spark_error("Python worker exited unexpectedly (crashed)"), True),
        (spark_error("Job 3 cancelled because SparkContext was shut down"), False),
    ],
)
def test_what_may_be_poison(error: Exception, poison: bool) -> None:
    assert is_poison(error) == poison


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no\nmore"), "ValueError: no"),
        (ValueError("x" * 9000), "ValueError: " + "x" * 488),
        (
            spark_error(f"Please see below.\n{TRACEBACK}pyarrow.lib.ArrowIndexError: 3\n\n\tat org.x"),
            "pyarrow.lib.ArrowIndexError: 3",
        ),
        (spark_error("Python worker exited unexpectedly (crashed)\n\tat org.x"), "the worker process died"),
    ],
)
def test_the_reason_is_one_line(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason


def test_a_fault_of_the_machine_is_no_trial(tmp_path: Path) -> None:
    def full() -> bool:
        raise OSError("disk full")

    attempts = Attempts(Store(tmp_path, sync=False), 4)
    for _ in range(3):
        with pytest.raises(OSError, match="disk full"):
            attempts.trial("read", full)
    assert attempts.trial("read", lambda: True) is True
