"""Blocks on the move: sharing out rows by bucket, and Arrow bytes for the way between."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.events import Block
from holdsfor.io.text import as_text
from holdsfor.kernels import order_by_key

Ints = npt.NDArray[np.int64]


def hashes(column: pa.Array) -> Ints:
    """A number for each row that depends only on the term there, the same in every process."""
    encoded = as_text(column)
    of_text = np.fromiter((zlib.crc32(text.encode()) for text in encoded.dictionary.to_pylist()), np.int64)
    return of_text[encoded.indices.to_numpy(zero_copy_only=False)] if len(encoded) else np.empty(0, np.int64)


def column_at(block: Block, position: int) -> pa.Array:
    """An argument; the place after the last one is that of the value."""
    return block.args[position] if position < len(block.args) else block.value


def buckets_of(block: Block, positions: tuple[int, ...], count: int) -> Ints:
    """The bucket of each row: of one argument, of an unordered pair, or of nothing (all in bucket 0)."""
    if not positions:
        return np.zeros(len(block), np.int64)
    return bucket(sum((hashes(column_at(block, p)) for p in positions), start=np.zeros(len(block), np.int64)), count)


def bucket(hashed: Ints, count: int) -> Ints:
    mixed = (hashed * 0x9E3779B1) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 15)) % count


def take(block: Block, rows: Ints) -> Block:
    index = pa.array(rows)
    return replace(
        block,
        args=tuple(arg.take(index) for arg in block.args),
        value=None if block.value is None else block.value.take(index),
        start=block.start[rows],
        end=None if block.end is None else block.end[rows],
        arrival=block.arrival[rows],
        op=None if block.op is None else block.op[rows],
    )


def part(block: Block, low: int, high: int) -> Block:
    """Rows low..high, without copying."""
    size = high - low
    return replace(
        block,
        args=tuple(arg.slice(low, size) for arg in block.args),
        value=None if block.value is None else block.value.slice(low, size),
        start=block.start[low:high],
        end=None if block.end is None else block.end[low:high],
        arrival=block.arrival[low:high],
        op=None if block.op is None else block.op[low:high],
    )


def shared_out(block: Block, bucket: Ints, count: int) -> Iterator[tuple[int, Block]]:
    """The rows of each bucket that has any, in their order, with dictionaries no larger than they need be."""
    if not len(block):
        return
    ordered = take(block, order_by_key(bucket, count))
    ends = np.cumsum(np.bincount(bucket, minlength=count))
    low = 0
    for number, high in enumerate(ends.tolist()):
        if high > low:
            yield number, compact(part(ordered, low, high))
        low = high


def compact(block: Block) -> Block:
    """The same rows with only the dictionary entries that occur."""
    value = None if block.value is None else _compact(block.value)
    return replace(block, args=tuple(_compact(arg) for arg in block.args), value=value)


def _compact(column: pa.Array) -> pa.Array:
    if not pa.types.is_dictionary(column.type) or len(column.dictionary) <= 16:
        return column
    codes = column.indices.to_numpy(zero_copy_only=False)
    used = np.zeros(len(column.dictionary), np.bool_)
    used[codes] = True
    if used.all():
        return column
    fresh = np.cumsum(used, dtype=np.int32) - 1
    texts = column.dictionary.take(pa.array(np.flatnonzero(used)))
    return pa.DictionaryArray.from_arrays(pa.array(fresh[codes].astype(np.int32)), texts)


# ---------------------------------------------------------------- bytes


def to_bytes(block: Block) -> bytes:
    """The block as an Arrow stream; its name and kind travel in the schema."""
    columns: list[tuple[str, pa.Array]] = [(f"arg{i}", arg) for i, arg in enumerate(block.args)]
    if block.value is not None:
        columns.append(("value", block.value))
    columns.append(("start", pa.array(block.start)))
    if block.end is not None:
        columns.append(("end", pa.array(block.end)))
    if not np.array_equal(block.arrival, block.start):  # a retraction that lies in another part may need it
        columns.append(("arrival", pa.array(block.arrival)))
    if block.op is not None:
        columns.append(("op", pa.array(block.op)))
    batch = pa.RecordBatch.from_arrays([array for _, array in columns], names=[name for name, _ in columns])
    batch = batch.replace_schema_metadata({"name": block.name, "kind": block.kind})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return cast(bytes, sink.getvalue().to_pybytes())


def from_bytes(data: bytes) -> Block:
    with pa.ipc.open_stream(data) as reader:
        batch = reader.read_next_batch()
        meta = reader.schema.metadata
    names = batch.schema.names
    args = tuple(batch.column(i) for i, name in enumerate(names) if name.startswith("arg"))

    def ints(name: str) -> Ints:
        return np.asarray(batch.column(name).to_numpy(zero_copy_only=False))

    start = ints("start")
    return Block(
        meta[b"name"].decode(),
        meta[b"kind"].decode(),
        args,
        batch.column("value") if "value" in names else None,
        start,
        ints("end") if "end" in names else None,
        ints("arrival") if "arrival" in names else start,
        ints("op").astype(np.int8) if "op" in names else None,
    )
