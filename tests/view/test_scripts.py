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
element("filter").value = ""; element("order").value = "name";
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
