"""The timeline page: safe with any name, complete in itself, honest about what it leaves out."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.view import timeline
from holdsfor.view.lanes import natural
from holdsfor.view.timeline import embedded

HOSTILE = "</script><img src=x onerror=alert(1)><!--\u2028'\"&{{data}}{{title}}"


def interval_table(*rows: tuple[str, list[str], str, int, int | None]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [(), (), (), (), ()]
    types = (pa.string(), pa.list_(pa.string()), pa.string(), pa.int64(), pa.int64())
    names = ("fluent", "args", "value", "start", "end")
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


def occurrence_table(*rows: tuple[str, list[str], int, int]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    types = (pa.string(), pa.list_(pa.string()), pa.int64(), pa.int64())
    return pa.table(
        {n: pa.array(c, t) for n, c, t in zip(("event", "args", "start", "end"), columns, types, strict=True)}
    )


def data_of(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found.group(1))
    return content


def term_of(content: dict[str, Any], lane: dict[str, Any], row: int) -> str:
    """As the page writes it."""
    args, value = content["terms"][content["term"][row]]
    return f"{content['kinds'][lane['kind']]['name']}({','.join(args)})" + ("" if value is None else f" = {value}")


def lanes_of(content: dict[str, Any]) -> dict[tuple[str, str], list[tuple[str, int, int]]]:
    """(entity, fluent) -> its terms with start and end, in absolute time, -1 for open."""
    origin = int(content["origin"])
    return {
        (content["entities"][lane["entity"]], content["kinds"][lane["kind"]]["name"]): [
            (
                term_of(content, lane, row),
                content["start"][row] + origin,
                -1 if content["end"][row] < 0 else content["end"][row] + origin,
            )
            for row in range(lane["from"], lane["to"])
        ]
        for lane in content["lanes"]
    }


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    intervals = interval_table((HOSTILE, [HOSTILE], HOSTILE, 0, 5))
    occurrences = occurrence_table((HOSTILE, [HOSTILE], 3, 3))
    page = timeline(intervals, occurrences, tmp_path / "page.html", title=HOSTILE)
    text = page.read_text("utf-8")
    assert "<img" not in text
    assert "<!--" not in text
    assert text.lower().count("<script") == text.lower().count("</script") == 2
    content = data_of(page)
    assert content["entities"] == [HOSTILE]
    assert {kind["name"] for kind in content["kinds"]} == {HOSTILE}


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "&lt;", "\u2028\u2029", "\U0001f600", "a\\u003cb"])
def test_embedded_json_reads_back_and_cannot_end_the_script(text: str) -> None:
    written = embedded({text: [text]})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == {text: [text]}


def test_page_needs_nothing_else(tmp_path: Path) -> None:
    page = timeline(interval_table(("f", ["a"], "true", 0, 5)), None, tmp_path / "new" / "page.html")
    text = page.read_text("utf-8")
    for word in (
        "http:",
        "https:",
        "//cdn",
        " src=",
        " href=",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ):
        assert word not in text, word
    assert "default-src 'none'" in text


def test_no_markup_is_made_of_text() -> None:
    folder = Path(__file__).parents[2] / "holdsfor" / "view"
    scripts = [path.read_text("utf-8") for path in folder.glob("*.js")]
    assert len(scripts) == 7
    for script in scripts:
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert word not in script


def test_lanes_hold_exact_times(tmp_path: Path) -> None:
    intervals = interval_table(
        ("stopped", ["v1"], "nearPorts", 100, 200),
        ("stopped", ["v1"], "farFromPorts", 300, None),
        ("meets", ["v1", "v2"], "true", 150, 180),
        ("stopped", ["v2"], "nearPorts", 20, 30),
    )
    occurrences = occurrence_table(("alarm", ["fire", "v2"], 25, 25))
    lanes = lanes_of(data_of(timeline(intervals, occurrences, tmp_path / "p.html")))
    meeting = [("meets(v1,v2) = true", 150, 180)]
    assert lanes == {
        ("v1", "stopped"): [("stopped(v1) = nearPorts", 100, 200), ("stopped(v1) = farFromPorts", 300, -1)],
        ("v1", "meets"): meeting,
        ("v2", "meets"): meeting,  # what is about two stands with both
        ("v2", "stopped"): [("stopped(v2) = nearPorts", 20, 30)],
        ("v2", "alarm"): [("alarm(fire,v2)", 25, 25)],  # under the entity, though it is not the first argument
    }


def test_counts_of_the_legend_do_not_count_pairs_twice(tmp_path: Path) -> None:
    intervals = interval_table(
        ("meets", ["a", "b"], "true", 0, 5), ("f", ["a"], "true", 0, 5), ("f", ["b"], "true", 0, 5)
    )
    content = data_of(timeline(intervals, None, tmp_path / "p.html"))
    assert {kind["name"]: kind["count"] for kind in content["kinds"]} == {"meets": 1, "f": 2}
    assert content["summary"] == "3 intervals, 2 fluents, 2 entities"


def test_rows_at_the_same_time_lie_below_each_other(tmp_path: Path) -> None:
    spans = [(0, 10), (2, 4), (3, 12), (4, 6), (10, 11), (13, None), (14, 20)]
    intervals = interval_table(*(("in", ["v", f"area{i}"], "true", s, e) for i, (s, e) in enumerate(spans)))
    content = data_of(timeline(intervals, None, tmp_path / "p.html"))
    rows = list(zip(content["start"], content["end"], content["depth"], strict=True))
    assert content["lanes"][0]["depth"] == 3
    for i, (start, end, depth) in enumerate(rows):
        for later, later_end, other in rows[i + 1 :]:
            overlap = (end < 0 or later < end) and (later_end < 0 or start < later_end)
            assert not (overlap and depth == other)


@pytest.mark.parametrize(
    ("first", "last", "tick_unit"),
    [
        (0, 100, "ticks"),
        (1_767_225_600, 1_767_300_000, "s"),
        (1_767_225_600_000, 1_767_300_000_000, "ms"),
        (0, 1_767_225_600, "ticks"),
        (-50, 10**18, "ticks"),
    ],
)
def test_unit_is_read_from_the_numbers(tmp_path: Path, first: int, last: int, tick_unit: str) -> None:
    intervals = interval_table(("f", ["a"], "true", first, last))
    assert data_of(timeline(intervals, None, tmp_path / "p.html"))["tick_unit"] == tick_unit
    assert data_of(timeline(intervals, None, tmp_path / "p.html", tick_unit="ticks"))["tick_unit"] == "ticks"


def test_beyond_the_limit_the_busiest_stay_and_the_page_says_so(tmp_path: Path) -> None:
    rows = [("f", [name], "true", 10 * i, 10 * i + 5) for name, n in (("a", 5), ("b", 50), ("c", 40)) for i in range(n)]
    occurrences = occurrence_table(("e", ["a"], 1, 1), ("e", ["c"], 1, 1))
    content = data_of(timeline(interval_table(*rows), occurrences, tmp_path / "p.html", limit=92))
    assert content["entities"] == ["b", "c"]
    assert [kind["count"] for kind in content["kinds"]] == [90, 1]
    assert content["notes"] == [
        "Only the 2 busiest of 3 entities are shown: 90 of 95 intervals.",
        "The tables have them all.",
    ]
    alone = data_of(timeline(interval_table(*rows), None, tmp_path / "p.html", limit=30))
    assert (alone["entities"], alone["kinds"][0]["count"]) == (["b"], 30)
    assert "30 of 95 intervals" in alone["notes"][0]
    assert data_of(timeline(interval_table(*rows), None, tmp_path / "p.html", limit=95))["notes"] == []


def test_nothing_recognised_is_a_page_too(tmp_path: Path) -> None:
    content = data_of(timeline(interval_table(), occurrence_table(), tmp_path / "p.html"))
    assert content["lanes"] == []
    assert content["summary"] == "0 intervals, 0 fluents, 0 entities"


def test_fluent_without_arguments(tmp_path: Path) -> None:
    content = data_of(timeline(interval_table(("raining", [], "true", 1, 2)), None, tmp_path / "p.html"))
    assert list(lanes_of(content)) == [("(all)", "raining")]
    many = interval_table(*(("raining", [], "true", 2 * i, 2 * i + 1) for i in range(9)), ("f", ["a"], "true", 0, 1))
    assert data_of(timeline(many, None, tmp_path / "p.html", limit=9))["entities"] == ["(all)"]


def test_wrong_table_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="no column fluent, value"):
        timeline(pa.table({"args": [["a"]], "start": [1], "end": [2]}), None, tmp_path / "p.html")


def test_names_in_natural_order() -> None:
    assert sorted(["v10", "v2", "w", "v", "10", "9", "v2a", "²"], key=natural) == [
        "9",
        "10",
        "v",
        "v2",
        "v2a",
        "v10",
        "w",
        "²",
    ]


def test_many_intervals_are_cut_quickly(tmp_path: Path) -> None:
    n = 300_000
    rng = np.random.default_rng(0)
    start = np.sort(rng.integers(0, 10**7, n))
    names = pa.array([f"v{i}" for i in range(5000)])
    values = names.take(pa.array(rng.integers(0, 5000, n)))
    table = pa.table(
        {
            "fluent": pa.array(["f"]).take(pa.array(np.zeros(n, np.int64))),
            "args": pa.ListArray.from_arrays(pa.array(np.arange(n + 1, dtype=np.int32)), values),
            "value": pa.array(["true"]).take(pa.array(np.zeros(n, np.int64))),
            "start": start,
            "end": start + 1,
        }
    )
    begin = time.perf_counter()
    content = data_of(timeline(table, None, tmp_path / "p.html"))
    print(f"page of {len(content['start']):,} out of {n:,} intervals in {time.perf_counter() - begin:.1f} s")
    assert 99_000 < len(content["start"]) <= 100_000
    assert "of 300,000 intervals" in content["notes"][0]
