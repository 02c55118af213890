"""Places of the parts of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from holdsfor.io.storage.store import Store


@dataclass(frozen=True, slots=True)
class Places:
    """root: the checkpoint. Only the tables may lie elsewhere, where others may be allowed to read them."""

    root: Store
    state: Store
    spark: Store
    tables: Store

    @staticmethod
    def of(checkpoint: str | Path, out: str | Path | None, sync: bool) -> Places:
        tables = Store(f"{checkpoint}/tables" if out is None else out, sync=sync, private=out is None)
        state, spark = (Store(f"{checkpoint}/{part}", sync=sync, private=True) for part in ("holdsfor", "spark"))
        return Places(Store(checkpoint, sync=sync, private=True), state, spark, tables)
