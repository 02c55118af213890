"""What notebooks show: a small timeline, a table of definitions, a graph of the plan."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from base64 import b64decode

import pyarrow as pa

import holdsfor
from holdsfor.plan import plan
from holdsfor.view.notebook import LANES, WIDTH, plan_graph, timeline_svg

RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C > 90.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C =< 85.
holdsFor(both(M, N)=true, I) :- holdsFor(hot(M)=true, A), holdsFor(beside(M, N)=true, B), intersect_all([A, B], I).
happensAt(alarm(M), T) :- happensAt(start(hot(M)=true), T).
"""
EVENTS = ["reading(m1, 95) @ 10", "reading(m1, 80) @ 60", "reading(m2, 95) @ 35", "beside(m1, m2) @ [20,30)"]


def rectangles(html: str) -> dict[str, tuple[float, float]]:
    """Of each bar, by its tooltip, where it begins and how wide it is."""
    picture = ET.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    found = {}
    for bar in picture.iter("rect"):
        title = bar.find("title")
        assert title is not None
        found[str(title.text)] = (float(bar.attrib["x"]), float(bar.attrib["width"]))
    return found


def test_a_result_is_a_small_timeline_and_a_table() -> None:
    result = holdsfor.recognise(holdsfor.parse(RULES), holdsfor.read_events(EVENTS, format="terms"))
    html = result._repr_html_()
    bars = rectangles(html)
    assert set(bars) == {
        "hot(m1) = true, 11 to 61",
        "hot(m2) = true, 36 to open",
        "both(m1, m2) = true, 20 to 30",
    }
    assert bars["hot(m1) = true, 11 to 61"] == (220.0, float(WIDTH - 220)), "the whole width: from 11 to 61"
    assert bars["both(m1, m2) = true, 20 to 30"][1] == (WIDTH - 220) / 5, "ten of fifty ticks"
    assert '<td>alarm</td><td style="text-align:right">2</td>' in html


def test_a_timeline_shows_the_first_lanes_and_no_markup() -> None:
    names = [f"<b>{n}" for n in range(30)]
    columns = {"fluent": ["f"] * 30, "args": [[n] for n in names], "value": ["true"] * 30}
    table = pa.table({**columns, "start": list(range(30)), "end": pa.array([None] * 30, pa.int64())})
    html = timeline_svg(table, "ticks")
    assert len(rectangles(html)) == LANES
    assert "<b>" not in html
    assert timeline_svg(table.slice(0, 0), "ticks") == ""


def test_a_description_is_a_table_of_definitions() -> None:
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", holdsfor.parse(RULES)._repr_html_())
    rows = {name: kind for name, kind, _ in zip(*[iter(cells)] * 3, strict=True)}
    assert rows == {
        "reading/2": "input event",
        "beside/2": "input fluent",
        "hot/1": "simple fluent",
        "both/2": "static fluent",
        "alarm/1": "event",
    }


def test_a_plan_is_a_graph() -> None:
    made = plan(holdsfor.parse(RULES))
    graph = plan_graph(made)
    names = [node.name for node in graph.nodes]
    ways = {(names[arrow.source], names[arrow.target]) for arrow in graph.arrows}
    assert ways == {("reading/2", "hot/1"), ("hot/1", "both/2"), ("beside/2", "both/2"), ("hot/1", "alarm/1")}
    found = re.search(r"base64,([^\"]+)", made._repr_html_())
    assert found
    assert b"hot/1" in b64decode(found[1])


def test_a_circle_is_a_graph_too() -> None:
    circle = """
    initiatedAt(a(X)=true, T) :- happensAt(go(X), T), \\+ holdsAt(b(X)=true, T).
    initiatedAt(b(X)=true, T) :- happensAt(stop(X), T), holdsAt(a(X)=true, T).
    """
    graph = plan_graph(plan(holdsfor.parse(circle)))
    assert {node.name for node in graph.nodes if node.cyclic} == {"a/1", "b/1"}
