"""The command that tries random descriptions: it goes on where it was interrupted, and tells what differs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdsfor.language import EventDescription
from tests.conformance.engines import NAIVE, Engine
from tests.laws.run_shapes import Journal, main, try_seeds
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon


def see_a_ghost(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    return Answer(intervals={("ghost", ("a",), "true"): [(horizon.start + 1, horizon.start + 2)]})


BROKEN = Engine("broken", see_a_ghost)


def test_seeds_in_the_journal_are_not_tried_again(tmp_path: Path) -> None:
    journal, tried = Journal(tmp_path / "journal"), list[int]()

    def hosts(seed: int) -> tuple[Engine, ...]:
        tried.append(seed)
        return ()

    assert list(try_seeds(range(3), hosts, journal)) == []
    assert list(try_seeds(range(1, 5), hosts, journal)) == []
    assert sorted(set(tried)) == [0, 1, 2, 3, 4]
    assert len(tried) == 2 * 5  # each seed once, to try it and to write it down
    assert [json.loads(line)["seed"] for line in journal.path.read_text().splitlines()] == [0, 1, 2, 3, 4]


def test_a_difference_is_told_and_written_down(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    (text,) = try_seeds([0], lambda seed: (NAIVE, BROKEN), journal)
    assert text.startswith("seed 0: broken differs from the naive evaluator on")
    (line,) = journal.path.read_text().splitlines()
    assert json.loads(line)["hosts"] == ["naive", "broken"]
    assert "expected" in json.loads(line)["difference"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "journal"), "--first", "5", "--count", "1", "--without-spark"]) == 0
    assert capsys.readouterr().out.startswith("1 in the journal, 0 differ now")
