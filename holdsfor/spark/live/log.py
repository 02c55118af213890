"""How Spark writes its log of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITER = "spark.sql.streaming.checkpointFileManagerClass"
#: Where it was in Spark 4.0, and where it is.
PACKAGES = ("org.apache.spark.sql.execution.streaming", "org.apache.spark.sql.execution.streaming.checkpointing")
RENAMING = "FileSystemBasedCheckpointFileManager"


@contextmanager
def log_by_renaming(spark: SparkSession, is_local: bool) -> Iterator[None]:
    """A stream that is begun in it writes its log on a local disk by nothing but files that are renamed.

    Spark's own way there starts two dozen processes a batch (readlink, chmod), which take longer than the batch. It is
    safe against several writers of one log, and we have a lease for that.
    """
    name = _writer(spark) if is_local and spark.conf.get(WRITER, cast(Any, None)) is None else None
    if name is None:
        yield
        return
    spark.conf.set(WRITER, name)
    try:
        yield
    finally:
        spark.conf.unset(WRITER)


def _writer(spark: SparkSession) -> str | None:
    loader = cast(Any, spark.sparkContext._jvm).java.lang.Thread.currentThread().getContextClassLoader()
    for package in PACKAGES:
        if loader.getResource(f"{package}.{RENAMING}".replace(".", "/") + ".class") is not None:
            return f"{package}.{RENAMING}"
    return None
