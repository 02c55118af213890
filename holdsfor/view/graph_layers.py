"""Layout of a layered graph: columns from left to right, few crossings, short arrows.

A long arrow gets a stop in each column that it passes; arrows from one node share their stops, so that they run
together until they must part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

from holdsfor.view.graph import Graph

HEIGHT = 30.0
GAP = 16.0
STOP_GAP = 10.0
_SWEEPS = 12

Spot = tuple[int, int]  # node, column; a stop if the column is not the node's own


@dataclass(frozen=True, slots=True)
class Layers:
    """Positions of the nodes and stops of a graph.

    columns: the spots of each from top to bottom. y: the middle of each. routes: by arrow, the spots that it visits;
    none for an arrow within a column.
    """

    columns: list[list[Spot]]
    y: dict[Spot, float]
    routes: list[list[Spot]]


def layers(graph: Graph) -> Layers:
    columns: list[list[Spot]] = [[] for _ in range(max((node.layer for node in graph.nodes), default=-1) + 1)]
    for number, node in enumerate(graph.nodes):
        columns[node.layer].append((number, node.layer))
    routes: list[list[Spot]] = []
    links: dict[tuple[Spot, Spot], None] = {}
    for arrow in graph.arrows:
        begin, end = graph.nodes[arrow.source].layer, graph.nodes[arrow.target].layer
        if begin >= end:
            routes.append([])
            continue
        route = [*((arrow.source, column) for column in range(begin, end)), (arrow.target, end)]
        for stop in route[1:-1]:
            if stop not in columns[stop[1]]:
                columns[stop[1]].append(stop)
        links.update(dict.fromkeys(pairwise(route)))
        routes.append(route)
    before: dict[Spot, list[Spot]] = {spot: [] for column in columns for spot in column}
    after: dict[Spot, list[Spot]] = {spot: [] for column in columns for spot in column}
    for one, other in links:
        before[other].append(one)
        after[one].append(other)
    columns = _ordered(columns, before, after)
    return Layers(columns, _placed(columns, before, after, graph), routes)


def _ordered(
    columns: list[list[Spot]], before: dict[Spot, list[Spot]], after: dict[Spot, list[Spot]]
) -> list[list[Spot]]:
    """Sweep to and fro: each spot goes to the mean of its neighbours, and the order with fewest crossings stays."""
    best, fewest = columns, _crossings(columns, after)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        near = before if forward else after
        columns = [list(column) for column in columns]
        for column in columns[1:] if forward else columns[-2::-1]:
            rank = {spot: index for each in columns for index, spot in enumerate(each)}
            column.sort(key=lambda spot: _mean([rank[each] for each in near[spot]], rank[spot]))
        crossings = _crossings(columns, after)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _crossings(columns: list[list[Spot]], after: dict[Spot, list[Spot]]) -> int:
    count = 0
    for column, following in pairwise(columns):
        rank = {spot: index for index, spot in enumerate(following)}
        ends: list[int] = []
        for spot in column:
            reached = [rank[other] for other in after[spot]]
            count += sum(end > mine for end in ends for mine in reached)
            ends += reached
    return count


def _placed(
    columns: list[list[Spot]], before: dict[Spot, list[Spot]], after: dict[Spot, list[Spot]], graph: Graph
) -> dict[Spot, float]:
    y: dict[Spot, float] = {}
    offsets = [_offsets(column, graph) for column in columns]
    tallest = max((each[-1] for each in offsets if each), default=0.0)
    for column, offset in zip(columns, offsets, strict=True):
        begin = (tallest - offset[-1]) / 2 if offset else 0.0
        y.update({spot: begin + at for spot, at in zip(column, offset, strict=True)})
    for sweep in range(_SWEEPS):
        near = before if sweep % 2 == 0 else after
        for column, offset in list(zip(columns, offsets, strict=True))[:: 1 if sweep % 2 == 0 else -1]:
            wished = [_mean([y[each] for each in near[spot]], y[spot]) for spot in column]
            y.update(zip(column, _apart(wished, offset), strict=True))
    top = min(y.values(), default=0.0)
    return {spot: at - top for spot, at in y.items()}


def _offsets(column: list[Spot], graph: Graph) -> list[float]:
    """Return the least distances from the top of a column, in order."""
    rooms = [HEIGHT + GAP if graph.nodes[node].layer == layer else STOP_GAP for node, layer in column]
    return list(accumulate(((one + other) / 2 for one, other in pairwise(rooms)), initial=0.0)) if rooms else []


def _apart(wished: list[float], offsets: list[float]) -> list[float]:
    """Return the places nearest to those wished, in least squares, that keep order and distances.

    Neighbours that collide are pooled and share the mean of their wishes.
    """
    pools: list[tuple[float, int]] = []
    for wish, offset in zip(wished, offsets, strict=True):
        level, size = wish - offset, 1
        while pools and pools[-1][0] > level:
            other, count = pools.pop()
            level, size = (other * count + level * size) / (count + size), count + size
        pools.append((level, size))
    levels = [level for level, size in pools for _ in range(size)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _mean(values: list[int] | list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
