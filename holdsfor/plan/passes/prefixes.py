"""How chains begin: which beginnings several of them have. Each operator is looked at once, however long a chain is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.plan.operators import Chain, Op

ROOT = 0


class Prefixes:
    """A tree of the beginnings of chains, with the number of chains that begin so."""

    def __init__(self, chains: Iterable[Chain]) -> None:
        self._numbers: dict[Op, int] = {}
        self._children: dict[tuple[int, int], int] = {}
        self._uses = [0]
        self._first: list[tuple[Chain, int]] = [((), 0)]  # a chain that begins so, and how long the beginning is
        for chain in chains:
            self._insert(chain)

    def _insert(self, chain: Chain) -> None:
        node = ROOT
        for length, op in enumerate(chain, 1):
            step = node, self._numbers.setdefault(op, len(self._numbers))
            node = self._children.setdefault(step, len(self._uses))
            if node == len(self._uses):
                self._uses.append(0)
                self._first.append((chain, length))
            self._uses[node] += 1

    def uses(self, chain: Chain) -> list[int]:
        """For each beginning of the chain, the shortest first: how many chains have it. They never increase."""
        counts: list[int] = []
        node: int | None = ROOT
        for op in chain:
            number = self._numbers.get(op)
            node = None if number is None or node is None else self._children.get((node, number))
            counts.append(0 if node is None else self._uses[node])
        return counts

    def shared(self) -> Iterator[tuple[Chain, int]]:
        """Beginnings that more chains have than have them with one operator more; shorter ones first."""
        longer = {parent for (parent, _), node in self._children.items() if self._uses[node] == self._uses[parent]}
        nodes = [node for node, uses in enumerate(self._uses) if uses > 1 and node not in longer]
        for node in sorted(nodes, key=lambda node: self._first[node][1]):
            chain, length = self._first[node]
            yield chain[:length], self._uses[node]
