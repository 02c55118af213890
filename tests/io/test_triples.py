"""Triples are facts, with what RDFS entails; names and literals are the terms that docs/triples.md says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import holdsfor
from holdsfor.authoring.translate import translate
from holdsfor.cli import app
from holdsfor.io.facts import fact_columns
from holdsfor.io.rdf.knowledge import read_triples
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.format.write import formatted
from holdsfor.language.reading.prefixes import BUILT_IN, Leads, make_leads, name_shortener
from holdsfor.loading import make_plan
from tests.naive import rdfs

HEAD = "".join(f"@prefix {name}: <{space}> .\n" for name, space in BUILT_IN.items()) + "@prefix x: <http://x.org/> .\n"
pytest.importorskip("pyoxigraph")

LEADS = make_leads({"x": "http://x.org/", **BUILT_IN})
DATA = [f"x:{name}" for name in "abcd"]
PROPERTIES = ["x:p", "x:q", "x:r", rdfs.TYPE]
SCHEMA = [rdfs.BELOW, rdfs.UNDER, rdfs.DOMAIN, rdfs.RANGE]
ANY = [*DATA, *PROPERTIES, *SCHEMA]

of_data = st.tuples(st.sampled_from(DATA), st.sampled_from(PROPERTIES), st.sampled_from([*DATA, '"text"']))
of_classes = st.tuples(st.sampled_from(DATA), st.just(rdfs.BELOW), st.sampled_from(DATA))
of_properties = st.tuples(st.sampled_from(PROPERTIES), st.sampled_from(SCHEMA[1:]), st.sampled_from([*DATA, "x:q"]))
of_anything = st.tuples(
    st.sampled_from(ANY), st.sampled_from([*PROPERTIES, *SCHEMA]), st.sampled_from([*ANY, '"text"'])
)
usual = st.sets(of_data | of_classes | of_properties, max_size=12)


def facts_of(turtle: str, asked: dict[Signature, frozenset[str] | None]) -> dict[Signature, set[tuple[str, ...]]]:
    knowledge = read_triples([Source("k.ttl", turtle)])
    found = {}
    for table in knowledge.tables(asked, LEADS):
        rows = list(zip(*(column.to_pylist() for column in fact_columns(table)), strict=True))
        assert len(set(rows)) == len(rows), "each fact is there once"
        found[table.signature] = set(rows)
    return found


def as_turtle(triples: set[rdfs.Triple]) -> str:
    return HEAD + "".join(f"{a} {p} {b} .\n" for a, p, b in sorted(triples))


def expected(triples: set[rdfs.Triple], name: str) -> set[tuple[str, str]]:
    return {(f"'{a}'", "text" if b == '"text"' else f"'{b}'") for a, p, b in rdfs.entail(triples) if p == name}


@settings(max_examples=int(os.environ.get("HOLDSFOR_PROGRAMS", "150")), deadline=None)
@given(triples=usual | st.sets(of_anything, max_size=8))
@example(triples={("x:a", "x:p", "x:b"), ("x:p", rdfs.UNDER, rdfs.TYPE), ("x:b", rdfs.BELOW, "x:c")})
@example(triples={("x:a", rdfs.TYPE, "x:b"), (rdfs.TYPE, rdfs.UNDER, "x:p"), ("x:p", rdfs.DOMAIN, "x:c")})
@example(triples={("x:p", rdfs.UNDER, rdfs.UNDER), ("x:q", "x:p", "x:r"), ("x:a", "x:q", "x:b")})
@example(triples={("x:a", rdfs.BELOW, "x:b"), ("x:b", rdfs.BELOW, "x:c"), (rdfs.BELOW, rdfs.UNDER, "x:p")})
def test_what_follows_is_what_the_rules_of_rdfs_give(triples: set[rdfs.Triple]) -> None:
    names = [*PROPERTIES, *SCHEMA]
    found = facts_of(as_turtle(triples), {Signature(name, 2): None for name in names})
    for name in names:
        assert found.get(Signature(name, 2), set()) == expected(triples, name), name


@settings(max_examples=int(os.environ.get("HOLDSFOR_PROGRAMS", "50")), deadline=None)
@given(triples=usual, classes=st.sets(st.sampled_from(DATA), min_size=1, max_size=2))
def test_members_of_named_classes_are_those_of_all(triples: set[rdfs.Triple], classes: set[str]) -> None:
    found = facts_of(as_turtle(triples), {Signature(rdfs.TYPE, 2): frozenset(classes)})
    wanted = {row for row in expected(triples, rdfs.TYPE) if row[1].strip("'") in classes}
    assert found.get(Signature(rdfs.TYPE, 2), set()) == wanted


@pytest.mark.parametrize(
    ("literals", "column"),
    [
        ('"60"^^xsd:int, 7, "-3"^^xsd:long, "+5"^^xsd:integer', [60, 7, -3, 5]),
        ('1.5, "2"^^xsd:decimal, 1e3, ".5"^^xsd:double', [1.5, 2.0, 1000.0, 0.5]),
        ('7, 7.5, "seven"', ["7", "7.5", "seven"]),
        ('true, "0"^^xsd:boolean', ["true", "false"]),
        ('"1970-01-01T00:01:00Z"^^xsd:dateTime, "1970-01-02"^^xsd:date', [60, 86400]),
        ('"1970-01-01T01:00:00+01:00"^^xsd:dateTime', [0]),
        ('"later"^^xsd:dateTime, "many"^^xsd:int, "INF"^^xsd:double', ["later", "many", "'INF'"]),
        ('"123456789012345678901"^^xsd:integer', ["'123456789012345678901'"]),
        ('"30", "30"^^xsd:string', ["'30'"]),
        ('"chat"@fr, "chat"@en, "chat"', ["chat"]),
        ('"kg"^^x:unit, "a\\"b\\\\n\\nc\\td"', ["kg", "'a\"b\\\\n\\nc\td'"]),
        ('"\\"^^<z>", "\\"@fr"', ["'\"^^<z>'", "'\"@fr'"]),
        ("x:b, <http://x.org/c>, <http://y.org/d>", ["'x:b'", "'x:c'", "'http://y.org/d'"]),
        ('"é", "\\u00e9"', ["'é'"]),
    ],
)
def test_a_literal_is_the_term_that_its_type_says(literals: str, column: list[object]) -> None:
    rows = facts_of(f"{HEAD}x:s x:v {literals} .", {Signature("x:v", 2): None})[Signature("x:v", 2)]
    assert {row[1] for row in rows} == set(column)


def test_with_three_arguments_a_text_has_its_language() -> None:
    turtle = HEAD + 'x:s x:v "Anvers"@fr, "Antwerp"@en-GB, "Antwerpen", 7 .'
    (rows,) = facts_of(turtle, {Signature("x:v", 3): None}).values()
    assert rows == {("'x:s'", "'Anvers'", "fr"), ("'x:s'", "'Antwerp'", "'en-gb'")}


def test_blank_nodes_are_numbered_and_never_the_same_in_two_files() -> None:
    sources = [Source("a.ttl", HEAD + "_:z x:v 1 . [] x:v 2 ."), Source("b.ttl", HEAD + "_:z x:v 3 .")]
    (table,) = read_triples(sources).tables({Signature("x:v", 2): None}, LEADS)
    rows = set(zip(*(column.to_pylist() for column in fact_columns(table)), strict=True))
    assert rows == {("'_:1'", 1), ("'_:2'", 2), ("'_:3'", 3)}


FORMATS = {
    "k.nt": "<http://x.org/s> <http://x.org/v> <http://x.org/o> .\n",
    "k.nq": "<http://x.org/s> <http://x.org/v> <http://x.org/o> <http://x.org/graph> .\n",
    "k.ttl": "@prefix x: <http://x.org/> . x:s x:v x:o .",
    "k.rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x.org/">'
    '<rdf:Description rdf:about="http://x.org/s"><x:v rdf:resource="http://x.org/o"/></rdf:Description></rdf:RDF>',
}
RULES = "happensAt(met(X, Y), T) :- happensAt(seen(X), T), x:v(X, Y)."


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_says_the_same(name: str, tmp_path: Path) -> None:
    Path(tmp_path, name).write_text(FORMATS[name], encoding="utf-8")
    declared = "" if name in ("k.ttl", "k.rdf") else ":- prefix(x, 'http://x.org/').\n"
    Path(tmp_path, "rules.ec").write_text(f":- ['{name}'].\n{declared}{RULES}", encoding="utf-8")
    lines = ["seen('x:s') @ 1", "seen('http://x.org/s') @ 2", "seen('x:o') @ 3"]
    for files in (("rules.ec",), ("rules.ec", name)):  # named in the rules, and beside them: read once
        description = holdsfor.load(*(tmp_path / file for file in files))
        result = holdsfor.recognise(description, holdsfor.read_events(lines, format="terms"))
        assert [row["args"] for row in result.occurrences.to_pylist()] == [["x:s", "x:o"]] * 2


def test_names_of_events_are_the_same_in_any_form_and_format() -> None:
    description = holdsfor.parse(RULES, knowledge=FORMATS["k.ttl"])
    table = pa.table({"name": ["seen"] * 3, "time": [1, 2, 3], "arg1": ["x:s", "http://x.org/s", "s"]})
    lines = ["seen|1|1|x:s", "seen|2|2|http://x.org/s", "seen|3|3|s"]
    for events in (holdsfor.read_events(table), holdsfor.read_events(lines, format="rtec")):
        found = holdsfor.recognise(description, events).occurrences.to_pylist()
        assert [(row["args"], row["start"]) for row in found] == [(["x:s", "x:o"], 1), (["x:s", "x:o"], 2)]


NAMES = {"a": "http://e.org/", "b": "http://e.org/sub/", "c": "http://e.org/"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a:x", "a:x"),
        ("c:x", "a:x"),
        ("http://e.org/x", "a:x"),
        ("http://e.org/sub/x", "b:x"),
        ("a:sub/x", "b:x"),
        ("c:sub/x", "b:x"),
        ("b:x", "b:x"),
        ("d:x", "d:x"),
        ("http://f.org/x", "http://f.org/x"),
        ("word", "word"),
    ],
)
def test_a_resource_has_one_name(written: str, name: str) -> None:
    leads: Leads = make_leads(NAMES)
    assert name_shortener(leads)(written) == name
    assert name_shortener(leads)(name) == name


def test_a_file_that_means_another_namespace_by_a_prefix_keeps_its_names_whole() -> None:
    first, second = FORMATS["k.ttl"], "@prefix x: <http://other.org/> . x:s x:v x:o ."
    description = holdsfor.parse(RULES, knowledge=[first, second])
    (warning,) = description.warnings
    assert "`x:` is http://x.org/ elsewhere" in warning.message
    assert warning.hint == "write :- prefix(x2, 'http://other.org/')."
    assert not holdsfor.parse(warning.hint.removeprefix("write "), RULES, knowledge=[first, second]).warnings


@pytest.mark.parametrize(
    ("turtle", "message"),
    [
        ("x:s x:v .", "k.ttl:1:1: error: The prefix x: has not been declared [syntax]"),
        (
            "@prefix x: <http://x.org/> .\nx:s x:v <b> .",
            "k.ttl:2:9: error: No scheme found in an absolute IRI",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(turtle: str, message: str, tmp_path: Path) -> None:
    Path(tmp_path, "k.ttl").write_text(turtle, encoding="utf-8")
    with pytest.raises(holdsfor.DescriptionError) as caught:
        holdsfor.load(tmp_path / "k.ttl")
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_without_the_library_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(holdsfor.HoldsforError, match=r"pip install 'holdsfor\[rdf\]'"):
        holdsfor.parse(RULES, knowledge=FORMATS["k.ttl"])


def test_names_in_tables_of_facts_have_their_one_form(tmp_path: Path) -> None:
    many = "".join(f"p('http://x.org/n{n}', {n}).\n" for n in range(300))
    rules = "happensAt(is(X, N, M), T) :- happensAt(seen(X), T), p(X, N), q(X, M)."
    table = {"q": pa.table({"x": ["http://x.org/n7", "x:n8"], "m": [1, 2]})}
    description = holdsfor.parse(rules, many, ":- prefix(x, 'http://x.org/').", facts=table)
    events = holdsfor.read_events(["seen('x:n7') @ 1", "seen('http://x.org/n8') @ 2"], format="terms")
    found = [row["args"] for row in holdsfor.recognise(description, events).occurrences.to_pylist()]
    assert found == [["x:n7", "7", "1"], ["x:n8", "8", "2"]]


def test_rules_in_python_name_properties_and_classes(tmp_path: Path) -> None:
    Path(tmp_path, "k.ttl").write_text(HEAD + "x:o1 a x:Snow ; x:speed 60 .", encoding="utf-8")
    text = """
    :- prefix(y, 'http://x.org/').
    happensAt(cold(P, S), T) :- happensAt(seen(P, O), T), rdf:type(O, y:'Snow'), y:speed(O, S).
    strong(P) <- seen(P, O) WHERE rdf:type(O, 'http://x.org/Snow').
    """
    Path(tmp_path, "rules.ec").write_text(text, encoding="utf-8")
    of_text = holdsfor.load(tmp_path / "rules.ec", tmp_path / "k.ttl")
    names: dict[str, object] = {}
    program = translate(Source("rules.ec", text)).replace("hf.rules(", f"hf.rules({str(tmp_path / 'k.ttl')!r}, ", 1)
    exec(compile(program, "<translated>", "exec"), names)
    of_python = names["rules"]
    assert isinstance(of_python, holdsfor.EventDescription)
    assert make_plan(of_python).identity == make_plan(of_text).identity
    for description in (of_text, of_python):
        result = holdsfor.recognise(description, holdsfor.read_events(["seen(p, 'x:o1') @ 1"], format="terms"))
        assert {(row["event"], *row["args"]) for row in result.occurrences.to_pylist()} == {
            ("cold", "p", "60"),
            ("strong", "p"),
        }


def test_formatting_keeps_names_with_a_prefix_as_they_are_written() -> None:
    text = "happensAt(a(X), T) :- happensAt(b(X), T), rdf:type(X, x:'Snow'), x:'p q'(X, x:Ice), 'x:r'(X, 1).\n"
    assert formatted(Source("rules.ec", text)).split() == text.split()


def test_tests_of_rules_have_triples_in_a_block_or_beside_them(tmp_path: Path) -> None:
    claim = "```events\nseen('x:s') @ 1\n```\n```result\nevent          time\nmet(x:s,x:o)      1\n```\n"
    within = f"```prolog\n{RULES}\n```\n```turtle\n{FORMATS['k.ttl']}\n```\n{claim}"
    Path(tmp_path, "within.md").write_text(within, encoding="utf-8")
    Path(tmp_path, "beside.md").write_text(f"```prolog\n{RULES}\n```\n{claim}", encoding="utf-8")
    Path(tmp_path, "k.ttl").write_text(FORMATS["k.ttl"], encoding="utf-8")
    for files in (("within.md",), ("beside.md", "k.ttl")):
        answer = CliRunner().invoke(app, ["test", *(str(tmp_path / file) for file in files)])
        assert answer.exit_code == 0, answer.output
    assert CliRunner().invoke(app, ["test", str(tmp_path / "beside.md")]).exit_code != 0


def test_commands_take_triples_beside_rules(tmp_path: Path) -> None:
    Path(tmp_path, "rules.ec").write_text(RULES, encoding="utf-8")
    Path(tmp_path, "k.ttl").write_text(FORMATS["k.ttl"], encoding="utf-8")
    Path(tmp_path, "events.txt").write_text("seen('x:s') @ 1\n", encoding="utf-8")
    rules, events = [str(tmp_path / "rules.ec"), str(tmp_path / "k.ttl")], ["--events", str(tmp_path / "events.txt")]
    assert CliRunner().invoke(app, ["check", *rules]).exit_code == 0
    done = CliRunner().invoke(app, ["run", *rules, *events, "--engine", "local", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    for where in ([str(tmp_path / "out")], [*rules, *events]):
        told = CliRunner().invoke(app, ["why", *where[:2], "met('x:s', 'x:o')", *where[2:], "--at", "1"])
        assert told.exit_code == 0, told.output
        assert "x:v(x:s,x:o)" in told.output.replace("'", "").replace(", ", ",")


def test_a_sweep_has_triples_among_the_files_beside(tmp_path: Path) -> None:
    Path(tmp_path, "k.ttl").write_text(HEAD + "x:o1 x:speed 60 . x:o2 x:speed 40 .", encoding="utf-8")
    text = "happensAt(fast(O), T) :- happensAt(seen(O), T), x:speed(O, S), S > 50."
    Path(tmp_path, "rules.ec").write_text(text, encoding="utf-8")
    events = holdsfor.read_events(["seen('x:o1') @ 1", "seen('x:o2') @ 2"], format="terms")
    swept = holdsfor.sweep(tmp_path / "rules.ec", "S > {30..70..20}", events, background=[tmp_path / "k.ttl"])
    assert {row["value"]: row["count"] for row in swept.to_pylist()} == {"30": 2, "50": 1, "70": 0}
