"""`--functions FILE`: a user's functions, in this process and on Spark's workers."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark import cloudpickle
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.start.reading import load_functions
from holdsfor.errors import HoldsforError

CODE = """
import numpy
from statistics import fmean
from holdsfor import vectorised

SCALE = 2

def _inner(values):
    return values.max() - values.min()

def spread(values):
    return int(SCALE * _inner(values))

@vectorised
def last(values, first, beyond):
    return values[beyond - 1]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(CODE)
    (tmp_path / "rules.ec").write_text("m(S, L) <- x(N) AGGREGATE S = spread(N), L = last(N) OVER LAST 2.\n")
    (tmp_path / "events.txt").write_text("x(3) @ 1\nx(8) @ 2\n")
    return tmp_path


def test_run_with_functions(folder: Path) -> None:
    arguments = [str(folder / "rules.ec"), "--events", str(folder / "events.txt"), "--format", "terms"]
    options = ["--functions", str(folder / "mine.py"), "-o", str(folder / "out"), "--engine", "local"]
    done = CliRunner().invoke(app, ["run", *arguments, *options])
    assert done.exit_code == 0, done.output
    table = pq.read_table(folder / "out" / "occurrences.parquet")
    assert table.column("args").to_pylist() == [["10", "8.0"]]


def test_only_own_functions_of_the_file_are_there(folder: Path) -> None:
    assert sorted(load_functions(folder / "mine.py")) == ["last", "spread"]


def test_functions_travel_without_their_file(folder: Path) -> None:
    import numpy as np

    sent = cloudpickle.dumps(load_functions(folder / "mine.py"))
    (folder / "mine.py").unlink()
    assert cloudpickle.loads(sent)["spread"](np.array([3, 8])) == 10


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("absent.py", None, "is not a Python file"),
        ("wrong.py", "import nothing_of_that_name", "failed: ModuleNotFoundError"),
        ("functions.txt", "", "is not a Python file"),
    ],
)
def test_files_that_have_no_functions(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(HoldsforError, match=message):
        load_functions(tmp_path / name)
