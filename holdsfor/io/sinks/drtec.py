"""Changes as lines of dRTEC's: `holdsFor, moving, id1;id0, true, 90;100`, which read as they are written.

What says that something holds stands alone: an interval that is new, longer, or over. What takes a part of it back has
the operation before it: `shorten, holdsFor, ...`, `withdraw, happensAt, ...`.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

#: The column of a table of changes that has the lines.
LINE = "line"
_BACK = pa.array(["shorten", "withdraw"])
#: Signs of the lines themselves; in a text they are written as in web addresses.
_SIGNS = {",": "%2C", ";": "%3B", "|": "%7C", "\n": "%0A", "\r": "%0D"}


def with_lines(changes: pa.Table) -> pa.Table:
    """Return the changes with a line for each."""
    is_event = "event" in changes.column_names
    name = _plain(_whole(changes, "event" if is_event else "fluent"))
    args = _joined(_whole(changes, "args"))
    end = _whole(changes, "end").cast(pa.string())
    if is_event:
        line = _fields("happensAt", name, args, end)
    else:
        start = _whole(changes, "start").cast(pa.string())
        times = pc.binary_join_element_wise(start, pc.fill_null(end, "inf"), ";")
        line = _fields("holdsFor", name, args, _plain(_whole(changes, "value")), times)
    op = _whole(changes, "op")
    line = pc.if_else(pc.is_in(op, _BACK), pc.binary_join_element_wise(op, line, ", "), line)
    return changes.append_column(LINE, line)


def _whole(changes: pa.Table, name: str) -> pa.Array:
    column = changes[name].combine_chunks()
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _fields(*fields: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*fields, ", ")


def _joined(args: pa.ListArray) -> pa.Array:
    """Write lists of arguments, with semicolons between them."""
    return pc.binary_join(pa.ListArray.from_arrays(_offsets(args), _plain(args.flatten())), ";")


def _offsets(args: pa.ListArray) -> pa.Array:
    offsets = args.offsets
    return pc.subtract(offsets, offsets[0])


def _plain(texts: pa.Array) -> pa.Array:
    for sign, code in _SIGNS.items():
        if pc.any(pc.match_substring(texts, sign), min_count=0).as_py():
            texts = pc.replace_substring(texts, sign, code)
    return texts
