"""Tell what an update of rules has changed, and from when on each definition is valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from holdsfor.io.storage.fold import Changes
from holdsfor.plan.comparison import RuleChanges

#: A column of changes: the number of the update that has made them.
UPDATE = "update"
DEFINITIONS = pa.schema(
    [
        ("name", pa.string()),
        ("change", pa.string()),  # added, removed, changed, affected, untouched
        ("valid_from", pa.int64()),  # null: from the start of the history
        ("is_whole", pa.bool_()),  # if not, for each grounding from the next time at which a rule concludes something
    ]
)
Validity = Mapping[str, tuple[int | None, bool]]


@dataclass(frozen=True, slots=True, repr=False)
class RuleUpdate:
    """An update of rules: what it changes, and since when.

    number: counts the updates. query_time: at which it takes effect; None: no query time is over yet.
    definitions: a row for each, with the columns name, change, valid_from and is_whole. What is concluded for later
    times than valid_from (null: at any time) is what the rules say of the whole history; where is_whole is false, for
    each grounding from the next time on at which a rule initiates or terminates it, or what it depends on.
    intervals, occurrences: logs of what changes, with the number of the update as their last column.
    """

    number: int
    query_time: int | None
    definitions: pa.Table
    intervals: pa.Table
    occurrences: pa.Table

    def __repr__(self) -> str:
        changed = sum(change != "untouched" for change in self.definitions["change"].to_pylist())
        return (
            f"<RuleUpdate {self.number}: {changed:,} of {len(self.definitions):,} definitions, "
            f"{len(self.intervals):,} changes of intervals, {len(self.occurrences):,} of occurrences>"
        )


def describe_definitions(compared: RuleChanges, validity: Validity) -> pa.Table:
    """Return a table of what has changed. Predicates are valid as what depends on them is."""
    rows = list(_rows(compared, validity))
    return pa.Table.from_pylist(rows, schema=DEFINITIONS)


def _rows(compared: RuleChanges, validity: Validity) -> Iterator[dict[str, object]]:
    for change in ("added", "removed", "changed", "affected", "untouched"):
        for name in getattr(compared, change):
            since, is_whole = validity.get(name, (None, True))
            yield {"name": name, "change": change, "valid_from": since, "is_whole": is_whole}


def with_number(tables: Changes, number: int) -> Changes:
    """Mark changes as those of an update."""
    intervals, occurrences = (
        table.append_column(UPDATE, pa.array([number] * len(table), pa.int64())) for table in tables
    )
    return Changes(intervals, occurrences)
