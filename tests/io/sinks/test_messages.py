"""Changes as JSON, as lines and as files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, changes_as_json
from holdsfor.io.storage.fold import INTERVAL_LOG
from holdsfor.io.storage.store import Store
from tests.io.change_logs import interval_log
from tests.io.sinks.logs import INTERVALS, OCCURRENCES
from tests.kernels.packed import law

TEXTS = st.text(max_size=4)
ROWS = st.tuples(
    st.integers(0, 5),
    st.sampled_from(["insert", "extend"]),
    TEXTS,
    st.lists(TEXTS, max_size=3).map(tuple),
    TEXTS,
    st.integers(-(2**63), 2**63 - 1),
    st.none() | st.integers(-(2**63), 2**63 - 1),
)


@law
@given(st.lists(ROWS, max_size=6), st.integers(0, 6))
def test_every_change_is_a_json_object_with_what_the_log_says(rows: list[tuple[object, ...]], cut: int) -> None:
    log = interval_log(rows)  # type: ignore[arg-type]
    log = pa.concat_tables([log.slice(0, cut), log.slice(cut)])
    said = [json.loads(text) for text in changes_as_json(3, log).to_pylist()]
    assert said == sorted(({"batch": 3, **row} for row in log.to_pylist()), key=lambda row: int(row["query_time"]))


def test_occurrences() -> None:
    said = [json.loads(text) for text in changes_as_json(0, OCCURRENCES).to_pylist()]
    assert said == [{"batch": 0, **row} for row in OCCURRENCES.to_pylist()]
    assert changes_as_json(0, OCCURRENCES.slice(0, 0)).to_pylist() == []


def test_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    sink = ConsoleSink("s")
    assert sink.deliver(0, "entity-0", INTERVALS) == 3
    assert sink.deliver(0, "entity-0", OCCURRENCES) == 2
    assert sink.deliver(0, "entity-0", INTERVAL_LOG.empty_table()) == 0
    assert capsys.readouterr().out.splitlines() == [
        "00:00:10  insert    rendezVous(v1,'Two, \"words\"') = true  [00:00:07, open)",
        "00:00:20  end       rendezVous(v1,'Two, \"words\"') = true  [00:00:07, 00:00:15)",
        "00:00:20  withdraw  idle = 'Ä\\n'  [00:00:03, 00:00:09)",
        "00:00:10  insert    alarm(v1)  at 00:00:05",
        "00:00:10  insert    gap  over [00:00:02, 00:00:06]",
    ]


def test_a_terminal_sees_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b]0;x\x07"
    ConsoleSink().deliver(0, "entity-0", interval_log([(1, "insert", evil, (evil, "\u202e"), evil, 1, 2)]))
    assert capsys.readouterr().out[:-1].isprintable()


def test_files_of_lines_are_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path)
    sink = pickle.loads(pickle.dumps(JsonLinesSink(store)))
    assert [sink.deliver(3, "entity-0", INTERVALS) for _ in range(2)] == [3, 3]
    assert sink.deliver(3, "entity-0", OCCURRENCES) == 2
    assert store.names() == [f"batch=0000003/{kind}-entity-0.jsonl" for kind in ("intervals", "occurrences")]
    text = store.read("batch=0000003/intervals-entity-0.jsonl").to_pybytes().decode()
    assert [json.loads(line)["query_time"] for line in text.splitlines()] == [10, 20, 20]
    sink.deliver(3, "entity-0", INTERVALS.slice(0, 0))
    assert store.names() == ["batch=0000003/occurrences-entity-0.jsonl"]
