"""The log of changes: what a query time inserts, ends, extends, shortens and withdraws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal as OneOf

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.world import World
from holdsfor.engine.input.window import NEVER
from holdsfor.engine.output.log import LoggedIntervals, LoggedOccurrences, LogTexts, make_log, occurrence_rows
from holdsfor.engine.output.result import told_between, without_hidden
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.engine.stepping.query_times import QueryMoment
from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG, Changes
from holdsfor.kernels.intervals.logging import (
    BEFORE,
    BOUNDS,
    FIRST,
    INSERT,
    LAST_END,
    LAST_START,
    LEAST_END,
    WITHDRAW,
    find_told_starts,
    log_changes,
)
from holdsfor.plan.operators import Relation

#: What is told at a query time: all that is known; intervals whose beginning will not change; what will not change.
Report = OneOf["eager", "settling", "final"]
REPORTS: tuple[Report, ...] = ("eager", "settling", "final")


def changes(
    moment: QueryMoment, relations: Iterable[Relation], report: Report = "eager", last: bool = False
) -> Changes:
    """Log the differences from the last query time. An interval is known by its start: it ends, or has another end.

    It ends if it was open, and all that had been told of it stays true; an earlier end than was told shortens it.
    Folding the log (dropping what is withdrawn, taking the last end of the others) gives the current intervals.
    last: nothing comes after this query time, so that all of it is final.
    """
    told = [relation for relation in relations if _has_rows(relation, moment) and moment.now.reports(relation)]
    fluents = [relation for relation in told if relation.kind != "event"]
    events = [relation for relation in told if relation.kind == "event"]
    return Changes(_intervals(moment, fluents, report, last), _occurrences(moment, events, report, last))


def _has_rows(relation: Relation, moment: QueryMoment) -> bool:
    if moment.now.relations.get(relation):
        return True
    return moment.before is not None and bool(moment.before.relations.get(relation))


# ---------------------------------------------------------------- intervals


def _intervals(moment: QueryMoment, relations: Sequence[Relation], report: Report, last: bool) -> pa.Table:
    if not relations:
        return _nothing_told(INTERVAL_LOG)
    settled, cuts = (_find_cuts(frontier, relations) for frontier in (moment.frontier, moment.state.frontier))
    if last:
        cuts[:] = NEVER
    old = _tell(relations, moment.before, report, settled, settled)
    new = _tell(relations, moment.now, report, cuts, settled)
    axis, last_told = moment.now.axis, moment.query_time - moment.now.frame.step - moment.now.axis.origin
    logged = LoggedIntervals(relations, *log_changes(*old, *new, axis.mask, last_told))
    if not logged.ops.size:
        return _nothing_told(INTERVAL_LOG)
    texts = LogTexts(moment.now.dictionary)
    return make_log(logged.rows(axis, texts), texts, moment.query_time)


def _find_cuts(frontier: Frontier, relations: Iterable[Relation]) -> Ints:
    cuts = frontier.cuts
    return np.array([cuts[relation] for relation in relations], np.int64)


def _tell(
    relations: Sequence[Relation], world: World | None, report: Report, cuts: Ints, settled: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return the intervals to report when all up to the cuts is settled, without those over and settled before.

    Where intervals begin and end, one relation after the other, and where the intervals of each relation end.
    """
    if world is None:
        return EMPTY, EMPTY, np.zeros(len(relations), np.int64)
    parts = [world.intervals_of(relation) for relation in relations]
    if world.frame.unreported:
        parts = [without_hidden(part, relation, world) for part, relation in zip(parts, relations, strict=True)]
    s, e = np.concatenate([part.s for part in parts]), np.concatenate([part.e for part in parts])
    ends = np.array([part.s.size for part in parts]).cumsum()
    return find_told_starts(s, e, ends, _find_bounds(world, report, cuts, settled), world.axis.mask), e, ends


def _find_bounds(world: World, report: Report, cuts: Ints, settled: Ints) -> Ints:
    """Between what times intervals begin and end that are told: see `find_told_starts`."""
    axis = world.axis
    bounds = np.empty((len(cuts), BOUNDS), np.int64)
    bounds[:, BEFORE], bounds[:, FIRST], bounds[:, LAST_START] = told_between(world)
    bounds[:, LEAST_END], bounds[:, LAST_END] = settled + (1 - axis.origin), axis.mask
    if report == "settling":
        bounds[:, LAST_START] = np.minimum(bounds[:, LAST_START], cuts - axis.origin)
    if report == "final":
        bounds[:, LAST_END] = np.where(cuts == NEVER, axis.mask, np.minimum(cuts - axis.origin, axis.mask - 1))
    return bounds


# ---------------------------------------------------------------- occurrences


def _occurrences(moment: QueryMoment, relations: Iterable[Relation], report: Report, last: bool) -> pa.Table:
    parts = [part for relation in relations for part in _log_points(moment, relation, report, last)]
    if not parts:
        return _nothing_told(OCCURRENCE_LOG)
    texts = LogTexts(moment.now.dictionary)
    return make_log(occurrence_rows(parts, texts), texts, moment.query_time)


def _log_points(moment: QueryMoment, relation: Relation, report: Report, last: bool) -> Iterator[LoggedOccurrences]:
    """An occurrence has no parts: what may still change is told only by an eager report."""
    is_eager = report == "eager"
    until = NEVER if is_eager or last else moment.state.frontier.cut(relation)
    after = max(moment.frontier.cut(relation), moment.now.frame.start)  # nothing happens at the start of the history
    new = _between(moment.now.points_of(relation), after, until).distinct()
    old = new.none()
    if is_eager and moment.before is not None:
        old = _between(moment.before.points_of(relation), after, until).distinct()
    for op, changed in zip((WITHDRAW, INSERT), old.unlike(new), strict=True):
        if len(changed):
            yield LoggedOccurrences(relation, op, changed)


def _between(points: Points, after: int, last: int) -> Points:
    if not len(points):
        return points
    time = points.times()
    return points.where((time > after) & (time <= last))


@cache
def _nothing_told(schema: pa.Schema) -> pa.Table:
    """Made at first use: Arrow looks for pandas at its first table, which the command line does without."""
    return schema.empty_table()
