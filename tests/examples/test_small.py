"""Each small example prints what follows from its rules; the answers here were worked out by hand."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "small"

PRINTED = {
    "first": ["on ['hall'] 11 26", "on ['stairs'] 41 None"],
    "own_csv": [
        "Machine start end",
        "M-004 2026-03-01 08:00:01+00:00 2026-03-01 08:30:01+00:00",
        "M-017 2026-03-01 08:40:01+00:00 NaT",
    ],
    "data_frames": ["Symbol value start end duration", "A True 3 5 2"],
    "patterns": ["paid ['o1'] 0 30", "unpaid ['o2'] 5 95"],
    "silence": ["sensor ['s1'] heard 1 19", "sensor ['s1'] heard 41 None", "sensor ['s1'] lost 19 41"],
    "counts": ["attack ['ann'] 50"],
    "pairs": ["[{'A': 'v1', 'B': 'v2', 'value': True, 'start': 11, 'end': 31, 'duration': 20}]"],
    "late": ["[(['d1'], 11, 21)]", "late: 1"],
    "live": ["12 insert hot ['m1'] 4 None", "32 end hot ['m1'] 4 28"],
    "on_spark": [
        "+------+-----+-----+",
        "|fluent|args |count|",
        "+------+-----+-----+",
        "|slow |[v0] |5 |",
        "|slow |[v10]|5 |",
        "+------+-----+-----+",
    ],
}


def fields(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", [name for name in PRINTED if name != "on_spark"])
def test_a_small_example_prints_its_answer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert fields(capsys.readouterr().out) == PRINTED[name]


@pytest.mark.spark
@pytest.mark.slow
def test_the_small_example_on_spark_prints_its_answer(tmp_path: Path) -> None:
    """Run it in a process of its own, since it stops its session."""
    script = FOLDER / "on_spark.py"
    outcome = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert fields(outcome.stdout) == PRINTED["on_spark"], outcome.stderr


def test_small_examples_are_small_and_all_of_them_are_listed() -> None:
    scripts = {path.stem: path.read_text(encoding="utf-8").splitlines() for path in FOLDER.glob("*.py")}
    assert scripts.keys() == PRINTED.keys()
    assert max(map(len, scripts.values())) <= 30
    index = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert [name for name in scripts if f"(small/{name}.py)" not in index] == []
