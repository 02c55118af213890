"""Facts in great numbers are read by a way of their own, which gives what the parser gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.language.diagnostics import Source
from holdsfor.language.parsing.clauses import MANY
from holdsfor.language.parsing.syntax import RawClause, parse
from holdsfor.language.terms import Compound

ARGUMENT = st.sampled_from(["a", "b_2", "0", "7", "-3", "007", "-0", "1.50", "2.0", "'it, so'", "'b_2'", "'('", "'%'"])
GAP = st.sampled_from(["\n", "\n", "\n", " ", " % so. it(is).\n", "\n/* r(1). */\n", "\r\n", "\t"])
INSIDE = st.sampled_from(["", "", "", " ", "\n"])
OTHER = ["s(X) :- r(X).", "r([1]).", "r(f(1)).", "q(1).", "r(12345678901234567890).", 'r("text").']


@st.composite
def fact_files(draw: st.DrawFn) -> str:
    """A text with many facts of r, with one to three arguments, among others."""
    kinds = draw(st.lists(st.tuples(st.lists(ARGUMENT, min_size=1, max_size=3), INSIDE, GAP), min_size=1, max_size=12))
    facts = [f"r({inside}{f'{inside},{inside}'.join(args)}{inside}){inside}.{gap}" for args, inside, gap in kinds]
    others = [f"{text}{gap}" for text, gap in draw(st.lists(st.tuples(st.sampled_from(OTHER), GAP), max_size=3))]
    return "".join(draw(st.permutations(facts * (MANY // len(facts) + 1) + others)))


@settings(max_examples=40, deadline=None)
@given(fact_files())
def test_that_tables_have_the_facts_that_the_parser_reads(text: str) -> None:
    source = Source("facts.ec", text)
    fast, slow = parse(source), parse(source, in_order=True)
    assert slow.tables == []
    assert sum(map(len, fast.tables)) >= 1
    expected = [clause.head for clause in slow.raw if isinstance(clause, RawClause) and clause.body is None]
    heads = [clause.head for clause in fast.raw if isinstance(clause, RawClause) and clause.body is None]
    heads += [Compound("r", row, table.place) for table in fast.tables for row in table.rows()]
    assert set(map(str, heads)) == set(map(str, expected))
    assert [table.signature.name for table in fast.tables] == ["r"] * len(fast.tables)
    assert len(fast.raw) - len(heads) + sum(map(len, fast.tables)) == len(slow.raw) - len(expected)
