"""Changes that a receiver does not take are kept on disk until it does, and the stream goes on."""

from __future__ import annotations

import logging
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import ClassVar

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.sinks.sink import Sink
from holdsfor.io.storage.store import Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeepingSink:
    """Delivers to another sink. What that one does not take waits in the store; nothing overtakes what waits."""

    sink: Sink
    store: Store
    on_driver: ClassVar[bool] = True  # one process keeps the order

    @property
    def name(self) -> str:
        return self.sink.name

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        if not len(changes):
            return 0
        if self.store.names():
            self._keep(batch, part, changes)
            return 0
        try:
            return self.sink.deliver(batch, part, changes)
        except (HoldsforError, OSError) as error:
            _log.warning("%s The stream goes on; changes are kept in %s until then.", error, self.store.shown())
            self._keep(batch, part, changes)
            return 0

    def flush(self) -> int:
        """Delivers what waits, in order, as far as it is taken now; returns how many changes were."""
        sink, taken = _impatient(self.sink), 0
        for name in self.store.names():
            batch, _, part = name.removesuffix(".parquet").partition("-")
            try:
                taken += sink.deliver(int(batch), part, self.store.read_table(name))
            except (HoldsforError, OSError):
                return taken
            self.store.delete(name)
        if taken:
            _log.warning("%s has taken the %d changes that were kept for it.", self.name, taken)
        return taken

    def _keep(self, batch: int, part: str, changes: pa.Table) -> None:
        self.store.write_table(f"{batch:07d}-{part}.parquet", changes)


def _impatient(sink: Sink) -> Sink:
    """The sink without its own retries: it is asked again with the next batch."""
    has_retries = is_dataclass(sink) and any(field.name == "retries" for field in fields(sink))
    return replace(sink, retries=0) if has_retries else sink  # type: ignore[type-var]
