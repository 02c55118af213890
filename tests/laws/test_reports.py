"""Laws of reports and stretches: random streams with late rows and retractions, told in every way there is.

HOLDSFOR_STREAMS sets how many streams are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest

from holdsfor.engine.incremental import stepping as incremental_stepping
from holdsfor.engine.output.changes import REPORTS, Report
from holdsfor.engine.stepping import query_times as stepping
from holdsfor.language import EventDescription, parse
from tests.conformance.compare import compared, differences
from tests.conformance.engines import in_process, stepped
from tests.conformance.streamed import arrival, cuts, in_steps, setting_of, shared_out
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand
from tests.spark.live.party import PARTY

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_STREAMS", "6")))

SIMPLE = """
initiatedAt(calm(P)=true, T) :- happensAt(sit(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(run(P), T).
happensAt(rest(P), T) :- happensAt(end(calm(P)=true), T).
"""
LOOKING = """
initiatedAt(calm(P)=true, T) :- happensAt(sit(P), T), \\+ happensAt(run(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(run(P), T).
initiatedAt(keen(P)=true, T) :- happensAt(run(P), T), T2 is T - 10, holdsAt(calm(P)=true, T2).
terminatedAt(keen(P)=true, T) :- happensAt(stop(P), T), T2 is T + 10, holdsAt(calm(P)=true, T2).
holdsFor(still(P)=true, I) :- holdsFor(calm(P)=true, A), intDurGreater(A, 15, I).
holdsFor(home(P)=true, I) :- holdsFor(room(P)=hall, A), holdsFor(calm(P)=true, B), union_all([A, B], I).
"""
WAITING = """
initiatedAt(mood(P)=high, T) :- happensAt(run(P), T).
initiatedAt(mood(P)=low, T) :- happensAt(stop(P), T).
fi(mood(P)=high, mood(P)=low, 30).
fi(mood(P)=low, mood(P)=none, 170).
p(mood(_)=high).
happensAt(sigh(P), T) :- happensAt(start(mood(P)=none), T).
"""
UNBOUNDED = """
patience(p1, 20). patience(p2, 60).
initiatedAt(calm(P)=true, T) :- happensAt(sit(P), T).
terminatedAt(calm(P)=true, T) :- happensAt(run(P), T).
holdsFor(first(P)=true, I) :- holdsFor(calm(P)=true, A), holdsFor(room(P)=hall, B), before(A, B, source, I).
holdsFor(away(P)=true, I) :- holdsFor(room(P)=hall, A), complement_all([A], I).
holdsFor(long(P)=true, I) :- holdsFor(first(P)=true, A), intDurGreater(A, 35, I).
initiatedAt(known(P)=true, T) :- happensAt(stop(P), T), happensAt(sit(P), T2), \\+ happensAt(run(P), T + 30).
happensAt(gone(P), T) :- happensAt(start(away(P)=true), T).
"""
PATIENT = (
    UNBOUNDED
    + """
holdsFor(bored(P)=true, I) :- holdsFor(calm(P)=true, A), patience(P, N), intDurGreater(A, N, I).
"""
)
TEXTS = (SIMPLE, LOOKING, WAITING, PARTY, UNBOUNDED, PATIENT)


@cache
def description(text: str) -> EventDescription:
    return parse(text)


def random_horizon(random: Random) -> Horizon:
    """Windows that are whole numbers of steps, and times that meet their edges: there mistakes hide."""
    step = random.choice((10, 20))
    start = random.choice((0, 0, -50, 7))
    return Horizon(step * random.randint(1, 4), step, start, start + step * random.randint(4, 30), 1)


def random_rows(random: Random, horizon: Horizon) -> Iterator[str]:
    """In bursts, with long stretches of nothing between; late, too late, retracted and told again."""
    bursts = [random.randint(horizon.start, horizon.end) for _ in range(random.randint(1, 4))]
    for _ in range(random.randint(5, 60)):
        time = random.choice(bursts) + 5 * random.randint(-4, 4)
        name = random.choice(("sit", "run", "stop", "greet", "part", "room"))
        args = [f"p{random.randint(1, 4)}" for _ in range(2 if name in ("greet", "part") else 1)]
        times = [time, time + 5 * random.randint(1, 9), "hall"] if name == "room" else [time]
        came = time + random.choice((0, 0, 0, 5, 10, random.randint(1, 60)))
        rest = "|".join(map(str, (*times, *args)))
        yield f"{name}|{came}|{rest}"
        if random.random() < 0.15:
            gone = came + random.randint(0, 40)
            yield f"retract|{name}|{gone}|{rest}"
            if random.random() < 0.4:
                yield f"insert|{name}|{gone + random.randint(1, 20)}|{rest}"


def batches(rows: Sequence[str], horizon: Horizon, random: Random) -> Iterator[Sequence[str]]:
    """Cut anywhere, or at every query time."""
    ordered = in_steps(rows, horizon, random)
    if random.random() < 0.5:
        yield from cuts(ordered, random)
        return
    for query_time in range(horizon.start + horizon.step, horizon.last + horizon.step, horizon.step):
        yield [row for row in ordered if horizon.first_query(arrival(row)) == query_time]
    yield [row for row in ordered if horizon.first_query(arrival(row)) > horizon.last]


def streamed(text: str, rows: Sequence[str], horizon: Horizon, report: Report, seed: int, folder: Path) -> ByHand:
    random = Random(seed)
    setting = setting_of(description(text), horizon, random.choice((1, 3)), report)
    live = ByHand(setting, folder / report, remembers=random.random() < 0.5)
    for batch, part in enumerate(batches(rows, horizon, random)):
        live.run(batch, list(shared_out(part, random)))
        if random.random() < 0.2:
            live.restart()
            live.run(batch, [])
    live.close()
    return live


def once_each(live: ByHand) -> bool:
    """A final report inserts, nothing else, and nothing twice."""
    return all(
        set(log["op"].to_pylist()) <= {"insert"} and len(set(log["id"].to_pylist())) == log.num_rows
        for log in live.log()
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_way_tells_the_same(seed: int, tmp_path: Path) -> None:
    """One window, stepped, and a stream with each report, cut and restarted at random."""
    random = Random(seed)
    text, horizon = TEXTS[seed % len(TEXTS)], random_horizon(random)
    rows = list(random_rows(random, horizon))
    expected = compared(in_process(description(text), rows, horizon), horizon)
    story = f"{text}\nrows = {rows}\n{horizon}"
    assert not differences(expected, compared(stepped(description(text), rows, horizon), horizon)), story
    for report in REPORTS:
        live = streamed(text, rows, horizon, report, seed, tmp_path)
        lines = differences(expected, compared(live.answer(), horizon))
        assert not lines, "\n".join([report, *lines, story])
        assert report != "final" or once_each(live), story


@pytest.mark.parametrize("seed", SEEDS)
def test_query_times_that_are_passed_over_change_no_log(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when each change was told."""
    random = Random(seed)
    text, horizon = TEXTS[seed % len(TEXTS)], Horizon(20, 10, 0, 1000)
    rows = list(random_rows(random, horizon))
    report = REPORTS[seed // len(TEXTS) % len(REPORTS)]
    passing = streamed(text, rows, horizon, report, seed, tmp_path / "passing")
    for module in (stepping, incremental_stepping):
        monkeypatch.setattr(module, "next_place", lambda due, place, *_: place + 1)
    stopping = streamed(text, rows, horizon, report, seed, tmp_path / "stopping")
    assert passing.log() == stopping.log(), f"{text}\nrows = {rows}\n{horizon}"


def test_what_holds_for_ever_costs_one_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of definitions without a bound."""
    evaluations = []
    evaluate = stepping.evaluate
    monkeypatch.setattr(stepping, "evaluate", lambda *args: evaluations.append(1) or evaluate(*args))
    far = 20_000_000
    live = ByHand(setting_of(description(UNBOUNDED), Horizon(40, 20, 0, 1 << 40), 2), tmp_path)
    live.run(0, [["room|4|4|9|hall|p1", "sit|5|5|p1", "sit|5|5|p2", "run|15|15|p2"]])
    commit = live.run(1, [[f"room|{far}|{far}|{far + 7}|hall|p2"]])
    live.close()
    assert commit.counts["query_times"] > 999_000
    assert len(evaluations) < 60
    history = live.answer().intervals
    assert history["away", ("p1",), "true"] == [(1, 4), (9, None)]
    assert history["first", ("p2",), "true"] == [(6, 16)]
    assert history["away", ("p2",), "true"] == [(1, far), (far + 7, None)]


def test_a_million_query_times_without_a_row_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by evaluations, not by a clock."""
    evaluations = []
    evaluate = stepping.evaluate
    monkeypatch.setattr(stepping, "evaluate", lambda *args: evaluations.append(1) or evaluate(*args))
    far = 20_000_000
    live = ByHand(setting_of(description(PARTY), Horizon(40, 20, 0, 1 << 40), 2), tmp_path)
    live.run(0, [["sit|4|4|p1", "run|5|5|p2", "greet|9|9|p1|p2"]])
    commit = live.run(1, [[f"sit|{far}|{far}|p2"]])
    live.run(2, [[f"part|{far + 50}|{far + 50}|p1|p2"]])
    live.close()
    assert commit.counts["query_times"] > 999_000
    assert len(evaluations) < 200
    history = live.answer().intervals
    assert history["calm", ("p1",), "true"] == [(5, None)]
    assert history["meeting", ("p1", "p2"), "true"] == [(10, far + 51)]
    assert history["mood", ("p2",), "low"] == [(31, None)]  # by its deadline
