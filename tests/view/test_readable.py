"""What a person can read on the page: long names, what is not so, what is left out and how."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor.view import timeline
from tests.view.test_browser import table
from tests.view.test_scripts import NODE, run

NAME = "Plant Nord / Hall 3 / Machine of the second line 000"
needs_node = pytest.mark.skipif(NODE is None, reason="no node here: the page's scripts are not run")


def content_of(page: Path) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def events(*names: str) -> pa.Table:
    times = list(range(len(names)))
    return pa.table({"event": list(names), "args": [["v1"]] * len(names), "start": times, "end": times})


# ---------------------------------------------------------------- what is left out


def test_each_kind_is_thinned_out_alike(tmp_path: Path) -> None:
    names = ["late", "late", "lateCount", "late", "late"] * 200 + ["rare"]
    page = timeline(table([("f", ["v1"], "true", 0, 5)]), events(*names), tmp_path / "p.html", limit=100)
    content = content_of(page)
    shown = {kind["name"]: (kind["count"], kind["total"]) for kind in content["kinds"]}
    assert shown == {"f": (1, 1), "late": (79, 800), "lateCount": (19, 200), "rare": (1, 1)}
    assert content["notes"] == [
        "Only 99 of 1,001 events are shown: of each kind the same share.",
        "The tables have them all.",
    ]
    (lane,) = [each for each in content["lanes"] if content["kinds"][each["kind"]]["name"] == "late"]
    starts = content["start"][lane["from"] : lane["to"]]
    assert min(starts) < 100
    assert max(starts) > 900
    assert max(after - before for before, after in pairwise(starts)) <= 150, "here and there"


def test_what_is_not_shown_at_all_is_named(tmp_path: Path) -> None:
    rows = [("busy", ["a"], "true", 10 * n, 10 * n + 5) for n in range(50)] + [("ghost", ["b"], "true", 0, 5)]
    content = content_of(timeline(table(rows), None, tmp_path / "p.html", limit=50))
    assert content["notes"] == [
        "Only the 1 busiest of 2 entities are shown: 50 of 51 intervals.",
        "Nothing is shown of ghost.",
        "The tables have them all.",
    ]


def test_a_page_with_all_of_it_says_nothing(tmp_path: Path) -> None:
    assert content_of(timeline(table([("f", ["a"], "true", 0, 5)]), events("e"), tmp_path / "p.html"))["notes"] == []


# ---------------------------------------------------------------- names and values

#: A letter is 7 wide; what is written, with the colour.
PEN = """
  let alpha = 1;
  const texts = [], bars = [];
  pen.measureText = (text) => ({ width: 7 * [...text].length });
  pen.fillText = (text) => texts.push(text);
  Object.defineProperty(pen, "globalAlpha", { set: (value) => { alpha = value; }, get: () => alpha });
  pen.roundRect = () => bars.push(alpha);
  draw();
"""


@needs_node
def test_long_names_keep_their_beginning_and_end(tmp_path: Path) -> None:
    rows = [("hot", [f"{NAME}{number}"], "true", 0, 5) for number in (1, 2)]
    page = timeline(table(rows), None, tmp_path / "p.html")
    texts = run(page, PEN + "return texts;", width=1440)
    names = [text for text in texts if text.startswith("Plant")]
    assert len(set(names)) == 2
    assert all("…" in name and name.endswith(f"000{number}") for number, name in enumerate(names, 1))


@needs_node
def test_names_get_more_room_where_they_are_long(tmp_path: Path) -> None:
    long = timeline(table([("hot", [NAME], "true", 0, 5)]), None, tmp_path / "long.html")
    short = timeline(table([("hot", ["m1"], "true", 0, 5)]), None, tmp_path / "short.html")
    program = PEN + "return [NAMES, heads > 0.6];"
    assert run(long, program, width=1440) == [min(440, 7 * len(NAME + "hot") + 40), True]
    assert run(short, program, width=1440)[0] == 250
    assert run(long, program, width=390)[0] == round(390 * 0.34), "the map needs it more"


@needs_node
def test_letters_of_two_units_are_never_cut_in_two(tmp_path: Path) -> None:
    page = timeline(table([("hot", ["🚢" * 60], "true", 0, 5)]), None, tmp_path / "p.html")
    (name,) = {text for text in run(page, PEN + "return texts;") if "🚢" in text}
    assert set(name) == {"🚢", "…"}


@needs_node
def test_what_is_not_so_is_faint(tmp_path: Path) -> None:
    rows = [("disrupted", ["zrh"], "true", 0, 50), ("disrupted", ["zrh"], "false", 50, 100)]
    rows += [("state", ["zrh"], "falsely", 50, 100)]
    bars, texts = run(timeline(table(rows), None, tmp_path / "p.html"), PEN + "return [bars, texts];")
    assert sorted(alpha for alpha in bars if alpha < 0.9) == [0.25]
    assert "false" not in texts
    assert "falsely" in texts


@needs_node
def test_one_lane_is_one(tmp_path: Path) -> None:
    one = timeline(table([("f", ["a"], "true", 0, 5)]), None, tmp_path / "one.html")
    two = timeline(table([("f", ["a"], "true", 0, 5), ("g", ["a"], "true", 0, 5)]), None, tmp_path / "two.html")
    assert "1 lane" in run(one, PEN + "return texts;")
    assert "2 lanes" in run(two, PEN + "return texts;")
