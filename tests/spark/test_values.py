"""Tables of Spark give booleans, dates, decimals and large integers back as they came."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark

TABLE = pa.table(
    {
        "event": ["reading"],
        "time": [1],
        "flag": [True],
        "day": [date(2026, 3, 1)],
        "price": pa.array([Decimal("1.10")], pa.decimal128(10, 2)),
        "large": pa.array([2**63 + 7], pa.uint64()),
    }
)


def test_values_of_spark(spark: SparkSession) -> None:
    rules = holdsfor.parse("initiatedAt(on(F, D, P, L)=true, T) :- happensAt(reading(F, D, P, L), T).")
    mapping = {"events": {"reading": ["flag", "day", "price", "large"]}, "zone": "Europe/Athens"}
    result = holdsfor.spark.recognise(spark, rules, TABLE, mapping=mapping)
    rows = result.table("on")
    assert [kind for _, kind in rows.dtypes[:5]] == ["boolean", "date", "decimal(10,2)", "decimal(38,0)", "boolean"]
    (row,) = rows.where("value").collect()
    assert tuple(row)[:5] == (True, date(2026, 3, 1), Decimal("1.10"), 2**63 + 7, True)
