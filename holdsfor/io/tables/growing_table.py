"""A Parquet file that is written in a thread while its rows are still being found."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.io.storage.whole_file import temporary_path
from holdsfor.io.tables.write import cannot_write

#: Rows of a row group at least, and as a share of all rows before it: files of many small ones are slow to read, and
#: in a large file none need be small.
LEAST_ROWS, LEAST_SHARE = 1 << 15, 8


class GrowingTable:
    """Whole or not at all, as other tables are: nobody sees the file before `finish`. To be used in a `with`."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._temporary = temporary_path(path)
        self._file: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []
        self._rows = 0  # of all groups
        self._groups: list[Future[None]] = []
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> GrowingTable:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._discard()

    def receive(self, rows: pa.Table) -> None:
        self._waiting.append(rows)
        if sum(map(len, self._waiting)) >= max(LEAST_ROWS, self._rows // LEAST_SHARE):
            self._submit()

    def restart(self) -> None:
        """Begin anew, without what was received so far."""
        self._waiting.clear()
        self._pool.submit(self._discard).result()  # after what is being written
        self._groups.clear()
        self._rows = 0

    def finish(self) -> None:
        """Wait until all is written; raise if some of it could not be."""
        if self._waiting or not self._groups:
            self._submit()
        try:
            for group in self._groups:
                group.result()
            self._pool.submit(self._close).result()
            self._temporary.replace(self._path)
        except OSError as error:
            raise cannot_write(self._path, error) from error

    def _submit(self) -> None:
        rows = pa.concat_tables(self._waiting or [self._schema.empty_table()])
        self._waiting.clear()
        self._rows += len(rows)
        self._groups.append(self._pool.submit(self._write, rows))

    def _write(self, rows: pa.Table) -> None:
        if self._file is None:
            self._file = pq.ParquetWriter(self._temporary, self._schema)
        self._file.write_table(rows)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _discard(self) -> None:
        try:
            self._close()
        except OSError:  # told by `finish`, if anybody wants the file
            self._file = None
        self._temporary.unlink(missing_ok=True)
