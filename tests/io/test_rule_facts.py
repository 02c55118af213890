"""Facts of rule files that are read as columns are those that the parser reads, and all else is left to the parser."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.io.columns.text import as_text
from holdsfor.io.facts import FactColumns, fact_columns, open_rule_facts
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.facts import FactReaderOf, FactTable, join_tables
from holdsfor.language.parsing import clauses as module
from holdsfor.language.parsing.clauses import Chunk, Fact, clauses

NUMBERS = ["0", "7", "-3", "007", "-0", "1.50", "2.0", "-0.0", "0.1234567890123456789", "123456789012345678.5"]
ODD_NUMBERS = ["1234567890123456789", "1e5", "1.5e-7", "0x1F", "1.", ".5", "- 3", "5min", "12ab", "+1", "٣", "1_0"]
NAMES = ["a", "b_2", "aB", "'it, so'", "'b_2'", "'('", "'%'", "'7'", "'Two words'", "'ét é'", "'a.\t'", "' '", "'A'"]
ODD_NAMES = [
    "'+'",
    "'[]'",
    "''",
    "'it''s'",
    "'a\\nb'",
    "'/*'",
    "été",
    "X",
    "_",
    "[]",
    "[1]",
    "f(1)",
    '"text"',
    "'",
    "+",
    "",
]
ARGUMENT = st.sampled_from([*NUMBERS, *NAMES] * 3 + [*ODD_NUMBERS, *ODD_NAMES])
GAP = st.sampled_from(
    ["\n"] * 6 + [" ", " % so. r(1).\n", "%é\n", "\n/* r(1). */\n", "\r\n", "\t", "\f\n", "\u00a0", "", "%"]
)
INSIDE = st.sampled_from(["", "", "", "", " ", "\n", "\t", "%\n", "\x0b", "/* */"])
OTHER = st.sampled_from(
    [
        "s(X) :- r(X).",
        "r(1",
        "r(1))",
        "'r'(1).",
        "r (1).",
        "rr(1).",
        "r.",
        ".",
        "/* r(1).",
        "r('a",
        ":- dynamic r/1.",
        "é",
    ]
)


@st.composite
def rule_files(draw: st.DrawFn) -> str:
    """Facts of r, s and q among all else that a file may have, and then a slip."""
    fact = st.tuples(st.sampled_from("rrrsq"), st.lists(ARGUMENT, min_size=1, max_size=3), INSIDE)
    pieces = st.lists(st.tuples(st.one_of(fact, fact, fact, OTHER), GAP), max_size=12)
    text = "".join(gap.join([_written(piece), ""]) for piece, gap in draw(pieces))
    cut, length = draw(st.integers(0, len(text))), draw(st.sampled_from([0, 0, 1, 5]))
    return text[:cut] + draw(st.sampled_from(["", "", "'", ".", "(", "/*", "\\"])) + text[cut + length :]


def _written(piece: str | tuple[str, list[str], str]) -> str:
    if isinstance(piece, str):
        return piece
    name, arguments, inside = piece
    return f"{name}({inside}{f'{inside},{inside}'.join(arguments)}{inside}){inside}."


class Parts:
    """What a text is cut into."""

    def __init__(self, text: str, many: int | None, reader_of: FactReaderOf | None = None) -> None:
        source = Source("facts.ec", text)
        self.diagnostics: list[Diagnostic] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "VERY_MANY", 1)
            parts = list(clauses(source, self.diagnostics, many, reader_of))
        self.chunks = [part for part in parts if isinstance(part, Chunk)]
        self.heads = [part.head for part in parts if isinstance(part, Fact)]
        self.tables = [part for part in parts if isinstance(part, FactTable)]

    def facts(self) -> set[str]:
        rows = {f"{table.signature.name}({','.join(map(str, row))})" for table in self.tables for row in table.rows()}
        return rows | set(map(str, self.heads))

    def columns(self) -> dict[Signature, tuple[list[str], list[tuple[str, ...]]]]:
        """The types and the rows of all tables of each predicate."""
        joined = {signature: fact_columns(table) for signature, table in join_tables(self.tables).items()}
        return {
            signature: (
                [str(column.type) for column in columns],
                sorted(zip(*(as_text(column).to_pylist() for column in columns), strict=True)),
            )
            for signature, columns in joined.items()
        }


@settings(max_examples=400, deadline=None)
@given(rule_files())
@example("r(a).r(b).\nr(c). r(d)")
@example("r(-0.0, a).\nr(-0.0, a).\x0c")  # of which one reader takes one, the other the other
@example("r('é', 1).\nr(2).\n% é\nr('ü').\nr(X) :- s(X).\nr(3).")
def test_that_columns_have_what_the_parser_reads_and_leave_it_all_else(text: str) -> None:
    parser, tables, columns = Parts(text, None), Parts(text, 1), Parts(text, 1, open_rule_facts)
    assert columns.chunks == parser.chunks
    assert columns.diagnostics == parser.diagnostics
    assert columns.facts() == parser.facts()
    assert columns.columns() == tables.columns()
    first = {head.functor: head.place for head in reversed(parser.heads)}
    assert all(table.place == first[table.signature.name] for table in columns.tables)


def test_that_plain_facts_are_read_at_once_whatever_their_order() -> None:
    text = "".join(f"r({n}, v{n}, {n / 7}).\ns('Vessel {n}') .\t% so\nr(a, 'b', {n % 2}.5).\n" for n in range(300))
    tables = Parts(text, 1, open_rule_facts).tables
    assert all(isinstance(table, FactColumns) for table in tables)
    assert [(str(table.signature), len(table)) for table in tables] == [("r/3", 302), ("s/1", 300)]
    types = [[str(column.type) for column in fact_columns(table)] for table in tables]
    term = "dictionary<values=string, indices=int32, ordered=0>"
    assert types == [[term, term, "double"], [term]]


def test_that_text_that_cannot_be_written_is_left_to_the_parser() -> None:
    assert open_rule_facts(Source("facts.ec", "r('\ud800').")) is None


def test_that_mistakes_are_told_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that passes find, which ask tables and not clauses."""
    rules = "happensAt(fast(V), T) :- happensAt(speed(V,S), T), kind(V,K), S > K, knd(V).\n"
    text = "".join(f"kind(v{n}, cargo).\n" for n in range(300)) + "holdsAt(a, 3).\n" * 300 + "kind(v1 cargo).\n"
    told = []
    for least in (10**9, 200):
        monkeypatch.setattr(module, "VERY_MANY", least)
        with pytest.raises(holdsfor.DescriptionError) as raised:
            holdsfor.parse(rules, text)
        told.append(str(raised.value))
    assert told[0] == told[1]
    assert "gives names such as cargo" in told[0]
