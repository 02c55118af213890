"""`holdsfor run defaults.toml`: RTEC's table of an application stands for the arguments that are not given."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.cli.test_commands import call

TABLE = "execution scripts/defaults.toml"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "rtec"
    shutil.copytree(Path(__file__).parent / "rtec", folder)
    monkeypatch.chdir(folder)
    return folder


def ran(*args: str) -> Any:
    return call("run", TABLE, "--engine", "local", *args)


def found(out: str | Path) -> list[tuple[str, str, int, int | None]]:
    rows = pq.read_table(Path(out) / "intervals.parquet").to_pylist()
    return sorted((row["fluent"], row["args"][0], row["start"], row["end"]) for row in rows)


def test_the_table_stands_for_all_arguments(here: Path) -> None:
    result = ran("--app", "doors")
    assert result.exit_code == 0, result.stderr
    assert "left out" not in result.stderr
    out = here / "examples" / "doors" / "results"
    assert found(out) == [
        ("open", "back", 31, None),  # closed at 35, which arrived at 70: the window at 80 begins after 40
        ("open", "front", 11, 51),  # and not again at 120, which is after the end
        ("unguarded", "back", 31, None),
        ("unguarded", "front", 11, 12),
        ("unguarded", "front", 30, 51),
    ]
    metrics = json.loads((out / "metrics.json").read_text())
    times = {key: metrics[key] for key in ("window", "step", "start", "end", "sample_every")}
    assert times == {"window": 40, "step": 20, "start": 0, "end": 100, "sample_every": 1}


def test_arguments_win_over_the_table(here: Path) -> None:
    Path("mine.ec").write_text("initiatedAt(used(D)=true, T) :- happensAt(opens(D), T).\n")
    Path("mine.csv").write_text("opens|5|5|side\nopens|50|50|gate\n")
    times = ["--window", "15", "--step", "15", "--start", "10", "--end", "60", "--sample-every", "5"]
    result = ran("mine.ec", "--app", "doors", "--events", "mine.csv", "-o", "out", *times)
    assert result.exit_code == 0, result.stderr
    assert found("out") == [("used", "gate", 55, None)]
    metrics = json.loads(Path("out/metrics.json").read_text())
    assert [metrics[key] for key in ("window", "step", "start", "end", "sample_every")] == [15, 15, 10, 60, 5]
    assert not (here / "examples" / "doors" / "results").exists()


def test_one_argument_leaves_the_rest_of_the_table(here: Path) -> None:
    result = ran("--app", "doors", "--window", "60", "-o", "out")
    assert result.exit_code == 0, result.stderr
    assert ("open", "back", 31, 36) in found("out")  # now the late row counts


def test_the_only_application_needs_no_name(here: Path) -> None:
    text = Path(TABLE).read_text()
    Path(TABLE).write_text(text[: text.index("[lifts]")])
    assert ran("-o", "out").exit_code == 0
    assert len(found("out")) == 5


def test_unknown_keys_are_named_and_left_out(here: Path) -> None:
    Path(TABLE).write_text(Path(TABLE).read_text().replace("step = 20", "step = 20\nwindow_sise = 7\nforget = 3"))
    result = ran("--app", "doors", "-o", "out")
    assert result.exit_code == 0
    assert f"{TABLE}, [doors]: not known here, left out: window_sise, forget\n" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], f"{TABLE} has several applications: choose one of them with --app: doors, lifts."),
        (["--app", "door"], f"{TABLE} has no application door. Did you mean 'doors'?"),
        (["--app", "ships"], f"{TABLE} has no application ships. It has doors, lifts."),
        (
            ["--app", "lifts"],
            f"{TABLE}, [lifts]: input_mode 'dynamic_predicates' cannot be read; it may be csv, fifo, socket. "
            "Give the events as RTEC's CSV: name|arrival|occurrence|arguments.",
        ),
        (["other.toml"], f"{TABLE} and other.toml: give one table of defaults."),
    ],
)
def test_mistake_is_told_in_a_sentence(here: Path, args: list[str], message: str) -> None:
    result = ran(*args)
    assert result.exit_code == 1
    assert result.stderr == f"{message}\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("window_size = 1.5", "[a]: window_size is a whole number of ticks, not 1.5."),
        ("step = true", "[a]: step is a whole number of ticks, not True."),
        ("input_providers = [3]", "[a]: input_providers is a path in quotes, not 3."),
        ("results_directory = 3", "[a]: results_directory is a path in quotes, not 3."),
        (
            "goals = ['initialiseLoop(3)']",
            "[a]: goals are Prolog queries, and there is no Prolog here. "
            "Write what they add as facts in a rule file, and leave the goals out.",
        ),
    ],
)
def test_value_that_means_nothing_is_told(here: Path, line: str, message: str) -> None:
    Path("a.toml").write_text(f"[a]\n{line}\n")
    result = call("run", "a.toml", "--engine", "local")
    assert (result.exit_code, result.stderr) == (1, f"a.toml, {message}\n")


def test_a_file_that_is_no_table_is_told(here: Path) -> None:
    Path("empty.toml").write_text("")
    Path("torn.toml").write_text("[a\n")
    assert call("run", "absent.toml").stderr == "cannot read absent.toml: No such file or directory.\n"
    assert (
        "empty.toml has no application. Begin one with a line such as [maritime]." in call("run", "empty.toml").stderr
    )
    assert call("run", "torn.toml").stderr.startswith("torn.toml is not TOML: ")
    missing = call("run", "rules.ec", "--app", "doors")
    assert missing.exit_code == 1
    assert "holdsfor run defaults.toml --app doors" in missing.stderr


@pytest.mark.parametrize(("line", "word"), [("step = 3", "RULES"), ("event_description = 'r.ec'", "--events")])
def test_what_neither_gives_is_asked_for(here: Path, line: str, word: str) -> None:
    Path("a.toml").write_text(f"[a]\n{line}\n")
    result = call("run", "a.toml", "--engine", "local")
    assert result.exit_code == 2
    assert word in result.stderr
