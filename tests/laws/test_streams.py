"""Laws of the stream: however rows come, are cut into batches and shared out, it tells what the history says.

The driver and the tasks run in this process. HOLDSFOR_PROGRAMS and HOLDSFOR_SEED as for the laws of programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdsfor.engine.output.changes import REPORTS, Report
from holdsfor.io.storage.changelog import read_changes
from holdsfor.job.live.state.ledger import Commit
from holdsfor.language import parse
from tests.change_log import fold_strictly
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, answer, in_stream, naive
from tests.conformance.streamed import arrival, cuts, in_steps, recognise, setting_of, shared_out, with_times
from tests.laws.test_programs import SEEDS, explain, wrong
from tests.naive.evaluate import Answer, Key
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import Program, random_program
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand, Parts
from tests.spark.live.party import HORIZON, PARTY, party

BUCKETS = (1, 3, 5)


@pytest.mark.parametrize("seed", SEEDS[::5])
def test_same_as_naive(seed: int) -> None:
    """Random cuts, partitions, orders of arrival inside a step, and restarts."""
    program = random_program(seed)
    engine = in_stream(BUCKETS[seed // 5 % len(BUCKETS)], REPORTS[seed % len(REPORTS)])
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


# ---------------------------------------------------------------- what each report promises, batch by batch


@dataclass(frozen=True)
class Told:
    """What was known after a batch: the log so far, and what it folds to."""

    commit: Commit
    ops: frozenset[str]
    known: Answer


def told(program: Program, report: Report, folder: Path, seed: int) -> list[Told]:
    """After each batch, and after the end."""
    random = Random(seed)
    setting = setting_of(parse(program.text, functions=FUNCTIONS), program.horizon, random.choice(BUCKETS), report)
    live = ByHand(setting, folder / report, remembers=random.random() < 0.5)
    found = []
    for batch, rows in enumerate(cuts(in_steps(program.rows, program.horizon, random), random)):
        found.append(_told(live, live.run(batch, list(shared_out(rows, random)))))
    return [*found, _told(live, live.close())]


def _told(live: ByHand, commit: Commit) -> Told:
    logs = read_changes(live.tables)
    ops = {op for log in logs for op in log["op"].to_pylist()}
    by_time = logs.intervals.sort_by("query_time").to_pylist()
    fold_strictly(by_time, live.stream.setting.times.step)
    return Told(commit, frozenset(ops), live.answer())


def until(program: Program, fired: int | None) -> Answer:
    """What is known at a query time."""
    if fired is None:
        return Answer()
    horizon = replace(program.horizon, end=min(fired, program.horizon.end))
    return compared(naive(parse(program.text, functions=FUNCTIONS), program.rows, horizon), horizon)


@pytest.mark.parametrize("seed", SEEDS[0::25])
def test_eager_tells_what_is_known_at_each_query_time(seed: int, tmp_path: Path) -> None:
    program = random_program(seed)
    for now in told(program, "eager", tmp_path, seed):
        lines = differences(until(program, now.commit.fired), compared(now.known, program.horizon))
        assert not lines, "\n".join([f"after batch {now.commit.batch}:", *lines, str(program)])


@pytest.mark.parametrize("seed", SEEDS[1::25])
def test_settling_never_withdraws(seed: int, tmp_path: Path) -> None:
    """It tells every beginning that is settled, and no other."""
    program = random_program(seed)
    history = until(program, program.horizon.last)
    found = told(program, "settling", tmp_path, seed)
    for now in found[:-1]:
        assert "withdraw" not in now.ops, program
        known = compared(now.known, program.horizon)
        assert _beginnings(known) <= _beginnings(history), program
        assert known.occurrences <= history.occurrences, program
        assert {one for one in _beginnings(history) if one[1] <= _settled(now, one[0][0])} <= _beginnings(known), (
            program
        )
        assert {one for one in history.occurrences if one[2] <= _settled(now, one[0])} <= known.occurrences, program
    assert not differences(history, compared(found[-1].known, program.horizon)), program


@pytest.mark.parametrize("seed", SEEDS[2::25])
def test_final_only_inserts(seed: int, tmp_path: Path) -> None:
    """It tells every interval that has ended for good, and no other."""
    program = random_program(seed)
    history = until(program, program.horizon.last)
    found = told(program, "final", tmp_path, seed)
    for now in found[:-1]:
        assert now.ops <= {"insert"}, program
        known = compared(now.known, program.horizon)
        assert _intervals(known) <= _intervals(history), program
        assert known.occurrences <= history.occurrences, program
        over = {one for one in _intervals(history) if one[2] is not None and one[2] <= _settled(now, one[0][0])}
        assert over <= _intervals(known), program
        assert {one for one in history.occurrences if one[2] <= _settled(now, one[0])} <= known.occurrences, program
    assert not differences(history, compared(found[-1].known, program.horizon)), program


def _settled(now: Told, name: str) -> int:
    return now.commit.settled.get(name, -(1 << 60))


def _beginnings(known: Answer) -> set[tuple[Key, int]]:
    return {(key, start) for key, times in known.intervals.items() for start, _ in times}


def _intervals(known: Answer) -> set[tuple[Key, int, int | None]]:
    return {(key, start, end) for key, times in known.intervals.items() for start, end in times}


@pytest.mark.parametrize("report", REPORTS)
def test_what_is_settled_follows_the_query_times(report: Report, tmp_path: Path) -> None:
    """Otherwise a report that tells nothing before the end would keep its promises."""
    live = ByHand(setting_of(parse(PARTY), HORIZON, 3, report), tmp_path)
    counts = []
    names = {relation.name for made in live.setting.program.plan.definitions for relation in made.defines}
    for batch, rows in enumerate(in_batches(party(3, 300), 12)):
        commit = live.run(batch, [rows])
        if commit.fired is not None:
            cuts = [commit.settled.get(name, HORIZON.start - 1) for name in names]
            assert commit.fired - min(cuts) <= HORIZON.window, commit
        counts.append(sum(map(len, live.answer().intervals.values())))
    live.close()
    assert counts[8] > counts[4] > 0
    assert not differences(history(party(3, 300)), live.answer())


@pytest.mark.parametrize("seed", SEEDS[0::10])
def test_looking_only_at_what_changes_tells_the_same(seed: int, tmp_path: Path) -> None:
    """Change by change, with restarts that go through the log, against a stream that reads all state at every batch."""
    program = random_program(seed)
    tick, window = program.horizon.sample_every, program.horizon.window
    horizon = replace(program.horizon, step=max(window // 7 // tick, 1) * tick)
    setting = setting_of(parse(program.text, functions=FUNCTIONS), horizon, 1)
    plain, live = (ByHand(setting, tmp_path / str(remembers), remembers=remembers) for remembers in (False, True))
    for stream in (plain, live):
        random, restarts = Random(seed), Random(seed + 1)
        for batch, rows in enumerate(cuts(in_steps(program.rows, horizon, random), random)):
            stream.run(batch, list(shared_out(rows, random)))
            if stream is live and restarts.random() < 0.25:
                live.restart()
        stream.close()
    for mine, other in zip(live.log(), plain.log(), strict=True):
        assert mine.equals(other), f"{program}\n{mine.to_pylist()}\n{other.to_pylist()}"


# ---------------------------------------------------------------- rows that come when they should not


@pytest.mark.parametrize("seed", SEEDS[3::25])
def test_what_is_read_late_counts_as_come_late(seed: int, tmp_path: Path) -> None:
    """In any order at all: a row that a query time should have seen is there for the next."""
    program, random = random_program(seed), Random(seed)
    rows = random.sample(program.rows, len(program.rows))
    setting = setting_of(parse(program.text, functions=FUNCTIONS), program.horizon, 3)
    live, seen, fired = ByHand(setting, tmp_path), [], None
    for batch, part in enumerate(cuts(rows, random)):
        seen += [_not_before(row, fired) for row in part]
        fired = live.run(batch, list(shared_out(part, random))).fired
    live.close()
    expected = naive(parse(program.text, functions=FUNCTIONS), seen, program.horizon)
    lines = differences(compared(expected, program.horizon), compared(live.answer(), program.horizon))
    assert not lines, "\n".join([*lines, str(program)])


@pytest.mark.parametrize("seed", SEEDS[4::25])
def test_a_stream_may_go_on_after_its_end(seed: int, tmp_path: Path) -> None:
    """Closing makes all query times due; what comes later counts as come after them."""
    program, random = random_program(seed), Random(seed)
    setting = with_times(setting_of(parse(program.text, functions=FUNCTIONS), program.horizon, 3), end=None)
    live, seen, fired = ByHand(setting, tmp_path), [], None
    for batch, part in enumerate(cuts(sorted(program.rows, key=arrival), random)):
        seen += [_not_before(row, fired) for row in part]
        fired = live.run(batch, list(shared_out(part, random))).fired
        if random.random() < 0.4:
            fired = live.close().fired
            live.restart()
    last = live.close()
    assert last.fired is not None
    horizon = replace(program.horizon, end=min(last.fired, next(e.end for e in reversed(last.state.log) if e.due)))
    lines = differences(
        compared(naive(parse(program.text, functions=FUNCTIONS), seen, horizon), horizon),
        compared(live.answer(), horizon),
    )
    assert not lines, "\n".join([*lines, str(program)])


def _not_before(row: str, fired: int | None) -> str:
    name, when, *rest = row.split("|")
    return row if fired is None else "|".join([name, str(max(int(when), fired + 1)), *rest])


# ---------------------------------------------------------------- one rich description


def in_batches(rows: Sequence[str], count: int) -> list[list[str]]:
    ordered = sorted(rows, key=arrival)
    size = -(-len(ordered) // count)
    return [ordered[low : low + size] for low in range(0, len(ordered), size)]


def history(rows: Sequence[str], horizon: Horizon = HORIZON) -> Answer:
    return LOCAL[0].recognise(parse(PARTY), rows, horizon)


def restarted(live: ByHand, at: int, batches: list[Parts]) -> None:
    """The driver begins anew before the batch."""
    for batch, parts in enumerate(batches):
        if batch == at:
            live.restart()
        live.run(batch, parts)


def repeated(live: ByHand, at: int, batches: list[Parts]) -> None:
    """The batch is done, but Spark does not know it."""
    for batch, parts in enumerate(batches):
        live.run(batch, parts)
        if batch == at:
            live.restart()
            live.run(batch, parts)


def merged(live: ByHand, at: int, batches: list[Parts]) -> None:
    """The batch is lost in a crash while it was evaluated; the next attempt has the rows of the one after it too."""
    lost = [*batches[:at], [*batches[at], *(batches[at + 1] if at + 1 < len(batches) else [])], *batches[at + 2 :]]
    for batch, parts in enumerate(lost):
        if batch == at:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("holdsfor.job.live.state.ledger.Ledger.write", crash)
                with pytest.raises(Crash):
                    live.run(batch, batches[at])
            live.restart()
        live.run(batch, parts)


class Crash(BaseException):
    """The process ends here."""


def crash(*_: object) -> None:
    raise Crash


@pytest.mark.parametrize("how", [restarted, repeated, merged])
def test_the_driver_may_begin_anew_at_any_batch(how: object, tmp_path: Path) -> None:
    rows = party(1, 150)
    expected = history(rows)
    batches: list[Parts] = [[part[::2], part[1::2]] for part in in_batches(rows, 4)]
    for at in range(len(batches)):
        live = ByHand(setting_of(parse(PARTY), HORIZON, 2), tmp_path / str(at))
        how(live, at, batches)  # type: ignore[operator]
        live.close()
        assert not differences(expected, live.answer()), at


@settings(deadline=None, max_examples=max(8, len(SEEDS) // 20), suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 3), st.integers(0, 1 << 32), st.sampled_from((1, 2, 3, 5)), st.sampled_from(REPORTS))
def test_any_cuts_and_any_order_of_arrival(sample: int, seed: int, buckets: int, report: Report) -> None:
    """With retractions and late rows; the seed cuts, shuffles, shares out, and begins anew."""
    rows = party(sample, 150)
    found = answer(*recognise(parse(PARTY), rows, HORIZON, buckets, report, seed))
    assert not differences(history(rows), found)


# ---------------------------------------------------------------- what is kept


LONG = 16  # windows


def steady(guests: int) -> Iterator[list[str]]:
    """A batch a step, as many rows each."""
    random = Random(5)
    for number in range(LONG * HORIZON.window // HORIZON.step):
        low = HORIZON.start + number * HORIZON.step
        yield [_event(random, random.randint(low + 1, low + HORIZON.step), guests) for _ in range(120)]


def _event(random: Random, time: int, guests: int) -> str:
    name = random.choice(("sit", "run", "stop", "greet", "part"))
    args = [f"p{random.randint(1, guests)}" for _ in range(2 if name in ("greet", "part") else 1)]
    return "|".join([name, str(time), str(time), *args])


#: Compares intervals at any distance, and looks at nothing that the party does.
ALLEN = """
initiatedAt(lit(P)=true, T) :- happensAt(light(P), T).
terminatedAt(lit(P)=true, T) :- happensAt(dim(P), T).
initiatedAt(warm(P)=true, T) :- happensAt(heat(P), T).
terminatedAt(warm(P)=true, T) :- happensAt(cool(P), T).
holdsFor(cosy(P)=true, I) :- holdsFor(lit(P)=true, A), holdsFor(warm(P)=true, B), allen(before, A, B, source, I).
"""
BEFORE = ["light|1|1|p1", "dim|9|9|p1"]
AFTER = [f"heat|{LONG * HORIZON.window - 50}|{LONG * HORIZON.window - 50}|p1"]
AFTER += [f"cool|{LONG * HORIZON.window - 30}|{LONG * HORIZON.window - 30}|p1"]


@pytest.mark.parametrize(("rules", "early", "late"), [(PARTY, [], []), (PARTY + ALLEN, BEFORE, AFTER)])
def test_state_does_not_grow_with_the_stream(rules: str, early: list[str], late: list[str], tmp_path: Path) -> None:
    """And is all that is needed: the history is that of one pass. What is unbounded keeps what it looks at itself."""
    live = ByHand(setting_of(parse(rules), replace(HORIZON, end=1 << 40), 2), tmp_path)
    rows: list[str] = []
    told, on_disk = [], []
    parts = [*steady(12)]
    parts[0] += early
    parts[-2] += late
    for batch, part in enumerate(parts):
        rows += part
        commit = live.run(batch, [part])
        told.append(commit.state.size)
        on_disk.append(sum(path.stat().st_size for path in (tmp_path / "state" / "state").rglob("*.arrow")))
    warm = 3 * HORIZON.window // HORIZON.step
    for sizes in (told, on_disk):
        early, later = sizes[warm : 3 * warm], sizes[-2 * warm :]
        assert max(later) <= 1.1 * max(early), (max(early), max(later))
    assert commit.fired is not None
    expected = LOCAL[0].recognise(parse(rules), rows, replace(HORIZON, end=commit.fired))
    assert sum(map(len, expected.intervals.values())) > 1000
    assert not late or expected.intervals["cosy", ("p1",), "true"] == [(2, 10)]
    assert not differences(expected, live.answer())
