"""Results of a session so far: the log of changes, shortened now and then, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.storage.fold import (
    INTERVAL_LOG,
    OCCURRENCE_LOG,
    Changes,
    Current,
    fold_intervals,
    fold_occurrences,
    last_words,
)

#: The log is shortened when it has grown to twice its length, and by more rows than this.
ROWS = 10_000


@dataclass(slots=True)
class Log:
    """The changes of intervals or of occurrences."""

    schema: pa.Schema
    fold: Callable[[pa.Table], pa.Table]
    tables: list[pa.Table] = field(default_factory=list)
    rows: int = 0  # of all tables
    shortened: int = 0  # how many rows there were when it was shortened last
    nothing: pa.Table = field(init=False)

    def __post_init__(self) -> None:
        self.nothing = self.schema.empty_table()

    def add(self, tables: Iterable[pa.Table], edge: int | None) -> pa.Table:
        """Add tables to the log and return them as one. edge: what was over by then is not kept."""
        some = [table for table in tables if table.num_rows]
        if not some:
            return self.nothing
        added = some[0] if len(some) == 1 else pa.concat_tables(some)
        self.tables.append(added)
        self.rows += added.num_rows
        if self.rows > 2 * self.shortened + ROWS:
            self.restore(self.recent(edge))
        return added

    def restore(self, log: pa.Table) -> None:
        self.tables, self.rows, self.shortened = [log], log.num_rows, log.num_rows

    def recent(self, edge: int | None) -> pa.Table:
        """Return the last word on each id, without what was over by the edge."""
        log = last_words(pa.concat_tables([self.nothing, *self.tables]))
        if edge is None:
            return log
        return log.filter(pc.or_kleene(pc.is_null(log["end"]), pc.greater(log["end"], edge)))


@dataclass(slots=True)
class Known:
    """keep: how long what is over stays, in ticks; None: for ever. fired: the last query time."""

    keep: int | None = None
    fired: int | None = None
    intervals: Log = field(default_factory=lambda: Log(INTERVAL_LOG, fold_intervals))
    occurrences: Log = field(default_factory=lambda: Log(OCCURRENCE_LOG, fold_occurrences))

    def add(self, steps: Sequence[Changes], fired: int) -> Changes:
        """The changes of several query times as one."""
        self.fired = fired
        return Changes(
            self.intervals.add((change.intervals for change in steps), self.edge),
            self.occurrences.add((change.occurrences for change in steps), self.edge),
        )

    def restore(self, intervals: pa.Table, occurrences: pa.Table, fired: int | None) -> None:
        """Go on from what was known up to a query time."""
        self.fired = fired
        self.intervals.restore(intervals)
        self.occurrences.restore(occurrences)

    @property
    def edge(self) -> int | None:
        return None if self.keep is None or self.fired is None else self.fired - self.keep

    def current(self) -> Current:
        logs = (self.intervals, self.occurrences)
        return Current(*(log.fold(log.recent(self.edge)) for log in logs))

    @property
    def nothing(self) -> Changes:
        return Changes(INTERVAL_LOG.empty_table(), OCCURRENCE_LOG.empty_table())
