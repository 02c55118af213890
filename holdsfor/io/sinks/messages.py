"""Changes as JSON, one object each, made by columns: each distinct text is written once."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SPECIAL = r'["\\\x00-\x1f]'  # what JSON writes otherwise
SUBJECT = {True: ("fluent", "args", "value", "start", "end"), False: ("event", "args", "start", "end")}


def messages(batch: int, changes: pa.Table) -> pa.Array:
    """Write a JSON object for each change, in the order of query times:

    `{"batch":3,"query_time":180,"op":"insert","id":"...","fluent":"near","args":["v1"],"value":"true","start":7,"end":null}`
    """
    changes = in_order(changes)
    pieces: list[pa.Array | str] = [f'{{"batch":{batch}']
    for name in ("query_time", "op", "id", *SUBJECT["fluent" in changes.column_names]):
        pieces += [f',"{name}":', _json(changes[name].combine_chunks())]
    if not len(changes):
        return pa.array([], pa.string())
    return pc.binary_join_element_wise(*pieces, "}", "")


def in_order(changes: pa.Table) -> pa.Table:
    """Sort changes by query time; those of one query time stay as they stand."""
    times = changes["query_time"].to_numpy()
    if (times[1:] >= times[:-1]).all():
        return changes
    return changes.take(pa.array(np.argsort(times, kind="stable")))


def each_distinct(texts: pa.Array, write: Callable[[str], str]) -> pa.Array:
    """Write the texts another way; one that is there a thousand times is written once."""
    encoded = texts.dictionary_encode()
    written = pa.array([write(text) for text in encoded.dictionary.to_pylist()], pa.string())
    return written.take(encoded.indices)


def joined(lists: pa.Array, write: Callable[[pa.Array], pa.Array], opening: str, closing: str) -> pa.Array:
    """Write each list as one text, with commas."""
    values = write(lists.flatten())
    sizes = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate(([0], np.cumsum(sizes))).astype(np.int32))
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, values), ",")
    return pc.binary_join_element_wise(opening, texts, closing, "")


def _json(column: pa.Array) -> pa.Array:
    if pa.types.is_integer(column.type):
        return pc.fill_null(column.cast(pa.string()), "null")
    if pa.types.is_list(column.type):
        named = pa.types.is_struct(column.type.value_type)
        return joined(column, _pairs, "{", "}") if named else joined(column, _quoted_each, "[", "]")
    return pc.fill_null(_quoted_each(column), "null")


def _pairs(arguments: pa.StructArray) -> pa.Array:
    names, texts = map(_quoted_each, arguments.flatten())
    return pc.binary_join_element_wise(names, texts, ":")


def _quoted_each(texts: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring_regex(texts, SPECIAL)).as_py():
        return each_distinct(texts, quoted)
    return pc.binary_join_element_wise('"', texts, '"', "")


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
