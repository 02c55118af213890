"""Tables of one fluent or event, as DataFrames: what `holdsfor.io.wide` does in Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.io.wide import FLOAT, INTEGER, Kinds, TableShape

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MICROSECOND = 1000


def widen_frame(rows: DataFrame, shape: TableShape, nanoseconds: int | None) -> DataFrame:
    """One fluent or event out of a DataFrame of intervals or occurrences."""
    from pyspark.sql import functions as f

    name = f.col("event" if shape.is_event else "fluent")
    chosen = rows.filter((name == shape.name) & (f.size("args") == len(shape.columns)))
    columns = [
        _typed(f.col("args")[position], shape.kinds[position]).alias(name)
        for position, name in enumerate(shape.columns)
    ]
    if not shape.is_event:
        columns.append(_typed(f.col("value"), shape.kinds[-1]).alias("value"))
    start, end = (_time(f.col(name), nanoseconds) for name in ("start", "end"))
    return chosen.select(*columns, start.alias("start"), end.alias("end"), (end - start).alias("duration"))


def _typed(text: Column, kinds: Kinds) -> Column:
    if kinds == INTEGER:
        return text.cast("bigint")
    return text.cast("double") if kinds in (FLOAT, FLOAT | INTEGER) else text


def _time(ticks: Column, nanoseconds: int | None) -> Column:
    """Spark's time stamps are in microseconds."""
    from pyspark.sql import functions as f

    if nanoseconds is None:
        return ticks
    if nanoseconds < MICROSECOND:
        return f.timestamp_micros((ticks / (MICROSECOND // nanoseconds)).cast("bigint"))
    return f.timestamp_micros(ticks * (nanoseconds // MICROSECOND))
