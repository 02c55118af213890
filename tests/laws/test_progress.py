"""Partial matches are the same in a session, in what it has saved, in the checkpoint of a stream, and in a history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.crew import Alone
from holdsfor.job.live.batch.microbatch import Stream
from holdsfor.job.live.start.identity import identity_of
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.language import EventDescription
from tests.conformance.sessions import begin
from tests.conformance.streamed import arrival, lines_table, setting_of
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.rows import Horizon

BUCKETS = 3


@pytest.mark.parametrize("mixed", [False, True], ids=["patterns", "with fluents"])
@pytest.mark.parametrize("seed", range(10))
def test_progress_is_the_same_everywhere(seed: int, mixed: bool, tmp_path: Path) -> None:
    program = random_patterns(seed, mixed)
    rows = sorted({row.partition(" arrives ")[0] for row in program.rows}, key=arrival)
    horizon = replace(program.horizon, step=min(program.horizon.step, 5), window=program.horizon.window + 5)
    description = holdsfor.parse(program.text, functions=FUNCTIONS)
    fired = stream_to(tmp_path / "stream", description, rows, horizon)
    in_stream = partial_matches(holdsfor.progress(description, checkpoint=tmp_path / "stream"))
    live = begin(description, horizon)
    live.add(rows, format="terms")
    live.advance(fired)
    live.save(tmp_path / "session")
    in_session = partial_matches(live.progress())
    assert in_stream == in_session
    assert partial_matches(holdsfor.progress(description, checkpoint=tmp_path / "session")) == in_session
    known = holdsfor.read_events(rows, format="terms")
    assert partial_matches(holdsfor.progress(description, known, start=0, end=fired)) == in_session


def stream_to(folder: Path, description: EventDescription, rows: list[str], horizon: Horizon) -> int:
    """A stream in which all rows have come; gives its last query time."""
    setting = setting_of(description, horizon, BUCKETS, form="terms")
    ledger = Ledger(Store(f"{folder}/holdsfor", sync=False))
    ledger.begin(identity_of(setting, BUCKETS))
    stream = Stream(setting, ledger, Store(f"{folder}/tables", sync=False))
    commit = stream.run(0, Alone([lines_table(rows)]))
    return horizon.start if commit.fired is None else commit.fired


def partial_matches(table: pa.Table) -> list[tuple[Any, ...]]:
    rows = [{**row, "bindings": sorted(row["bindings"])} for row in table.to_pylist()]
    return sorted((tuple(row.values()) for row in rows), key=repr)
