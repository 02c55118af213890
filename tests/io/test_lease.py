"""One owner of a folder: whoever comes second is refused, whoever follows a dead one is not, whoever lost it stops."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.fs
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.claims import Timing
from holdsfor.io.storage.lease import FolderInUse, Lease, LeaseLost, take_lease
from holdsfor.io.storage.process import Process, has_ended, this_process
from holdsfor.io.storage.store import Store

ELSEWHERE = replace(this_process(), host="far", boot="other", number=77, user="ann", command="holdsfor stream")


@dataclass
class Watch:
    """Time that passes only while someone sleeps; `beat` is called meanwhile."""

    seconds: float = 0.0
    beat: int | None = None  # another owner gives a sign of life at each so many seconds
    path: Path | None = None

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        if self.beat is not None and self.path is not None and self.seconds % self.beat < seconds:
            content = json.loads(self.path.read_text())
            del content["checksum"]
            Store(self.path.parent, sync=False).write_record(self.path.name, content | {"beat": content["beat"] + 1})

    def timing(self) -> Timing:
        return Timing(sleep=self.sleep, now=self.now)


@pytest.fixture(params=["local", "remote"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "local":
        return Store(tmp_path)
    return Store("", pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem()))


@pytest.fixture
def far(store: Store) -> Iterator[Lease]:
    """An owner on another machine, which gives no sign of life by itself."""
    with take_lease(store, "the folder", timing=Timing(settle=0), process=ELSEWHERE) as lease:
        yield lease


def listing(folder: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def test_a_second_owner_in_one_process(store: Store, tmp_path: Path) -> None:
    store.write("x", b"1")
    with take_lease(store, "the folder", timing=Timing(settle=0)) as lease:
        before = listing(tmp_path)
        with pytest.raises(FolderInUse, match=r"the folder is in use by this very process.*Call stop\(\)"):
            take_lease(store, "the folder")
        assert listing(tmp_path) == before
        lease.check()
    with take_lease(store, "the folder", timing=Timing(settle=0)) as lease:
        lease.check()


def test_it_leaves_nothing_behind_that_counts(store: Store, tmp_path: Path) -> None:
    take_lease(store, "the folder", timing=Timing(settle=0)).release()
    assert [path.name for path in tmp_path.rglob("*.*")] == []


def test_an_owner_elsewhere_that_lives(store: Store, far: Lease, tmp_path: Path) -> None:
    (path,) = tmp_path.glob("owner/*.json")
    watch = Watch(beat=5, path=path)
    with pytest.raises(FolderInUse) as caught:
        take_lease(store, "the folder", timing=watch.timing())
    said = str(caught.value)
    assert "in use by process 77 (holdsfor stream) of ann on far, since 20" in said
    assert "last sign of life 20" in said
    assert "--take-over" in said
    assert watch.seconds <= 6.25
    far.check()


def test_an_owner_elsewhere_without_a_sign_of_life(store: Store, far: Lease) -> None:
    """Its clock is not asked: it may be wrong by years."""
    watch = Watch()
    with take_lease(store, "the folder", timing=watch.timing()) as lease:
        assert 20 <= watch.seconds <= 25
        lease.check()
        with pytest.raises(LeaseLost, match=r"was taken over by process \d+ .*writes nothing more"):
            far.check()
    with pytest.raises(LeaseLost):
        far.check()


def test_taken_over_by_hand(store: Store, far: Lease) -> None:
    with take_lease(store, "the folder", take_over=True, timing=Watch().timing()) as lease:
        with pytest.raises(LeaseLost), far.held():
            raise AssertionError("it is not held")
        with lease.held():
            pass


def test_it_waits_until_the_other_has_stopped(tmp_path: Path) -> None:
    quick = Timing(every=0.05)
    stopped: list[float] = []
    first = take_lease(Store(tmp_path), "the folder", timing=quick)

    def stop(_: LeaseLost) -> None:
        time.sleep(0.2)
        stopped.append(time.monotonic())
        first.release()

    first.when_lost(stop)
    second = take_lease(Store(tmp_path), "the folder", take_over=True, timing=Timing(every=1))
    assert stopped
    assert stopped[0] <= time.monotonic()
    second.check()
    second.release()


def test_beats_are_seen(tmp_path: Path) -> None:
    with take_lease(Store(tmp_path), "the folder", timing=Timing(every=0.02), process=ELSEWHERE):
        (path,) = tmp_path.glob("owner/*.json")
        end = time.monotonic() + 5
        while json.loads(path.read_text())["beat"] < 3:
            assert time.monotonic() < end
            time.sleep(0.01)


def test_a_torn_claim_is_watched_like_any_other(store: Store) -> None:
    store.write("owner/abc.json", b"")
    watch = Watch()
    with take_lease(store, "the folder", timing=watch.timing()) as lease:
        lease.check()
        assert watch.seconds >= 20
    assert not store.exists("owner/abc.json")


def test_the_folder_is_deleted(tmp_path: Path) -> None:
    with take_lease(Store(tmp_path / "f"), "the folder") as lease:
        for path in (tmp_path / "f" / "owner").iterdir():
            path.unlink()
        (tmp_path / "f" / "owner").rmdir()
        with pytest.raises(LeaseLost, match="was taken over"), lease.held():
            raise AssertionError("it is not held")
        assert list((tmp_path / "f").iterdir()) == []


@dataclass
class Disturbed:
    """Does something while a new claim waits for rivals."""

    act: object

    def timing(self) -> Timing:
        return Timing(settle=1, sleep=lambda _: self.act() if callable(self.act) else None)


@pytest.mark.parametrize(
    ("token", "held", "wins"), [("0" * 32, False, False), ("g" * 32, False, True), ("g", True, False)]
)
def test_rivals_on_a_filesystem_without_locks(token: str, held: bool, wins: bool, tmp_path: Path) -> None:
    """Tokens are hexadecimal: one of zeros is less than any, one of g greater."""
    store = Store("", pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem()))
    other = Store(tmp_path / "other")
    take_lease(other, "", process=ELSEWHERE)
    (path,) = (tmp_path / "other" / "owner").glob("*.json")
    claim = {name: value for name, value in json.loads(path.read_text()).items() if name != "checksum"}

    def rival() -> None:
        store.write_record(f"owner/{token}.json", claim | {"token": token, "held": held})

    if wins:
        with take_lease(store, "the folder", timing=Disturbed(rival).timing()) as lease:
            lease.check()
    else:
        with pytest.raises(FolderInUse, match="ann on far"):
            take_lease(store, "the folder", timing=Disturbed(rival).timing())
        assert [path.stem for path in (tmp_path / "owner").glob("*.json")] == [token]


def test_processes_are_known_again() -> None:
    here = this_process()
    assert has_ended(here, here) is False
    assert has_ended(replace(here, started="1"), here) is True
    assert has_ended(replace(here, number=2**22 + 1), here) is True
    for other in ({"host": "b"}, {"boot": "b"}, {"namespace": "b"}):
        assert has_ended(replace(here, **other), here) is None  # type: ignore[arg-type]
    child = os.fork()
    if not child:
        os._exit(0)
    time.sleep(0.05)
    zombie = Process(here.host, here.boot, here.namespace, child, here.started, "", "")
    assert has_ended(zombie, here) is True
    os.waitpid(child, 0)


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(HoldsforError, match=r"Read-only file system.*Give a folder that you may read and write"):
        take_lease(Store(tmp_path / "state"), "the checkpoint")
