"""Through query times by what changes at each: new rows, what time alone brings, and what follows from both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World, count_failures
from holdsfor.engine.incremental.arrivals import add_arrivals, add_words, count_merged
from holdsfor.engine.incremental.blocks import Evaluation
from holdsfor.engine.incremental.known import (
    WORK,
    Differences,
    KnownWorld,
    QueryTurn,
    find_edges,
    last_start,
    next_agenda,
    next_future,
    next_wake,
)
from holdsfor.engine.incremental.touching import choose_block, find_touched
from holdsfor.engine.incremental.units import SessionSetting, Unit
from holdsfor.engine.input.arrived import Arrived, find_newly_visible, visible_input
from holdsfor.engine.input.kept_input import KeptInput
from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.frontier import make_frontier
from holdsfor.engine.stepping.query_times import QueryMoment, next_place
from holdsfor.engine.stepping.settling import State
from holdsfor.engine.stepping.upstream_changes import NO_WORDS, Words
from holdsfor.engine.tuning import Tuning
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.plan.operators import Relation


def changing_moments(
    setting: SessionSetting,
    known: KnownWorld,
    due: Sequence[int],
    arrived: Sequence[Arrived],
    rest: KeptInput,
    words: Words = NO_WORDS,
) -> Iterator[tuple[QueryMoment, KnownWorld]]:
    """The query times that are due, one after the other, as `moments` gives them: but what they know is what differs.

    arrived: rows that were not there at the last query time. rest: the rows that were. words: of earlier stages.
    """
    place = 0
    while place < len(due):
        query_time = due[place]
        fresh = list(find_newly_visible(arrived, known.query_time, query_time))
        following, differences, counts = _advance(setting, known, query_time, fresh, arrived, rest, words)
        place = next_place(due, place, arrived, words, partial(next_wake, following, setting))
        before, now = _worlds(known, following, differences)
        state = State(following.frontier)
        left_out, work = counts.get("left_out", 0), {name: counts.get(name, 0) for name in WORK}
        equal = counts["equal"]
        moment = QueryMoment(query_time, before, known.frontier, now, state, left_out, work, following.world, equal)
        yield moment, following
        known = following


def _advance(
    setting: SessionSetting,
    known: KnownWorld,
    query_time: int,
    fresh: Sequence[Block],
    arrived: Sequence[Arrived],
    rest: KeptInput,
    words: Words,
) -> tuple[KnownWorld, Differences, Mapping[str, int]]:
    windows, plan = setting.windows, setting.program.plan
    bare = replace(known.bare, now=min(query_time, windows.end), counts=Counter())
    stores = dict(known.stores)

    def everything() -> list[Block]:
        rows = join_blocks([*rest.blocks, *(item.block for item in arrived)])
        arrivals = [Arrived(block, windows) for block in rows]
        return list(visible_input(arrivals, known.frontier, query_time))

    sources = (*plan.sources, *setting.scope.sources)
    pointwise = [*rest.of_points(), *(item.block for item in arrived if item.block.kind == "point")]
    differences = add_arrivals(fresh, everything, pointwise, sources, windows, bare, stores, known.frontier)
    spoken = words.between(known.query_time, query_time)
    everything_told = partial(words.at, query_time)
    equal = count_merged(known.stores, differences, setting.scope.counted or ())
    differences |= add_words(spoken, everything_told, setting.scope.sources, bare, stores, known.frontier)
    differences = {relation: difference for relation, difference in differences.items() if difference}
    turn = QueryTurn(known, setting, bare, stores, dict(known.running), differences, {"equal": equal})
    for unit in setting.units:
        _update(unit, turn)
    nothing = known.frontier.nothing  # agenda and future say when it is quiet
    frontier = make_frontier(plan, windows, query_time, setting.lookings, quiet=nothing)
    edges = find_edges(setting, query_time, bare.axis.origin)
    agenda = next_agenda(known, turn.differences, setting, edges)
    turn.counts |= count_failures(bare)
    future = next_future(known, turn.differences, bare)
    following = KnownWorld(query_time, bare, turn.stores, turn.running, frontier, edges, agenda, future)
    return following, turn.differences, turn.counts


def _update(unit: Unit, turn: QueryTurn) -> None:
    """Evaluate the tuples of a unit that are touched."""
    touched, stirred = find_touched(turn, unit)
    if not touched:
        turn.count("definitions_skipped", len(unit.steps))
        return
    turn.count("blocks_evaluated", 1)
    Evaluation(turn, unit, *choose_block(turn, touched), stirred).run()


def _worlds(known: KnownWorld, following: KnownWorld, differences: Differences) -> tuple[World, World]:
    """Return the rows that differ between two query times, before and after, with intervals that begin only now."""
    before = {relation: difference.removed for relation, difference in differences.items()}
    now = {relation: difference.added for relation, difference in differences.items()}
    for relation, begun in _begun_since(known, following).items():
        added = now.get(relation)
        if added is None:
            now[relation] = begun
        else:
            now[relation] = added.merge(begun.where(~np.isin(begun.begins(), added.begins())))[0]
    return replace(known.bare, relations=before), replace(following.bare, relations=now)


def _begun_since(known: KnownWorld, following: KnownWorld) -> dict[Relation, Data]:
    """Intervals that were known and lay in the future."""
    axis = known.bare.axis
    limit = last_start(following.bare)
    begun: dict[Relation, Data] = {}
    for relation, starts in known.future.items():
        chosen = starts[(starts & axis.mask) <= limit]
        if len(chosen):
            data = following.stores[relation].gather(lambda data, chosen=chosen: _places_of(data, chosen)).data  # type: ignore[misc]
            if len(data):
                begun[relation] = data
    return begun


def _places_of(data: Data, starts: Ints) -> Ints:
    """Return the places of the intervals that begin at these points."""
    place = np.minimum(np.searchsorted(data.begins(), starts), len(data) - 1)
    return np.asarray(place[data.begins()[place] == starts], np.int64)


def count_light(waiting: Sequence[Block], known: int, due: range, windows: Windows, tuning: Tuning) -> int:
    """How many query times there are before one that brings more rows than were known: nearly all of it is new.

    known: how many rows there are.
    """
    count = sum(map(len, waiting))
    if count <= tuning.few_rows or count <= tuning.most_new * known:  # however they fall on them
        return len(due)
    fresh = np.zeros(len(due) + 1, np.int64)  # the last: for a later one
    for block in waiting:
        fresh += np.bincount(np.searchsorted(due, windows.first_seen(block.arrival)), minlength=len(fresh))
    before = known + np.cumsum(fresh) - fresh
    heavy = np.flatnonzero((fresh > tuning.few_rows) & (fresh > tuning.most_new * before))
    return min(int(heavy[0]), len(due)) if len(heavy) else len(due)
