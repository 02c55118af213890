"""A small batch is read and evaluated by one task; if that does not do, task by task, as a large one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.job.live.batch import crew
from holdsfor.job.live.batch.crew import Note
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.tasks import Job
from tests.conformance.compare import differences
from tests.conformance.streamed import OneTask
from tests.spark.live.by_hand import ByHand
from tests.spark.live.undisturbed import SETTING, batches


class Counting(OneTask):
    """Knows which batches were evaluated by the task that read them."""

    at_once: ClassVar[list[bool]] = []

    def evaluate(self, job: Job, turn: Turn) -> list[Note]:
        self.at_once.append(self.evaluated is not None and self.evaluated[0] == turn.mark)
        return super().evaluate(job, turn)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., list[bool]]:
    """All batches, which must give what they give otherwise; and which of them were evaluated at once."""
    plain = ByHand(SETTING, tmp_path / "plain", remembers=True)
    plain.run_all(batches())

    def run(tuning: Tuning = DEFAULT) -> list[bool]:
        setting = replace(SETTING, program=replace(SETTING.program, tuning=tuning))
        live = ByHand(setting, tmp_path / "live", remembers=True, crew=Counting)
        Counting.at_once.clear()
        live.run_all(batches())
        assert not differences(plain.answer(), live.answer())
        assert all(mine.equals(other) for mine, other in zip(plain.log(), live.log(), strict=True))
        return list(Counting.at_once)

    return run


def test_small_batches(run: Callable[..., list[bool]]) -> None:
    assert run() == [True] * len(batches())


def test_large_batches(run: Callable[..., list[bool]]) -> None:
    sizes = [sum(map(len, parts)) for parts in batches()]
    limit = sorted(sizes)[2]
    assert run(Tuning(few_events_at_once=limit)) == [size <= limit for size in sizes]


def test_parcels_that_are_not_held_back(run: Callable[..., list[bool]]) -> None:
    assert run(Tuning(most_bytes_at_once=100)) == [False] * len(batches())


def test_what_fails_is_evaluated_by_itself(run: Callable[..., list[bool]], monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails after buckets of the first stage have written their files, and have been put into memory."""
    evaluate_rows, failed = crew.evaluate_rows, list[str]()

    def fail_at_first(job: Job, turn: Turn, rows: list[crew.TaskRow], memory: Memory | None) -> list[crew.TaskRow]:
        done = evaluate_rows(job, turn, rows, memory)
        if turn.mark not in failed and turn.batch < len(batches()):
            failed.append(turn.mark)
            raise RuntimeError("one of these")
        return done

    monkeypatch.setattr(crew, "evaluate_rows", fail_at_first)
    assert run() == [False] * len(batches())
    assert len(failed) == len(batches())
