"""Explanations for people: sentences beside rules, the same tree as text, in notebooks and on pages."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import holdsfor
from holdsfor.language.diagnostics import Source
from holdsfor.language.reading.sentences import Sentence, find_sentences
from holdsfor.view.reasons import tree_html, write_reasons
from tests.why.evidence import recognised

SAID = """
%! "{V} is under way" moving(V)=true.
%! "{V} is <b>bad</b>" lost(V).
initiatedAt(moving(V)=true, T) :- happensAt(speed(V,S), T), S > 5, \\+ happensAt(lost(V), T).
initiatedAt(moving(V)=false, T) :- happensAt(speed(V,S), T), S =< 5.
happensAt(alarm(V), T) :- happensAt(lost(V), T).
"""
ROWS = ["speed(v1,7) @ 3", "speed(v1,2) @ 9", "lost(v1) @ 12"]


@pytest.mark.parametrize(
    ("written", "args", "value", "expected"),
    [
        ('"{A} and {B} met" met(A,B).', ("v1", "v2"), "true", "v1 and v2 met"),
        ('"{A} met itself" met(A,A).', ("v1", "v2"), "true", None),
        ('"{A} met itself" met(A,A).', ("v1", "v1"), "true", "v1 met itself"),
        ('"{V} is in port" in(V,port)=true.', ("v1", "port"), "true", "v1 is in port"),
        ('"{V} is in port" in(V,port)=true.', ("v1", "sea"), "true", None),
        ('"{V} is in port" in(V,port)=true.', ("v1", "port"), "false", None),
        ('"{V} is {S}" state(V)=S.', ("v1",), "'far out'", "v1 is far out"),
        ('"{N} was seen" seen(N,_).', ("'Two words'", "7"), None, "Two words was seen"),
        ('"it rains" rains.', (), "true", "it rains"),
    ],
)
def test_a_sentence_is_said_of_what_its_head_is_about(
    written: str, args: tuple[str, ...], value: str | None, expected: str | None
) -> None:
    (sentence,) = find_sentences({"rules": Source("rules", f"a.\n  %! {written}\nb.\n")})
    assert isinstance(sentence, Sentence)
    assert sentence.place.line == 2
    assert sentence.say(args, value) == expected


def test_a_tree_says_what_its_author_says() -> None:
    found = recognised(SAID, ROWS).why("moving(v1)=true", at=5)
    assert found.details["said"] == "v1 is under way"
    assert str(found).startswith("v1 is under way: moving(v1)=true from 4 until 10")
    assert found.as_dict()["nodes"][0]["said"] == "v1 is under way"
    assert "said" not in recognised(SAID, ROWS).why("moving(v1)=false", at=11).details


class Nesting(HTMLParser):
    """Checks that elements are closed in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def read_html(page: str) -> str:
    reader = Nesting()
    reader.feed(page)
    assert reader.open == []
    return reader.words


def test_a_page_is_escaped_and_says_the_same(tmp_path: Path) -> None:
    found = recognised(SAID, ROWS).why("alarm(v1)", at=12)
    write_reasons(tmp_path / "why.html", found, ["a <change>"])
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert "<b>bad" not in page
    words = read_html(page)
    assert "v1 is <b>bad</b>: lost(v1)" in words
    assert "a <change>" in words
    assert read_html(found._repr_html_()).split() == str(found).split()


def test_a_refutation_has_its_changes_in_a_notebook() -> None:
    refutation = recognised(SAID, ROWS).why_not("moving(v1)=true", at=12)
    assert "without speed(v1,2) at 9" in read_html(refutation._repr_html_())


def test_a_deep_tree_is_folded_only_so_deep() -> None:
    rules = "chain(X) <- start(X).\nchain(Y) <- chain(X) SEQ link(X,Y)."
    rows = ["start(0) @ 1", *(f"link({n},{n + 1}) @ {n + 2}" for n in range(60))]
    result = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(rows, format="terms"), start=0, end=99)
    page = tree_html(result.why("chain(60)", at=61))
    assert page.count("<details") == page.count("</details>") <= 31
    assert "start(0)" in read_html(page)
