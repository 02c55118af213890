"""A process that ends at any write or delete of any batch, or finds the disk full there, and is started again.

This is SIGKILL at every place that matters, since only what is on disk outlives a process.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.language import parse
from tests.conformance.compare import differences
from tests.conformance.engines import LOCAL
from tests.spark.live.breaking import Breaking, Crash, Fuse
from tests.spark.live.by_hand import ByHand
from tests.spark.live.party import PAIRS
from tests.spark.live.undisturbed import WINDOWS, Known, Recorder, Steps, Undisturbed


def copied(plain: Undisturbed) -> Steps:
    """With a sink of its own, which has had what came before."""
    return replace(plain.steps, sink=Recorder(dict(plain.steps.sink.got)))


def operations(plain: Undisturbed, number: int, folder: Path, full: bool = False) -> list[str]:
    """What a step writes and deletes, in order."""
    fuse, steps = Fuse(full=full), copied(plain)
    live = steps.live(steps.copy(number, folder), lambda place: Breaking(place, fuse))
    steps.step(live, number)
    return fuse.done


def broken(plain: Undisturbed, number: int, folder: Path, *fuses: Fuse) -> tuple[Steps, ByHand]:
    """The step is interrupted, once or more; then it is done again."""
    steps = copied(plain)
    steps.copy(number, folder)
    for fuse in fuses:
        live = steps.live(folder, lambda place, fuse=fuse: Breaking(place, fuse))  # type: ignore[misc]
        with pytest.raises((Crash, HoldsforError)) as caught:
            steps.step(live, number)
        assert not fuse.full or "disk is full" in str(caught.value)
    live = steps.live(folder)
    steps.step(live, number)
    return steps, live


def check_the_end(plain: Undisturbed, steps: Steps, live: ByHand, after: int) -> None:
    steps.finish(live, after + 1)
    assert not plain.known[-1].differences(Known.of(live))
    assert steps.sink.got.keys() == plain.steps.sink.got.keys()


def left(live: ByHand) -> list[str]:
    """Files of state that the last batch does not name, and unfinished ones."""
    last = live.stream.ledger.last()
    assert last is not None
    named = {file.name for file in last.state.files}
    return [name for name in live.state._listed("state/") if name not in named]


def test_the_undisturbed_stream_is_right(plain: Undisturbed) -> None:
    rows = [row for parts in plain.steps.batches for part in parts for row in part]
    tables = plain.known[-1].tables
    assert not differences(LOCAL[0].recognise(parse(PAIRS), rows, WINDOWS), tables)
    assert [commit.counts["query_times"] for commit in plain.commits] == [1, 0, 3, 0, 5, 1]
    assert sum(map(len, tables.intervals.values())) > 40
    assert len(plain.steps.sink.got) > 10


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", range(6))
def test_the_process_ends_at_any_operation(number: int, every: int, plain: Undisturbed, tmp_path: Path) -> None:
    """What the commit says after it (and with that every byte of the state), tables, log and sink are the same.

    every: the quick tests try one operation in four, beginning elsewhere in each batch.
    """
    todo = operations(plain, number, tmp_path / "whole")
    assert len(todo) > 5
    for at in range(number % every, len(todo), every):
        steps, live = broken(plain, number, tmp_path / str(at), Fuse(at))
        assert not plain.known[number].differences(Known.of(live)), todo[at]
        if at % 10 == number:
            check_the_end(plain, steps, live, number)
        assert not left(live), todo[at]


@pytest.mark.parametrize("every", [8, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", range(6))
def test_the_disk_is_full_at_any_write(number: int, every: int, plain: Undisturbed, tmp_path: Path) -> None:
    todo = operations(plain, number, tmp_path / "whole", full=True)
    for at in range(number % every, len(todo), every):
        _, live = broken(plain, number, tmp_path / str(at), Fuse(at, full=True))
        assert not plain.known[number].differences(Known.of(live)), todo[at]


@pytest.mark.parametrize("seed", range(6))
def test_the_process_ends_again_and_again(seed: int, plain: Undisturbed, tmp_path: Path) -> None:
    random, count = Random(seed), len(operations(plain, seed, tmp_path / "whole"))
    fuses = [Fuse(random.randrange(count // 2)) for _ in range(3)]
    check_the_end(plain, *broken(plain, seed, tmp_path / "broken", *fuses), seed)


def test_a_batch_that_the_full_disk_stopped_does_not_count(plain: Undisturbed, tmp_path: Path) -> None:
    steps = copied(plain)
    live = steps.live(steps.copy(2, tmp_path / "full"), lambda place: Breaking(place, Fuse(3, full=True)))
    with pytest.raises(HoldsforError, match=r"cannot write .*The disk is full: make space, then start again"):
        steps.step(live, 2)
    now = steps.live(tmp_path / "full")
    assert not differences(steps.live(steps.before(2)).answer(), now.answer())
    last = now.stream.ledger.last()
    assert last is not None
    assert last.batch == 1


def test_a_failed_batch_may_be_repeated_by_the_same_driver(plain: Undisturbed, tmp_path: Path) -> None:
    """The caller may try again without starting anew."""
    steps = copied(plain)
    fuse = Fuse(6, full=True)
    live = steps.live(steps.copy(2, tmp_path / "full"), lambda place: Breaking(place, fuse))
    with pytest.raises(HoldsforError):
        steps.step(live, 2)
    fuse.at = None
    steps.step(live, 2)
    assert not plain.known[2].differences(Known.of(live))
