"""Two processes on one checkpoint: one wins, and the other changes nothing (review A1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.io.lease import FolderInUse, take_lease
from holdsfor.io.store import Store
from tests.io.owners import Owner, store_of
from tests.io.test_lease import listing


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
