"""Blocks as Arrow bytes: on their way between tasks, and in the files of a checkpoint.

All blocks of a message share one list of terms and lie in a few long columns, whatever their number, because a stage
sends many small ones: one row of `header` (JSON: what the blocks are, and in which order their columns lie),
`terms`, `codes` (which term, column by column), `ints` and `floats`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Block
from holdsfor.kernels.rows.moving import renumber

#: Goes up whenever older readers would misread a file.
VERSION = 1
Array = npt.NDArray[Any]
Address = tuple[int, int, int]
_SCHEMA = pa.schema(
    [
        ("header", pa.string()),
        ("terms", pa.large_list(pa.string())),
        ("codes", pa.large_list(pa.int32())),
        ("ints", pa.large_list(pa.int64())),
        ("floats", pa.large_list(pa.float64())),
    ]
)


def pack(blocks: Iterable[tuple[str, Block]], meta: Mapping[str, str] | None = None) -> pa.Buffer:
    """Write blocks, each with its use, and further texts as one Arrow stream."""
    sink = pa.BufferOutputStream()
    write_blocks(sink, blocks, meta)
    return sink.getvalue()


def write_blocks(
    sink: pa.NativeFile, blocks: Iterable[tuple[str, Block]], meta: Mapping[str, str] | None = None
) -> None:
    """Write blocks as `pack` does, into a file."""
    terms, ints, floats = _Terms(), [np.empty(0, np.int64)], [np.empty(0, np.float64)]
    heads: list[dict[str, Any]] = []
    for use, block in blocks:
        columns = ""
        for column in (*block.args, *([] if block.value is None else [block.value])):
            if pa.types.is_dictionary(column.type):
                terms.add(column)
                columns += "t"
            else:
                numbers = column.to_numpy(zero_copy_only=False)
                columns += "i" if numbers.dtype.kind == "i" else "f"
                (ints if numbers.dtype.kind == "i" else floats).append(numbers)
        times: dict[str, Array | None] = {
            "start": block.start,
            "end": block.end,
            "arrival": block.arrival,
            "op": block.op,
            "onset": block.onset,
        }
        if block.arrival is block.start or np.array_equal(block.arrival, block.start):
            times["arrival"] = None
        ints += [np.asarray(time, np.int64) for time in times.values() if time is not None]
        heads.append(
            {
                "use": use,
                "name": block.name,
                "kind": block.kind,
                "rows": len(block),
                "columns": columns,
                "value": block.value is not None,
                "times": [name for name, time in times.items() if time is not None],
            }
        )
    header = json.dumps({"version": VERSION, "meta": dict(meta or {}), "blocks": heads})
    texts, codes = terms.joined()
    batch = pa.RecordBatch.from_arrays(
        [pa.array([header]), _row(texts), _row(codes), _row(pa.array(np.concatenate(ints))), _row(_floats(floats))],
        schema=_SCHEMA,
    )
    with pa.ipc.new_stream(sink, _SCHEMA) as writer:
        writer.write_batch(batch)


def _row(values: pa.Array) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array([0, len(values)], pa.int64()), values)


def _floats(parts: list[Array]) -> pa.Array:
    return pa.array(np.concatenate(parts).astype(np.float64, copy=False), from_pandas=False)


@dataclass(slots=True)
class _Terms:
    """Columns of terms, to be put on one list. Columns that share a dictionary are recognised by where it lies."""

    columns: list[tuple[int, Array]] = field(default_factory=list)  # which dictionary, and the codes
    dictionaries: list[pa.Array] = field(default_factory=list)
    places: dict[Address, int] = field(default_factory=dict)

    def add(self, column: pa.DictionaryArray) -> None:
        dictionary = column.dictionary
        place = self.places.setdefault(address(dictionary), len(self.dictionaries))
        if place == len(self.dictionaries):
            self.dictionaries.append(dictionary)
        self.columns.append((place, column.indices.to_numpy(zero_copy_only=False)))

    def joined(self) -> tuple[pa.Array, pa.Array]:
        """Return the terms that occur, each once, and the codes of all columns."""
        sizes = [len(dictionary) for dictionary in self.dictionaries]
        numbers = [np.full(size, -1, np.int32) for size in sizes]
        order = [np.empty(size, np.int32) for size in sizes]
        counts = [0] * len(sizes)
        ends = np.cumsum([0, *(len(codes) for _, codes in self.columns)]).tolist()
        result = np.empty(ends[-1], np.int32)
        for (place, codes), low, high in zip(self.columns, ends, ends[1:], strict=False):
            codes = np.require(codes, np.int32, ["C", "W"])
            counts[place] = renumber(codes, numbers[place], order[place], counts[place], result[low:high])
        parts = [d.take(pa.array(o[:n])) for d, o, n in zip(self.dictionaries, order, counts, strict=True)]
        encoded = pa.concat_arrays([pa.array([], pa.string()), *(p.cast(pa.string()) for p in parts)])
        encoded = encoded.dictionary_encode()
        moved = np.split(encoded.indices.to_numpy(zero_copy_only=False), np.cumsum(counts)[:-1]) if counts else []
        is_moved = [not np.array_equal(codes, np.arange(len(codes))) for codes in moved]
        for (place, _), low, high in zip(self.columns, ends, ends[1:], strict=False):
            if is_moved[place]:
                result[low:high] = moved[place][result[low:high]]
        return encoded.dictionary, pa.array(result)


def address(array: pa.Array) -> Address:
    """Return the place of a text array in memory: equal for two views of the same."""
    data = array.buffers()[-1]
    return (0 if data is None else data.address, array.offset, len(array))


def unpack(data: bytes | pa.Buffer, shown: str = "a message") -> tuple[dict[str, str], list[tuple[str, Block]]]:
    """Read the further texts and the blocks, without copying them. shown: the name of the file, for messages."""
    try:
        with pa.ipc.open_stream(data) as reader:
            batch = reader.read_next_batch()
        header = json.loads(batch.column("header")[0].as_py())
    except (pa.ArrowInvalid, KeyError, ValueError) as error:
        raise HoldsforError(f"{shown} is not a state file of Holdsfor: {error}") from None
    if header.get("version") != VERSION:
        raise HoldsforError(
            f"{shown} has version {header.get('version')}; this Holdsfor reads version {VERSION}. "
            "Go on with the Holdsfor that wrote it, or begin with a new checkpoint."
        )
    columns = _Columns(*(batch.column(name).values for name in ("terms", "codes", "ints", "floats")))
    return header["meta"], [(head["use"], columns.block(head)) for head in header["blocks"]]


def without_unused_terms(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks on one list of the terms that their rows use."""
    return tuple(block for _, block in unpack(pack(("", block) for block in blocks))[1])


@dataclass(slots=True)
class _Columns:
    """A reader of columns that hold the rows of all blocks, one block after the other."""

    terms: pa.Array
    codes: pa.Array
    ints: pa.Array
    floats: pa.Array
    read: dict[str, int] = field(default_factory=lambda: {"codes": 0, "ints": 0, "floats": 0})

    def block(self, head: Mapping[str, Any]) -> Block:
        rows = head["rows"]
        columns = [self._column(kind, rows) for kind in head["columns"]]
        value = columns.pop() if head["value"] else None
        times = {name: self._next("ints", rows).to_numpy(zero_copy_only=True) for name in head["times"]}
        start = times["start"]
        op = times["op"].astype(np.int32) if "op" in times else None
        arrival = times.get("arrival", start)
        end, onset = times.get("end"), times.get("onset")
        return Block(head["name"], head["kind"], tuple(columns), value, start, end, arrival, op, onset)

    def _column(self, kind: str, rows: int) -> pa.Array:
        if kind == "t":
            return pa.DictionaryArray.from_arrays(self._next("codes", rows), self.terms)
        return self._next("ints" if kind == "i" else "floats", rows)

    def _next(self, name: str, rows: int) -> pa.Array:
        low = self.read[name]
        self.read[name] = low + rows
        return getattr(self, name).slice(low, rows)
