"""The formatter: every description keeps its meaning and its comments, and has one layout."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest

from holdsfor.language import DescriptionError, EventDescription, parse
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.format.terms import TermWriter
from holdsfor.language.format.write import formatted
from holdsfor.language.terms import Atom, Compound, Int, Term, Var
from tests.naive.programs import random_program
from tests.recorded import RECORDED, SHARED

ROOT = Path(__file__).parents[2]
CASES = sorted([*RECORDED.glob("event-calculus/*.json"), *RECORDED.glob("random/ec*/*.json")])
REAL = SHARED / "golden" / "caviar-real"
FILES = sorted(chain(RECORDED.glob("runs/*.ec"), REAL.glob("*.ec"), SHARED.glob("prototypes/*.ec")))
EXAMPLES = sorted((ROOT / "examples").rglob("*.ec"))
PARTS = ("description", "declarations", "background")

Meaning = EventDescription | None


def laid_out(text: str) -> str:
    return formatted(Source("test", text))


def meaning(*texts: str) -> tuple[Meaning, list[str]]:
    """What texts say, and the codes of what is said about them; places and lines of messages aside."""
    try:
        description = parse(*texts)
    except DescriptionError as error:
        return None, [diagnostic.code for diagnostic in error.diagnostics]
    codes = [warning.code for warning in description.warnings if isinstance(warning, Diagnostic)]
    return replace(description, warnings=()), codes


def check_round_trip(*texts: str) -> None:
    made = [laid_out(text) for text in texts]
    assert meaning(*made) == meaning(*texts)
    assert [laid_out(text) for text in made] == made


# ---------------------------------------------------------------- whole files


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_description_means_the_same(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    check_round_trip(*(case[part] or "" for part in PARTS))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_rule_file_means_the_same(path: Path) -> None:
    check_round_trip(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_our_examples_are_laid_out_already(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert laid_out(text) == text


@pytest.mark.parametrize("seed", range(40))
def test_random_program_means_the_same(seed: int) -> None:
    check_round_trip(random_program(seed).text)


TOKEN = re.compile(r"""'(?:[^'\\\n]|\\.|'')*'|\d+\.\d+|:-|\\\+|->|[a-z]\w*\(|\w+|[=<>\\@:*+/\-]+|\s+|.""", re.S)


def scattered(text: str, random: Random) -> tuple[str, list[str]]:
    """The text with comments and line ends between its words, anywhere; and those comments."""
    made, comments = "", []
    for token in TOKEN.findall(text):
        if not token.isspace() and token != "." and random.random() < 0.15:
            name = f"c{len(comments)}"
            mark = random.choice((f"% {name}", f"/* {name} */", f"/* {name}\n   more */"))
            comments.append(mark)
            made += random.choice((" ", "\n", "\n\n")) + mark + ("\n" if mark[0] == "%" else random.choice((" ", "\n")))
        made += token
    return made, comments


@pytest.mark.parametrize("seed", range(40))
def test_comments_anywhere_stay(seed: int) -> None:
    text, comments = scattered(random_program(seed).text, Random(seed))
    check_round_trip(text)
    found = re.findall(r"%[^\n]*|/\*.*?\*/", laid_out(text), re.S)
    assert sorted(found) == sorted(comments)


# ---------------------------------------------------------------- layout


def test_rule_has_one_condition_a_line() -> None:
    text = "initiatedAt( gap(V) = near ,T):-happensAt(gap_start(V),T),not holdsAt(moored(V)=true,T),X=Y,T2 is T+60."
    expected = """\
        initiatedAt(gap(V)=near, T) :-
            happensAt(gap_start(V), T),
            \\+ holdsAt(moored(V)=true, T),
            X = Y,
            T2 is T+60.
        """
    assert laid_out(text) == dedent(expected)


def test_short_background_and_declarations_stay_on_a_line() -> None:
    text = "big(X):-size(X,S),S>3.\nship(X):-\n tug(X).\ngrounding(a(X)=v):-\n p(X),q(X).\n:-dynamic p/1,q/1.\n"
    expected = """\
        big(X) :-
            size(X, S),
            S > 3.
        ship(X) :- tug(X).
        grounding(a(X)=v) :- p(X), q(X).
        :- dynamic p/1, q/1.
        """
    assert laid_out(text) == dedent(expected)


def test_keys_of_facts_stay() -> None:
    text = "input fact berth/2   key 1, at/3 key (1,2),\n linked/2 ."
    assert laid_out(text) == "input fact berth/2 key 1, at/3 key (1, 2), linked/2.\n"
    check_round_trip(text)


def test_comments_stay_where_they_belong() -> None:
    text = """\
        % about the file


        /* about p,
           on two lines */
        p(a). % the first
        p(longer).      % the second
        happensAt(e(X),T):- % why
          % what happens
          happensAt(f(X, /* speed */ S),T),  % at the end

          S>3 /* knots */, p(X)
          % , q(X)
          .
        % the end
        """
    expected = """\
        % about the file

        /* about p,
           on two lines */
        p(a).       % the first
        p(longer).  % the second
        happensAt(e(X), T) :-  % why
            % what happens
            happensAt(f(X, /* speed */ S), T),  % at the end

            S > 3 /* knots */,
            p(X)
            % , q(X)
            .
        % the end
        """
    assert laid_out(dedent(text)) == dedent(expected)


def test_alternatives_stand_below_each_other() -> None:
    text = "a :- (b;c), (d,e;f % why\n;g), \\+ (h,i), findall(X,(j(X),X>1),L)."
    expected = """\
        a :-
            (b ; c),
            (   d,
                e
            ;   f  % why
            ;   g
            ),
            \\+ (h, i),
            findall(X, (j(X), X > 1), L).
        """
    assert laid_out(text) == dedent(expected)


def test_long_condition_is_broken_at_its_arguments() -> None:
    names = [f"AnIntervalWithAName{number}" for number in range(6)]
    text = f"holdsFor(f(X)=true, I) :- holdsFor(g(X)=true, {names[0]}), union_all([{','.join(names)}], I)."
    expected = f"""\
        holdsFor(f(X)=true, I) :-
            holdsFor(g(X)=true, {names[0]}),
            union_all(
                [
                    {names[0]},
                    {names[1]},
                    {names[2]},
                    {names[3]},
                    {names[4]},
                    {names[5]}
                ],
                I
            ).
        """
    assert laid_out(text) == dedent(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X=<Y", "X =< Y"),
        ("X is (A-B)*2", "X is (A - B) * 2"),
        ("X is A-(B-C)", "X is A - (B - C)"),
        ("X is (A-B)-C", "X is A - B - C"),
        ("X is 2*3+4", "X is 2 * 3 + 4"),
        ("X is A mod 2", "X is A mod 2"),
        ("X is abs( A-B )", "X is abs(A-B)"),
        ("X is - Y", "X is -Y"),
        ("X is 1 - -2", "X is 1 - -2"),
        ("X is (-Y)**2", "X is (-Y) ** 2"),
        ("X is 2**(3**4)", "X is 2 ** 3 ** 4"),
        ("X is (2**3)**4", "X is (2 ** 3) ** 4"),
        ("X is 0x1F + 1.50e3", "X is 0x1F+1.50e3"),
        ("holdsAt(f(X)= -1,T-1)", "holdsAt(f(X)= -1, T-1)"),
        ("X='Two words'", "X = 'Two words'"),
        ("X='it''s'", "X = 'it''s'"),
        ('X="text"', 'X = "text"'),
        ("X=[ ]", "X = []"),
        ("X=[a,b|T]", "X = [a, b|T]"),
        ("p('A b'( c ))", "p('A b'(c))"),
        ("p((a,b))", "p((a, b))"),
        ("\\+ \\+ p", "\\+ \\+ p"),
        ("not p", "\\+ p"),
        ("not(p)", "not(p)"),
        ("X == (+)", "X == '+'"),
        ("p(+,mod)", "p(+, mod)"),
        ("((a,b),c)", "a,\n    b,\n    c"),
        ("p(((a;b);c))", "p((a ; b ; c))"),
        ("((a->b;c);d)", "(   (a -> b ; c)\n    ;   d\n    )"),
    ],
)
def test_condition(text: str, expected: str) -> None:
    assert laid_out(f"happensAt(e, T) :- {text}.") == f"happensAt(e, T) :-\n    {expected}.\n"


def test_terms_without_a_text_are_written_too() -> None:
    term: Term = Compound("is", (Var("T2"), Compound("+", (Var("T"), Int(60)))))
    assert TermWriter().write(term) == "T2 is T+60"
    assert TermWriter().write(Compound("=", (Compound("gap", (Atom("V 1"),)), Atom("near")))) == "gap('V 1')=near"
    assert TermWriter().write(Compound("-", (Int(5),))) == "'-'(5)"


def test_very_long_bodies() -> None:
    goals = [f"p({number})" for number in range(1000)]
    assert (
        laid_out(f"happensAt(e, T) :- {','.join(goals)}.")
        == f"happensAt(e, T) :-\n    {(',' + chr(10) + '    ').join(goals)}.\n"
    )


def test_text_with_errors_is_refused() -> None:
    with pytest.raises(DescriptionError) as caught:
        laid_out("p(a).\nq(b :- c.\n")
    assert [diagnostic.place.line for diagnostic in caught.value.diagnostics] == [2]


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "% only a comment\n", "/* one */ /* two */", "_ :- b ; c.", "a :- x /* one */.", "a. /* b */ c."],
)
def test_odd_text(text: str) -> None:
    check_round_trip(text)


def test_facts_in_great_numbers_stay() -> None:
    text = "".join(f"kind(v{number}, cargo).\n" for number in range(300))
    assert formatted(Source("facts.ec", text)).split() == text.split()
