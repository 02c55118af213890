"""Bytes of `a|b|c` lines as one column of fields, without a Python step per line."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.budget import most_memory
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.strings import Strings
from holdsfor.io.columns.text import Mask
from holdsfor.io.columns.utf8 import escape, is_utf8, is_whole
from holdsfor.io.events import Ints
from holdsfor.kernels.text.lines import cut_lines, find_fields, find_lines, has_simple_quotes

BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_OTHER_PACKINGS = (".zip", ".bz2", ".xz", ".7z", ".rar")
CHUNK_BYTES = 1 << 22
MOST_PACKED = 100  # times as many bytes as a packed file of real data has come out at most
LONGEST_LINE = 1 << 30  # bytes; places in a chunk are counted with 32 bits


@dataclass(frozen=True, slots=True)
class Fields:
    """Lines cut at separators. Line i (from 0) has the fields first[i] .. first[i]+count[i]-1."""

    data: npt.NDArray[np.uint8]
    cuts: npt.NDArray[np.int32]  # where each field ends
    first: Ints
    count: Ints
    bad_text: Mask  # lines that are not UTF-8
    empty_field: Mask  # lines with an empty field; one trailing separator does not count
    blank: Mask  # lines with nothing but separators
    quoted: bool  # whether there are quotes
    is_simple: bool  # whether these stand only around whole fields that are not empty
    returns: bool  # whether there are returns

    def column(self, fields: Ints) -> Strings:
        return self._between(self.cuts, fields)

    def lines(self, at: Ints) -> pa.Array:
        """Return some lines whole, without their ends."""
        return self._between(self._line_ends(), at).array()

    def _line_ends(self) -> npt.NDArray[np.int32]:
        ends: npt.NDArray[np.int32] = self.cuts[np.append(self.first[1:], len(self.cuts)) - 1]
        return ends

    def _between(self, cuts: npt.NDArray[np.int32], pieces: Ints) -> Strings:
        return Strings(self.data, *find_fields(self.data, cuts, pieces), np.ones(len(pieces), np.bool_))


@contextmanager
def open_text(path: Path) -> Iterator[BinaryIO]:
    """Open a file as bytes, unpacked if it ends with .gz or .zst.

    What cannot be opened or unpacked is an error of the user.
    """
    if path.suffix in _OTHER_PACKINGS:
        raise HoldsforError(
            f"cannot read {path}: {path.suffix} files are not supported. Unpack it, or use .gz or .zst."
        )
    packing = PACKINGS.get(path.suffix)
    advice = f"Is it a complete {packing} file?" if packing else "Check the path and its permissions."
    try:
        with _unpack(path, packing) as stream:
            if stream.peek(2)[:2] in _UTF16:
                raise HoldsforError(f"cannot read {path}: it is UTF-16. Save it as UTF-8.")
            yield cast(BinaryIO, stream)
    except OSError as error:
        raise HoldsforError(f"cannot read {path}: {error.strerror or error}. {advice}") from error
    except (EOFError, zlib.error) as error:
        raise HoldsforError(f"cannot read {path}: {error}. {advice}") from error


def _unpack(path: Path, packing: str | None) -> gzip.GzipFile | io.BufferedReader:
    if packing == "gzip":
        return gzip.open(path, "rb")
    if packing == "zstd":
        return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(os.fspath(path)), packing), 1 << 20)
    return path.open("rb")


def chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Yield the bytes of a file, cut after ends of lines into parts of about `size`."""
    waiting: list[bytes] = []
    unpacked = 0
    with open_text(path) as stream:
        while piece := stream.read(size):
            unpacked += len(piece)
            _check_unpacked(path, unpacked)
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield b"".join([*waiting, memoryview(piece)[:cut]])
                waiting = []
            waiting.append(piece[cut:])
            if sum(map(len, waiting)) > LONGEST_LINE:
                raise HoldsforError(f"cannot read {path}: it has a line of more than {LONGEST_LINE} bytes.")
    if rest := b"".join(waiting):
        yield rest


def pieces_of(content: Path | tuple[str, ...] | bytes) -> Iterator[bytes]:
    """Yield the bytes of a file, or of lines, in pieces that end with a line.

    Half characters pass through; they are no UTF-8, so that their lines are refused.
    """
    if isinstance(content, Path):
        yield from chunks(content)
    elif isinstance(content, bytes):
        yield content
    else:
        yield "".join(line + "\n" for line in content).encode("utf-8", "surrogatepass")


def first_line(content: Path | tuple[str, ...]) -> str:
    """Return the first line that is not blank."""
    if isinstance(content, tuple):
        return next((line for line in content if line.strip()), "")
    with open_text(content) as stream:
        first = next((line for line in stream if line.strip()), b"")
    return first.decode("utf-8", "replace").removeprefix("\ufeff")


def _check_unpacked(path: Path, unpacked: int) -> None:
    """Refuse what unpacks to more than there is memory, and far more than data do."""
    if path.suffix not in PACKINGS or unpacked <= most_memory():
        return
    packed = path.stat().st_size
    if unpacked > MOST_PACKED * packed:
        raise HoldsforError(
            f"cannot read {path}: its {packed:,} bytes unpack to {unpacked:,} and more, and there is memory for "
            f"{most_memory():,}. If that is right, unpack it and split it into several files."
        )


def split(data: bytes, separator: bytes = b"|") -> Fields:
    """Cut `data` into lines and fields, none of a blank line. CRLF ends a line; a trailing separator is ignored."""
    data = data.removeprefix(BOM)
    data, bad_lines = _valid(data if data.endswith(b"\n") else data + b"\n")
    raw = np.frombuffer(data, np.uint8)
    cuts, first, count, empty_field, blank, quoted, is_simple, returns = cut_lines(raw, ord(separator))
    if returns:
        first, count, empty_field, blank = find_lines(raw, cuts)
        is_simple = has_simple_quotes(raw, cuts)
    bad_text = np.zeros(len(first), np.bool_) if bad_lines is None else bad_lines
    return Fields(raw, cuts, first, count, bad_text, empty_field, blank, quoted, is_simple, returns)


def _valid(data: bytes) -> tuple[bytes, Mask | None]:
    """Return the data as UTF-8, and a mask of the lines that had to be mended; None: none of them."""
    if is_utf8(data):
        return data, None
    lines = data.decode("utf-8", "surrogateescape").split("\n")[:-1]
    bad = np.array([not is_whole(line) for line in lines], np.bool_)
    return escape(data).encode(), bad
