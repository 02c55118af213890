"""Differences between Sparks: a value for all workers, the number of cores, rows to their buckets.

Spark Connect, which Databricks' shared and serverless clusters use, has no SparkContext and so no broadcast; Spark 4.0
cannot send rows to a partition by its number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from holdsfor.errors import HoldsforError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Value = TypeVar("Value")
WORD = 0xFFFFFFFF


def is_connect(spark: SparkSession) -> bool:
    """Whether the session only talks to a Spark that runs elsewhere."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def require_context(spark: SparkSession, what: str) -> None:
    """Refuses what needs more than Spark Connect has."""
    if is_connect(spark):
        raise HoldsforError(
            f"{what} does not work through Spark Connect. Submit it to the cluster as a job (spark-submit), or run it "
            "beside the cluster with --engine local. The batch job (holdsfor.spark.recognise) works through Connect."
        )


def share(spark: SparkSession, value: Value) -> Callable[[], Value]:
    """Sends the value to each worker once; through Connect, with each task."""
    if is_connect(spark):
        return lambda: value
    broadcast = spark.sparkContext.broadcast(value)
    return lambda: broadcast.value


def count_cores(spark: SparkSession) -> int:
    """How many tasks Spark runs at a time."""
    if not is_connect(spark):
        return spark.sparkContext.defaultParallelism
    from pyspark.sql import functions

    return spark.range(1 << 20).select(functions.spark_partition_id()).distinct().count()


def send_to_buckets(rows: DataFrame, buckets: int) -> DataFrame:
    """The rows of bucket n in partition n."""
    if hasattr(rows, "repartitionById"):
        return rows.repartitionById(buckets, "bucket")
    from pyspark.sql import functions

    keys = functions.array(*map(functions.lit, hash_keys(buckets)))
    return rows.repartition(buckets, keys[functions.col("bucket")])


@lru_cache(maxsize=16)
def hash_keys(buckets: int) -> tuple[int, ...]:
    """For each bucket an integer whose hash takes a row there: Spark 4.0 shares out by nothing but hashes."""
    keys: dict[int, int] = {}
    candidate = 0
    while len(keys) < buckets:
        keys.setdefault(spark_hash(candidate) % buckets, candidate)
        candidate += 1
    return tuple(keys[bucket] for bucket in range(buckets))


def spark_hash(number: int) -> int:
    """Spark's hash of an integer column: Murmur3 with seed 42, signed."""
    mixed = number * 0xCC9E2D51 & WORD
    mixed = _rotate(mixed, 15) * 0x1B873593 & WORD
    mixed = (_rotate(42 ^ mixed, 13) * 5 + 0xE6546B64) & WORD
    mixed ^= 4  # bytes
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & WORD
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & WORD
