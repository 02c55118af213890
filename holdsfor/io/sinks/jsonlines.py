"""Changes as files of JSON lines."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from holdsfor.io.sinks.messages import write_messages
from holdsfor.io.storage.store import Store


@dataclass(frozen=True)
class JsonLinesSink:
    """Writes `batch=0000003/intervals-stage0-3.jsonl` in a store. Delivered again, the batch replaces its files."""

    store: Store
    name: str = "jsonlines"

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        kind = "intervals" if "fluent" in changes.column_names else "occurrences"
        name = f"batch={batch:07d}/{kind}-{part}.jsonl"
        if len(changes):
            self.store.write(name, ("\n".join(write_messages(batch, changes).to_pylist()) + "\n").encode())
        else:
            self.store.delete(name)  # an earlier attempt of the batch may have had changes
        return len(changes)
