"""Make DataFrames of Arrow schemas, and join and collect them."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from holdsfor.job.task_rows import NOTE, ROW, Note, TaskRow, batches_of, table_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MANY_OBJECTS = 20_000
_NAMES = {pa.string(): "string", pa.binary(): "binary", pa.int32(): "int", pa.int64(): "bigint"}
_PACKED = pa.schema([("table", pa.string()), ("rows", pa.binary())])


def ddl_of(schema: pa.Schema) -> str:
    """Write an Arrow schema as Spark names it: `time bigint, args array<string>`."""
    return ", ".join(f"{field.name} {_type_name(field.type)}" for field in schema)


def _type_name(kind: pa.DataType) -> str:
    return f"array<{_NAMES[kind.value_type]}>" if pa.types.is_list(kind) else _NAMES[kind]


ROW_DDL = ddl_of(ROW)


def union(frames: Iterable[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionByName(other), frames)


def pack_tables(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the rows of streaming DataFrames of different shape, packed as `TablesReader` reads them."""
    return union(frame.mapInArrow(_packing(name), ddl_of(_PACKED)) for name, frame in tables.items())


def _packing(name: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch([[name], [table_bytes(pa.Table.from_batches([batch]))]], schema=_PACKED)

    return pack


def collect_notes(rows: DataFrame) -> list[Note]:
    """Run the job and return its notes."""
    from pyspark.sql import functions

    notes = rows.filter(functions.col("use") == NOTE).select("data")
    return [json.loads(bytes(row["data"])) for row in notes.collect()]


def batches_of_task(rows: Iterable[TaskRow]) -> Iterator[pa.RecordBatch]:
    """Yield all that a task gives."""
    yield from batches_of(rows)
    _set_apart()


def _set_apart() -> None:
    """Exclude modules and kernels from garbage collections: Spark collects after each task."""
    if len(gc.get_objects()) > MANY_OBJECTS:
        gc.collect()
        gc.freeze()
