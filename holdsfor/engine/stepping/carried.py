"""Rows carried from one batch of query times to the next, as blocks, which outlive the axis and the dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import fit
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.cut import NO_DEADLINES, Running
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.world import World, WorldFrame
from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.input.arrived import Arrived, remembered, visible_input
from holdsfor.engine.input.inputs import add_block, encoded, first_begin, source_of, span
from holdsfor.engine.input.kept_input import without_forgotten
from holdsfor.engine.input.window import Windows
from holdsfor.engine.output.result import as_block
from holdsfor.engine.stepping.frontier import Frontier, find_frontier
from holdsfor.engine.stepping.query_times import add_input
from holdsfor.engine.stepping.settling import Scope, State, everything, settle, still_running
from holdsfor.io.columns.wire import without_unused_terms
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.kernels.kernel import AFTER_ALL
from holdsfor.language.description import Input
from holdsfor.plan.definitions import Due, Group, InputSource
from holdsfor.plan.operators import Relation
from holdsfor.plan.whole_plan import Plan


@dataclass(frozen=True, slots=True)
class Carried:
    """fired: the last query time (None: there was none); what is settled follows from it.

    inputs: rows that may still be looked at, or are not due yet. known: what is defined, as it was told last.
    running: deadlines that were set by then; `end` is when each is due. Both in the order of the plan.
    words: see `Words`.
    """

    fired: int | None
    inputs: tuple[Block, ...] = ()
    known: tuple[Block, ...] = ()
    running: tuple[Block, ...] = ()
    words: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """The carried rows on an axis: the state, what was reported last, and an empty world for the axis' sake."""

    state: State
    before: World | None
    world: World


NOTHING_YET = Carried(None)


def dues(plan: Plan, scope: Scope) -> tuple[Due, ...]:
    definitions = (plan.definitions[number] for number in scope.definitions)
    return tuple(due for definition in definitions if isinstance(definition, Group) for due in definition.deadlines)


def opened(
    carried: Carried, program: Program, windows: Windows, scope: Scope, more: Sequence[Block], until: int, room: int
) -> Opened:
    """On an axis for what is carried, for more input, and for query times up to `until`; room: for new terms."""
    frontier = find_frontier(program.plan, windows, carried.fired)
    frame, known = lay_out(carried, program, windows, scope, more, until, frontier, room)
    world = frame.at(windows.start)
    if carried.fired is None:
        return Opened(State(frontier), None, world)
    before = frame.at(min(carried.fired, windows.end))
    put_known(scope.relations(program.plan), carried, known, before)
    running = put_running(dues(program.plan, scope), carried, world)
    return Opened(settle(program.plan, scope, frontier, before, running, forgets=False), before, world)


def lay_out(
    carried: Carried,
    program: Program,
    windows: Windows,
    scope: Scope,
    more: Sequence[Block],
    until: int,
    frontier: Frontier,
    room: int,
) -> tuple[WorldFrame, list[list[Column]]]:
    """Make a frame with room for what is carried and for more input, and the columns of what is known."""
    dictionary, facts = program.begin()
    sources = (*program.plan.sources, *scope.sources)
    for block in (*carried.inputs, *more):
        if (source := source_of(block, sources)) is not None:
            encoded(block, source.identities, dictionary)
    known = [_columns(block, dictionary) for block in carried.known]
    for block in carried.running:
        _columns(block, dictionary)
    everything = (*carried.inputs, *more, *carried.known)  # a deadline may be due at any time, on the axis or not
    latest = max([min(until, windows.end), *frontier.cuts.values()])
    low, high = span(everything, max(frontier.lowest, frontier.nothing), latest)
    low = first_begin(everything, max(low, frontier.nothing))  # a durative row counts from the start of the history on
    axis = fit(low, high, windows.tick, len(dictionary), room, program.columns, program.tuning)
    dictionary.limit, dictionary.first_count = axis.codes, len(dictionary)
    return WorldFrame(axis, dictionary, facts, windows.start, program.plan.unreported, windows.step), known


def put_known(relations: Iterable[Relation], carried: Carried, known: list[list[Column]], world: World) -> None:
    """Put what is known of relations into a world. known: the columns of each."""
    for relation, block, columns in zip(relations, carried.known, known, strict=True):
        _put(relation, block, columns, world)


def put_running(dues_set: Iterable[Due], carried: Carried, world: World) -> dict[Due, Running]:
    """Return the deadlines that were set, on the axis of a world."""
    return {each: _running(each, block, world) for each, block in zip(dues_set, carried.running, strict=True)}


def world_after(carried: Carried, program: Program, windows: Windows, scope: Scope, room: int) -> World:
    """Return the world of the last query time: the input that may still count, and all that is defined."""
    assert carried.fired is not None, "there was a query time"
    start = opened(carried, program, windows, scope, (), carried.fired, room)
    assert start.before is not None
    arrived = [Arrived(block, windows) for block in carried.inputs]
    add_input(program, scope, visible_input(arrived, start.state.frontier, carried.fired), start.before)
    return start.before


def merge_carried(parts: Sequence[tuple[Scope, Carried]], plan: Plan, forwards: Iterable[Block]) -> Carried:
    """Merge what stages and buckets carry, as if one evaluation had done it all. forwards: input for later stages."""
    known: dict[Relation, list[Block]] = {}
    running: dict[Due, list[Block]] = {}
    for scope, carried in ((scope, carried) for scope, carried in parts if carried.fired is not None):
        for relation, block in zip(scope.relations(plan), carried.known, strict=True):
            known.setdefault(relation, []).append(block)
        for due, block in zip(dues(plan, scope), carried.running, strict=True):
            running.setdefault(due, []).append(block)
    inputs = [block for _, carried in parts for block in carried.inputs]
    whole, fired = everything(plan), [carried.fired for _, carried in parts if carried.fired is not None]
    if not fired:
        return Carried(None, join_blocks([*inputs, *forwards]))
    return Carried(
        max(fired),
        join_blocks([*inputs, *forwards]),
        tuple(join_blocks(known[relation])[0] for relation in whole.relations(plan)),
        tuple(join_blocks(running[due])[0] for due in dues(plan, whole)),
    )


def _columns(block: Block, dictionary: Dictionary) -> list[Column]:
    return list(encoded(block, range(len(block.args)), dictionary))


def _put(relation: Relation, block: Block, columns: list[Column], world: World) -> None:
    """A defined relation, back from its block."""
    if not len(block):
        world.relations[relation] = world.nothing_of(relation)
        return
    positions = frozenset(range(relation.signature.arity))
    kind = Input(relation.signature, "event" if relation.kind == "event" else "interval", True, frozenset())
    add_block(block, columns, InputSource(kind, (relation,), positions), world)


def _running(due: Due, block: Block, world: World) -> Running:
    axis = world.axis
    codes = [world.dictionary.encode_array(arg) for arg in block.args]
    keys = axis.key(codes) if codes else np.zeros(len(block), np.int64)
    assert block.end is not None
    never = np.full(len(block), AFTER_ALL)  # what drops it comes after the cut, and is found again
    return Running(keys, block.start - axis.origin, block.end - axis.origin, never)


def carried_from(
    query_time: int, frontier: Frontier, world: World, program: Program, scope: Scope, inputs: Sequence[Block]
) -> Carried:
    """Return what the next batch of query times starts from. world: all that is known after this one."""
    return Carried(
        query_time,
        without_forgotten(inputs, frontier),
        tuple(_not_over(as_block(r, world), frontier.horizon(r)) for r in scope.relations(program.plan)),
        tuple(_deadlines(due, frontier.cut(due.source), world) for due in dues(program.plan, scope)),
    )


def _not_over(block: Block, horizon: int) -> Block:
    """Without what was over at the horizon. That an interval ends right after it is not settled: it may go on."""
    return block.filter(remembered(block, horizon) if block.end is None else np.greater(block.end, horizon))


def _deadlines(due: Due, cut: int, world: World) -> Block:
    """Return the deadlines that were set by the cut and not over then; later ones are found again."""
    axis = world.axis
    running = still_running(world.running.get(due, NO_DEADLINES), cut - axis.origin)
    texts = world.dictionary.texts()
    codes = (axis.code(running.keys, position, due.source.arity) for position in range(due.source.arity))
    args = tuple(pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int32)), texts) for code in codes)
    since = np.full(len(running.due), cut)
    return Block(due.source.name, "interval", args, None, since, running.due + axis.origin, since)


def on_used_terms(carried: Carried) -> Carried:
    """Return the same on a list of the terms that its rows use, as a file would have it."""
    meta, blocks = labelled(carried)
    uses, those = [use for use, _ in blocks], without_unused_terms([block for _, block in blocks])
    return from_labelled(meta, list(zip(uses, those, strict=True)))


# ---------------------------------------------------------------- as labelled blocks, for a file


def labelled(carried: Carried) -> tuple[dict[str, str], list[tuple[str, Block]]]:
    """Return the metadata of a file of carried rows, and its blocks with their uses."""
    meta = {"fired": "" if carried.fired is None else str(carried.fired)}
    parts = {"input": carried.inputs, "known": carried.known, "running": carried.running, "word": carried.words}
    return meta, [(use, block) for use, blocks in parts.items() for block in blocks]


def from_labelled(meta: Mapping[str, str], blocks: Sequence[tuple[str, Block]]) -> Carried:
    def of(wanted: str) -> tuple[Block, ...]:
        return tuple(block for use, block in blocks if use == wanted)

    fired = int(meta["fired"]) if meta["fired"] else None
    return Carried(fired, of("input"), of("known"), of("running"), of("word"))
