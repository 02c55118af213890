"""Rules that name fluents and events as paths: nothing is written outside of `--out`, and no table is lost."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.cli.start.history import write_wide_parts
from holdsfor.job.output import write_part

LONG = "x" * 300
ABSOLUTE = "absolute"  # a path in the folder of the test
PATHS = ("../../x/owned", ABSOLUTE, "a/b", "a%2Fb", "C:\\x", "..")
NAMES = (*PATHS, LONG + "a", LONG + "b", "Hot", "hot", "hot_1", "near")


def rules(folder: Path) -> str:
    names = [str(folder / "srv") if name is ABSOLUTE else name.replace("\\", "\\\\") for name in NAMES]
    heads = [f"happensAt('{name}'(V), T) :- happensAt(go(V), T)." for name in names]
    return "\n".join([*heads, "happensAt(hot(V, V), T) :- happensAt(go(V), T)."])


def files_in(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_run_writes_into_its_folder_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    here = tmp_path / "deep" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    victim = here / "x" / f"owned.{form}"
    victim.parent.mkdir()
    victim.write_text("mine")
    Path("rules.ec").write_text(rules(tmp_path))
    Path("events.csv").write_text("go|10|10|v1\n")
    options = ["--engine", "local", "--tables", "wide", "--output-format", form]
    result = CliRunner().invoke(app, ["run", "rules.ec", "--events", "events.csv", "-o", "out", *options])
    assert result.exit_code == 0, result.stderr
    assert victim.read_text() == "mine"
    outside = [path for path in files_in(tmp_path) if "out" not in path.parts]
    assert [path.name for path in outside] == ["events.csv", "rules.ec", f"owned.{form}"]
    assert len(list(Path("out/wide").iterdir())) == len(NAMES) + 1, "a file for each"
    assert {len(path.parts) for path in files_in(Path("out"))} == {1, 2}


def test_parts_of_workers_lie_in_the_folder(tmp_path: Path) -> None:
    """As Spark's workers leave them, each table a folder of parts."""
    result = holdsfor.recognise(holdsfor.parse(rules(tmp_path)), ["go(v1) @ 10"], format="terms")
    out = tmp_path / "deep" / "out"
    for name in ("intervals", "occurrences"):
        write_part(out / f"{name}.parquet", "part-0.parquet", getattr(result, name))
    write_wide_parts(out, result.metrics)
    assert {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*.parquet") if path.is_file()} == {
        ("deep", "out")
    }
    tables = [pq.read_table(path) for path in (out / "wide").iterdir()]
    assert len(tables) == len(NAMES) + 1
    assert pa.concat_tables(table.select(["start"]) for table in tables)["start"].to_pylist() == [10] * len(tables)
