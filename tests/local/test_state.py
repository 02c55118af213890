"""`holdsfor state show`: what a saved session and a checkpoint hold."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.errors import HoldsforError
from holdsfor.job.live.state.ledger import VERSION
from holdsfor.local.state import HeldRows, read_state
from tests.job.make_checkpoint import FOLDER

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(opens(D), T).
terminatedAt(open(D)=true, T) :- happensAt(closes(D), T).
"""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    live = holdsfor.session(holdsfor.parse(RULES), window=20, step=10, start=0)
    live.add(["opens(hall) @ 4", "opens(attic) @ 13", "closes(hall) @ 25"])
    live.advance(20)
    live.save(tmp_path)
    return tmp_path


def call(*args: object) -> Any:
    return CliRunner().invoke(app, ["state", "show", *map(str, args)])


def by_use(holdings: tuple[HeldRows, ...]) -> dict[tuple[str, str], HeldRows]:
    return {(each.use, each.relation): each for each in holdings}


def test_a_saved_session(saved: Path) -> None:
    kept = read_state(saved)
    assert (kept.kind, kept.version, kept.fired) == ("saved session", 1, 20)
    assert kept.size == sum(path.stat().st_size for path in saved.iterdir() if path.suffix != ".json")
    holdings = by_use(kept.holdings)
    waiting = holdings["waiting", "closes/1"]
    assert (waiting.place, waiting.rows, waiting.oldest, waiting.newest) == ("session", 1, 25, 25)
    assert waiting.size == 12, "a code and a time"
    known = holdings["known", "open/1"]
    assert (known.rows, known.oldest, known.newest) == (2, 5, 14), "both are open, and have no end"


def test_a_checkpoint_by_stage_and_bucket(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "state", tmp_path / "holdsfor")
    kept = read_state(tmp_path)
    assert (kept.kind, kept.version, kept.fired) == ("checkpoint", VERSION, 40), "60 is not reached"
    assert {each.place.rpartition("-")[0] for each in kept.holdings} >= {"stage0", "stage1"}
    late = [each for each in kept.of_relation("cut/1") if each.newest == 41]
    assert sum(each.rows for each in late) == 1, "the late row of b waits for the next query time"
    with pytest.raises(HoldsforError, match=r"no rows of 'cut/2'. The state holds .*cut/1"):
        kept.of_relation("cut/2")


def test_as_a_table_and_as_rows(saved: Path) -> None:
    printed = call(saved).stdout
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]
    assert ["session", "waiting", "closes/1", "1", "12", "25", "25"] in cells
    assert "saved session, format version 1, last query time 20" in printed
    rows = call(saved, "--rows", "open", "--limit", 1).stdout
    assert "2 rows; the first 1 are shown. --limit shows more." in rows
    assert "open" in rows


def test_a_folder_without_state(tmp_path: Path) -> None:
    result = call(tmp_path)
    assert result.exit_code == 1
    assert "there is no state in" in result.stderr
