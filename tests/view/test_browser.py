"""The timeline in a real browser: it draws, answers pointer and keyboard, and runs nothing that the data says."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from holdsfor.view import timeline
from holdsfor.view.inputs import SCHEMA
from holdsfor.view.lanes import Definition, RuleText

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: the page is not opened in a browser"),
]

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--dump-dom",
]
EPOCH = 1_767_225_600  # 2026-01-01 00:00 UTC


def opened(page: Path, folder: Path, script: str = "", size: str = "1200,700") -> str:
    """The page's elements after its scripts have run, and then `script`, which may write into #outcome."""
    probe = f"<pre id=outcome></pre><script>draw(); {{ {script} }}</script></body>"
    tried = folder / "tried.html"
    tried.write_text(page.read_text("utf-8").replace("</body>", probe), "utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--window-size={size}", f"--user-data-dir={folder / 'profile'}", tried.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def outcome(dom: str) -> list[str]:
    found = re.search(r'<pre id="outcome">(.*?)</pre>', dom, re.DOTALL)
    assert found
    return html.unescape(found.group(1)).split("|")


def table(rows: list[tuple[str, list[str], str, int, int | None]]) -> pa.Table:
    types = (pa.string(), pa.list_(pa.string()), pa.string(), pa.int64(), pa.int64())
    names = ("fluent", "args", "value", "start", "end")
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


SAY = "const say = (...w) => { document.getElementById('outcome').textContent = w.join('|'); };"


def test_hostile_names_run_nothing(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=\"document.title='owned'\"><b>"
    page = timeline(table([(hostile, [hostile], hostile, 0, 90)]), None, tmp_path / "p.html", title=hostile)
    hover = """
      const box = canvas.getBoundingClientRect();
      const at = {clientX: box.left + xOf(45), clientY: box.top + TOP + lanes[0].y + 8};
      canvas.dispatchEvent(new PointerEvent('pointermove', at));
      const images = document.querySelectorAll('img, b b').length;
      say(tip.hidden, tip.querySelector('strong').textContent, images, document.title);"""
    hidden, term, images, title = outcome(opened(page, tmp_path, SAY + hover))
    assert (hidden, images, title) == ("false", "0", hostile)
    assert term == f"{hostile}({hostile}) = {hostile}"


def test_hover_filter_zoom_and_keys(tmp_path: Path) -> None:
    rows = [
        ("stopped", ["v1"], "nearPorts", EPOCH + 60, EPOCH + 3660 + 5),
        ("meets", ["v1", "v2"], "true", EPOCH, None),
    ]
    rows += [("stopped", ["v2"], "nearPorts", EPOCH + 7200, EPOCH + 9000)]
    page = timeline(table(rows), None, tmp_path / "p.html")
    script = """
      const box = canvas.getBoundingClientRect();
      const at = (time, lane) => ({clientX: box.left + xOf(time), clientY: box.top + TOP + lane.y + 8});
      const find = (e, k) => lanes.find((l) => data.entities[l.entity] === e && data.kinds[l.kind].name === k);
      canvas.dispatchEvent(new PointerEvent('pointermove', at(1000, find('v1', 'stopped'))));
      const closed = tip.querySelector('dl').textContent;
      canvas.dispatchEvent(new PointerEvent('pointermove', at(1000, find('v2', 'meets'))));
      const open = tip.querySelector('dl').textContent;
      const all = lanes.length, span = view.to - view.from;
      const fixed = timeAt(600);
      const turn = {...at(0, lanes[0]), clientX: box.left + 600, deltaY: -100, ctrlKey: true, cancelable: true};
      canvas.dispatchEvent(new WheelEvent('wheel', turn));
      const zoomed = view.to - view.from < span, kept = Math.abs(timeAt(600) - fixed) < 1;
      const from = view.from;
      window.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
      const moved = view.from > from;
      document.getElementById('fit').click();
      const fits = Math.abs(view.to - view.from - span) < 1;
      filter.value = 'meets'; filter.dispatchEvent(new Event('input'));
      const meets = lanes.length;
      filter.value = 'v1'; filter.dispatchEvent(new Event('input'));
      const one = lanes.length;
      filter.value = 'nothing'; filter.dispatchEvent(new Event('input'));
      say(closed, open, all, zoomed, kept, moved, fits, meets, one, lanes.length);"""
    closed, open_, *rest = outcome(opened(page, tmp_path, SAY + script))
    assert closed == "from2026-01-01 00:01:00 UTCto2026-01-01 01:01:05 UTClasts1 h 5 s (3,605 s)"
    assert open_ == "from2026-01-01 00:00:00 UTCtoopen"
    assert rest == ["4", "true", "true", "true", "true", "2", "2", "0"]


def test_legend_hides_and_shows(tmp_path: Path) -> None:
    page = timeline(table([("f", ["a"], "true", 0, 5), ("g", ["a"], "true", 0, 5)]), None, tmp_path / "p.html")
    script = """
      const chips = [...document.querySelectorAll('.chip')];
      chips[0].click();
      say(chips.map((c) => c.textContent), lanes.map((l) => data.kinds[l.kind].name));"""
    assert outcome(opened(page, tmp_path, SAY + script)) == ["f1,g1", "g"]


def test_times_beyond_doubles_are_exact(tmp_path: Path) -> None:
    start = 2**62 + 1
    page = timeline(table([("f", ["a"], "true", start, start + 7)]), None, tmp_path / "p.html")
    script = "say(reading(0), reading(7), ticks(0, 7, 5).map((t) => BigInt(t) + origin));"
    fives = ",".join(str(time) for time in range(start, start + 8) if time % 5 == 0)
    assert outcome(opened(page, tmp_path, SAY + script)) == [str(start), str(start + 7), fives]


def test_a_hundred_thousand_intervals_draw_quickly(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (f"f{k % 9}", [f"v{k % 300}"], "true", int(s), int(s) + 50) for k, s in enumerate(rng.integers(0, 10**6, 10**5))
    ]
    page = timeline(table(rows), None, tmp_path / "p.html")
    script = """
      const begin = performance.now();
      for (let i = 0; i < 20; i++) draw();
      say((performance.now() - begin) / 20, lanes.length);"""
    each, lanes = outcome(opened(page, tmp_path, SAY + script))
    print(f"one picture of 100,000 intervals: {float(each):.1f} ms")
    assert int(lanes) == 900


PRESS = """
  const press = (x, y) => {
    const box = canvas.getBoundingClientRect();
    const at = {clientX: box.left + x, clientY: box.top + y, pointerId: 1};
    canvas.setPointerCapture = () => {};
    for (const kind of ['pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(kind, at));
  };
  const seen = () => [...new Set(lanes.map((lane) => data.entities[lane.entity]))].join();"""


@pytest.mark.parametrize("size", ["1200,700", "500,844"])
def test_a_press_on_a_name_shows_that_entity_alone(size: str, tmp_path: Path) -> None:
    rows = [("down", [f"Line {n}"], "true", EPOCH, EPOCH + 600) for n in (1, 11, 21)]
    page = timeline(table([*rows]), None, tmp_path / "p.html")
    script = """
      const all = seen();
      press(20, TOP + topOf(lanes[0]) + 6);
      const alone = seen();
      press(20, TOP + topOf(lanes[0]) + 6);
      say(all, alone, seen(), heading());"""
    all_of_them, alone, again, heading = outcome(opened(page, tmp_path, SAY + PRESS + script, size))
    assert (all_of_them, alone, again) == ("Line 1,Line 11,Line 21", "Line 1", "Line 1,Line 11,Line 21")
    assert heading == ("0" if size.startswith("1200") else "16"), "a line of its own on a small screen"


def test_jumping_to_a_time_and_a_link_to_the_view(tmp_path: Path) -> None:
    page = timeline(table([("f", ["a"], "true", EPOCH, EPOCH + 86400)]), None, tmp_path / "p.html")
    script = """
      zoom(0.1);
      const jump = document.getElementById('jump');
      jump.value = '2026-01-01 18:00'; jump.dispatchEvent(new Event('change'));
      const middle = reading((view.from + view.to) / 2);
      document.getElementById('link').click();
      const asked = new URLSearchParams(location.hash.slice(1));
      say(middle, Math.abs(Number(asked.get('from')) - view.from) <= 1, asked.get('order'));"""
    assert outcome(opened(page, tmp_path, SAY + script)) == ["2026-01-01 18:00:00 UTC", "true", "name"]


def test_a_press_on_a_bar_tells_its_rules_and_input(tmp_path: Path) -> None:
    hostile = "<b>hot(M)</b>"
    definitions = [Definition("hot", False, (RuleText("rules.ec:1", hostile),), frozenset({(True, "reading")}))]
    reading = {"is_event": True, "name": "reading", "args": ["m1", "95"], "value": None, "start": 9, "end": 9}
    inputs = pa.Table.from_pylist([reading], schema=SCHEMA)
    rows = table([("hot", ["m1"], "true", 10, 90)])
    page = timeline(rows, None, tmp_path / "p.html", inputs=inputs, definitions=definitions)
    script = """
      const lane = lanes[0];
      press(xOf(40), TOP + lane.y + 8);
      const told = [...details.querySelectorAll('strong, h3, pre, li')].map((each) => each.textContent);
      const markup = details.querySelectorAll('b').length;
      window.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
      say(...told, markup, details.hidden);"""
    assert outcome(opened(page, tmp_path, SAY + PRESS + script)) == [
        "hot(m1) = true",
        "Defined by",
        hostile,
        "Last input about m1 before it began",
        "9  reading(m1,95)",
        "Last input about m1 before it ended",
        "9  reading(m1,95)",
        "0",
        "true",
    ]


def test_what_is_seen_is_saved_as_files(tmp_path: Path) -> None:
    page = timeline(table([("f", ["a"], "true", 0, 5)]), None, tmp_path / "p.html")
    script = """
      const saved = [];
      HTMLAnchorElement.prototype.click = function () { saved.push(this.download + ' ' + this.href.slice(0, 5)); };
      HTMLCanvasElement.prototype.toBlob = function (done) { done(new Blob([])); };
      document.getElementById('csv').click();
      document.getElementById('png').click();
      say(...saved);"""
    assert outcome(opened(page, tmp_path, SAY + script)) == ["timeline.csv blob:", "timeline.png blob:"]
