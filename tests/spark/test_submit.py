"""A program that spark-submit starts runs where spark-submit says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from holdsfor.spark.java import java_home
from holdsfor.spark.session import cache_dir

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from holdsfor.spark import session

spark = session()
conf = spark.sparkContext.getConf()
print("MASTER", spark.sparkContext.master, conf.get("spark.ui.enabled"), conf.get("spark.sql.session.timeZone"))
spark.stop()
"""


@pytest.mark.slow
def test_the_session_is_that_of_spark_submit(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(PROGRAM, encoding="utf-8")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    more = ["--conf", "spark.ui.enabled=true", "--conf", "spark.ui.port=0"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": sys.executable,
        "JAVA_HOME": str(java_home(cache_dir())),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [str(submit), "--master", "local[1]", *more, str(tmp_path / "job.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert "MASTER local[1] true UTC" in done.stdout, done.stderr[-3000:]
