"""The log of changes: what a query time inserts, extends, shortens and withdraws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.axis import Ints
from holdsfor.engine.relation import Intervals
from holdsfor.engine.result import CHANGES_SCHEMA, begun, intervals_table
from holdsfor.engine.world import World
from holdsfor.plan.operators import Plan, Relation
from holdsfor.plan.walk import defines


def changes_table(query_time: int, plan: Plan, before: World | None, now: World) -> pa.Table:
    """What differs from the last query time. An interval is known by its start: another end extends or shortens it.

    Folding the log (dropping what is withdrawn, replacing what is extended or shortened) gives the current intervals.
    """
    tables = [CHANGES_SCHEMA.empty_table()]
    for relation in (r for d in plan.definitions for r in defines(d) if r.kind != "event"):
        new = begun(now.intervals[relation], now)
        none = Intervals(new.axis, new.dictionary, new.arity, new.s[:0], new.e[:0])
        old = none if before is None else begun(before.intervals[relation], before)
        for op, changed in _differences(old, new):
            if len(changed):
                tables.append(_logged(query_time, op, relation, changed, now))
    return pa.concat_tables(tables)


def _differences(old: Intervals, new: Intervals) -> Iterator[tuple[str, Intervals]]:
    place = _places(new.s, old.s)
    there = place >= 0
    end = np.where(there, old.e[np.maximum(place, 0)] if len(old) else -1, -1)
    yield "withdraw", _chosen(old, np.flatnonzero(_places(old.s, new.s) < 0))
    yield "insert", _chosen(new, np.flatnonzero(~there))
    yield "extend", _chosen(new, np.flatnonzero(there & (new.e > end)))
    yield "shorten", _chosen(new, np.flatnonzero(there & (new.e < end)))


def _places(wanted: Ints, known: Ints) -> Ints:
    """Where each value stands among the known ones, which are sorted; -1 if it is not there."""
    if not len(known):
        return np.full(len(wanted), -1, np.int64)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1)


def _chosen(found: Intervals, rows: Ints) -> Intervals:
    return Intervals(found.axis, found.dictionary, found.arity, found.s[rows], found.e[rows])


def _logged(query_time: int, op: str, relation: Relation, changed: Intervals, world: World) -> pa.Table:
    table = intervals_table([relation], replace(world, intervals={relation: changed}))
    size = table.num_rows
    table = table.add_column(0, "op", pa.repeat(op, size))
    table = table.add_column(0, "query_time", pa.array(np.full(size, query_time)))
    return table.cast(CHANGES_SCHEMA)
