"""Several streaming DataFrames of different shape as one: their rows packed, so that each keeps its own columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PACKED = pa.schema([("table", pa.string()), ("rows", pa.binary())])


def pack_tables(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the rows of all tables, packed as `TablesReader` reads them."""
    frames = [frame.mapInArrow(_packing(name), "table string, rows binary") for name, frame in tables.items()]
    return reduce(lambda one, other: one.unionByName(other), frames)


def _packing(name: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield pa.record_batch([[name], [sink.getvalue().to_pybytes()]], schema=PACKED)

    return pack
