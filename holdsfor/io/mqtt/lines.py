"""Payloads of RTEC's CSV lines: all messages are read at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import mask
from holdsfor.io.events import Events, Ints
from holdsfor.io.readers.formats.rtec import read_pieces
from holdsfor.language.description import Input

# `insert` and `retract` come before a name; an event that is itself called insert has its arrival, a number, there.
_OPERATION = r"(?:insert|retract)\|[^|]*[^-0-9.|][^|]*"
_ARRIVAL = rf"^(?P<head>{_OPERATION}|[^|]*)\|[^|]*\|(?P<tail>.*)$"


def read_lines(
    payload: pa.Array, arrival: Ints | None, retract: bool, inputs: tuple[Input, ...]
) -> tuple[Events, Ints, Ints]:
    """Return events, with rejects counted over all lines from 1, and each line's message and place in it.

    arrival: of each message, where its lines' own is not to be used. retract: lines that do not say retract.
    """
    split = pc.split_pattern(pc.utf8_rtrim(payload, "\r\n"), "\n")
    lines = split.flatten()
    count = pc.list_value_length(split).to_numpy(zero_copy_only=False)
    message = np.repeat(np.arange(len(payload)), count)
    position = np.arange(len(lines)) - np.repeat(np.cumsum(count) - count, count) + 1
    if arrival is not None:
        lines = _with_arrival(lines, arrival[message])
    if retract:
        spoken = mask(pc.match_substring_regex(lines, rf"^{_OPERATION}"))
        blank = mask(pc.match_substring_regex(lines, r"^\s*$"))
        lines = pc.if_else(pa.array(spoken | blank), lines, pc.binary_join_element_wise("retract|", lines, ""))
    offsets = pa.array([0, len(lines)], pa.int32())
    text = pc.binary_join(pa.ListArray.from_arrays(offsets, lines), "\n")[0].as_buffer().to_pybytes()
    return read_pieces([text] if text else [], inputs, ""), message, position


def _with_arrival(lines: pa.Array, arrival: Ints) -> pa.Array:
    parts = pc.extract_regex(lines, _ARRIVAL)
    head, tail = pc.struct_field(parts, "head"), pc.struct_field(parts, "tail")
    written = pc.binary_join_element_wise(head, pa.array(arrival).cast(pa.string()), tail, "|")
    return pc.if_else(parts.is_valid(), written, lines)
