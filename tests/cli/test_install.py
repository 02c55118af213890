"""The wheel in bare environments, by the steps of the Dockerfile: it runs, imports and has types.

In one environment each range of pyproject.toml has its highest version, in the other its lowest.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.examples import WRITTEN, examples

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import holdsfor

description: holdsfor.EventDescription = holdsfor.load("rules.ec")
result = holdsfor.recognise(description, "events.csv", mapping="mapping.toml")
rows: int = result.intervals.num_rows
print(rows)
"""


def instructions(word: str) -> list[str]:
    """What the Dockerfile has after this word, line by line."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    return re.findall(rf"^{word} (.+)$", text, re.MULTILINE)


def lowest_versions() -> Iterator[str]:
    """Of each range in pyproject.toml its lowest version, as pip takes it.

    For later Pythons than the first the very first releases have no wheels: there, the last of the same minor version.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    is_first = f">={sys.version_info[0]}.{sys.version_info[1]}" == project["requires-python"]
    for requirement in project["dependencies"]:
        if match := re.match(r"([\w-]+)>=([\d.]+)", requirement):
            yield f"{match[1]}=={match[2]}" + ("" if is_first or match[2].count(".") == 2 else ".*")


def test_ranges_are_written_as_the_test_below_reads_them() -> None:
    assert {requirement.partition("=")[0] for requirement in lowest_versions()} >= {"pyspark", "pyarrow", "numpy"}


def run(command: list[str], folder: Path, **more: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        command, cwd=folder, env={**environment, **more}, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module", params=["highest", "lowest"])
def bare(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it needs, made by the steps of the Dockerfile."""
    folder = tmp_path_factory.mktemp("bare")
    build, install = (step for step in instructions("RUN") if step.startswith("python -m pip"))
    for step in instructions("COPY"):
        *names, target = step.split()
        for name in names if not step.startswith("--from") else []:
            source, copy = ROOT / name, folder / (name if target == "./" else target)
            shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    python = folder / "env" / "bin" / "python"
    venv.create(folder / "env", with_pip=True)
    run([str(python), *shlex.split(build)[1:]], folder)
    wheel = next((folder / "dist").glob("*.whl"))
    words = [str(wheel) if word == "/dist/*.whl" else word for word in shlex.split(install)[1:]]
    lowest = list(lowest_versions()) if request.param == "lowest" else []
    run([str(python), *(word for word in words if word != "--no-cache-dir"), *lowest], folder)
    return folder / "env" / "bin"


@pytest.fixture
def tutorial(tmp_path: Path) -> Path:
    """A folder with the first files of the tutorial."""
    example = next(examples(ROOT / "docs" / "tutorial.md"))
    for block in reversed(example.blocks):
        if block.kind in WRITTEN:
            (tmp_path / WRITTEN[block.kind]).write_text(block.text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_wheel_runs_in_a_bare_environment(bare: Path, tutorial: Path) -> None:
    entry = instructions("ENTRYPOINT")[0].strip('["]')
    arguments = ["run", "rules.ec", "--events", "events.csv", "--mapping", "mapping.toml", "--out", "found"]
    assert "overheated" in run([str(bare / entry), *arguments], tutorial)
    assert "M-004" in run([str(bare / entry), "show", "found", "overheated"], tutorial)
    quoted = re.sub(r"(M-\d+)", r'"\1"', (tutorial / "events.csv").read_text(encoding="utf-8"))
    (tutorial / "quoted.csv").write_text(quoted, encoding="utf-8")
    as_csv = ["--events", "quoted.csv", "--mapping", "mapping.toml", "--out", "as-csv", "--output-format", "csv"]
    run([str(bare / entry), "run", "rules.ec", *as_csv], tutorial)
    lines = (tutorial / "as-csv" / "intervals.csv").read_text(encoding="utf-8").splitlines()
    assert lines.count(lines[0]) == 1, "one header"
    assert sum("[M-004]" in line for line in lines) == 2
    on_spark = run([str(bare / entry), *arguments[:-1], "on-spark", "--engine", "spark"], tutorial)
    assert "overheated" in on_spark


@pytest.mark.slow
def test_the_wheel_imports_and_has_types(bare: Path, tutorial: Path) -> None:
    assert run([str(bare / "python"), "-c", "import holdsfor; print(holdsfor.__version__)"], tutorial).strip()
    script = tutorial / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(bare / "python")]
    assert "Success" in run([*mypy, str(script)], tutorial)
    assert run([str(bare / "python"), str(script)], tutorial) == "4\n"
    script.write_text(SCRIPT.replace("holdsfor.EventDescription", "int"), encoding="utf-8")
    wrong = subprocess.run([*mypy, str(script)], cwd=tutorial, capture_output=True, text=True, check=False)
    assert "Incompatible types" in wrong.stdout
