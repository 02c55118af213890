"""What a run and `show` say of definitions that found nothing, and of fluents that hardly ever end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from holdsfor.cli import app

RULES = """
initiatedAt(stopped(V)=true, T) :- happensAt(speed(V, K), T), K < 0.5.
terminatedAt(stopped(V)=true, T) :- happensAt(speed(V, K), T), K >= 0.5.
initiatedAt(ghost(V)=true, T) :- happensAt(speed(V, K), T), K > 1000.
terminatedAt(ghost(V)=true, T) :- happensAt(speed(V, K), T), K < 1000.
wild(V) <- speed(V, K) WHERE K > 2000.
"""


def call(*args: object) -> Result:
    return CliRunner().invoke(app, list(map(str, args)))


def run(folder: Path, rows: list[str], *more: str) -> Result:
    (folder / "rules.ec").write_text(RULES)
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    events = ("--events", folder / "rows.csv", "-o", folder / "out")
    return call("run", folder / "rules.ec", *events, "--engine", "local", *more)


def cells(printed: str, name: str) -> list[str]:
    """The line of a table that begins with a name."""
    lines = [line for line in printed.splitlines() if line.startswith("│ " + name + " ")]
    return [cell.strip() for cell in lines[0].strip("│").split("│")]


def test_a_definition_without_results_is_listed_with_0(tmp_path: Path) -> None:
    done = run(tmp_path, ["speed|3|3|v1|0", "speed|8|8|v1|9"])
    for printed in (done.output, call("show", tmp_path / "out").output):
        assert cells(printed, "stopped")[:2] == ["stopped", "1"]
        assert cells(printed, "ghost") == ["ghost", "0", "", "defined, found nothing"]
        assert cells(printed, "wild") == ["wild", "0", "", "defined, found nothing"]


def test_show_tells_a_definition_without_results_from_a_slip(tmp_path: Path) -> None:
    run(tmp_path, ["speed|3|3|v1|0", "speed|8|8|v1|9"])
    assert call("show", tmp_path / "out", "ghost").output == "ghost: defined, found nothing\n"
    slip = call("show", tmp_path / "out", "gost")
    assert slip.exit_code == 1
    assert "no rule defines 'gost'. Did you mean 'ghost'?" in slip.output


def test_what_is_about_others_is_not_said_to_be_without_results(tmp_path: Path) -> None:
    run(tmp_path, ["speed|3|3|v1|0", "speed|8|8|v1|9", "speed|3|3|v2|5000"])
    printed = call("show", tmp_path / "out", "--entity", "v1").output
    assert "│ wild " not in printed
    assert "found nothing" not in printed


def test_internal_definitions_are_no_part_of_it(tmp_path: Path) -> None:
    assert "ghost" not in run(tmp_path, ["speed|3|3|v1|0"], "--only", "stopped", "--only", "wild").output
    assert "no rule defines 'ghost'" in call("show", tmp_path / "out", "ghost").output


def test_results_of_an_earlier_version_are_shown_as_before(tmp_path: Path) -> None:
    run(tmp_path, ["speed|3|3|v1|0", "speed|8|8|v1|9"])
    path = tmp_path / "out" / "metrics.json"
    path.write_text(json.dumps({"events_in": 2}))
    assert "ghost" not in call("show", tmp_path / "out").output
    assert "nothing called 'ghost' was recognised." in call("show", tmp_path / "out", "ghost").output


def test_the_tables_of_a_stream_know_what_is_defined(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.csv").write_text("speed|3|3|v1|0\nspeed|30|30|v1|9\n")
    times = ("--window", "20", "--step", "10", "--checkpoint", tmp_path / "state", "--once", "--engine", "local")
    done = call("stream", tmp_path / "rules.ec", "--from", tmp_path / "in", *times)
    assert done.exit_code == 0, done.output
    assert cells(call("show", tmp_path / "state").output, "ghost")[-1] == "defined, found nothing"
    assert call("show", tmp_path / "state", "wild").output == "wild: defined, found nothing\n"
    assert "no rule defines 'wilde'. Did you mean 'wild'?" in call("show", tmp_path / "state", "wilde").output


@pytest.mark.parametrize(("ended", "is_told"), [(0, True), (3, True), (10, False)])
def test_fluents_that_hardly_ever_end_get_a_hint(tmp_path: Path, ended: int, is_told: bool) -> None:
    rows = [f"speed|3|3|v{number}|0" for number in range(40)] + [f"speed|9|9|v{number}|5" for number in range(ended)]
    printed = " ".join(run(tmp_path, rows).output.split())
    assert (f"{40 - ended} of 40 intervals of stopped are open." in printed) == is_told
