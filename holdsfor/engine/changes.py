"""The log of changes: what a query time inserts, extends, shortens and withdraws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal as OneOf

import numpy as np
import pyarrow as pa

from holdsfor.engine.axis import Ints
from holdsfor.engine.log import LoggedChanges, interval_columns
from holdsfor.engine.points import EMPTY, Points
from holdsfor.engine.result import (
    INTERVALS_SCHEMA,
    OCCURRENCES_SCHEMA,
    occurrences_table,
    told_between,
    without_hidden,
)
from holdsfor.engine.stepping import QueryMoment
from holdsfor.engine.world import World
from holdsfor.io.ids import with_ids
from holdsfor.io.text import plain_table
from holdsfor.kernels.logging import Told, log_changes, tell_intervals
from holdsfor.plan.operators import Relation

#: What is told at a query time: all that is known; intervals whose beginning will not change; what will not change.
Report = OneOf["eager", "settling", "final"]
REPORTS: tuple[Report, ...] = ("eager", "settling", "final")
ALL_SETTLED = np.iinfo(np.int64).max >> 1


@dataclass(frozen=True, slots=True, repr=False)
class Changes:
    """What differs from the last query time."""

    intervals: pa.Table
    occurrences: pa.Table

    def __repr__(self) -> str:
        return f"<Changes: {len(self.intervals):,} of intervals, {len(self.occurrences):,} of occurrences>"


def changes(
    moment: QueryMoment, relations: Iterable[Relation], report: Report = "eager", last: bool = False
) -> Changes:
    """An interval is known by its start: another end extends or shortens it.

    Folding the log (dropping what is withdrawn, replacing what is extended or shortened) gives the current intervals.
    last: nothing comes after this query time, so that all of it is final.
    """
    logged: list[LoggedChanges] = []
    occurrences = [_nothing_logged(OCCURRENCES_SCHEMA)]
    for relation in relations:
        if not relation.is_reported or not _has_rows(relation, moment):
            continue
        cut = ALL_SETTLED if last else moment.state.frontier.cut(relation)
        if relation.kind == "event":
            occurrences += _occurrences(moment, relation, report, cut)
        elif len((log := _log_intervals(moment, relation, report, cut)).ops):
            logged.append(log)
    return Changes(_told_plainly(_intervals_table(moment, logged)), _told_plainly(pa.concat_tables(occurrences)))


def _has_rows(relation: Relation, moment: QueryMoment) -> bool:
    if relation in moment.now.relations:
        return True
    return moment.before is not None and relation in moment.before.relations


def _told_plainly(log: pa.Table) -> pa.Table:
    """Ids are those of terms: 7 and '7' have the same plain text and are not the same."""
    return plain_table(with_ids(log.combine_chunks())) if log.num_rows else _nothing_told(log.schema)


def _log_intervals(moment: QueryMoment, relation: Relation, report: Report, cut: int) -> LoggedChanges:
    now, before, settled = moment.now, moment.before, moment.frontier.cut(relation)
    new = _tell(relation, now, report, cut, settled)
    old = (EMPTY, EMPTY) if before is None else _tell(relation, before, report, settled, settled)
    return LoggedChanges(relation, *log_changes(*old, *new))


def _tell(relation: Relation, world: World, report: Report, cut: int, settled: int) -> tuple[Ints, Ints]:
    """What is told of a relation when all up to the cut is settled, without what was over and settled before."""
    axis, data = world.axis, without_hidden(world.intervals_of(relation), relation, world)
    if not len(data):
        return data.s, data.e
    first, last_start = told_between(world)
    limit = min(cut, ALL_SETTLED) - axis.origin
    last_end = axis.mask
    if report == "settling":
        last_start = min(last_start, limit)
    if report == "final" and cut != ALL_SETTLED:
        last_end = min(limit, axis.mask - 1)
    return tell_intervals(data.s, data.e, axis.mask, Told(first, last_start, settled + 1 - axis.origin, last_end))


def _intervals_table(moment: QueryMoment, logged: Sequence[LoggedChanges]) -> pa.Table:
    nothing = _nothing_logged(INTERVALS_SCHEMA)
    if not logged:
        return nothing
    columns = interval_columns(logged, moment.now.axis, moment.now.dictionary)
    times = pa.array(np.full(len(columns[0]), moment.query_time, np.int64))
    return pa.table([times, *columns], schema=nothing.schema)


# ---------------------------------------------------------------- occurrences


def _occurrences(moment: QueryMoment, relation: Relation, report: Report, cut: int) -> Iterator[pa.Table]:
    """An occurrence has no parts: what may still change is told only by an eager report."""
    last, settled = ALL_SETTLED if report == "eager" else cut, moment.frontier.cut(relation)
    new = _between(moment.now.points_of(relation), settled, last).distinct()
    old = new.none()
    if report == "eager" and moment.before is not None:
        old = _between(moment.before.points_of(relation), settled, last).distinct()
    if not len(old) and not len(new):
        return
    gone, come = old.unlike(new)
    for op, changed in (("withdraw", gone), ("insert", come)):
        if len(changed):
            table = occurrences_table([relation], replace(moment.now, relations={relation: changed}))
            yield _logged(moment.query_time, pa.repeat(op, table.num_rows), table)


def _between(points: Points, after: int, last: int) -> Points:
    time = points.times()
    return points.where((time > after) & (time <= last))


def _logged(query_time: int, ops: pa.Array, table: pa.Table) -> pa.Table:
    table = table.add_column(0, "op", ops)
    return table.add_column(0, "query_time", pa.array(np.full(table.num_rows, query_time, np.int64)))


@cache
def _nothing_told(schema: pa.Schema) -> pa.Table:
    return plain_table(with_ids(schema.empty_table()))


@cache
def _nothing_logged(schema: pa.Schema) -> pa.Table:
    """Made at first use: Arrow looks for pandas at its first table, which the command line does without."""
    return _logged(0, pa.array([], pa.string()), schema.empty_table())
