"""Tables of facts answer as rows of terms do, whatever they are made of."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.io.columns.text import as_text
from holdsfor.io.facts import FactColumns, fact_columns
from holdsfor.io.readers.facts import read_facts
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.facts import FactTable, JoinedTables, TermRows
from holdsfor.language.parsing.clauses import Fact, clauses
from holdsfor.language.terms import NOWHERE, Atom, Float, Int, Term

TERMS = st.one_of(
    st.sampled_from([Atom("a"), Atom("b"), Atom("Two words"), Atom("7"), Atom("-"), Atom("é")]),
    st.sampled_from([Int(7), Int(-3), Int(10**17), Float(7.0), Float(-0.5), Float(1e-7)]),
)
ROWS = st.lists(st.tuples(TERMS, TERMS), min_size=1, max_size=12)
NAME = Signature("f", 2)
LIMITS = "happensAt(fast(V,K), T) :- happensAt(speed(V,S), T), kind(V,K), limit(K,L), S > L.\nlimit(k3, 4).\n"
SPEEDS = [f"speed(v{number}, {number % 9}) @ {number}" for number in range(1, 60)]


def rows_of(table: FactTable) -> list[str]:
    return [",".join(map(str, row)) for row in table.rows()]


def read_text(text: str, many: int) -> list[tuple[Term, ...]]:
    found: list[tuple[Term, ...]] = []
    diagnostics: list[Diagnostic] = []
    for part in clauses(Source("<text>", text), diagnostics, many):
        assert isinstance(part, Fact | FactTable)
        found += part.rows() if isinstance(part, FactTable) else [part.head.args]
    assert not diagnostics
    return found


def kinds_of(table: FactTable, rows: list[tuple[Term, ...]]) -> list[FactTable]:
    """The same facts in every kind of table."""
    columns = FactColumns(NAME, fact_columns(table), NOWHERE)
    halves = TermRows(NAME, tuple(rows[:1])), TermRows(NAME, tuple(rows))
    text = "".join(f"f({first}, {second} ) .\n" for first, second in rows if "e" not in f"{first}{second}")
    texts = [part for part in clauses(Source("<text>", text), [], 1) if isinstance(part, FactTable)]
    return [columns, JoinedTables(NAME, halves), *(texts if len(texts) == 1 and len(texts[0]) == len(table) else [])]


@settings(deadline=None)
@given(ROWS, TERMS)
def test_tables_answer_alike(rows: list[tuple[Term, ...]], term: Term) -> None:
    rows = list(dict.fromkeys(rows))
    plain = TermRows(NAME, tuple(rows))
    for table in kinds_of(plain, rows):
        assert rows_of(table) == rows_of(plain)
        for constants in ([], [(0, term)], [(0, rows[-1][0]), (1, term)], [(0, rows[-1][0]), (1, rows[-1][1])]):
            assert table.matching(constants, 2) == plain.matching(constants, 2)
        assert [table.name_at(position) for position in (0, 1)] == [plain.name_at(position) for position in (0, 1)]
        columns = [as_text(column).to_pylist() for column in fact_columns(table)]
        assert [",".join(row) for row in zip(*columns, strict=True)] == rows_of(plain)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["f(a,1).", "f( a , 1.50 ).", "f('a',01).", "f('A b',-0).", "g(x).", "f(b)."]), max_size=9)
)
def test_facts_are_read_alike_by_the_fast_way(lines: list[str]) -> None:
    slow, fast = (sorted(map(str, read_text("\n".join(lines), many))) for many in (10**9, 1))
    assert sorted(set(slow)) == fast


def test_many_facts_of_a_file_are_looked_up_like_few() -> None:
    facts = [f"kind(v{number}, k{number % 5}).\n" for number in range(300)]
    many, few = holdsfor.parse(LIMITS, "".join(facts)), holdsfor.parse(LIMITS, *facts)
    assert [len(table) for table in many.background.tables] == [300]
    assert not few.background.tables
    events = holdsfor.read_events(SPEEDS, format="terms")
    found = holdsfor.recognise(many, events).occurrences
    assert found.num_rows == 5  # of kind k3 with more than 4: v8, v23, v33, v43, v53
    assert found.equals(holdsfor.recognise(few, events).occurrences)


def test_a_table_adds_to_the_facts_of_a_file() -> None:
    table = pa.table({"v": ["v1", "v8"], "kind": ["k3", "k3"]})
    description = holdsfor.parse(LIMITS, "kind(v8, k3). kind(v17, k3).", facts={"kind": table})
    found = holdsfor.recognise(description, holdsfor.read_events(SPEEDS, format="terms")).occurrences
    assert sorted(found.column("args").to_pylist()) == [["v17", "k3"], ["v8", "k3"]]


def test_equal_rows_are_one_fact() -> None:
    assert rows_of(read_facts("kind", pa.table({"v": ["a", "b", "a"], "n": [1, 2, 1]}))) == ["a,1", "b,2"]


def test_names_of_a_table_are_no_numbers() -> None:
    rules = "happensAt(fast(V), T) :- happensAt(speed(V,S), T), kind(V,K), S > K."
    table = pa.table({"v": ["v1"], "kind": ["cargo"]})
    with pytest.raises(holdsfor.DescriptionError, match="kind/2 gives names such as cargo"):
        holdsfor.parse(rules, facts={"kind": table})


def test_a_predicate_without_facts_is_unknown() -> None:
    rules = "happensAt(fast(V), T) :- happensAt(speed(V,S), T), kind(V)."
    with pytest.raises(holdsfor.DescriptionError, match="kind is called with 1 argument"):
        holdsfor.parse(rules, facts={"kind": pa.table({"v": ["v1"], "kind": ["cargo"]})})


def test_names_with_a_meaning_keep_it() -> None:
    with pytest.raises(holdsfor.DescriptionError, match="cannot be the head of a rule"):
        holdsfor.parse("", facts={"holdsAt": pa.table({"v": ["v1"], "at": [3]})})


def test_tables_travel() -> None:
    table = read_facts("kind", pa.table({"v": ["a", "b"], "n": [1, 2]}))
    assert rows_of(pickle.loads(pickle.dumps(table))) == ["a,1", "b,2"]
