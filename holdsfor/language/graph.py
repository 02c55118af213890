"""Directed graphs as dictionaries: which nodes depend on each other."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(needs: Mapping[Node, Collection[Node]]) -> list[list[Node]]:
    """Strongly connected groups, each after those it depends on (Tarjan's algorithm)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    groups: list[list[Node]] = []

    def visit(node: Node) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for need in needs[node]:
            if need not in index:
                visit(need)
                low[node] = min(low[node], low[need])
            elif need in stack:
                low[node] = min(low[node], index[need])
        if low[node] == index[node]:
            cut = stack.index(node)
            groups.append(stack[cut:])
            del stack[cut:]

    for node in needs:
        if node not in index:
            visit(node)
    return groups


def cycle(group: list[Node], needs: Mapping[Node, Collection[Node]]) -> list[Node] | None:
    """A shortest way from a member of the group back to itself; None if there is none (a lone node without a loop)."""
    order = list(needs)
    first, inner = min(group, key=order.index), set(group)
    paths: list[list[Node]] = [[first]]
    seen: set[Node] = set()
    for path in paths:
        for need in needs[path[-1]]:
            if need == first:
                return [*path, need]
            if need in inner and need not in seen:
                seen.add(need)
                paths.append([*path, need])
    return None
