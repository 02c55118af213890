"""Hold comparisons of rules and of histories to what they say, and histories to a naive comparison."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor as hf
from holdsfor.comparison.histories import compare_histories
from holdsfor.engine.output.result import INTERVALS_SCHEMA, OCCURRENCES_SCHEMA

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
holdsFor(drifting(V)=true, I) :- holdsFor(slow(V)=true, J), intDurGreater(J, 10, I).
happensAt(lost(V), T) :- happensAt(gap(V), T), tug(V).
pair(V) <- gap(V) SEQ lost(V).
alone(V) <- gap(V) SEQ gap(V).
tug(v1).
"""


def differ(old: str, new: str) -> dict[str, tuple[str, ...]]:
    rules = hf.diff(hf.parse(old), hf.parse(new)).rules
    names = ("added", "removed", "changed", "affected")
    return {name: getattr(rules, name) for name in names if getattr(rules, name)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("K < 5", "K < 6", {"changed": ("slow/1",), "affected": ("drifting/1",)}),
        ("(J, 10, I)", "(J, 20, I)", {"changed": ("drifting/1",)}),
        ("tug(v1).", "tug(v1). tug(v2).", {"changed": ("tug/1",), "affected": ("lost/1", "pair/1")}),
        ("alone(V) <- gap(V) SEQ gap(V).", "", {"removed": ("alone/1",)}),
        ("tug(v1).", "tug(v1). more(V) <- alone(V) SEQ gap(V).", {"added": ("more/1",)}),
        ("V, K", "Vessel, Knots", {}),  # the names of variables, with the next line
    ],
)
def test_what_changes_and_what_depends_on_it(old: str, new: str, expected: dict[str, tuple[str, ...]]) -> None:
    changed = RULES.replace(old, new)
    if not expected:
        changed = changed.replace("slow(V)", "slow(Vessel)").replace("K <", "Knots <").replace("K >=", "Knots >=")
        changed = changed.replace("holdsFor(slow(Vessel)", "holdsFor(slow(V)")
    assert differ(RULES, changed) == expected


def test_intervals_that_differ_have_both_times() -> None:
    old, new = hf.parse(RULES), hf.parse(RULES.replace("K < 5", "K < 8").replace("K >= 5", "K >= 8"))
    lines = [
        "velocity(v1,3) @ 10",
        "velocity(v1,6) @ 20",
        "velocity(v1,9) @ 30",
        "velocity(v2,7) @ 5",
        "velocity(v2,9) @ 9",
    ]
    found = hf.diff(old, new, hf.read_events(lines, format="terms"))
    assert found.differences is not None
    rows = [
        (row["change"], row["name"], row["args"], row["start_before"], row["end_before"], row["start"], row["end"])
        for row in found.differences.to_pylist()
    ]
    assert rows == [
        ("appear", "drifting", ["v1"], None, None, 11, 31),
        ("appear", "slow", ["v2"], None, None, 6, 10),
        ("grow", "slow", ["v1"], 11, 21, 11, 31),
    ]
    counts = {each.name: (each.before, each.after, each.differences) for each in found.definitions}
    assert counts == {"drifting": (0, 1, {"appear": 1}), "slow": (1, 2, {"appear": 1, "grow": 1})}
    assert not any(each.is_noisy for each in found.definitions)


Rows = list[tuple[str, int, int | None]]


@st.composite
def histories(draw: st.DrawFn) -> Rows:
    """Draw intervals of two keys that neither overlap nor touch; the last one may be open."""
    rows: Rows = []
    for key in "ab":
        times = sorted(draw(st.sets(st.integers(0, 30), max_size=8)))
        spans = list(zip(times[::2], times[1::2], strict=False))
        rows += [(key, start, end) for start, end in spans]
        if len(times) % 2:
            rows.append((key, times[-1], None))
    return rows


def table_of(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(
        [{"fluent": "f", "args": [key], "value": "true", "start": start, "end": end} for key, start, end in rows],
        schema=INTERVALS_SCHEMA,
    )


def compare_naively(before: Rows, after: Rows) -> set[tuple[str, str, int | None, int | None, int | None, int | None]]:
    def last(end: int | None) -> float:
        return float("inf") if end is None else end

    old, new = set(before) - set(after), set(after) - set(before)
    found: set[tuple[str, str, int | None, int | None, int | None, int | None]] = set()
    paired = set()
    for one in old:
        for other in new:
            if one[0] == other[0] and one[1] < last(other[2]) and other[1] < last(one[2]):
                grows = other[1] <= one[1] and last(other[2]) >= last(one[2])
                shrinks = other[1] >= one[1] and last(other[2]) <= last(one[2])
                found.add(("grow" if grows else "shrink" if shrinks else "move", *one, *other[1:]))
                paired |= {("old", one), ("new", other)}
    found |= {("vanish", *one, None, None) for one in old if ("old", one) not in paired}
    found |= {("appear", other[0], None, None, *other[1:]) for other in new if ("new", other) not in paired}
    return found


@settings(deadline=None)
@given(histories(), histories())
def test_differences_are_those_of_a_naive_comparison(before: Rows, after: Rows) -> None:
    table = compare_histories(table_of(before), table_of(after))
    rows = [
        (row["change"], row["args"][0], row["start_before"], row["end_before"], row["start"], row["end"])
        for row in table.to_pylist()
    ]
    assert len(rows) == len(set(rows))
    assert set(rows) == compare_naively(before, after)


def test_occurrences_appear_and_vanish() -> None:
    def table(*times: tuple[int, int]) -> pa.Table:
        rows = [{"event": "e", "args": [], "start": start, "end": end} for start, end in times]
        return pa.Table.from_pylist(rows, schema=OCCURRENCES_SCHEMA)

    changes = compare_histories(table((1, 5), (2, 5), (7, 7)), table((1, 5), (2, 6)))
    assert [(row["change"], row["start_before"], row["start"]) for row in changes.to_pylist()] == [
        ("vanish", 2, None),
        ("appear", None, 2),
        ("vanish", 7, None),
    ]


def test_a_sweep_recognises_once_for_each_value(tmp_path: Path) -> None:
    rules = tmp_path / "rules.ec"
    rules.write_text(RULES)
    events = hf.read_events(
        ["velocity(v1,3) @ 10", "velocity(v1,6) @ 20", "velocity(v2,5) @ 4", "velocity(v2,7) @ 8"], format="terms"
    )
    table = hf.sweep(rules, "K < {3..6}", events)
    begun = {row["value"]: (row["count"], row["duration"]) for row in table.to_pylist() if row["name"] == "slow/1"}
    # v1 reads 3 at 10 and 6 at 20; v2 reads 5 at 4, at which it would end as well, and 7 at 8
    assert begun == {"3": (0, 0), "4": (1, 10), "5": (1, 10), "6": (1, 10)}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("K < 5", "is no range of values"),
        ("K > {3..6}", "stands nowhere"),
        ("{3..6}", "times in the rules (lines"),
        ("K < {6..3}", "is no range"),
        ("K < {0..100000}", "at most 1000 values"),
    ],
)
def test_a_range_that_cannot_be_meant_is_refused(values: str, message: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.ec"
    rules.write_text(RULES)
    with pytest.raises(hf.HoldsforError) as caught:
        hf.sweep(rules, values, hf.read_events([], format="terms"))
    assert message in str(caught.value)
