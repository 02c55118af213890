"""Laws of the live session: however rows are added and time goes on, it tells what the history says.

HOLDSFOR_PROGRAMS and HOLDSFOR_SEED as for the laws of programs.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.output.changes import REPORTS
from holdsfor.engine.tuning import Tuning
from holdsfor.io.storage.fold import Changes, fold_intervals, fold_occurrences
from holdsfor.language import parse
from tests.change_log import fold_strictly
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, answer, in_session, naive
from tests.conformance.sessions import begin, recognise
from tests.conformance.streamed import arrival, cuts
from tests.laws.test_programs import SEEDS, explain, wrong
from tests.laws.test_reports import TEXTS, description, random_horizon, random_rows
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import random_program
from tests.spark.live.party import HORIZON, PARTY, party


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_same_as_naive(seed: int) -> None:
    """Random adds, advances, saves and resumptions, with each report."""
    program = random_program(seed)
    engine = in_session(REPORTS[seed % len(REPORTS)])
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.parametrize("seed", range(24))
def test_same_as_batch_with_late_rows_and_retractions(seed: int) -> None:
    random = Random(seed)
    text, horizon = TEXTS[seed % len(TEXTS)], random_horizon(random)
    rows = list(random_rows(random, horizon))
    expected = compared(LOCAL[0].recognise(description(text), rows, horizon), horizon)
    for report in REPORTS:
        found = compared(answer(*recognise(description(text), rows, horizon, report, seed)), horizon)
        assert not differences(expected, found), f"{report}\n{text}\nrows = {rows}\n{horizon}"


@pytest.mark.parametrize("seed", range(6))
def test_folding_the_changes_gives_what_is_current(seed: int) -> None:
    """Each change has the name that says what it does to what was told before."""
    logs: list[Changes] = []

    def watch(live: holdsfor.Session, changes: Changes) -> None:
        logs.append(changes)
        intervals = fold_intervals(pa.concat_tables([log.intervals for log in logs]))
        occurrences = fold_occurrences(pa.concat_tables([log.occurrences for log in logs]))
        assert not differences(answer(intervals, occurrences), answer(*live.current()))

    recognise(parse(PARTY), party(seed, 150), HORIZON, seed=seed, watch=watch)
    told = fold_strictly((row for log in logs for row in log.intervals.to_pylist()), HORIZON.step)
    assert len(told) == fold_intervals(pa.concat_tables([log.intervals for log in logs])).num_rows
    assert sum(log.intervals.num_rows for log in logs) > 20


@pytest.mark.parametrize("seed", SEEDS[3::25])
def test_what_is_added_late_counts_as_come_late(seed: int) -> None:
    """In any order at all: a row that a query time should have seen is there for the next."""
    program, random = random_program(seed), Random(seed)
    live, seen = begin(parse(program.text, functions=FUNCTIONS), program.horizon), []
    for part in cuts(random.sample(program.rows, len(program.rows)), random):
        seen += [_not_before(row, live.last_query_time) for row in part]
        if part:
            live.add(list(part), format="rtec")
        live.advance(random.randint(program.horizon.start, program.horizon.last))
    live.advance(program.horizon.last)
    expected = naive(parse(program.text, functions=FUNCTIONS), seen, program.horizon)
    found = answer(*live.current())
    lines = differences(compared(expected, program.horizon), compared(found, program.horizon))
    assert not lines, "\n".join([*lines, str(program)])


def _not_before(row: str, fired: int | None) -> str:
    """The row as if it had arrived after the query time."""
    fields = row.split("|")
    place = 2 if fields[0] in ("insert", "retract") else 1
    if fired is not None and arrival(row) <= fired and arrival(row) > -(1 << 60):
        fields[place] = str(fired + 1)
    return "|".join(fields)


@pytest.mark.parametrize("tuning", [Tuning(windows_ahead=0), Tuning(most_arrays=0)])
def test_what_is_kept_in_memory_changes_nothing(tuning: Tuning) -> None:
    """An axis that never has room for the next call, or a dictionary that always begins anew."""
    rows = party(7, 200)
    expected = LOCAL[0].recognise(parse(PARTY), rows, HORIZON)
    assert not differences(expected, answer(*recognise(parse(PARTY), rows, HORIZON, seed=7, tuning=tuning)))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_stream(tmp_path: Path) -> None:
    live = holdsfor.session(parse(PARTY), window=40, step=10, start=0, keep=100)
    sizes = []
    for query_time in range(10, 20_000, 10):
        live.add(
            [f"sit|{query_time}|{query_time}|p{query_time % 7}", f"run|{query_time}|{query_time}|p{query_time % 5}"]
        )
        live.advance(query_time)
        if query_time % 1000 == 0:
            live.save(tmp_path)
            sizes.append(sum(path.stat().st_size for path in tmp_path.iterdir()))
            assert len(list(tmp_path.iterdir())) == 4, "a save removes the files of the one before"
    assert max(sizes[10:]) <= 1.2 * max(sizes[3:10])
