"""Arrow's own files, which are also called Feather."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.feather

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.coded import are_inside
from holdsfor.io.events import Events
from holdsfor.io.readers.columns import blocks_from_table, needed_columns
from holdsfor.io.readers.mapping import Mapping
from holdsfor.language.description import Input

#: What Arrow raises if a file is damaged, or of another kind.
BAD_FILE = (OSError, pa.ArrowException, UnicodeDecodeError)


def read_feather(path: Path, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read the columns that are used."""
    try:
        with pa.memory_map(str(path)) as file:
            names = pa.ipc.open_file(file).schema.names
            table = pa.feather.read_table(file, columns=needed_columns(names, mapping, inputs, source))
            check_codes(table)
            return blocks_from_table(table, mapping, inputs, source)
    except BAD_FILE as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it an Arrow (Feather) file?") from error


def check_codes(table: pa.Table) -> None:
    """Raise if codes point outside of their dictionary: in a damaged file they may, and Arrow does not look."""
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            size = len(chunk.dictionary)
            if not (are_inside(chunk.indices, size) or are_inside(chunk.indices.drop_null(), size)):
                raise pa.ArrowInvalid("a code is outside of its dictionary")
