"""The words of `--help`, and of names that Python offers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.cli.commands import COMMANDS
from holdsfor.cli.commands.options import respell
from holdsfor.cli.start.streaming import needs_spark

ROOT = Path(__file__).resolve().parents[2]


def help_of(*command: str) -> str:
    return " ".join(CliRunner().invoke(app, [*command, "--help"]).output.replace("│", " ").split())


@pytest.mark.parametrize("command", COMMANDS)
def test_switches_have_no_value(command: str) -> None:
    assert "<bool>" not in help_of(command)


def test_the_kinds_of_event_files_are_named() -> None:
    text = help_of("run")
    for kind in ("RTEC's CSV", "JSON lines", "Parquet", "Feather", "terms"):
        assert kind in text


@pytest.mark.parametrize("word", ["minutes", "h", "Days"])
def test_a_duration_in_two_words_is_told(word: str, tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text("happensAt(b(X), T) :- happensAt(a(X), T).\n")
    (tmp_path / "a.csv").write_text("a|1|1|x\n")
    command = ["run", str(tmp_path / "rules.ec"), "--events", str(tmp_path / "a.csv"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*command, "--engine", "local", "--window", "5", word])
    assert done.exit_code == 1
    expected = f"{word}: no such rule file. If it belongs to a duration, write that in one word: --window 5min."
    assert expected in " ".join(done.output.split())


def test_python_offers_what_is_for_users() -> None:
    assert sorted(dir(holdsfor)) == sorted([*holdsfor.__all__, "__version__"])
    for module in (holdsfor.sinks, holdsfor.sources):
        assert sorted(dir(module)) == sorted(module.__all__)
    code = "import holdsfor.spark; print(sorted(dir(holdsfor.spark)) == sorted(holdsfor.spark.__all__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert done.stdout == "True\n", done.stderr


PANELS = ("Input", "Rules", "Time", "Output", "State and faults", "Engine and Spark")


@pytest.mark.parametrize(("command", "panels"), [("run", PANELS), ("stream", (*PANELS, "Logs and metrics"))])
def test_long_lists_of_options_are_in_panels(command: str, panels: tuple[str, ...]) -> None:
    lines = CliRunner().invoke(app, [command, "--help"]).output.splitlines()
    titles = {line.strip("╭╮─ ") for line in lines if line.startswith("╭")}
    assert titles == {"Arguments", "Options", *panels}
    options = lines[next(number for number, line in enumerate(lines) if "─ Options ─" in line) + 1 :]
    assert "--help" in options[0], "each option has a panel of its own"
    assert options[1].startswith("╰")


@pytest.mark.parametrize(
    ("named", "documented"),
    [
        ("--tick 5 --events a b", "--sample-every 5 --events a b"),
        ("--tick=5", "--sample-every=5"),
        ("--tables wide -o found", "--wide -o found"),
        ("--tables=wide", "--wide"),
        ("--tick-unit ms --out --tick", "--tick-unit ms --out --tick"),
        ("rules.ec --tables", "rules.ec --tables"),
        ("", ""),
    ],
)
def test_options_as_the_design_names_them_are_read(named: str, documented: str) -> None:
    assert respell(named.split()) == documented.split()


@pytest.mark.parametrize(
    ("engine", "addresses", "spark_options", "is_on_spark"),
    [
        ("auto", ["incoming", "console"], None, False),
        ("auto", ["mqtt://host/t"], {}, False),
        ("auto", ["incoming", "kafka://host/t"], None, True),
        ("auto", ["incoming"], "spark://host:7077", True),
        ("auto", ["incoming"], {"spark.driver.memory": "2g"}, True),
        ("spark", ["incoming"], None, True),
        ("local", ["incoming"], None, False),
    ],
)
def test_a_stream_is_on_spark_where_it_is_asked_for(
    engine: str, addresses: list[str], spark_options: object, is_on_spark: bool
) -> None:
    assert needs_spark(engine, addresses, spark_options) is is_on_spark
