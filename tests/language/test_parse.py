"""Text to terms: precedences, quoting, places, and the short way for facts."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.language import DescriptionError, Diagnostic, load
from holdsfor.language import parse as parse_description
from holdsfor.language.diagnostics import Source
from holdsfor.language.parsing.syntax import RawClause, parse
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var, quoted

FIXTURE = Path(__file__).parent / "fixtures" / "terms.txt"
PAIRS = [block.split("\n") for block in FIXTURE.read_text(encoding="utf-8").strip().split("\n\n")[1:]]


def diagnose(text: str) -> tuple[object, ...]:
    try:
        return parse_description(text).warnings
    except DescriptionError as error:
        return error.diagnostics


def body(text: str) -> Term:
    parsed = parse(Source("test", f"head :- {text}\n."))
    assert not parsed.diagnostics, parsed.diagnostics
    (clause,) = parsed.raw
    assert isinstance(clause, RawClause)
    assert clause.body is not None
    return clause.body


@pytest.mark.parametrize(("text", "written"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_text_is_read_with_prologs_precedences(text: str, written: str) -> None:
    assert str(body(text)) == written


plain = st.one_of(
    st.integers(-(10**12), 10**12).map(Int),
    st.floats(allow_nan=False, allow_infinity=False).map(Float),
    st.text(st.characters(codec="utf-8", exclude_characters="\r", exclude_categories=["C"]), max_size=8).map(Atom),
)
names = st.from_regex(r"[a-z][a-zA-Z0-9_]{0,6}", fullmatch=True).filter(lambda name: name != "not")


@settings(max_examples=200)
@given(names, st.lists(plain, min_size=1, max_size=4))
def test_a_written_fact_reads_as_itself(name: str, args: list[Term]) -> None:
    fact = Compound(name, tuple(args))
    (clause,) = parse(Source("test", f"{fact}.")).raw
    assert isinstance(clause, RawClause)
    assert clause.head == fact


@settings(max_examples=200)
@given(names, st.lists(plain, min_size=1, max_size=4))
def test_the_short_way_for_facts_gives_what_the_grammar_gives(name: str, args: list[Term]) -> None:
    text = f"{quoted(name)}({', '.join(map(str, args))})"
    (short,) = parse(Source("test", f"{text}.")).raw
    assert isinstance(short, RawClause)
    assert short.head == body(text)


def test_anonymous_variables_differ() -> None:
    first = body("p(_, _, _1)")
    assert isinstance(first, Compound)
    assert len({arg.name for arg in first.args if isinstance(arg, Var)}) == 3


def test_every_term_knows_its_place() -> None:
    parsed = parse(Source("rules.ec", "fact(a).\nhead(X) :-\n    goal(X, 'b c'),\n    X > 3.\n"))
    clause = parsed.raw[1]
    assert isinstance(clause, RawClause)
    assert isinstance(clause.body, Compound)
    goal, test = clause.body.args
    assert isinstance(goal, Compound)
    place = goal.args[1].place
    assert (place.file, place.line, place.column, place.end_column) == ("rules.ec", 3, 13, 18)
    assert (test.place.line, test.place.column, test.place.end_line, test.place.end_column) == (4, 5, 4, 10)


def test_full_stops_in_numbers_and_quotes_do_not_end_a_clause() -> None:
    parsed = parse(Source("test", "a(1.5). b('x. y'). c(\"p. q\").% d.\n/* e. */ f :- g('. '), X is 2.5."))
    assert not parsed.diagnostics
    assert len(parsed.raw) == 4


def test_windows_line_ends() -> None:
    parsed = parse(Source("test", "a(1).\r\nb :-\r\n  c,\r\n  d.\r\n"))
    assert not parsed.diagnostics
    assert len(parsed.raw) == 2


def test_many_facts_are_read_quickly() -> None:
    text = "".join(f"vesselType({number}, cargo, 'Two words', {number}.5).\n" for number in range(30_000))
    gc.disable()  # which would look through what other tests have left
    try:
        begin = time.process_time()
        description = parse_description(text)
        seconds = time.process_time() - begin
    finally:
        gc.enable()
    assert [len(table) for table in description.background.tables] == [30_000]
    assert seconds < 1  # about 0.1 s on a quiet machine


RULES = (
    "initiatedAt(on(M)=true, T) :- happensAt(press(M, L), T), L >= 3, \\+ holdsAt(idle(M)=_, T).\n"
    "holdsFor(both(X,Y)=true, I) :- holdsFor(on(X)=true, I1), holdsFor(near(X,Y)=true, I2), union_all([I1,I2], I).\n"
    "limit(m1, 'a b'). % comment\ninput event press/2.\n:- dynamic limit/2.\n"
)
PIECES = [
    "(",
    ")",
    ",",
    ".",
    ". ",
    "[",
    "]",
    ":-",
    "\\+",
    "=",
    "'",
    '"',
    "_",
    "!",
    ";",
    "/*",
    "%",
    "\n",
    "X",
    "$",
    "3",
    "é",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(RULES)), st.integers(0, 3), st.sampled_from(["", *PIECES])), max_size=4))
def test_damaged_text_gives_diagnostics_and_nothing_else(edits: list[tuple[int, int, str]]) -> None:
    text = RULES
    for position, removed, added in edits:
        text = text[:position] + added + text[position + removed :]
    for diagnostic in diagnose(text):
        assert isinstance(diagnostic, Diagnostic)
        assert diagnostic.place.line <= text.count("\n") + 1
        assert f": {diagnostic.severity}: " in str(diagnostic)


def test_files_are_read_together(tmp_path: Path) -> None:
    rules, facts = tmp_path / "rules.ec", tmp_path / "facts.ec"
    rules.write_text(
        "initiatedAt(high(M)=true, T) :- happensAt(level(M, L), T), limit(M, X), L > X.\n", encoding="utf-8"
    )
    facts.write_text("limit(m1, 3).\n", encoding="utf-8")
    description = load(str(rules), facts)
    assert [clause.place.file for clause in description.background.clauses] == [str(facts)]
