"""A checkpoint in the repository goes on; one of another version is refused with what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.store import Store
from holdsfor.job.live.start.identity import identity_of
from holdsfor.job.live.start.opening import open_stream
from holdsfor.job.live.state.ledger import VERSION, Ledger
from holdsfor.language import parse
from tests.conformance.compare import differences
from tests.conformance.engines import naive
from tests.job.make_checkpoint import BATCHES, BEFORE, BUCKETS, FOLDER, HORIZON, RULES, stream_in


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "checkpoint"))


def test_a_checkpoint_goes_on(checkpoint: Path) -> None:
    live = stream_in(checkpoint)
    ledger = Ledger(live.state)
    ledger.resume(identity_of(live.setting, BUCKETS))
    last = ledger.last()
    assert last is not None
    assert last.batch == BEFORE - 1
    live.run_all([[rows] for rows in BATCHES], first=BEFORE)
    rows = [row for batch in BATCHES for row in batch]
    assert not differences(naive(parse(RULES), rows, HORIZON), live.answer())


@pytest.mark.parametrize("name", ["stream.json", "commits/0000001.json"])
def test_a_checkpoint_of_another_version_is_refused(checkpoint: Path, name: str) -> None:
    live = stream_in(checkpoint)
    path = checkpoint / "state" / name
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "version": VERSION + 1}))
    live = stream_in(checkpoint)
    refusal = f"has version {VERSION + 1}, this Holdsfor reads {VERSION}. Go on with"
    with pytest.raises(HoldsforError, match=refusal):
        open_stream(Ledger(live.state), live.tables, Store(checkpoint / "spark"), identity_of(live.setting, BUCKETS))


def test_other_rules_are_refused(checkpoint: Path) -> None:
    live = stream_in(checkpoint)
    identity = {**identity_of(live.setting, BUCKETS), "rules": "0" * 64}
    with pytest.raises(HoldsforError, match="was begun with other rules"):
        Ledger(live.state).resume(identity)


def test_a_damaged_base_is_made_again(checkpoint: Path) -> None:
    live = stream_in(checkpoint)
    last = Ledger(live.state).last()
    assert last is not None
    (checkpoint / "state" / last.state.bases[-1].files[0].name).unlink()
    commit = live.run(BEFORE, [BATCHES[BEFORE]])
    assert commit.counts["states_recovered"] == 1
    live.run_all([[rows] for rows in BATCHES], first=BEFORE + 1)
    rows = [row for batch in BATCHES for row in batch]
    assert not differences(naive(parse(RULES), rows, HORIZON), live.answer())
