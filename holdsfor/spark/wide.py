"""Tables of one fluent or event, as DataFrames: what `holdsfor.io.tables.wide` does in Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.io.tables.wide import (
    BOOLEAN,
    DATE,
    DECIMAL,
    FLOAT,
    INTEGER,
    LARGE,
    MOST_DIGITS,
    Kinds,
    TableShape,
    fits_type,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MICROSECOND = 1000


def widen_frame(rows: DataFrame, shape: TableShape, nanoseconds: int | None, zone: str | None = None) -> DataFrame:
    """One fluent or event out of a DataFrame of intervals or occurrences. zone: for local times there."""
    from pyspark.sql import functions as f

    name = f.col("event" if shape.is_event else "fluent")
    chosen = rows.filter((name == shape.name) & (f.size("args") == len(shape.columns)))
    columns = [
        _typed(f.col("args")[position], shape.kinds[position], shape.type_of(position)).alias(name)
        for position, name in enumerate(shape.columns)
    ]
    if not shape.is_event:
        columns.append(_typed(f.col("value"), shape.kinds[-1], shape.type_of(len(shape.columns))).alias("value"))
    start, end = (_time(f.col(name), nanoseconds) for name in ("start", "end"))
    times = (start, end) if zone is None or nanoseconds is None else (_local(start, zone), _local(end, zone))
    return chosen.select(*columns, times[0].alias("start"), times[1].alias("end"), (end - start).alias("duration"))


def _typed(text: Column, kinds: Kinds, came: str) -> Column:
    if came and fits_type(kinds, came):
        return _as_it_came(text, came)
    if kinds == BOOLEAN:
        return text == "true"
    if kinds in (LARGE, LARGE | INTEGER):
        return text.cast(f"decimal({MOST_DIGITS}, 0)")
    if kinds == INTEGER:
        return text.cast("bigint")
    return text.cast("double") if kinds in (FLOAT, FLOAT | INTEGER) else text


def _as_it_came(text: Column, came: str) -> Column:
    name, *words = came.split()
    if name == DECIMAL:
        return text.cast(f"decimal({words[0]}, {words[1]})")
    stamp = _time(text.cast("bigint"), int(words[0]))
    return _local(stamp, words[1]).cast("date") if name == DATE else stamp


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
