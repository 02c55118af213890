"""Blocks as Arrow bytes: on their way between tasks, and in the files of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

import numpy as np
import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Block, Ints


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


def from_bytes(data: bytes | pa.Buffer) -> Block:
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


# ---------------------------------------------------------------- several in a file

#: Goes up whenever older readers would misread a file.
VERSION = 1
_FILE = pa.schema([("use", pa.string()), ("data", pa.binary())])


def pack(blocks: Iterable[tuple[str, Block]], meta: Mapping[str, str]) -> pa.Buffer:
    """One Arrow file: a row for each block, with what it is for."""
    rows = [(use, to_bytes(block)) for use, block in blocks]
    schema = _FILE.with_metadata({"holdsfor": "state", "version": str(VERSION), **meta})
    columns = [pa.array([use for use, _ in rows], pa.string()), pa.array([data for _, data in rows], pa.binary())]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch(columns, schema=schema))
    return sink.getvalue()


def unpack(data: pa.Buffer, shown: str) -> tuple[dict[str, str], list[tuple[str, Block]]]:
    """The blocks, without copying them, and what was said with them. shown: the name of the file, for messages."""
    try:
        reader = pa.ipc.open_file(data)
        meta = {key.decode(): value.decode() for key, value in (reader.schema.metadata or {}).items()}
        batch = reader.get_batch(0)
    except pa.ArrowInvalid as error:
        raise HoldsforError(f"{shown} is not a state file of Holdsfor: {error}") from None
    if meta.get("holdsfor") != "state" or meta.get("version") != str(VERSION):
        raise HoldsforError(
            f"{shown} is {meta.get('holdsfor', 'a file')} of version {meta.get('version', 'unknown')}; this Holdsfor "
            f"reads state of version {VERSION}. Go on with the Holdsfor that wrote it, or begin with a new checkpoint."
        )
    uses = batch.column("use").to_pylist()
    return meta, [(use, from_bytes(cell.as_buffer())) for use, cell in zip(uses, batch.column("data"), strict=True)]
