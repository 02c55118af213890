"""A log has what it is told, in plain text, and ids that follow from the terms, in whatever process."""

from __future__ import annotations

import subprocess
import sys
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Points
from holdsfor.engine.output.log import (
    NAMES,
    LoggedIntervals,
    LoggedOccurrences,
    LogRows,
    LogTexts,
    make_log,
    occurrence_rows,
)
from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG
from holdsfor.kernels.intervals.logging import INSERT, WITHDRAW
from holdsfor.language.terms import Atom
from holdsfor.plan.operators import Relation
from tests.io.naive_ids import fnv, interval_id, occurrence_id
from tests.kernels.packed import law

Row: TypeAlias = tuple[int, str, list[str], str, int, int | None]
TIMES = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(alphabet=st.sampled_from("ab,Äð\U0001f600"), max_size=3)
ROWS = st.lists(
    st.tuples(st.sampled_from(sorted(NAMES)), TEXTS, st.lists(TEXTS, max_size=3), TEXTS, TIMES, st.none() | TIMES),
    min_size=1,
    max_size=12,
)


def write(rows: list[Row], known: set[str], of_intervals: bool = True) -> pa.Table:
    """known: texts that are in the dictionary; the log has the others for itself."""
    texts = LogTexts(Dictionary())

    def encode(written: list[str]) -> Ints:
        codes = [texts.dictionary.code(text) if text in known else texts.add([text])[0] for text in written]
        return np.array(codes, np.int64)

    ops, names, args, values, starts, ends = zip(*rows, strict=True)
    logged = LogRows(
        np.array(ops),
        encode(list(names)),
        np.array([0, *accumulate(map(len, args))], np.int32),
        encode([text for each in args for text in each]),
        encode(list(values)) if of_intervals else EMPTY,
        np.array(starts),
        np.array([end or 0 for end in ends]),
        np.array([end is None for end in ends]) if of_intervals else None,
    )
    return make_log(logged, texts, 10)


@pytest.mark.parametrize(
    ("data", "known"), [(b"", 0xCBF29CE484222325), (b"a", 0xAF63DC4C8601EC8C), (b"foobar", 0x85944171F73967E8)]
)
def test_the_naive_hash_is_the_published_one(data: bytes, known: int) -> None:
    assert fnv(data) == known


@law
@given(ROWS, st.sets(TEXTS))
def test_a_log_of_intervals(rows: list[Row], known: set[str]) -> None:
    log = write(rows, known)
    log.validate(full=True)
    assert log.schema.equals(INTERVAL_LOG)
    expected = [(10, NAMES[op], interval_id(f, args, v, s), f, args, v, s, e) for op, f, args, v, s, e in rows]
    assert [tuple(row.values()) for row in log.to_pylist()] == expected


@law
@given(ROWS, st.sets(TEXTS))
def test_a_log_of_occurrences(rows: list[Row], known: set[str]) -> None:
    log = write(rows, known, of_intervals=False)
    log.validate(full=True)
    assert log.schema.equals(OCCURRENCE_LOG)
    told = [(op, name, args, start, end or 0) for op, name, args, _, start, end in rows]
    expected = [(10, NAMES[op], occurrence_id(n, args, s, e), n, args, s, e) for op, n, args, s, e in told]
    assert [tuple(row.values()) for row in log.to_pylist()] == expected


def test_texts_are_plain_and_ids_are_not_of_them() -> None:
    quoted, number = write(
        [(INSERT, "f", ["'7'", "'it\\'s'"], "'A b'", 1, 2), (INSERT, "f", ["7"], "b", 1, 2)], {"7"}
    ).to_pylist()
    assert (quoted["args"], quoted["value"], number["args"]) == (["7", "it's"], "A b", ["7"])
    assert quoted["id"] == interval_id("f", ["'7'", "'it\\'s'"], "'A b'", 1)


@law
@given(ROWS)
def test_different_intervals_have_different_ids(rows: list[Row]) -> None:
    different = {(name, tuple(args), value, start) for _, name, args, value, start, _ in rows}
    assert len(set(write(rows, set())["id"].to_pylist())) == len(different)


def test_neighbouring_starts_differ_in_many_digits() -> None:
    ids = write([(INSERT, "near", ["v1"], "true", start, None) for start in range(1000)], set())["id"].to_pylist()
    assert len({i[:4] for i in ids}) > 950
    assert len({i[-4:] for i in ids}) > 950


def test_an_interval_keeps_its_id_when_its_end_changes_and_an_occurrence_does_not() -> None:
    rows: list[Row] = [(INSERT, "near", ["v1"], "true", 1, 3), (INSERT, "near", ["v1"], "true", 1, 4)]
    assert len(write(rows, set())["id"].unique()) == 1
    assert len(write(rows, set(), of_intervals=False)["id"].unique()) == 2


def test_ids_are_the_same_in_another_process() -> None:
    code = (
        "from tests.engine.test_log import write; print(write([(1, 'near', ['v1'], 'true', 7, None)], set())['id'][0])"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == interval_id("near", ["v1"], "true", 7)


@pytest.mark.parametrize("code_bits", [6, 20, 30])
def test_arguments_and_values_are_found_in_keys(code_bits: int) -> None:
    """Also where keys are numbers out of a table, as those of three arguments with 20 bits, or two with 30, are."""
    axis, dictionary = Axis(100, 1, 8, code_bits), Dictionary()
    a, b, c = (dictionary.codes([text]) for text in ("a", "b", "c"))
    relations = [
        Relation("one", 1, Atom("true"), "fluent"),
        Relation("none", 2, None, "valued"),
        Relation("three", 3, Atom("yes"), "fluent"),
        Relation("valued", 2, None, "valued"),
    ]
    keys = [axis.key(codes)[0] for codes in ([c], [a, b, c], [b, a], [a, c])]
    s = np.array([key << 8 | 5 for key in keys], np.int64)
    e = np.array([key << 8 | end for key, end in zip(keys, (9, 255, 7, 8), strict=True)], np.int64)
    logged = LoggedIntervals(relations, np.array([INSERT, INSERT, WITHDRAW, INSERT]), s, e, np.array([1, 1, 2, 4]))
    texts = LogTexts(dictionary)
    log = make_log(logged.rows(axis, texts), texts, 10)
    assert log.drop_columns(["query_time", "op", "id"]).to_pylist() == [
        {"fluent": "one", "args": ["c"], "value": "true", "start": 105, "end": 109},
        {"fluent": "three", "args": ["a", "b", "c"], "value": "yes", "start": 105, "end": None},
        {"fluent": "valued", "args": ["b"], "value": "a", "start": 105, "end": 107},
        {"fluent": "valued", "args": ["a"], "value": "c", "start": 105, "end": 108},
    ]


def test_arguments_of_occurrences_may_be_numbers() -> None:
    axis, dictionary = Axis(100, 1, 8, 6), Dictionary()
    codes = dictionary.codes(["b", "a"])
    columns = {1: Column(dictionary, numbers=np.array([0.5, 7.0])), 2: Column(dictionary, numbers=np.array([7, 7]))}
    points = Points(axis, dictionary, 3, (0,), axis.pack([codes], np.array([103, 104])), columns, np.array([1, 4]))
    bare = Points(axis, dictionary, 0, (), np.array([9]), {})
    parts = [
        LoggedOccurrences(Relation("seen", 3, None, "event"), INSERT, points),
        LoggedOccurrences(Relation("end", 0, None, "event"), WITHDRAW, bare),
    ]
    texts = LogTexts(dictionary)
    log = make_log(occurrence_rows(parts, texts), texts, 10)
    assert log.drop_columns(["query_time", "id"]).to_pylist() == [
        {"op": "insert", "event": "seen", "args": ["b", "0.5", "7"], "start": 101, "end": 103},
        {"op": "insert", "event": "seen", "args": ["a", "7.0", "7"], "start": 104, "end": 104},
        {"op": "withdraw", "event": "end", "args": [], "start": 109, "end": 109},
    ]
    assert len(dictionary) == 2, "numbers get no code"
