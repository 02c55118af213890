"""Tables of one fluent or event, as DataFrames: what `holdsfor.io.wide` does in Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.io.wide import FLOAT, INTEGER, Kinds, TableShape

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MICROSECOND = 1000


def widen_frame(rows: DataFrame, shape: TableShape, nanoseconds: int | None, zone: str | None = None) -> DataFrame:
    """One fluent or event out of a DataFrame of intervals or occurrences. zone: for local times there."""
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
    times = (start, end) if zone is None or nanoseconds is None else (_local(start, zone), _local(end, zone))
    return chosen.select(*columns, times[0].alias("start"), times[1].alias("end"), (end - start).alias("duration"))


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


def _local(stamp: Column, zone: str) -> Column:
    """The clock of a zone. From UTC on, not from the zone of the session, in which an hour comes twice each year."""
    from pyspark.sql import functions as f

    epoch = f.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
    since = f.make_dt_interval(secs=(f.unix_micros(stamp) / f.lit(1_000_000)).cast("decimal(18, 6)"))
    return f.convert_timezone(f.lit("UTC"), f.lit(zone), epoch + since)
