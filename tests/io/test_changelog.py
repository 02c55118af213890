"""The change log on disk: what is committed counts, compaction changes nothing, a crash at any step loses nothing."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.errors import HoldsforError
from holdsfor.io.storage import changelog
from holdsfor.io.storage.changelog import (
    changes_name,
    commit_name,
    committed,
    compactions,
    occurrence_changes_name,
    part_of,
    read_changes,
    read_current,
)
from holdsfor.io.storage.compaction import Compacted, CompactPart, clean, compact_part, finish_compaction
from holdsfor.io.storage.compaction import plan_compaction as plan
from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG, fold_intervals
from holdsfor.io.storage.store import Data, Store, Written
from tests.io.change_logs import POINTS, Point, Steps, World, as_points, as_world, interval_logs, occurrence_logs, steps

PARTS = ("entity-0", "entity-1")
NAMES = ("near", "idle", "alarm", "gap")
WORLDS: list[World] = [
    {("near", ("v1",), "true", 1): None, ("near", ("v2",), "true", 2): 5},
    {("near", ("v1",), "true", 1): 9},
    {("near", ("v1",), "true", 1): 8, ("idle", (), "true", 3): None},
    {("idle", (), "true", 3): None, ("near", ("v2",), "true", 2): 6},
]


class Crash(Exception):
    pass


class Breaking(Store):
    """Fails at the given step; steps are writes and deletions."""

    def __init__(self, location: str, at: int) -> None:
        super().__init__(location, sync=False)
        self.left = at

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Crash

    def write(self, name: str, data: Data) -> Written:
        self._step()
        return super().write(name, data)

    def delete(self, name: str) -> None:
        self._step()
        super().delete(name)

    def delete_tree(self, prefix: str) -> None:
        self._step()
        super().delete_tree(prefix)


@contextmanager
def new_store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        yield Store(folder, sync=False)


def part_for(row: dict[str, Any]) -> str:
    return PARTS[len(row["args"]) % 2]


def write(store: Store, batch: int, log: pa.Table, commit: dict[str, Any] | None = None) -> None:
    """One batch: a part where there are rows for it."""
    rows = log.to_pylist()
    name = changes_name if "fluent" in log.column_names else occurrence_changes_name
    for part in PARTS:
        chosen = log.filter(pa.array([part_for(row) == part for row in rows], pa.bool_()))
        if len(chosen):
            store.write_table(name(batch, part), chosen)
    if commit is not None:
        store.write_record(commit_name(batch), commit)


def compact(store: Store, upto: int, settled: int | None = None, names: Sequence[str] = NAMES) -> None:
    """settled: up to when, for all these names."""
    cuts = {} if settled is None else dict.fromkeys(names, settled)
    finish_compaction(store, upto, [compact_part(store, task) for task in plan(store, upto, cuts)])


def current(store: Store) -> World:
    return as_world(read_current(store)[0])


def test_a_batch_counts_when_it_is_committed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert [len(table) for table in (*read_current(store), *read_changes(store))] == [0, 0, 0, 0]
    logs = interval_logs(WORLDS)
    write(store, 0, logs[0], {})
    write(store, 1, logs[1])
    assert current(store) == WORLDS[0]
    assert committed(store) == [0]
    store.write_record(commit_name(1), {})
    assert current(store) == WORLDS[1]
    assert read_changes(store)[0].num_rows == len(logs[0]) + len(logs[1])
    assert read_changes(store)[0].schema == INTERVAL_LOG
    assert read_changes(store)[1].schema == OCCURRENCE_LOG


def test_a_commit_that_lists_its_files_leaves_out_those_of_an_earlier_attempt(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, other = interval_logs(WORLDS[:1])[0], interval_logs([{("idle", (), "true", 1): None}])[0]
    assert set(map(part_for, other.to_pylist())) == {PARTS[0]}
    assert set(map(part_for, first.to_pylist())) == {PARTS[1]}
    write(store, 0, other)  # killed before it was committed; done again, the batch has no such file
    written = store.write_table(changes_name(0, PARTS[1]), first)
    store.write_record(commit_name(0), {"files": [[written.name, written.size, written.crc]]})
    assert current(store) == WORLDS[0]
    compact(store, 0)
    assert current(store) == WORLDS[0]
    assert store.names("changes/") == [f"changes/batch=0000000/merged-{PARTS[1]}.parquet"]


@settings(max_examples=25, deadline=None)
@given(
    steps(5),
    st.lists(st.sets(POINTS, max_size=4), min_size=5, max_size=5),
    st.sets(st.integers(0, 4)),
    st.none() | st.integers(0, 9),
)
def test_compaction_changes_nothing_that_is_read(
    run: Steps, points: list[set[Point]], compacted: set[int], settled: int | None
) -> None:
    """Even if something that was said to be settled changes after all."""
    with new_store() as store:
        told = pa.concat_tables([INTERVAL_LOG.empty_table(), *run.logs])
        for batch, (log, occurrences) in enumerate(zip(run.logs, occurrence_logs(points), strict=False)):
            write(store, batch, occurrences)
            write(store, batch, log, {})
            if batch in compacted:
                compact(store, batch, settled)
            intervals, happened = read_current(store)
            assert as_world(intervals) == run.worlds[batch]
            assert as_points(happened) == points[batch]
        changes, _ = read_changes(store)
        assert sorted(map(str, changes.to_pylist())) == sorted(map(str, told.to_pylist()))
        assert fold_intervals(changes).num_rows == read_current(store)[0].num_rows


def test_compaction_leaves_few_files(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for batch in range(100):
        write(store, batch, interval_logs([WORLDS[0]])[0], {})
        if batch % 10 == 9:
            compact(store, batch)
    assert len(store.names("changes/")) == 10
    assert store.names("current/") == ["current/upto=0000099/entity-1.parquet"]
    assert len(list((tmp_path / "changes").iterdir())) == 10
    assert committed(store) == list(range(80, 100))


def test_commits_stay_until_their_log_is_compacted(tmp_path: Path) -> None:
    store = Store(tmp_path, sync=False)
    worlds: list[World] = [{("near", ("v1",), "true", n): None} for n in range(60)]
    for batch, log in enumerate(interval_logs(worlds)):
        write(store, batch, log, {})
    compact(store, 10)
    assert committed(store) == list(range(11, 60))
    assert current(store) == worlds[-1]
    assert len(read_changes(store)[0]) == 119


def test_what_is_settled_is_written_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    worlds: list[World] = []
    for batch in range(10):
        world: World = {("near", ("v1",), "true", n): n + 5 for n in range(batch + 1)}
        worlds.append(world | {("near", ("v1",), "true", 50): None})
    for batch, log in enumerate(interval_logs(worlds)):
        write(store, batch, log, {})
        compact(store, batch, settled=batch + 4)
    rows = [len(store.read_table(name)) for name in store.names("current/")]
    assert rows == [2]  # the open one, and the last closed one
    assert sum(len(store.read_table(name)) for name in store.names("final/")) == 9
    assert current(store) == worlds[-1]


def test_what_is_never_settled_holds_up_nothing_else(tmp_path: Path) -> None:
    """A fluent without a bound, beside one that has one."""
    store = Store(tmp_path)
    world: World = {(name, ("v1",), "true", n): n + 5 for n in range(10) for name in ("near", "idle")}
    write(store, 0, interval_logs([world])[0], {})
    compact(store, 0, settled=12, names=["near"])
    final = [row for name in store.names("final/") for row in store.read_table(name).to_pylist()]
    assert sorted((row["fluent"], row["end"]) for row in final) == [("near", end) for end in range(5, 13)]
    assert current(store) == world


STEPS = 20


@pytest.mark.parametrize("at", range(STEPS))
def test_a_crash_at_any_step_of_a_compaction_loses_nothing(at: int, tmp_path: Path) -> None:
    store = Store(tmp_path, sync=False)
    logs = interval_logs(WORLDS)
    write(store, 0, logs[0], {})
    write(store, 1, logs[1], {})
    compact(store, 1, settled=5)
    write(store, 2, logs[2], {})
    with suppress(Crash):
        compact(Breaking(str(tmp_path), at), 2, settled=6)
    assert current(store) == WORLDS[2]
    write(store, 3, logs[3], {})
    assert current(store) == WORLDS[3]
    clean(store)
    assert current(store) == WORLDS[3]
    compact(store, 3, settled=6)
    assert current(store) == WORLDS[3]
    changes, _ = read_changes(store)
    assert len(changes) == sum(map(len, logs))
    assert clean(store) == 0


def test_the_crashes_reach_every_step(tmp_path: Path) -> None:
    """The same compaction has fewer steps than the test above tries, and more than a few."""
    store = Store(tmp_path, sync=False)
    logs = interval_logs(WORLDS)
    write(store, 0, logs[0], {})
    write(store, 1, logs[1], {})
    compact(store, 1, settled=5)
    write(store, 2, logs[2], {})
    breaking = Breaking(str(tmp_path), STEPS)
    compact(breaking, 2, settled=6)
    assert 8 < STEPS - breaking.left <= STEPS


def test_a_reader_is_not_disturbed_by_a_compaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    logs = interval_logs(WORLDS)
    for batch, log in enumerate(logs):
        write(store, batch, log, {})
    listing: Callable[..., Any] = changelog.batch_files
    disturbed = []

    def late(*args: Any) -> Any:
        """Between what is compacted and what is not yet."""
        if not disturbed:
            disturbed.append(True)
            compact(store, 2)
        return listing(*args)

    monkeypatch.setattr(changelog, "batch_files", late)
    assert current(store) == WORLDS[3]
    assert disturbed


def test_a_log_file_that_is_gone_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path)
    log = interval_logs(WORLDS[:1])[0]
    written = store.write_table(changes_name(0, "entity-0"), log)
    store.write_record(commit_name(0), {"files": [written.name]})
    store.delete(written.name)
    with pytest.raises(HoldsforError, match=r"batch=0000000/part-entity-0\.parquet: it is not there"):
        read_current(store)


def test_tasks_can_be_sent_to_workers(tmp_path: Path) -> None:
    store = Store(tmp_path)
    write(store, 0, interval_logs(WORLDS)[0], {})
    tasks: list[CompactPart] = pickle.loads(pickle.dumps(plan(store, 0)))
    assert [task.part for task in tasks] == [PARTS[1]]
    done: list[Compacted] = pickle.loads(pickle.dumps([compact_part(store, task) for task in tasks]))
    finish_compaction(store, 0, done)
    assert [c.upto for c in compactions(store)] == [0]
    assert current(store) == WORLDS[0]


def test_part_of_a_file() -> None:
    assert part_of("changes/batch=0000001/part-entity-3.parquet") == "entity-3"
    assert part_of("changes/batch=0000001/merged-pair-12.parquet") == "pair-12"
    assert part_of("current/upto=0000001/entity-3.parquet") == "entity-3"
