"""What buckets carry stays in memory between the batches of a local stream; files stay what counts after a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from holdsfor.io.storage.store import Store
from holdsfor.job.live.state.bucket_state import Holder, Memory, Remembered
from holdsfor.job.live.state.ledger import Logged
from holdsfor.job.tasks import Job
from tests.conformance.compare import differences
from tests.spark.live.breaking import Breaking, Crash, Fuse
from tests.spark.live.by_hand import ByHand
from tests.spark.live.undisturbed import SETTING, batches

LAST = len(batches()) - 1


class Counting(Store):
    """Knows the states that have been read."""

    def __init__(self, location: str) -> None:
        super().__init__(location, sync=False)
        self.bases_read: list[str] = []

    def read(self, name: str, crc: int | None = None):  # type: ignore[no-untyped-def]
        self.bases_read += [name] if "/base-" in name else []
        return super().read(name, crc)


def begin(folder: Path, remembers: bool, open: Callable[[str], Store] = Counting) -> ByHand:
    return ByHand(SETTING, folder, open=open, remembers=remembers)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> ByHand:
    """What is told where every state is read from its file."""
    live = begin(tmp_path_factory.mktemp("plain"), remembers=False)
    live.run_all(batches())
    assert isinstance(live.state, Counting)
    assert len(live.state.bases_read) >= 4  # else the tests here show nothing
    return live


def check_same(plain: ByHand, live: ByHand) -> None:
    assert not differences(plain.answer(), live.answer())
    assert all(mine.equals(other) for mine, other in zip(plain.log(), live.log(), strict=True))


def test_states_are_not_read_as_long_as_the_process_lives(plain: ByHand, tmp_path: Path) -> None:
    live = begin(tmp_path, remembers=True)
    for number, parts in enumerate(batches()):
        live.run(number, parts)
    assert isinstance(live.state, Counting)
    assert live.state.bases_read == []
    live.close()
    check_same(plain, live)


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_another_process_goes_on_from_the_files(number: int, plain: ByHand, tmp_path: Path) -> None:
    live = begin(tmp_path, remembers=True)
    for batch in range(number):
        live.run(batch, batches()[batch])
    live.restart()
    live.run_all(batches(), first=number)
    check_same(plain, live)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_after_a_batch_that_failed_the_files_count(every: int, plain: ByHand, tmp_path: Path) -> None:
    """At every write of the last batch, one in five in the quick tests: some buckets have gone on in memory by then."""
    fuse = Fuse()
    counted = begin(tmp_path / "counted", True, lambda place: Breaking(place, fuse))
    for batch in range(LAST):
        counted.run(batch, batches()[batch])
    before = len(fuse.done)
    counted.run(LAST, batches()[LAST])
    written = len(fuse.done) - before
    assert written > 8
    for at in range(0, written, every):
        check_failed_batch(plain, tmp_path / str(at), at)


def check_failed_batch(plain: ByHand, folder: Path, at: int) -> None:
    fuse = Fuse()
    live = begin(folder, True, lambda place: Breaking(place, fuse))
    for batch in range(LAST):
        live.run(batch, batches()[batch])
    fuse.at = len(fuse.done) + at
    with pytest.raises(Crash):
        live.run(LAST, batches()[LAST])
    fuse.at = None  # the same process tries again
    live.run(LAST, batches()[LAST])
    live.close()
    check_same(plain, live)


def test_only_what_an_attempt_that_counts_has_left_is_taken() -> None:
    times = SETTING.times
    assert times.start is not None
    job = Job(SETTING.program, times.windows(times.start), SETTING.router)
    remembered = Remembered(3, "a1", Holder(job, 0, 1, lasts=True).begin())
    memory = Memory()
    counts = [Logged(batch, (), range(0), 0, mark) for batch, mark in ((2, "c0"), (3, "a1"), (4, "b7"))]
    for others in ([], counts[:1], [replace(counts[1], mark="b7")], [replace(counts[1], batch=4)]):
        memory.put("stage0-1", remembered)
        assert memory.take("stage0-1", others) is None
        assert memory.take("stage0-1", counts) is None, "what was asked for in vain is out of date"
    memory.put("stage0-1", remembered)
    assert memory.take("stage1-1", counts) is None, "another bucket"
    assert memory.take("stage0-1", counts) is remembered
    assert memory.take("stage0-1", counts) is None
