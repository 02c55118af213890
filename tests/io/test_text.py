"""Laws of text: atoms as the language writes them; RTEC rows written from random terms are read back."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.io.columns.text import as_text, atom_text, field_terms, plain_text
from holdsfor.io.events import OPEN
from holdsfor.io.join import TermLists, join_columns
from holdsfor.io.readers.ground import read_ground
from holdsfor.io.readers.read import read_events
from holdsfor.language.terms import Atom, Float, Int, Term, quoted
from tests.io.expect import block, inputs, rejects, rows

CHARACTERS = st.characters(codec="utf-8")
NAMES = st.one_of(st.text(CHARACTERS, max_size=6), st.text("ab_A9'\\\n[]+-. ", max_size=4))


@given(st.lists(NAMES, max_size=8))
def test_atoms_are_quoted_as_the_language_quotes_them(names: list[str]) -> None:
    assert atom_text(pa.array(names, pa.string())).to_pylist() == [quoted(name) for name in names]


@given(st.lists(NAMES, max_size=8))
def test_plain_text_is_the_name_itself(names: list[str]) -> None:
    assert plain_text(pa.array(map(quoted, names), pa.string())).to_pylist() == names
    assert plain_text(pa.array(["7", "'A b'('C')"])).to_pylist() == ["7", "'A b'('C')"]


@given(NAMES)
def test_the_text_of_an_atom_is_read_as_that_atom(name: str) -> None:
    assert read_ground(quoted(name)) == Atom(name)


def _field(name: str) -> bool:
    """Whether an atom can stand in a field: not empty, no bar or line end, and not taken for a number."""
    return bool(name.strip()) and not set(name) & set("|\n\r") and not set(name) <= set("0123456789-.")


FIELDS = st.one_of(
    NAMES.filter(_field).map(Atom),
    st.integers(-(10**25), 10**25).map(Int),
    st.floats(-1e9, 1e9).filter(lambda x: "e" not in repr(x)).map(Float),
)
TICKS = st.integers(-(2**60), 2**60)


def _written(term: Term) -> str:
    return term.name if isinstance(term, Atom) else str(term)


@settings(deadline=None)
@given(st.lists(st.tuples(FIELDS, FIELDS, TICKS, TICKS), min_size=1, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_rtec_events_are_read_back(written: list[tuple[Term, Term, int, int]], end: str) -> None:
    lines = [f"e|{arrival}|{time}|{_written(a)}|{_written(b)}{end}" for a, b, time, arrival in written]
    events = read_events(lines, "rtec").read(inputs("event e/2"))
    assert rejects(events) == []
    assert rows(block(events, "e")) == [
        ((str(a), str(b)), None, time, None, arrival) for a, b, time, arrival in written
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(FIELDS, FIELDS, TICKS, st.one_of(st.none(), st.integers(1, 2**60))), min_size=1, max_size=12))
def test_rtec_intervals_are_read_back(written: list[tuple[Term, Term, int, int | None]]) -> None:
    lines = [
        f"f|{start}|{start}|{'inf' if length is None else start + length}|{_written(value)}|{_written(a)}"
        for a, value, start, length in written
    ]
    events = read_events(lines, "rtec").read(inputs("interval f/1"))
    assert rejects(events) == []
    assert rows(block(events, "f")) == [
        ((str(a),), str(value), start, None if length is None else start + length, start)
        for a, value, start, length in written
    ]
    ends = block(events, "f").end
    assert ends is not None
    assert (ends == OPEN).tolist() == [length is None for _, _, _, length in written]


@given(st.lists(st.lists(FIELDS, min_size=1, max_size=5), min_size=1, max_size=4))
def test_a_column_in_parts_is_the_column(parts: list[list[Term]]) -> None:
    texts = [pa.array([_written(term) for term in part], pa.string()) for part in parts]
    joined = as_text(join_columns([field_terms(text) for text in texts], TermLists()))
    assert joined.to_pylist() == as_text(field_terms(pa.concat_arrays(texts))).to_pylist()
    assert len(set(joined.dictionary.to_pylist())) == len(joined.dictionary)
