"""An append-only file of record batches, each on disk when `append` returns; half written ones are known as such."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import pyarrow as pa

from holdsfor.io.storage.whole_file import sync_folder

_HEADER = struct.Struct("<II")  # length and checksum of the batch that follows


class LogWriter:
    """Writes a log from its beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self._end = 0
        sync_folder(path.parent)

    def append(self, batch: pa.RecordBatch) -> None:
        """Write a batch to disk. OSError leaves the log as it was: the next attempt writes over it."""
        body = batch.serialize().to_pybytes()
        frame = memoryview(_HEADER.pack(len(body), zlib.crc32(body)) + body)
        written = 0
        while written < len(frame):
            written += os.pwrite(self._file, frame[written:], self._end + written)
        os.fsync(self._file)
        self._end += len(frame)

    def close(self) -> None:
        os.close(self._file)


def read_log(path: Path, schema: pa.Schema) -> list[pa.RecordBatch]:
    """Read all batches that were written completely."""
    data = path.read_bytes()
    batches: list[pa.RecordBatch] = []
    at = 0
    while at + _HEADER.size <= len(data):
        length, checksum = _HEADER.unpack_from(data, at)
        body = data[at + _HEADER.size : at + _HEADER.size + length]
        if not length or len(body) < length or zlib.crc32(body) != checksum:
            break
        batches.append(pa.ipc.read_record_batch(pa.py_buffer(body), schema))
        at += _HEADER.size + length
    return batches
