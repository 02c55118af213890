"""`holdsfor check`: uses, what never comes true, the graph in three forms, and everything as data."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.output.graph import graph, unreachable
from holdsfor.language import parse
from holdsfor.view.graph import Arrow, Graph, GraphNode
from holdsfor.view.graph_layers import HEIGHT, layers
from holdsfor.view.graph_svg import svg

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
RULES = """\
input event go/1, stop/1, fog/1.
initiatedAt(moving(V)=true, T) :- happensAt(go(V), T), known(V).
terminatedAt(moving(V)=true, T) :- happensAt(stop(V), T).
holdsFor(alone(V)=true, I) :-
    holdsFor(moving(V)=true, I1),
    holdsFor(near(V)=true, I2),
    relative_complement_all(I1, [I2], I).
happensAt(alarm(V), T) :- happensAt(start(alone(V)=true), T), \\+ holdsAt(moving(V)=true, T).
input fluent near/1.
known(v1).
forgotten(v2).
"""
HOSTILE = "</text><script>document.title='owned'</script>\"&'"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.ec").write_text(RULES)
    Path("bad.ec").write_text("happensAt(a(X), T) :- happensAt(b(Y), T).\nhappensAt(c, T) :- nothing(T).\n")


def call(*args: str) -> Any:
    return CliRunner().invoke(app, ["check", *args])


def rows(printed: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]


def data(*args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*args, "--json").stdout)
    return found


# ---------------------------------------------------------------- in words


def test_uses_and_unused_are_told() -> None:
    result = call("rules.ec")
    assert result.exit_code == 0, result.stderr
    found = rows(result.stdout)
    assert ["moving/1", "alone/1, alarm/1", "rules.ec:5, rules.ec:8"] in found
    assert ["alone/1", "alarm/1", "rules.ec:8"] in found
    assert ["alarm/1", "no other: a result", ""] in found
    assert ["known/1", "moving/1", "rules.ec:2"] in found
    assert ["fog/1", "event", "no"] in found
    assert "Used by no rule, so it only adds work: forgotten/1 (rules.ec:11)" in result.stdout


def test_never_true_is_told() -> None:
    Path("never.ec").write_text("initiatedAt(a=true, T) :- happensAt(e, T), holdsAt(a=true, T).\n")
    assert "Never true: each rule needs something that never is: a/0" in call("never.ec").stdout


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("initiatedAt(a=true, T) :- happensAt(e, T).", set()),
        ("initiatedAt(a=true, T) :- happensAt(e, T), \\+ holdsAt(a=true, T).", set()),
        ("initiatedAt(a=true, T) :- happensAt(e, T), holdsAt(a=true, T).", {"a/0"}),
        ("initiatedAt(a=true, T) :- happensAt(e, T), holdsAt(a=true, T). initially(a=true).", set()),
        ("initiatedAt(a=true, T) :- happensAt(e, T), (holdsAt(a=true, T) ; holdsAt(b=true, T)).", set()),
        (
            "initiatedAt(a=true, T) :- happensAt(e, T), holdsAt(b=true, T)."
            "initiatedAt(b=true, T) :- happensAt(e, T), holdsAt(a=true, T)."
            "happensAt(c, T) :- happensAt(start(b=true), T).",
            {"a/0", "b/0", "c/0"},
        ),
        (
            "initiatedAt(a=true, T) :- happensAt(e, T), holdsAt(a=true, T)."
            "holdsFor(u=true, I) :- holdsFor(a=true, I1), holdsFor(f=true, I2), union_all([I1, I2], I)."
            "holdsFor(i=true, I) :- holdsFor(a=true, I1), holdsFor(f=true, I2), intersect_all([I1, I2], I)."
            "holdsFor(d=true, I) :- holdsFor(f=true, I1), holdsFor(a=true, I2), relative_complement_all(I1, [I2], I)."
            "holdsFor(l=true, I) :- holdsFor(a=true, I1), intDurGreater(I1, 5, I).",
            {"a/0", "i/0", "l/0"},
        ),
        ("happensAt(a, T) :- happensAt(e(X), T), X > 5, small(X). small(X) :- X < 3.", {"a/0"}),
        ("happensAt(a, T) :- happensAt(e(X), T), limit(L), L > 10. limit(5).", set()),
    ],
)
def test_what_can_never_come_true(rules: str, expected: set[str]) -> None:
    text = rules.replace(".", ".\n")
    assert {str(name) for _, name in unreachable(parse(text))} == expected


PLANNED = """\
initiatedAt(moving(V)=true, T) :- happensAt(speed(V, S), T), holdsAt(near(V)=true, T), quick(S).
initiatedAt(sos(V)=true, T) :- happensAt(speed(V, S), T), holdsAt(near(V)=true, T), quick(S), happensAt(call(V), T).
initiatedAt(never(V)=true, T) :- happensAt(call(V), T), holdsAt(never(V)=true, T).
initiatedAt(way(V)=true, T) :- happensAt(start(moving(V)=true), T).
terminatedAt(way(V)=true, T) :- happensAt(end(moving(V)=true), T).
quick(S) :- S > 5.
"""


def test_the_plan_before_and_after_and_what_each_pass_changed() -> None:
    Path("planned.ec").write_text(PLANNED)
    printed = call("planned.ec", "--plan").stdout
    before, rest = printed.split("plan as the rules say it\n")[1].split("\n\npasses\n")
    passes, after = rest.split("\n\nplan that runs\n")
    assert passes.splitlines() == [
        "  unfolding of background rules",
        "    moving (planned.ec:1) calls quick/1: 1 rule",
        "    sos (planned.ec:2) calls quick/1: 1 rule",
        "  Boolean combinations as interval algebra",
        "    - simple way/1=true",
        "    - initiated way(A)=true at T: start of moving(A)=true at T",
        "    - terminated way(A)=true at T: end of moving(A)=true at T",
        "    + static way/1=true",
        "    + holds way(A)=true during moving(A)=true",
        "    +   for A of moving(A)=true",
        "  cheapest joins first, comparisons before them",
        "    - initiated moving(A)=true at T: speed(A,B) at T -> holding near(A)=true at T -> where B > 5",
        "    + initiated moving(A)=true at T: speed(A,B) at T -> where B > 5 -> holding near(A)=true at T",
        "    - initiated sos(A)=true at T: speed(A,B) at T -> holding near(A)=true at T -> where B > 5 -> call(A) at T",
        "    + initiated sos(A)=true at T: speed(A,B) at T -> where B > 5 -> holding near(A)=true at T -> call(A) at T",
        "  sharing of equal sub-plans",
        "    s1(A,B,T): speed(A,B) at T -> where B > 5 -> holding near(A)=true at T; 2 times",
        "  rules evaluated where their conditions meet: nothing to do",
    ]
    assert "      initiated moving(A)=true at T: speed(A,B) at T -> holding near(A)=true at T -> where B > 5" in before
    assert "      initiated moving(A)=true at T: s1(A,B,T)" in after
    assert "never" in before


UNITS = """\
initiatedAt(moving(V)=true, T) :- happensAt(speed(V, S), T), S > 5.
initiatedAt(near(A, B)=true, T) :- happensAt(meet(A, B), T), holdsAt(moving(A)=true, T), holdsAt(moving(B)=true, T).
initiatedAt(storm=true, T) :- happensAt(wind(S), T), S > 20.
initiatedAt(alert(V)=true, T) :- happensAt(start(moving(V)=true), T), holdsAt(storm=true, T).
holdsFor(reach(X, Y)=true, I) :- holdsFor(link(X, Y)=true, I).
holdsFor(reach(X, Y)=true, I) :- holdsFor(link(X, Z)=true, A), holdsFor(reach(Z, Y)=true, B), intersect_all([A, B], I).
"""


def test_the_plan_says_what_a_change_makes_be_evaluated() -> None:
    Path("units.ec").write_text(UNITS)
    printed = call("units.ec", "--plan").stdout.split("what a change makes be evaluated again")[1]
    keys = {
        name: line.split(": ")[0].split(", ")[-1] for line in printed.splitlines() for name in re.split("[, ]+", line)
    }
    assert keys["moving/1=true"] == keys["alert/1=true"] == "by argument 1"
    assert keys["near/2=true"] == "by arguments 1 and 2"
    assert "all keys together: storm/0=true" in printed
    assert "what depends on the change: reach/2=true" in printed
    assert "all keys when this changes: storm/0=true" in printed


# ---------------------------------------------------------------- as data


def test_description_as_data() -> None:
    found = data("rules.ec")
    assert (found["errors"], found["rules"], found["cycles"]) == (0, 4, [])
    moving, alone, alarm = found["definitions"]
    assert (moving["name"], moving["kind"], moving["stratum"]) == ("moving", "simple fluent", 1)
    assert (alone["kind"], alone["stratum"], alarm["kind"], alarm["stratum"]) == ("static fluent", 2, "event", 3)
    assert [place["line"] for place in moving["defined"]] == [2, 3]
    assert moving["uses"] == [
        {"by": "alone/1", "negative": False, "file": "rules.ec", "line": 5, "column": 5},
        {"by": "alarm/1", "negative": True, "file": "rules.ec", "line": 8, "column": 66},
    ]
    near = next(one for one in found["inputs"] if one["name"] == "near")
    assert [(use["by"], use["negative"]) for use in near["uses"]] == [("alone/1", True)]
    unused = [one["name"] for one in found["predicates"] if not one["uses"]]
    assert unused == ["forgotten"]


def test_errors_as_data_have_exit_code_1() -> None:
    result = call("bad.ec", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["errors"] == len(found["diagnostics"]) >= 2
    first = found["diagnostics"][0]
    assert (first["file"], first["line"], first["severity"]) == ("bad.ec", 1, "error")
    assert {"code", "message", "hint", "column", "end_line", "end_column"} <= set(first)


def test_errors_have_exit_code_1_with_a_graph_too() -> None:
    result = call("bad.ec", "--graph", "svg")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "bad.ec:2:" in result.stderr


@pytest.mark.parametrize("options", [("--json", "--graph", "svg"), ("--plan", "--json"), ("--graph", "png")])
def test_bad_usage(options: tuple[str, ...]) -> None:
    assert call("rules.ec", *options).exit_code == 2


# ---------------------------------------------------------------- the graph


def test_graph_of_a_description() -> None:
    found = graph(parse(RULES))
    kinds = {node.name: (node.kind, node.layer) for node in found.nodes}
    assert kinds == {
        "go/1": ("input event", 0),
        "stop/1": ("input event", 0),
        "fog/1": ("input event", 0),
        "near/1": ("input fluent", 0),
        "moving/1": ("simple fluent", 1),
        "alone/1": ("static fluent", 2),
        "alarm/1": ("event", 3),
    }
    names = [node.name for node in found.nodes]
    arrows = {(names[arrow.source], names[arrow.target], arrow.negative) for arrow in found.arrows}
    assert arrows == {
        ("go/1", "moving/1", False),
        ("stop/1", "moving/1", False),
        ("moving/1", "alone/1", False),
        ("near/1", "alone/1", True),
        ("alone/1", "alarm/1", False),
        ("moving/1", "alarm/1", True),
    }


def test_cycles_are_marked() -> None:
    text = """\
        initiatedAt(a=true, T) :- happensAt(e, T), \\+ holdsAt(b=true, T).
        initiatedAt(b=true, T) :- happensAt(e, T), holdsAt(a=true, T).
        initiatedAt(c=true, T) :- happensAt(e, T), holdsAt(a=true, T).
        """
    found = graph(parse(text))
    names = [node.name for node in found.nodes]
    assert {node.name for node in found.nodes if node.cyclic} == {"a/0", "b/0"}
    circle = {(names[arrow.source], names[arrow.target]) for arrow in found.arrows if arrow.cyclic}
    assert circle == {("a/0", "b/0"), ("b/0", "a/0")}


def test_mermaid() -> None:
    lines = call("rules.ec", "--graph", "mermaid").stdout.splitlines()
    assert lines[0] == "flowchart LR"
    number = {match[2]: match[1] for line in lines if (match := re.match(r' +(n\d+)\W+"(\w+)/1"', line))}
    assert f'    {number["go"]}[/"go/1"/]:::input' in lines
    assert f'    {number["alarm"]}{{{{"alarm/1"}}}}:::event' in lines
    assert f"    {number['near']} -.-> {number['alone']}" in lines
    assert f"    {number['go']} --> {number['moving']}" in lines


def test_dot() -> None:
    text = call("rules.ec", "--graph", "dot").stdout
    number = {match[2]: match[1] for match in re.finditer(r'(n\d+) \[label="(\w+)/1"', text)}
    assert text.startswith("digraph dependencies {")
    assert f"{number['near']} -> {number['alone']} [style=dashed];" in text
    assert re.search(rf"{number['alarm']} \[[^]]*shape=hexagon", text)


def test_names_in_text_forms_are_escaped() -> None:
    from holdsfor.view.graph import dot, mermaid

    one = Graph((GraphNode('a"]\\b', "event", 0),), ())
    assert r'label="a\"]\\b"' in dot(one)
    assert '"a#34;#93;#92;b"' in mermaid(one)


def test_svg_shows_every_name_and_arrow() -> None:
    root = ElementTree.fromstring(call("rules.ec", "--graph", "svg").stdout)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"go/1", "near/1", "moving/1", "alone/1", "alarm/1"} <= set(texts)
    told = [path.findtext(f"{SVG}title") for path in root.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    assert len(told) == 6
    assert "alone/1 depends on the absence of near/1" in told
    dashed = [path for path in root.iter(f"{SVG}path") if "negative" in path.get("class", "")]
    assert len(dashed) == 3  # two arrows, and the legend


def test_svg_of_nothing() -> None:
    ElementTree.fromstring(svg(Graph((), ())))


def test_hostile_name_is_text() -> None:
    root = ElementTree.fromstring(svg(Graph((GraphNode(HOSTILE + "\x00", "event", 0),), ()), title=HOSTILE))
    assert not list(root.iter(f"{SVG}script"))
    assert HOSTILE + "\ufffd" in [text.text for text in root.iter(f"{SVG}text")]


def chequered() -> Graph:
    """Five columns of eight nodes, and arrows of every length."""
    nodes = tuple(GraphNode(f"n{number}", "simple fluent", number // 8) for number in range(40))
    pairs = [(a, b) for a in range(40) for b in range(40) if a // 8 < b // 8 and (a * 7 + b * 13) % 11 == 0]
    return Graph(nodes, tuple(Arrow(*pair) for pair in pairs))


def test_nodes_do_not_overlap() -> None:
    shown = chequered()
    placed = layers(shown)
    for number, column in enumerate(placed.columns):
        own = [placed.y[spot] for spot in column if shown.nodes[spot[0]].layer == number]
        assert len(own) == 8
        assert all(below - above > HEIGHT for above, below in pairwise(own))


def test_order_avoids_crossings() -> None:
    nodes = [GraphNode(f"i{number}", "input event", 0) for number in range(6)]
    nodes += [GraphNode(f"d{number}", "simple fluent", 1) for number in range(6)]
    placed = layers(Graph(tuple(nodes), tuple(Arrow(number, 11 - number) for number in range(6))))
    left, right = ([spot[0] for spot in column] for column in placed.columns)
    assert [11 - number for number in left] == right


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: the picture is not drawn")
def test_picture_in_a_browser(tmp_path: Path) -> None:
    """Every name lies inside its shape, and nothing that a name says is run."""
    nodes = (
        GraphNode(HOSTILE, "event", 0),
        GraphNode("mmmmmmmmWWWWWWWW/12", "static fluent", 1),
        GraphNode("i/1", "input event", 0),
    )
    picture = svg(Graph(nodes, (Arrow(0, 1), Arrow(2, 1, negative=True))))
    probe = """
      const wide = [...document.querySelectorAll('g')].filter((g) => {
        const shape = g.querySelector('.node').getBBox(), text = g.querySelector('text').getBBox();
        return text.x < shape.x || text.x + text.width > shape.x + shape.width;
      });
      document.title = `${document.title}|${document.querySelectorAll('g').length}|${wide.length}`;"""
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><title>safe</title><body>{picture}<script>{probe}</script></body>", "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags += ["--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    command = [str(CHROMIUM), *flags, page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    title = re.search(r"<title>([^<]*)</title>", dom)
    assert title
    assert title[1] == "safe|9|0"  # three nodes and six of the legend


# ---------------------------------------------------------------- definitions without a bound

UNBOUNDED = """\
input fluent a/1. input fluent b/1. input event e/1. input event h/1.
limit(x, 3).
holdsFor(c(X)=true, I) :-
    holdsFor(a(X)=true, A), holdsFor(b(X)=true, B),
    before(A, B, union, I).
holdsFor(d(X)=true, I) :- holdsFor(a(X)=true, A), complement_all([A], I).
holdsFor(k(X)=true, I) :- holdsFor(a(X)=true, A), limit(X, N), intDurGreater(A, N, I).
initiatedAt(f(X)=true, T) :- happensAt(e(X), T), happensAt(h(X), T2), T2 < T.
initiatedAt(g(X)=true, T) :- happensAt(start(c(X)=true), T).
"""


def test_definitions_without_a_bound_are_named_with_the_reason_and_the_line() -> None:
    Path("rules.ec").write_text(UNBOUNDED)
    found = [(row["name"], row["line"], row["because"].split()[-1]) for row in data("rules.ec")["unbounded"]]
    assert found == [("c", 5, "distance"), ("d", 6, "later"), ("k", 7, "rule"), ("f", 8, "rule")]
    printed = " ".join(call("rules.ec").stdout.split())
    assert "c/1 (rules.ec:5): `before` relates intervals of any length" in printed
    assert "write bound(f/1, TICKS) in the rules or --bound f/1=4h, or compare the two times" in printed


def test_a_bound_takes_a_definition_from_the_list() -> None:
    Path("rules.ec").write_text(UNBOUNDED + "bound(c/1, 600). bound(f/1, 600). bound(d/1, 600).\n")
    assert [row["name"] for row in data("rules.ec")["unbounded"]] == ["k"]


# ---------------------------------------------------------------- dynamic domains

BUSES = """\
initially(noise(_)=low).
initiatedAt(noise(B)=Level, T) :- happensAt(noise_change(B, Level), T).
initiatedAt(loud(B)=true, T) :- happensAt(start(noise(B)=high), T).
dynamicDomain(bus(_)).
grounding(noise_change(B, _)) :- bus(B).
grounding(noise(B)=low) :- bus(B).
grounding(noise(B)=high) :- bus(B).
grounding(loud(B)=true) :- bus(B).
"""


def test_a_dynamic_domain_is_shown_by_its_name() -> None:
    """Not the fluents that stand for it, which nobody has written."""
    Path("rules.ec").write_text(BUSES)
    found = data("rules.ec")
    assert {row["name"] for row in found["definitions"]} == {"noise", "loud"}
    assert {row["name"]: {use["by"] for use in row["uses"]} for row in found["inputs"]} == {
        "noise_change": {"noise/1", "bus/1"}
    }
    (domain,) = [row for row in found["predicates"] if row["name"] == "bus"]
    assert {use["by"] for use in domain["uses"]} == {"noise/1", "loud/1", "noise_change/2"}
    assert [row["name"] for row in found["unbounded"]] == ["bus"]
    assert found["rules"] == 2
    for way in ([], ["--graph", "mermaid"]):
        printed = call("rules.ec", *way).stdout
        assert "bus seen" not in printed
        assert "bus ever" not in printed
    assert {node.name for node in graph(parse(BUSES)).nodes} == {"noise_change/2", "noise/1", "loud/1"}


def test_facts_come_from_tables_too(tmp_path: Path) -> None:
    rules, table = tmp_path / "rules.ec", tmp_path / "limits.csv"
    rules.write_text("happensAt(hot(M), T) :- happensAt(heat(M, C), T), limit(M, Most), C > Most.\n", encoding="utf-8")
    table.write_text("machine,most\nm1,90\n", encoding="utf-8")
    assert CliRunner().invoke(app, ["check", str(rules)]).exit_code != 0
    answer = CliRunner().invoke(app, ["check", str(rules), "--facts", f"limit={table}"])
    assert answer.exit_code == 0, answer.output
