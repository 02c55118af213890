"""Bytes of `a|b|c` lines as one column of fields, without a Python step per line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Ints
from holdsfor.io.text import Mask
from holdsfor.io.utf8 import escape, is_utf8, is_whole

_NEWLINE, _RETURN, _BAR = 10, 13, 124
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
CHUNK_BYTES = 1 << 26
LONGEST_LINE = 1 << 30  # bytes; places in a chunk are counted with 32 bits


@dataclass(frozen=True, slots=True)
class Fields:
    """Lines cut at `|`. Line i (from 0) has the fields first[i] .. first[i]+count[i]-1 of `flat`."""

    flat: pa.Array  # string
    first: Ints
    count: Ints
    bad_text: Mask  # lines that are not UTF-8
    empty_field: Mask  # lines with an empty field; one trailing `|` does not count

    raw: npt.NDArray[np.uint8]

    def column(self, at: Ints) -> pa.Array:
        return self.flat.take(pa.array(at))

    def lines(self, at: Ints) -> pa.Array:
        """Some lines whole, as strings without their ends."""
        if not len(at):
            return pa.array([], pa.string())
        newline = self.raw == _NEWLINE
        ends = np.flatnonzero(newline)
        return _strings(self.raw, newline, ends, _returns(self.raw, ends)).take(pa.array(at))


@contextmanager
def open_text(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if it ends with .gz; what cannot be opened or unpacked is an error of the user."""
    try:
        with cast(BinaryIO, gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")) as stream:
            start = stream.read(2)
            if start in _UTF16:
                raise HoldsforError(f"cannot read {path}: it is UTF-16. Save it as UTF-8.")
            stream.seek(0)
            yield stream
    except OSError as error:
        advice = "Is it a complete gzip file?" if path.suffix == ".gz" else "Check the path and its permissions."
        raise HoldsforError(f"cannot read {path}: {error.strerror or error}. {advice}") from error
    except (EOFError, zlib.error) as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it a complete gzip file?") from error


def chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """The bytes of a file (gzip too), cut after ends of lines into parts of about `size`."""
    waiting: list[bytes] = []
    with open_text(path) as stream:
        while piece := stream.read(size):
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield b"".join([*waiting, piece[:cut]])
                waiting = []
            waiting.append(piece[cut:])
            if sum(map(len, waiting)) > LONGEST_LINE:
                raise HoldsforError(f"cannot read {path}: it has a line of more than {LONGEST_LINE} bytes.")
    if rest := b"".join(waiting):
        yield rest


def split(data: bytes) -> Fields:
    """All lines of `data`, blank ones as lines of no fields. CRLF is an end of line, a trailing `|` is ignored."""
    data = data.removeprefix(_BOM)
    data, bad_text = _valid(data if data.endswith(b"\n") else data + b"\n")
    raw = np.frombuffer(data, np.uint8)
    newline = raw == _NEWLINE
    cut = newline | (raw == _BAR)
    cuts = np.flatnonzero(cut)
    flat = _strings(raw, cut, cuts, _returns(raw, np.flatnonzero(newline)))
    last = np.flatnonzero(newline[cuts])
    first = np.concatenate([np.zeros(1, np.int64), last[:-1] + 1])
    count = last - first + 1
    empty = np.diff(_offsets(flat)) == 0
    count -= empty[last]  # the empty field after a trailing `|`, or the only one of a blank line
    inner = np.flatnonzero(empty)
    line_of = np.searchsorted(first, inner, side="right") - 1
    empty_field = np.zeros(len(first), np.bool_)
    empty_field[line_of[inner < first[line_of] + count[line_of]]] = True
    return Fields(flat, first, count, bad_text, empty_field, raw)


def _returns(raw: npt.NDArray[np.uint8], ends: Ints) -> Ints:
    """Where the ends of lines are CRLF: the places of CR."""
    found: Ints = ends[(ends > 0) & (raw[ends - 1] == _RETURN)] - 1
    return found


def _strings(raw: npt.NDArray[np.uint8], cut: Mask, cuts: Ints, returns: Ints) -> pa.Array:
    """The text between the cuts: the same bytes without separators, and where each piece ends."""
    dropped = cut
    ends = cuts - np.arange(len(cuts))
    if len(returns):
        dropped = cut.copy()
        dropped[returns] = True
        ends -= np.searchsorted(returns, cuts)
    offsets = np.zeros(len(cuts) + 1, np.int32)
    offsets[1:] = ends
    body = raw[~dropped]
    return pa.StringArray.from_buffers(len(cuts), pa.py_buffer(offsets), pa.py_buffer(body))


def _offsets(strings: pa.Array) -> npt.NDArray[np.int32]:
    return np.frombuffer(strings.buffers()[1], np.int32)[: len(strings) + 1]


def _valid(data: bytes) -> tuple[bytes, Mask]:
    """The data as UTF-8, and which lines had to be mended."""
    if is_utf8(data):
        return data, np.zeros(data.count(b"\n"), np.bool_)
    lines = data.decode("utf-8", "surrogateescape").split("\n")[:-1]
    bad = np.array([not is_whole(line) for line in lines], np.bool_)
    return escape(data).encode(), bad
