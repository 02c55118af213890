"""The interface of every sink."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa


class Sink(Protocol):
    """Takes the changes of a batch, bucket by bucket. Sinks are sent to workers, so they can be pickled.

    A batch may be delivered again after a crash. Every message says its batch, query time, operation and id, so that a
    receiver can tell; content and order of a delivery are the same each time if its changes are those of a commit.
    """

    @property
    def name(self) -> str: ...

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        """Deliver a log of intervals or of occurrences, in the order of query times; return how many changes."""
        ...
