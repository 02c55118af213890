"""The page's scripts in Node: what the filter chooses, times in any zone, and that the whole page runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor.view import timeline
from holdsfor.view.inputs import SCHEMA
from holdsfor.view.lanes import Definition, RuleText
from holdsfor.view.reasons import Bar, ShownReasons
from tests.view.test_browser import table

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node here: the page's scripts are not run")

#: Stands for everything that a browser has: any property, call or number.
BROWSER = """
const anything = () => new Proxy(function () {}, {
  get: (known, key) => key === Symbol.toPrimitive ? () => 0 : key === Symbol.iterator ? [][Symbol.iterator].bind([])
    : key in known && typeof key === "string" && key !== "length" ? known[key] : (known[key] = anything()),
  set: (known, key, value) => { known[key] = value; return true; },
  apply: () => anything(), construct: () => anything(),
});
const elements = {};
const element = (id) => (elements[id] = elements[id] || anything());
const document = { getElementById: element, querySelectorAll: () => [], createElement: anything, body: anything(),
  documentElement: { dataset: {} } };
const window = { addEventListener() {}, devicePixelRatio: 1 };
const location = { hash: HASH, href: "file:///page.html" };
const navigator = {};
const getComputedStyle = anything, matchMedia = () => ({ matches: false });
const requestAnimationFrame = (draw) => draw();
class ResizeObserver { observe() {} }
element("data").textContent = DATA;
Object.assign(element("canvas"), { clientWidth: WIDTH, clientHeight: 700 });
element("filter").value = ""; element("order").value = "name"; element("group").value = "entity";
"""
ROWS = [
    ("down", ["Line 1"], "true", 1_767_225_600, 1_767_229_200),
    ("down", ["Line 11"], "true", 1_767_225_600, None),
    ("down", ["M-1"], "half", 1_767_225_600, 1_767_225_900),
]


def run(page: Path, program: str, hash: str = "", zone: str = "UTC", width: int = 1200) -> Any:
    """What the program says after the page's own scripts have run."""
    text = page.read_text("utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    script = re.search(r"<script>\n(.*?)</script>", text, re.DOTALL)
    assert data
    assert script
    known = f"const DATA = {json.dumps(data[1])}, HASH = {json.dumps(hash)}, WIDTH = {width};"
    whole = f"{known}\n{BROWSER}\n{script[1]}\nconsole.log(JSON.stringify((() => {{ {program} }})()));"
    command = [str(NODE), "-"]
    environment = {**os.environ, "TZ": zone}
    done = subprocess.run(command, input=whole, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    occurrences = pa.table({"event": ["fast"], "args": [["M-1"]], "start": [1_767_225_700], "end": [1_767_225_700]})
    return timeline(table(ROWS), occurrences, tmp_path / "page.html")


SEEN = "arrange(); return [...new Set(lanes.map((lane) => data.entities[lane.entity]))];"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Line 1", ["Line 1"]),
        (" Line 11 ", ["Line 11"]),
        ("line", ["Line 1", "Line 11"]),
        ("1 down", ["Line 1", "Line 11", "M-1"]),
        ('"line 1" down', ["Line 1", "Line 11"]),
        ("half", ["M-1"]),
        ("fast", ["M-1"]),
        ("Line 2", []),
        ("", ["Line 1", "Line 11", "M-1"]),
    ],
)
def test_the_name_of_an_entity_shows_it_alone(text: str, seen: list[str], page: Path) -> None:
    assert run(page, f"filter.value = {json.dumps(text)}; {SEEN}") == seen


def test_times_in_utc_or_in_ones_own_zone(page: Path) -> None:
    program = (
        "return [reading(0), (useZone(true), reading(0)), ticks(0, 86400, 86400).map((t) => tickLabel(t, 86400))];"
    )
    utc, local, found = run(page, program, zone="Asia/Kolkata")
    assert (utc, local) == ("2026-01-01 00:00:00 UTC", "2026-01-01 05:30:00")
    assert found == [{"text": "2 Jan 2026", "strong": True}], "midnight in Kolkata"


@pytest.mark.parametrize(
    ("text", "zone", "offset"),
    [
        ("2026-01-01 00:10", "UTC", 600),
        ("2026-01-01T00:10:05", "UTC", 605),
        ("2026-01-01T01:10+01:00", "UTC", 600),
        ("2026-01-02", "UTC", 86400),
        ("1767225700", "UTC", 100),
        ("tomorrow", "UTC", None),
        ("", "UTC", None),
    ],
)
def test_going_to_a_time(text: str, zone: str, offset: int | None, page: Path) -> None:
    assert run(page, f"return offsetOf({json.dumps(text)});", zone=zone) == offset


def test_going_to_a_time_in_ones_own_zone(page: Path) -> None:
    program = "useZone(true); return offsetOf('2026-01-01 05:40');"
    assert run(page, program, zone="Asia/Kolkata") == 600


def test_ticks_are_no_dates(tmp_path: Path) -> None:
    plain = timeline(table([("f", ["a"], "true", 10, 20)]), None, tmp_path / "page.html")
    assert run(plain, "return [offsetOf('15'), offsetOf('2026-01-01'), reading(5)];") == [5, None, "15"]


def test_a_link_brings_back_the_view(page: Path) -> None:
    program = """
      filter.value = "Line 1"; order.value = "count"; show(600, 1800); element("link").onclick();
      return [location.hash, view.from, view.to];"""
    hash, start, end = run(page, program)
    again = run(page, "return [filter.value, order.value, view.from, view.to, lanes.length];", f"#{hash}")
    assert again == ["Line 1", "count", start, end, 1]


def test_names_are_whole_on_a_phone(page: Path) -> None:
    """Each entity has a line of its own above its lanes."""
    program = "arrange(); return lanes.filter((lane) => lane.first).map((lane) => lane.y - topOf(lane));"
    assert run(page, program, width=390) == [16, 16, 16]
    assert run(page, program, width=1440) == [0, 0, 0]


def test_names_leave_room_on_a_phone(page: Path) -> None:
    assert run(page, "draw(); return NAMES;", width=390) == round(390 * 0.34)
    assert run(page, "draw(); return NAMES;", width=1440) == 250


def test_what_is_not_in_a_bar_stands_beside_it(tmp_path: Path) -> None:
    """The count of an alarm, and the other one of a pair, can be read without a pointer."""
    rows = [("meets", ["v1", "v2"], "true", 0, 1), ("down", ["v1"], "half", 10, 11), ("down", ["v1"], "true", 900, 901)]
    occurrences = pa.table({"event": ["alarms"], "args": [["v1", "3"]], "start": [500], "end": [500]})
    page = timeline(table(rows), occurrences, tmp_path / "page.html")
    program = "const texts = []; pen.fillText = (text) => texts.push(text); draw(); return texts;"
    texts = run(page, program)
    assert {"3", "v2", "half"} <= set(texts)
    assert "true" not in texts
    crowded = table([("down", ["v1"], "half", 2 * n, 2 * n + 1) for n in range(999)])
    full = timeline(crowded, None, tmp_path / "page.html")
    assert "half" not in run(full, program), "there is no room between them"


def test_lanes_by_entity_by_fluent_and_by_group(tmp_path: Path) -> None:
    rows = [("down", ["m10"], "true", 0, 5), ("hot", ["m2"], "true", 0, 5), ("hot", ["m10"], "true", 2, 3)]
    rows += [("hot", ["m3"], "true", 1, 5), ("short", ["Line 1"], "true", 1, 5)]
    groups = {"m2": "Line 1", "m10": "Line 1"}
    page = timeline(table(rows), None, tmp_path / "page.html", groups=groups)
    program = """
      return ["entity", "kind", "group"].map((how) => {
        element("group").value = how; arrange();
        return lanes.map((lane) => (lane.first ? grouping.head(lane) + ": " : "") + grouping.rest(lane));
      });"""
    entity, kind, group = run(page, program)
    assert entity == ["Line 1: short", "m2: hot", "m3: hot", "m10: down", "hot"]
    assert kind == ["down: m10", "hot: m2", "m3", "m10", "short: Line 1"]
    assert group == ["Line 1: Line 1 · short", "m2 · hot", "m10 · down", "m10 · hot", "(no group): m3 · hot"]


def test_csv_of_what_is_seen(tmp_path: Path) -> None:
    rows = [
        ("down", ['Line "1", left'], "half", 1_767_225_600, 1_767_225_660),
        ("meets", ["a", "b"], "true", 1_767_225_630, None),
        ("f", ["a"], "true", 1_767_225_600, 1_767_225_605),
        ("f", ["b"], "true", 1_767_229_200, 1_767_229_300),
    ]
    page = timeline(table(rows), None, tmp_path / "page.html")
    program = "filter.value = FILTER; arrange(); show(FROM, 600); return csvOf(rowsSeen());".replace("FROM", "10")
    header = "name,argument 1,argument 2,value,start,end"
    whole = run(page, program.replace("FILTER", "''"))
    assert whole.split("\r\n") == [
        header,
        'down,"Line ""1"", left",,half,2026-01-01T00:00:00.000Z,2026-01-01T00:01:00.000Z',
        "meets,a,b,true,2026-01-01T00:00:30.000Z,",  # once, though it stands with both
        "",
    ]
    assert run(page, program.replace("FILTER", "'meets'")).split("\r\n")[1:] == [
        "meets,a,b,true,2026-01-01T00:00:30.000Z,",
        "",
    ]


def test_the_last_input_that_the_rules_saw(tmp_path: Path) -> None:
    """An event at 20 may begin a fluent at 21, not at 20; what an input fluent says counts at once."""
    inputs = pa.Table.from_pylist(
        [
            {"is_event": True, "name": "reading", "args": ["m1", "95"], "value": None, "start": 20, "end": 20},
            {"is_event": True, "name": "reading", "args": ["m1", "80"], "value": None, "start": 30, "end": 30},
            {"is_event": True, "name": "reading", "args": ["m1", "99"], "value": None, "start": 31, "end": 31},
            {"is_event": True, "name": "reading", "args": ["m2", "70"], "value": None, "start": 19, "end": 19},
            {"is_event": False, "name": "shift", "args": ["m1"], "value": "early", "start": 21, "end": None},
            {"is_event": True, "name": "door", "args": ["m1"], "value": None, "start": 15, "end": 15},
        ],
        schema=SCHEMA,
    )
    needed = frozenset({(True, "reading"), (False, "shift")})
    definitions = [Definition("hot", False, (RuleText("rules.ec:1", "initiatedAt(...)."),), needed)]
    rows = table([("hot", ["m1"], "true", 21, 31), ("hot", ["m2"], "true", 40, None)])
    page = timeline(rows, None, tmp_path / "page.html", inputs=inputs, definitions=definitions)
    program = """
      const lane = data.lanes.find((each) => entityName(each) === "m1" && kindName(each) === "hot");
      const told = (offset) => inputBefore(lane, lane.from, offset).map((each) => termOf(each.lane, each.row));
      return [told(data.start[lane.from]), told(data.end[lane.from]), data.kinds[lane.kind].rules, data.summary];"""
    began, ended, rules, summary = run(page, program)
    assert began == ["shift(m1) = early", "reading(m1,95)"]
    assert ended == ["reading(m1,80)", "shift(m1) = early"]
    assert rules == [["rules.ec:1", "initiatedAt(...)."]]
    assert summary == "2 intervals, 1 fluent, 2 entities, 6 input rows"


def test_the_reasons_of_a_bar_mark_what_they_go_back_to(tmp_path: Path) -> None:
    hot, reading = Bar("hot", ["m1"], "true", 10), Bar("reading", ["m1", "95"], None, 9)
    reasons = [ShownReasons(hot, ("hot(m1)=true from 10 until 90", "  <b>95 > 90</b>"), (reading,))]
    row = {"is_event": True, "name": "reading", "args": ["m1", "95"], "value": None, "start": 9, "end": 9}
    inputs = pa.Table.from_pylist([row], schema=SCHEMA)
    page = timeline(table([("hot", ["m1"], "true", 10, 90)]), None, tmp_path / "p.html", inputs=inputs, reasons=reasons)
    assert "<b>95" not in page.read_text("utf-8")
    program = """
      const rowsOf = (lane) => Array.from({ length: lane.to - lane.from }, (_, n) => keyOf(lane, lane.from + n));
      const marked = () => lanes.flatMap(rowsOf).filter((key) => evidence.has(key));
      const lane = lanes.find((each) => !data.kinds[each.kind].input);
      const before = marked();
      tell(lane, lane.from);
      const during = marked(), lines = data.reasons[keyOf(lane, lane.from)].lines;
      hush();
      return [before, during, marked(), lines];"""
    assert run(page, program) == [[], ["reading(m1,95)=null@0"], [], list(reasons[0].lines)]
