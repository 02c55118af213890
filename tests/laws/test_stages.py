"""A stream of several stages goes by what changes: each tells the next what differs, and the log is that of one bucket.

HOLDSFOR_STAGES sets how many random runs are made, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.language import DescriptionError, parse
from tests.conformance.streamed import in_steps, setting_of, shared_out
from tests.laws.test_incremental import draw
from tests.laws.test_programs import skip_if_too_large
from tests.laws.test_streams import in_batches
from tests.naive.functions import FUNCTIONS
from tests.naive.linked import random_links
from tests.naive.programs import Program
from tests.naive.rows import Horizon, line_format
from tests.naive.shapes import random_shapes
from tests.spark.live.by_hand import ByHand
from tests.spark.live.party import PARTY, party

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_STAGES", "8")))


@pytest.mark.parametrize("seed", SEEDS)
def test_several_buckets_same_log_as_one(seed: int, tmp_path: Path) -> None:
    """One bucket does all stages at once, and looks at all that is not settled."""
    tuning = Tuning(
        fewest_steps=0,
        few_stored=(0, 0, DEFAULT.few_stored)[seed // 2 % 3],
        few_rows=(0, DEFAULT.few_rows)[min(seed // 32 % 4, 1)],
        most_messages=(0, DEFAULT.most_messages)[seed // 2 % 2],
    )
    program = with_more_query_times((draw, random_links, random_shapes, random_links)[seed % 4](seed))
    try:
        alone = run(program, tmp_path / "one", seed, 1, False, tuning)
    except DescriptionError as error:
        skip_if_too_large(error)
        raise
    shared = run(program, tmp_path / "several", seed, (2, 3, 7)[seed % 3], True, tuning)
    for ours, expected in zip(shared.log(), alone.log(), strict=True):
        assert ours.to_pylist() == expected.to_pylist(), str(program)


TWO_SPEAKERS = """
initiatedAt(tired(P)=true, T) :- happensAt(nap(P), T).
terminatedAt(tired(P)=true, T) :- happensAt(run(P), T).
initiatedAt(met(P,Q)=true, T) :- happensAt(greet(P,Q), T).
terminatedAt(met(P,Q)=true, T) :- happensAt(part(P,Q), T).
holdsFor(awake(P,Q)=true, I) :- holdsFor(met(P,Q)=true, I1), holdsFor(tired(P)=true, I2), holdsFor(tired(Q)=true, I3),
    relative_complement_all(I1, [I2, I3], I).
initiatedAt(greeted(P)=true, T) :- happensAt(start(awake(Q,P)=true), T).
"""
TWO_SPEAKERS_ROWS = ["nap|13|13|p4", "greet|34|34|p1|p4", "greet|34|34|p2|p4", "run|46|46|p4", "part|50|46|p2|p4"]


@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize("buckets", [2, 3, 7])
def test_a_row_is_there_while_one_bucket_says_so(buckets: int, remembers: bool, tmp_path: Path) -> None:
    """Buckets conclude that p4 is greeted, each for its own pair, and one of them takes it back."""
    horizon = Horizon(window=54, step=2, start=0, end=72)
    batches = [[[row]] for row in TWO_SPEAKERS_ROWS]
    description = parse(TWO_SPEAKERS)
    alone = ByHand(setting_of(description, horizon, 1), tmp_path / "one")
    shared = ByHand(setting_of(description, horizon, buckets), tmp_path / "several", remembers=remembers)
    for stream in (alone, shared):
        stream.run_all(batches)
    for ours, expected in zip(shared.log(), alone.log(), strict=True):
        assert ours.to_pylist() == expected.to_pylist()


def with_more_query_times(program: Program) -> Program:
    """Four times as many: few change much, so that it matters what is known from those before."""
    horizon = program.horizon
    step = max(horizon.step // horizon.sample_every // 4, 1) * horizon.sample_every
    return replace(program, horizon=replace(horizon, step=step))


def run(program: Program, folder: Path, seed: int, buckets: int, remembers: bool, tuning: Tuning) -> ByHand:
    """Cut the same way whatever the buckets. Now and then the driver begins anew, and what was in memory is gone."""
    random, again = Random(seed), Random(seed)
    description = parse(program.text, functions=FUNCTIONS)
    setting = setting_of(description, program.horizon, buckets, form=line_format(program.rows), tuning=tuning)
    stream = ByHand(setting, folder, remembers=remembers)
    ordered = in_steps(program.rows, program.horizon, random)
    places = sorted(random.randint(0, len(ordered)) for _ in range(random.randint(0, 30)))
    for batch, (low, high) in enumerate(zip([0, *places], [*places, len(ordered)], strict=True)):
        stream.run(batch, list(shared_out(ordered[low:high], random)))
        if again.random() < 0.15:
            stream.restart()
    stream.close()
    return stream


@pytest.mark.parametrize("seed", [5])
def test_later_stages_go_by_what_changes(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the law above would be about evaluation from scratch."""
    gone_on: dict[bool, int] = {False: 0, True: 0}
    go_on = Ongoing._go_on

    def counting(ongoing: Ongoing, *query_times: object) -> object:
        answers = go_on(ongoing, *query_times)  # type: ignore[arg-type]
        gone_on[bool(ongoing.scope.sources)] += answers is not None
        return answers

    monkeypatch.setattr(Ongoing, "_go_on", counting)
    horizon = Horizon(window=40, step=5, start=0, end=300)
    rows = party(seed, 200)
    batches = [[part] for part in in_batches(rows, 30)]
    alone = ByHand(setting_of(parse(PARTY), horizon, 1), tmp_path / "one")
    alone.run_all(batches)
    assert gone_on == {False: 0, True: 0}
    shared = ByHand(setting_of(parse(PARTY), horizon, 3), tmp_path / "several", remembers=True)
    shared.run_all(batches)
    assert gone_on[False] > 20
    assert gone_on[True] > 80
    for ours, expected in zip(shared.log(), alone.log(), strict=True):
        assert ours.to_pylist() == expected.to_pylist()
