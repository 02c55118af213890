"""Hold a sweep, which evaluates all versions of the rules at once, to recognising with each version by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.comparison import sweep as sweeping

RULES = """
:- tick(s).
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), limit(L), L >= 1, K < L, \\+ happensAt(gap(V), T).
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
initiatedAt(slow=some, T) :- happensAt(start(slow(_)=true), T).
holdsFor(drifting(V)=true, I) :- holdsFor(slow(V)=true, J), intDurGreater(J, 1 min, I).
initiatedAt(watch(V)=early, T) :- happensAt(start(slow(V)=true), T), \\+ holdsAt(watch(V)=early, T).
fi(watch(V)=early, watch(V)=done, 30).
happensAt(lost(V), T) :- happensAt(gap(V), T), holdsAt(slow(V)=true, T), near(V).
pair(V) <- (velocity(V, K) SEQ lost(V)).200 WHERE K > 1.5.
long(V) <- (slow(V)=true) DURING shift(V).
internal kept/1.
initiatedAt(kept(V)=true, T) :- happensAt(pair(V), T).
initiatedAt(tired(V)=true, T) :- happensAt(end(kept(V)=true), T).
terminatedAt(kept(V)=true, T) :- happensAt(shift(V), T).
initiatedAt(moored(V)=true, T) :- happensAt(mooring(V), T).
near(V) :- tug(V, Knots), Knots > 3.
limit(5).
tug(v1, 4). tug(v2, 9).
"""
LINES = [
    *(f"velocity(v{n % 3 + 1},{n * 7 % 11}) @ {n * 13}" for n in range(60)),
    *(f"gap(v{n % 3 + 1}) @ {n * 41 + 5}" for n in range(18)),
    *(f"shift(v{n % 3 + 1}) @ [{n * 90},{n * 90 + 200}]" for n in range(8)),
    "mooring(v1) @ 3",
]


def sweep_one_by_one(rules: str, values: str, here: str, written: list[str]) -> list[tuple[str, str, int, int]]:
    """Recognise with each version. here: what stands in the rules."""
    rows = []
    for value in written:
        assert rules.count(here) == 1
        text = rules.replace(here, re.sub(r"\{.*\}", value, values))
        result = hf.recognise(hf.parse(text), hf.read_events(LINES, format="terms"))
        for row in result.intervals.to_pylist():
            length = 0 if row["end"] is None else row["end"] - row["start"]
            rows.append((value, f"{row['fluent']}/{len(row['args'])}", length))
        for row in result.occurrences.to_pylist():
            rows.append((value, f"{row['event']}/{len(row['args'])}", row["end"] - row["start"]))
    keys = sorted({row[:2] for row in rows})
    return [(*key, sum(row[:2] == key for row in rows), sum(row[2] for row in rows if row[:2] == key)) for key in keys]


@pytest.mark.parametrize(
    ("here", "values", "written"),
    [
        ("limit(5).", "limit({3..9..2}).", ["3", "5", "7", "9"]),
        ("K >= 5.", "K >= {2..8..3}.", ["2", "5", "8"]),
        ("(J, 1 min, I)", "(J, {1..3} min, I)", ["1", "2", "3"]),
        ("watch(V)=done, 30)", "watch(V)=done, {10..40..15})", ["10", "25", "40"]),
        (").200 WHERE", ").{100..300..100} WHERE", ["100", "200", "300"]),
        ("WHERE K > 1.5.", "WHERE K > {0.5..2.5}.", ["0.5", "1.5", "2.5"]),
        ("Knots > 3.", "Knots > {1..11..5}.", ["1", "6", "11"]),
        ("tug(v1, 4).", "tug(v1, {2..6..2}).", ["2", "4", "6"]),
        ("L >= 1,", "L >= {0..2..0.5},", ["0", "0.5", "1.0", "1.5", "2.0"]),
    ],
)
def test_a_sweep_counts_what_each_version_finds(here: str, values: str, written: list[str], tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    table = hf.sweep(tmp_path / "rules.ec", values, hf.read_events(LINES, format="terms"))
    swept = [tuple(row.values()) for row in table.to_pylist()]
    expected = sweep_one_by_one(RULES, values, here, written)
    assert {row[0] for row in swept} == set(written)
    names = {row[1] for row in swept}
    assert sorted(row for row in swept if row[2]) == [row for row in expected if row[1] in names]
    others = [row for row in expected if row[1] not in names]
    assert len({row[1:] for row in others}) == len({row[1] for row in others})  # each version finds the same


@pytest.mark.parametrize(
    ("rules", "lines", "is_read_at_once"),
    [
        (RULES, LINES, True),
        (RULES, [*LINES, "slow(v9)=true @ [10,100)"], False),  # rows of a version's own fluent
        (RULES + "input event velocity/2, gap/1, shift/1, mooring/1.\ninput fluent drifting/1.", LINES, False),
    ],
)
def test_versions_are_evaluated_at_once_where_they_can_be(
    rules: str, lines: list[str], is_read_at_once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def count(*given: object, **named: object) -> hf.Result:
        runs.append(given)
        return recognise_for(*given, **named)  # type: ignore[arg-type]

    recognise_for = sweeping.recognise_for
    monkeypatch.setattr(sweeping, "recognise_for", count)
    (tmp_path / "rules.ec").write_text(rules)
    table = hf.sweep(tmp_path / "rules.ec", "limit({3..6}).", hf.read_events(lines, format="terms"))
    assert (len(runs) == 1) == is_read_at_once
    slow = {row["value"]: row["count"] for row in table.to_pylist() if row["name"] == "slow/1"}
    assert list(slow) == ["3", "4", "5", "6"]
    assert len(set(slow.values())) > 1


def test_a_sweep_takes_facts_and_functions(tmp_path: Path) -> None:
    import pyarrow as pa

    (tmp_path / "rules.ec").write_text("happensAt(odd(V), T) :- happensAt(e(V, X), T), tug(V), X > 3.")
    table = hf.sweep(
        tmp_path / "rules.ec",
        "X > {3..5}",
        hf.read_events(["e(v1,4) @ 1", "e(v1,5) @ 2", "e(v2,9) @ 3"], format="terms"),
        facts={"tug": pa.table({"vessel": ["v1"]})},
    )
    assert [row["count"] for row in table.to_pylist()] == [2, 1, 0]
