"""Two processes on one checkpoint: one wins, and the other changes nothing (review A1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import committed
from holdsfor.io.storage.claims import Timing
from holdsfor.io.storage.lease import FolderInUse, LeaseLost, take_lease
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.crew import Alone, Note
from holdsfor.job.live.batch.microbatch import Stream
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.job.tasks import Job
from tests.attack.folder_stream import FolderStream, put
from tests.conformance.streamed import lines_table
from tests.io.owners import Owner, store_of
from tests.io.test_lease import listing
from tests.spark.live.by_hand import ByHand
from tests.spark.live.undisturbed import SETTING, batches


@pytest.mark.parametrize(("how", "races"), [("local", 20), ("remote", 5)])
def test_of_owners_that_race_one_wins(how: str, races: int, tmp_path: Path) -> None:
    with Owner(tmp_path, how) as one, Owner(tmp_path, how) as other:
        for race in range(races):
            one.go()
            other.go()
            said = {one.line(): one, other.line(): other}
            assert len(said) == 2, (race, said)
            refusal = next(line for line in said if line != "owner")
            assert refusal.startswith("refused: the folder is in use by process "), (race, said)
            said["owner"].go()
            assert said["owner"].line() == "released"


@pytest.mark.parametrize("how", ["local", "remote"])
def test_a_live_owner_is_not_disturbed_and_a_killed_one_is_followed_at_once(how: str, tmp_path: Path) -> None:
    store = store_of(str(tmp_path), how)
    store.write("holdsfor/commits/0000000.json", b"{}")
    with Owner(tmp_path, how) as owner:
        owner.go()
        assert owner.line() == "owner"
        before = listing(tmp_path)
        with pytest.raises(FolderInUse, match=rf"in use by process {owner.process.pid} \(owners.py\) of \w+ on "):
            take_lease(store, "the folder")
        assert listing(tmp_path) == before
        owner.kill()
        with take_lease(store, "the folder") as lease:
            lease.check()


def test_a_checkpoint_in_use_by_name(tmp_path: Path) -> None:
    """Paths and URIs of one folder are one folder."""
    with take_lease(Store(tmp_path), "the folder"), pytest.raises(FolderInUse, match="this very process"):
        take_lease(Store(tmp_path.as_uri()), "the folder")


@dataclass
class Interrupted(Alone):
    """Someone takes the checkpoint over while the batch is evaluated."""

    parts: Sequence[pa.Table]
    take_over: Callable[[], object]

    def __post_init__(self) -> None:
        super().__init__(self.parts)

    def evaluate(self, job: Job, turn: Turn) -> list[Note]:
        notes = super().evaluate(job, turn)
        self.take_over()
        return notes


def test_whoever_lost_the_checkpoint_commits_nothing_more(tmp_path: Path) -> None:
    """Between two batches, and in the middle of one."""
    leases = [take_lease(Store(tmp_path), "the checkpoint", timing=Timing(every=60))]
    tables = Store(tmp_path / "tables", sync=False)

    def begin() -> Stream:
        return Stream(SETTING, Ledger(Store(tmp_path / "state", sync=False), leases[-1].held), tables)

    def take_over() -> None:
        leases.append(take_lease(Store(tmp_path), "the checkpoint", True, Timing(every=0.01)))

    rows = [lines_table(part) for part in batches()[0]]
    first = begin()
    first.run(0, Alone(rows))
    take_over()
    before = _written(tmp_path)
    with pytest.raises(LeaseLost, match="the checkpoint was taken over by process"):
        first.run(1, Alone(rows))
    assert _written(tmp_path) == before
    second = begin()
    with pytest.raises(LeaseLost):
        second.run(1, Interrupted(rows, take_over))
    assert committed(Store(tmp_path / "state")) == committed(tables) == [0]
    before = _written(tmp_path)
    with pytest.raises(LeaseLost):
        second.run(1, Alone(rows))
    with pytest.raises(LeaseLost):
        second.close(Alone([]))
    assert _written(tmp_path) == before
    begin().run(1, Alone(rows))
    assert committed(tables) == [0, 1]
    for lease in leases:
        lease.release()


def _written(folder: Path) -> dict[str, str]:
    """Without the files that owners renew while they live."""
    return {name: content for name, content in listing(folder).items() if "/owner/" not in name}


def test_a_commit_that_another_has_written(tmp_path: Path) -> None:
    """Even where nobody has seen the other one."""
    live = ByHand(SETTING, tmp_path)
    live.run(0, batches()[0])
    ByHand(SETTING, tmp_path).run(1, batches()[1])
    with pytest.raises(HoldsforError, match=r"commits/0000001\.json is there already: another process has written it"):
        live.run(1, batches()[1])


def test_a_checkpoint_is_looked_at_without_rules(tmp_path: Path) -> None:
    """`holdsfor state verify`: 0 only if all is right."""
    stream = FolderStream(tmp_path)
    put(stream.incoming, 0)
    stream.run()
    for damaged in (False, True):
        if damaged:
            sorted(stream.checkpoint.glob("tables/changes/*/*"))[0].write_bytes(b"nothing")
        before = listing(tmp_path)
        answer = CliRunner().invoke(app, ["state", "verify", str(stream.checkpoint)])
        assert answer.exit_code == int(damaged), answer.output
        assert "tables/changes/" in answer.output if damaged else "All is right." in answer.output
        assert listing(tmp_path) == before
    missing = CliRunner().invoke(app, ["state", "verify", str(tmp_path / "nowhere")])
    assert missing.exit_code == 1
    assert "there is no checkpoint in" in missing.output
    assert not (tmp_path / "nowhere").exists()
