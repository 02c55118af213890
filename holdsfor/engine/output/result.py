"""Results: relations back to tables with names and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.world import World
from holdsfor.engine.output.argument_types import arguments, coded_arguments
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.taking import coded
from holdsfor.io.columns.text import as_text
from holdsfor.io.events import OPEN, Block
from holdsfor.io.readers.mapping import check_zone
from holdsfor.io.tables.wide import NANOSECONDS, HasName, ResultTable, shape_in, widen
from holdsfor.plan.operators import Relation
from holdsfor.printable import count_text

if TYPE_CHECKING:
    from holdsfor.duration import TimePoint
    from holdsfor.why.changed import RevisionCause
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.origin import Origin
    from holdsfor.why.why_not.refutation import Refutation

INTERVALS_SCHEMA = pa.schema(
    [
        ("fluent", pa.string()),
        ("args", pa.list_(pa.string())),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)
OCCURRENCES_SCHEMA = pa.schema(
    [("event", pa.string()), ("args", pa.list_(pa.string())), ("start", pa.int64()), ("end", pa.int64())]
)


Writer = Callable[[pa.Array], pa.Array]


def as_it_is(texts: pa.Array) -> pa.Array:
    return texts


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """Intervals and occurrences of a run as Arrow tables, and counts. docs/data.md has the columns."""

    intervals: pa.Table
    occurrences: pa.Table
    changes: pa.Table
    rejects: pa.Table
    late: pa.Table
    metrics: dict[str, Any] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)

    def table(self, name: str | HasName, zone: str = "UTC") -> ResultTable:
        """Return one fluent or event as a table with a column for each argument. name: `near`, or `near/2` of several;
        or what names it in Python.

        Columns have the names of the variables in the rules, and the types of the input. Then come
        `value` (of a fluent), `start`, `end` (null: open) and `duration`. Times are time stamps, in the zone, if
        the events had time stamps; otherwise ticks.
        """
        shape = shape_in(self.metrics, name)
        rows = self.occurrences if shape.is_event else self.intervals
        return ResultTable(widen(rows, shape, self.metrics.get(NANOSECONDS), check_zone(zone)))

    def why(self, fact: str, at: TimePoint, as_of: TimePoint | None = None) -> Derivation:
        """Explain why a fluent holds at a time (`result.why("rendezVous(v1,v2)=true", at=40)`), or an event happens
        (`result.why("alarm(v7)", at=40)`): what was concluded, by which rules, down to rows of the input.

        as_of: as the last query time at or before that knew it.
        """
        return self._kept_origin(as_of).why(fact, at)

    def why_not(self, fact: str, at: TimePoint, as_of: TimePoint | None = None) -> Refutation:
        """Tell why a fluent does not hold at a time, or an event does not happen: what each rule lacked; and which
        changes of one row, one value or one fact would have made it true.
        """
        return self._kept_origin(as_of).why_not(fact, at)

    def why_changed(self, fact: str) -> tuple[RevisionCause, ...]:
        """Tell for each line of the log of changes about a fluent which rows caused it: late ones, retractions, new
        ones. Without them the line is not there.
        """
        return self._kept_origin().why_changed(fact)

    def _kept_origin(self, as_of: TimePoint | None = None) -> Origin:
        if self.origin is None:
            raise HoldsforError("this result does not know what it was made of: ask the result of holdsfor.recognise.")
        return self.origin if as_of is None else self.origin.as_of(as_of)

    def __repr__(self) -> str:
        names = ", ".join(f"{name} {count:,}" for name, count in self.counts())
        counts = f"{count_text(len(self.intervals), 'interval')}, {count_text(len(self.occurrences), 'occurrence')}"
        return f"<Result: {counts}{f': {names}' if names else ''}>"

    def _repr_html_(self) -> str:
        from holdsfor.view.notebook import result_html

        return result_html(self)

    def counts(self) -> list[tuple[str, int]]:
        """Count the intervals of each fluent, and the occurrences of each event."""
        named = [column.value_counts() for column in (self.intervals["fluent"], self.occurrences["event"])]
        return sorted((row["values"], row["counts"]) for counts in named for row in counts.to_pylist())


def intervals_table(relations: Iterable[Relation], world: World, write: Writer = as_it_is) -> pa.Table:
    """write: turns the Prolog text of terms into the text that the table has."""
    texts = write(world.dictionary.texts())
    tables = [fluent_table(relation, world, texts, write) for relation in relations]
    return pa.concat_tables([INTERVALS_SCHEMA.empty_table(), *tables])


def fluent_table(relation: Relation, world: World, texts: pa.Array, write: Writer) -> pa.Table:
    """Return the intervals of one fluent as a table. texts: of all terms, as written."""
    return _intervals(relation, reported(relation, world), texts, write)


def reported(relation: Relation, world: World) -> Intervals:
    """Return the intervals that results have of a relation, without undeclared values where others are declared."""
    return without_hidden(_begun(world.intervals_of(relation), world), relation, world)


def without_hidden(intervals: Intervals, relation: Relation, world: World) -> Intervals:
    """Without values that no grounding declares, where others are declared."""
    if not world.frame.unreported:
        return intervals
    hidden = [value for owner, value in world.frame.unreported if value is not None and owner == relation.signature]
    if not hidden:
        return intervals
    if relation.value is not None:
        return intervals.none() if relation.value in hidden else intervals
    codes = [world.dictionary.code_of(value) for value in hidden]
    kept = ~np.isin(intervals.codes(intervals.arity - 1), codes)
    return Intervals(intervals.axis, intervals.dictionary, intervals.arity, intervals.s[kept], intervals.e[kept])


def _begun(intervals: Intervals, world: World) -> Intervals:
    """From the first tick of the history on, and without what begins only after now: input may tell of the future.

    What holds initially began before, so that it has no start; it is told from that tick on.
    """
    axis = intervals.axis
    before, first, limit = told_between(world)
    start, end = intervals.s & axis.mask, intervals.e & axis.mask
    begin = np.where(start > before, start, first)
    mask = (start <= limit) & (end > begin)
    if mask.all() and (start > before).all():
        return intervals
    s = (intervals.s & ~axis.mask) | begin
    return Intervals(axis, intervals.dictionary, intervals.arity, s[mask], intervals.e[mask])


def told_between(world: World) -> tuple[int, int, int]:
    """Return the start of the history, its first tick, and the latest begin that is told, relative to the origin."""
    axis = world.axis
    return *world.first_points, axis.next_time(world.now_on_axis)


def _intervals(relation: Relation, intervals: Intervals, texts: pa.Array, write: Writer) -> pa.Table:
    axis, end = intervals.axis, intervals.e & intervals.axis.mask
    codes = [intervals.codes(p) for p in range(intervals.arity)]
    if relation.value is None:
        value = _texts_of(codes.pop(), texts)
    else:
        value = pa.repeat(write(pa.array([str(relation.value)]))[0], len(intervals))
    columns = [
        pa.repeat(relation.name, len(intervals)),
        coded_arguments(codes, texts, len(intervals)),
        value,
        pa.array(axis.time(intervals.s)),
        pa.array(end + axis.origin, mask=end == axis.mask),
    ]
    return pa.table(columns, schema=INTERVALS_SCHEMA)


def as_block(relation: Relation, world: World) -> Block:
    """A defined relation as input for a later stage."""
    if relation.kind == "event":
        points = world.points_of(relation)
        texts = texts_of([points], world)
        time = points.times()
        args = tuple(_argument(points.column(p), texts) for p in range(relation.arity))
        begun = None if points.begun is None else points.starts()
        return Block(relation.name, "event", args, None, time, None, time, onset=begun)
    intervals, texts = world.intervals_of(relation), world.dictionary.texts()
    axis = intervals.axis
    codes = [intervals.codes(p) for p in range(relation.arity)]
    end = intervals.e & axis.mask
    start, end = axis.time(intervals.s), np.where(end == axis.mask, OPEN, end + axis.origin)
    if relation.value is None:
        value = _coded(codes.pop(), texts)
    else:
        value = pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(len(start), np.int32)), pa.array([str(relation.value)])
        )
    return Block(relation.name, "interval", tuple(_coded(c, texts) for c in codes), value, start, end, start)


def texts_of(told: Iterable[Points], world: World) -> pa.Array:
    """The texts of all terms, also of those that only these occurrences have."""
    for points in told:
        for position in range(points.arity):
            if not points.column(position).is_number:
                points.codes(position)
    return world.dictionary.texts()


def _argument(column: Column, texts: pa.Array) -> pa.Array:
    return pa.array(column.numbers()) if column.is_number else _coded(column.codes(), texts)


def _coded(codes: Ints, texts: pa.Array) -> pa.Array:
    return coded(pa.array(codes.astype(np.int32)), texts)


def occurrences_table(relations: Iterable[Relation], world: World, write: Writer = as_it_is) -> pa.Table:
    told = [(relation, _after_start(world.points_of(relation).distinct(), world)) for relation in relations]
    texts = write(texts_of([points for _, points in told], world))
    tables = []
    for relation, points in told:
        args = arguments([_texts(points.column(p), texts) for p in range(points.arity)], len(points))
        start, end = pa.array(points.starts()), pa.array(points.times())
        tables.append(pa.table([pa.repeat(relation.name, len(points)), args, start, end], schema=OCCURRENCES_SCHEMA))
    return pa.concat_tables([OCCURRENCES_SCHEMA.empty_table(), *tables])


def _texts(column: Column, texts: pa.Array) -> pa.Array:
    if column.is_number:
        return as_text(pa.array(column.numbers())).cast(pa.string())
    return _texts_of(column.codes(), texts)


def _texts_of(codes: Ints, texts: pa.Array) -> pa.Array:
    return texts.take(pa.array(codes))


def _after_start(points: Points, world: World) -> Points:
    """Drop points at the start of the history: intervals begin right after it, but nothing happens at it."""
    return points.where(points.times() > world.frame.start)
