"""What is refused before a job: columns that cannot be arguments, and workers without Holdsfor."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.spark.before_job import check_frame, check_python
from holdsfor.spark.errors import worker_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DESCRIPTION = holdsfor.parse("initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C > 90.")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has nothing installed."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return str(folder / "bin" / "python3")


def session(executable: str, master: str = "local[2]", files: tuple[str, ...] = ()) -> Any:
    return SimpleNamespace(sparkContext=SimpleNamespace(pythonExec=executable, master=master, listFiles=list(files)))


def test_workers_without_holdsfor_are_told_in_one_line(
    bare: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with pytest.raises(HoldsforError) as refused:
        check_python(session(bare))
    assert str(refused.value) == (
        f"Spark's workers run {bare}, which has no holdsfor numba pyarrow; this process runs {sys.executable}. "
        "Set it before the session is made: os.environ['PYSPARK_PYTHON'] = sys.executable, or make the session with "
        "holdsfor.spark.session()."
    )
    with pytest.raises(HoldsforError, match="has no numba pyarrow;"):
        check_python(session(bare, files=("file:///x/holdsfor.zip",)))
    with pytest.raises(HoldsforError, match="nowhere/python, which has no"):
        check_python(session("/nowhere/python"))


def test_what_can_work_is_not_refused(bare: str) -> None:
    check_python(session(sys.executable))
    check_python(session("python3", master="spark://far:7077"))  # nobody here knows what workers there have
    other_name = str(Path(sys.executable).with_name("python3"))
    check_python(session(other_name))


def test_a_cluster_without_holdsfor_is_told_in_one_line() -> None:
    error = RuntimeError("Job aborted\nModuleNotFoundError: No module named 'holdsfor'\n\n\tat org.apache")
    with pytest.raises(HoldsforError, match=r"^Spark's workers have no holdsfor\. Send it to them"), worker_errors():
        raise error


@pytest.mark.spark
def test_columns_that_cannot_be_arguments(spark: SparkSession) -> None:
    for kind in ("array<string>", "map<string,int>", "struct<a:int>"):
        frame = spark.createDataFrame([], f"machine {kind}, celsius double, time bigint")
        for mapping in ({"events": {"reading": ["machine", "celsius"]}}, {"event": "reading"}):
            with pytest.raises(HoldsforError, match=r"column 'machine' of type .* cannot be an argument"):
                holdsfor.spark.recognise(spark, DESCRIPTION, frame, mapping=mapping)
    frame = spark.createDataFrame([], "machine string, celsius double, time bigint, more array<string>")
    check_frame(frame, as_mapping({"events": {"reading": ["machine", "celsius"]}}), DESCRIPTION.inputs)


OWN_SESSION = """
import sys
from pyspark.sql import SparkSession
import holdsfor
from holdsfor.spark import recognise

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.createDataFrame([("m1", 95.0, 10)], "machine string, celsius double, time bigint")
rules = holdsfor.parse("initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C > 90.")
try:
    recognise(spark, rules, frame, mapping={"event": "reading"})
except holdsfor.HoldsforError as error:
    print("refused:", error)
"""


@pytest.mark.slow
def test_a_session_of_ones_own_in_an_environment_that_is_not_active(bare: str, tmp_path: Path) -> None:
    from holdsfor.spark.java import java_home
    from holdsfor.spark.session import cache_dir

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "PYTHON"))}
    environment |= {"PATH": f"{Path(bare).parent}:/usr/bin:/bin", "JAVA_HOME": str(java_home(cache_dir()))}
    (tmp_path / "job.py").write_text(OWN_SESSION)
    answer = subprocess.run(
        [sys.executable, "job.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.stdout.startswith(f"refused: Spark's workers run {bare}"), answer.stderr
    assert "Traceback" not in answer.stderr
