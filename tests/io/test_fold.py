"""Folding the change log gives the current table."""

from __future__ import annotations

import random

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG, fold_intervals, fold_occurrences, last_words
from tests.io.change_logs import POINTS, Point, Steps, as_points, as_world, interval_log, occurrence_logs, steps
from tests.kernels.packed import law

INTERVALS = INTERVAL_LOG.empty_table()


@law
@given(steps())
def test_folding_the_log_gives_what_is_so_at_its_end(run: Steps) -> None:
    for n in range(len(run.worlds) + 1):
        folded = fold_intervals(pa.concat_tables([INTERVALS, *run.logs[:n]]))
        assert as_world(folded) == (run.worlds[n - 1] if n else {})
        assert folded.column_names == ["fluent", "args", "value", "start", "end"]


@law
@given(st.lists(st.sets(POINTS, max_size=5), max_size=6))
def test_occurrences(worlds: list[set[Point]]) -> None:
    folded = fold_occurrences(pa.concat_tables([OCCURRENCE_LOG.empty_table(), *occurrence_logs(worlds)]))
    assert as_points(folded) == (worlds[-1] if worlds else set())
    assert folded.column_names == ["event", "args", "start", "end"]


@law
@given(steps(), st.randoms(use_true_random=False))
def test_logs_may_lie_in_any_order_of_files(run: Steps, shuffled: random.Random) -> None:
    logs = list(run.logs)
    shuffled.shuffle(logs)
    folded = fold_intervals(pa.concat_tables([INTERVALS, *logs]))
    assert as_world(folded) == (run.worlds[-1] if run.worlds else {})


@law
@given(steps(), st.integers(0, 8), st.integers(0, 8))
def test_any_part_of_a_log_may_be_shortened(run: Steps, begin: int, end: int) -> None:
    begin, end = sorted((begin, end))
    whole = [INTERVALS, *run.logs]
    part = last_words(pa.concat_tables([INTERVALS, *run.logs[begin:end]]))
    short = pa.concat_tables([INTERVALS, *run.logs[:begin], part, *run.logs[end:]])
    assert as_world(fold_intervals(short)) == as_world(fold_intervals(pa.concat_tables(whole)))
    assert len(set(part["id"].to_pylist())) == len(part)


@law
@given(steps())
def test_a_whole_log_shortened_has_no_withdrawals(run: Steps) -> None:
    short = last_words(pa.concat_tables([INTERVALS, *run.logs]))
    assert "withdraw" not in short["op"].to_pylist()
    assert short.schema == INTERVAL_LOG


def test_later_words_within_one_query_time_count() -> None:
    log = interval_log(
        [
            (10, "insert", "near", ("v1",), "true", 3, None),
            (10, "shorten", "near", ("v1",), "true", 3, 7),
            (10, "withdraw", "near", ("v2",), "true", 3, None),
            (10, "insert", "near", ("v2",), "true", 3, 4),
        ]
    )
    assert as_world(fold_intervals(log)) == {("near", ("v1",), "true", 3): 7, ("near", ("v2",), "true", 3): 4}
