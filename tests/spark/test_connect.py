"""The batch job through Spark Connect, which has no SparkContext."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.sharing import hash_keys, is_connect, require_context, share, spark_hash

ROOT = Path(__file__).resolve().parents[2]
CONNECT = find_spec("grpc") and find_spec("grpc_status")


class Remote:
    """As a session of Spark Connect: whoever asks for its context is wrong."""

    __module__ = "pyspark.sql.connect.session"

    @property
    def sparkContext(self) -> Any:
        raise AssertionError("Spark Connect has no context")


def test_a_session_of_connect_shares_without_a_broadcast() -> None:
    remote: Any = Remote()
    assert is_connect(remote)
    assert share(remote, {"a": 1})() == {"a": 1}
    with pytest.raises(HoldsforError, match=r"A stream does not work through Spark Connect. Submit it"):
        require_context(remote, "A stream")
    ordinary: Any = SimpleNamespace()
    require_context(ordinary, "A stream")


@pytest.mark.parametrize(("number", "hashed"), [(0, 933211791), (1, -559580957), (42, 29417773)])
def test_hashes_are_those_of_spark(number: int, hashed: int) -> None:
    """Expected: `SELECT hash(0), hash(1), hash(42)` of Spark."""
    assert spark_hash(number) == hashed


@pytest.mark.parametrize("buckets", [1, 2, 7, 64])
def test_each_bucket_has_a_key_that_hashes_to_it(buckets: int) -> None:
    assert [spark_hash(key) % buckets for key in hash_keys(buckets)] == list(range(buckets))


@pytest.mark.slow
@pytest.mark.skipif(not CONNECT, reason="Spark Connect is not installed here: pip install 'holdsfor[connect]'")
def test_batch_through_connect() -> None:
    command = [sys.executable, "-m", "tests.spark.by_any_session", "connect"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("the same")
