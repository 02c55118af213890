"""What `holdsfor check` shows of definitions that no result has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app

RULES = """internal lateCount/2.
lateCount(O, N) <- late(O) AGGREGATE N = count OVER LAST 1 h.
initiatedAt(disrupted(O)=true, T) :- happensAt(lateCount(O, N), T), N >= 2.
terminatedAt(disrupted(O)=true, T) :- happensAt(onTime(O), T).
"""


def check(folder: Path, *options: str) -> str:
    (folder / "rules.ec").write_text(RULES)
    done = CliRunner().invoke(app, ["check", str(folder / "rules.ec"), *options])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_overview_and_the_data_name_them(tmp_path: Path) -> None:
    printed = check(tmp_path)
    (row, *_) = [line for line in printed.splitlines() if line.startswith("│ lateCount/2")]
    assert "pattern, internal" in row
    definitions = json.loads(check(tmp_path, "--json"))["definitions"]
    assert {one["name"]: one["internal"] for one in definitions} == {"lateCount": True, "disrupted": False}


@pytest.mark.parametrize(
    ("picture", "mark"),
    [
        ("mermaid", "    class n2 internal\n"),
        ("dot", 'n2 [label="lateCount/2", shape=hexagon, fillcolor="#f3e5f9", style="dashed,filled"];'),
        ("svg", '<g class="pattern internal"><title>lateCount/2: pattern, in no result</title>'),
    ],
)
def test_graphs_show_them_with_a_dashed_line(picture: str, mark: str, tmp_path: Path) -> None:
    assert mark in check(tmp_path, "--graph", picture)


def test_notebooks_name_them() -> None:
    assert "event, internal" in holdsfor.parse(RULES)._repr_html_()
