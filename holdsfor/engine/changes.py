"""The log of changes: what a query time inserts, extends, shortens and withdraws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal as OneOf

import numpy as np
import pyarrow as pa

from holdsfor.engine.axis import Ints
from holdsfor.engine.relation import Intervals, Points
from holdsfor.engine.result import (
    INTERVALS_SCHEMA,
    OCCURRENCES_SCHEMA,
    intervals_table,
    occurrences_table,
    reported,
)
from holdsfor.engine.stepping import QueryMoment
from holdsfor.io.ids import with_ids
from holdsfor.io.text import plain_table
from holdsfor.plan.operators import Relation

#: What is told at a query time: all that is known; intervals whose beginning will not change; what will not change.
Report = OneOf["eager", "settling", "final"]
REPORTS: tuple[Report, ...] = ("eager", "settling", "final")
ALL_SETTLED = np.iinfo(np.int64).max >> 1


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from the last query time."""

    intervals: pa.Table
    occurrences: pa.Table


def changes(
    moment: QueryMoment, relations: Iterable[Relation], report: Report = "eager", last: bool = False
) -> Changes:
    """An interval is known by its start: another end extends or shortens it.

    Folding the log (dropping what is withdrawn, replacing what is extended or shortened) gives the current intervals.
    last: nothing comes after this query time, so that all of it is final.
    """
    relations = [relation for relation in relations if relation.is_reported and _has_rows(relation, moment)]
    intervals, occurrences = [_nothing_logged(INTERVALS_SCHEMA)], [_nothing_logged(OCCURRENCES_SCHEMA)]
    for relation in relations:
        cut = ALL_SETTLED if last else moment.state.frontier.cut(relation)
        if relation.kind == "event":
            occurrences += _occurrences(moment, relation, report, cut)
        else:
            intervals += _intervals(moment, relation, report, cut)
    return Changes(_told_plainly(intervals), _told_plainly(occurrences))


def _has_rows(relation: Relation, moment: QueryMoment) -> bool:
    if relation in moment.now.relations:
        return True
    return moment.before is not None and relation in moment.before.relations


def _told_plainly(logs: Sequence[pa.Table]) -> pa.Table:
    """Ids are those of terms: 7 and '7' have the same plain text and are not the same."""
    return plain_table(with_ids(pa.concat_tables(logs).combine_chunks()))


def _intervals(moment: QueryMoment, relation: Relation, report: Report, cut: int) -> Iterator[pa.Table]:
    now, before, settled = moment.now, moment.before, moment.frontier.cut(relation)
    new = _told(reported(relation, now), report, cut, settled)
    old = new.none() if before is None else reported(relation, before)
    old = _told(old, report, settled, settled)
    changed = [(op, rows) for op, rows in _differences(old, new) if len(rows)]
    if changed:
        s, e = (np.concatenate(columns) for columns in zip(*((rows.s, rows.e) for _, rows in changed), strict=True))
        table = intervals_table([relation], replace(now, relations={relation: new.of(s, e)}))
        ops = np.repeat([op for op, _ in changed], [len(rows) for _, rows in changed])
        yield _logged(moment.query_time, pa.array(ops.tolist(), pa.string()), table)


def _told(intervals: Intervals, report: Report, cut: int, settled: int) -> Intervals:
    """What is told of a relation when all up to the cut is settled, without what was over and settled before."""
    axis = intervals.axis
    start, end = intervals.s & axis.mask, intervals.e & axis.mask
    limit = min(cut, ALL_SETTLED) - axis.origin
    mask = end >= settled + 1 - axis.origin
    if report == "settling":
        mask &= start <= limit
    if report == "final":
        mask &= (end <= limit) & ((end < axis.mask) | (cut == ALL_SETTLED))
    return (
        intervals
        if mask.all()
        else Intervals(axis, intervals.dictionary, intervals.arity, intervals.s[mask], intervals.e[mask])
    )


def _differences(old: Intervals, new: Intervals) -> Iterator[tuple[str, Intervals]]:
    place = _places(new.s, old.s)
    is_old = place >= 0
    end = np.where(is_old, old.e[np.maximum(place, 0)] if len(old) else -1, -1)
    yield "withdraw", _chosen(old, np.flatnonzero(_places(old.s, new.s) < 0))
    yield "insert", _chosen(new, np.flatnonzero(~is_old))
    yield "extend", _chosen(new, np.flatnonzero(is_old & (new.e > end)))
    yield "shorten", _chosen(new, np.flatnonzero(is_old & (new.e < end)))


def _places(wanted: Ints, known: Ints) -> Ints:
    """Where each value stands among the known ones, which are sorted; -1 if it is not there."""
    if not len(known):
        return np.full(len(wanted), -1, np.int64)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1)


def _chosen(intervals: Intervals, rows: Ints) -> Intervals:
    return Intervals(intervals.axis, intervals.dictionary, intervals.arity, intervals.s[rows], intervals.e[rows])


# ---------------------------------------------------------------- occurrences


def _occurrences(moment: QueryMoment, relation: Relation, report: Report, cut: int) -> Iterator[pa.Table]:
    """An occurrence has no parts: what may still change is told only by an eager report."""
    last, settled = ALL_SETTLED if report == "eager" else cut, moment.frontier.cut(relation)
    new = _between(moment.now.points_of(relation).distinct(), settled, last)
    old = new.none()
    if report == "eager" and moment.before is not None:
        old = _between(moment.before.points_of(relation).distinct(), settled, last)
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
def _nothing_logged(schema: pa.Schema) -> pa.Table:
    """Made at first use: Arrow looks for pandas at its first table, which the command line does without."""
    return _logged(0, pa.array([], pa.string()), schema.empty_table())
