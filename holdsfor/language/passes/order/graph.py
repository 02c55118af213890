"""Directed graphs as dictionaries: which nodes depend on each other."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(needs: Mapping[Node, Collection[Node]]) -> list[list[Node]]:
    """Strongly connected groups, each after those it depends on (Tarjan's algorithm, without recursion)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    waiting: dict[Node, None] = {}  # seen, and not yet in a group; in the order of `index`
    groups: list[list[Node]] = []
    for root in needs:
        way: list[tuple[Node, Iterator[Node]]] = [] if root in index else [(root, iter(needs[root]))]
        while way:
            node, rest = way[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                waiting[node] = None
            need = next((each for each in rest if each not in index or each in waiting), None)
            if need is None:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == index[node]:
                    groups.append(_taken(waiting, node))
            elif need in index:
                low[node] = min(low[node], index[need])
            else:
                way.append((need, iter(needs[need])))
    return groups


def _taken(waiting: dict[Node, None], first: Node) -> list[Node]:
    """Takes the first and all after it."""
    group: list[Node] = []
    while not group or group[-1] != first:
        group.append(waiting.popitem()[0])
    return group[::-1]


def shortest_way(needs: Mapping[Node, Collection[Node]], start: Node, goal: Node) -> list[Node]:
    """Return the nodes of a shortest way of one step or more, with both ends; only the start if there is none."""
    paths = [[start]]
    seen: set[Node] = set()
    for path in paths:
        for need in needs.get(path[-1], ()):
            if need == goal:
                return [*path, need]
            if need not in seen:
                seen.add(need)
                paths.append([*path, need])
    return [start]
