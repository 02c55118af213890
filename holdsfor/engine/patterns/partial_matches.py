"""Partial matches: which parts of a pattern have occurred, what they wait for, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.input.window import NEVER
from holdsfor.engine.patterns.joins import END, START, blocked_at, first_of, pair_around, pair_up
from holdsfor.engine.patterns.policies import distinct
from holdsfor.plan.operators import Conclude, Occurring
from holdsfor.plan.patterns import Absent, Pairs, Pattern, PatternNode, Scan
from holdsfor.plan.printing.rule import Writer
from holdsfor.plan.walk import conclusions
from holdsfor.plan.whole_plan import Plan

PROGRESS_SCHEMA = pa.schema(
    [
        ("event", pa.string()),
        ("rule", pa.string()),
        ("bindings", pa.map_(pa.string(), pa.string())),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("matched", pa.string()),
        ("awaited", pa.string()),
        ("until", pa.int64()),
        ("share", pa.float64()),
    ]
)
UNTIL = "until~"


class EventWriter(Writer):
    """A writer of events without their windows: each has that of the operators around it, which say so."""

    def within(self, pattern: PatternNode) -> str:
        return "" if isinstance(pattern, Scan) else super().within(pattern)


@dataclass(frozen=True, slots=True)
class WaitingRows:
    """Occurrences of a part that wait for something, and until when each does."""

    matched: Pattern
    awaited: str
    rows: Rows
    until: Ints


def progress_table(plan: Plan, world: World) -> pa.Table:
    """All partial matches of what results may have, after an evaluation, for the rules in their order."""
    world = replace(world, shared=Memo())  # what was matched on the way may not be all
    tables = [PROGRESS_SCHEMA.empty_table()]
    for definition in plan.definitions:
        names = {relation.name for relation in definition.defines if world.reports(relation)}
        for rule in conclusions(definition) if names else ():
            if rule.chain and isinstance(rule.chain[0], Occurring):
                writer = EventWriter(rule.chain, written=dict(rule.names))
                for waiting in waiting_for(rule.chain[0].pattern, writer, world):
                    tables.append(_table(min(names), rule, rule.chain[0].pattern, waiting, writer, world))
    return pa.concat_tables(tables)


def waiting_for(pattern: Pattern, writer: Writer, world: World) -> Iterator[WaitingRows]:
    """Yield the parts of a pattern that have occurred and may be completed after now, innermost first."""
    for operand in pattern.operands:
        yield from waiting_for(operand, writer, world)
    match pattern:
        case Pairs():
            yield from _waiting_sides(pattern, writer, world)
        case Absent(last=int() as duration):
            first = first_of(pattern, world)
            due = first.times(END) + duration
            free = blocked_at(pattern, first, world) > due
            yield from _open(pattern.first, f"no {writer.absent(pattern)}", first, due, free, world)
        case Absent():
            assert not isinstance(pattern.last, int)
            paired = pair_around(pattern, pattern.last, world)
            first = paired.left
            free = (blocked_at(pattern, first, world) > world.now) & ~paired.used[: first.size]
            awaited = f"{pattern.last.text(writer)}, and no {writer.absent(pattern)} before"
            yield from _open(pattern.first, awaited, first, _limit(first, pattern.within), free, world)
        case _:
            return


def _waiting_sides(pattern: Pairs, writer: Writer, world: World) -> Iterator[WaitingRows]:
    paired = pair_up(pattern, world)
    left, right = paired.left, paired.right
    sides = [(pattern.left, pattern.right, left, ~paired.used[: left.size])]
    if pattern.kind in ("and", "par"):
        sides.append((pattern.right, pattern.left, right, ~paired.used[left.size :]))
    if pattern.kind in ("equals", "during", "starts", "finishes"):
        return  # what has ended cannot be completed by what ends later, or is not needed to know what is awaited
    for matched, awaited, rows, free in sides:
        yield from _open(matched, awaited.text(writer), rows, _limit(rows, pattern.within), free, world)


def _limit(rows: Rows, within: int | None) -> Ints:
    return np.full(rows.size, NEVER) if within is None else rows.times(START) + within


def _open(matched: Pattern, awaited: str, rows: Rows, until: Ints, free: Mask, world: World) -> Iterator[WaitingRows]:
    kept = free & (until > world.now)
    if kept.any():
        once = distinct(rows.bind({UNTIL: Column(world.dictionary, numbers=until)}).filter(kept))
        yield WaitingRows(matched, awaited, once, once.times(UNTIL))


def _table(event: str, rule: Conclude, whole: Pattern, waiting: WaitingRows, writer: Writer, world: World) -> pa.Table:
    """Make the rows of what waits. whole: the pattern of the rule, of which a share has occurred."""
    rows, size = waiting.rows, waiting.rows.size
    place = f"{rule.place.file}:{rule.place.line}"
    columns = [
        pa.repeat(event, size),
        pa.repeat(place, size),
        _bindings(rows, dict(rule.names), world),
        pa.array(rows.times(START)),
        pa.array(rows.times(END)),
        pa.repeat(waiting.matched.text(writer), size),
        pa.repeat(waiting.awaited, size),
        pa.array(waiting.until, mask=waiting.until == NEVER),
        pa.repeat(waiting.matched.least_parts() / whole.least_parts(), size),
    ]
    return pa.table(columns, schema=PROGRESS_SCHEMA)


def _bindings(rows: Rows, written: dict[str, str], world: World) -> pa.Array:
    """The values of the variables that the rule names, as maps from name to text."""
    names = [name for name in sorted(rows.names, key=lambda name: (len(name), name)) if name in written]
    codes = [rows.codes(name) for name in names]
    texts = [world.dictionary.texts().take(pa.array(column)) for column in codes]
    offsets = pa.array(np.arange(rows.size + 1, dtype=np.int32) * len(names))
    order = np.arange(rows.size * len(names)).reshape(len(names), rows.size).T.ravel()
    again = pa.array(np.tile(np.arange(len(names)), rows.size))
    keys = pa.array([written[name] for name in names], pa.string()).take(again)
    values = pa.concat_arrays([pa.array([], pa.string()), *(text.cast(pa.string()) for text in texts)])
    return pa.MapArray.from_arrays(offsets, keys, values.take(pa.array(order)))
