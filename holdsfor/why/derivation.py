"""The derivation of a fact: a tree of what was concluded, down to rows of the input and background facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.io.readers.read import EventSource
from holdsfor.language.description import Input
from holdsfor.language.terms import Place

Kind = OneOf[
    "input",
    "fact",
    "happens",
    "holds",
    "unkept",
    "call",
    "comparison",
    "calculation",
    "begins",
    "ends",
    "absent",
    "aggregate",
    "solution",
    "lasts",
    "related",
    "pair",
    "near",
    "match",
    "chosen",
    "declared",
    "ending",
    "attempt",
    "failed",
    "unexplained",
]
NO_LONGER_KEPT = "decided on input that is no longer kept"


@dataclass(frozen=True, slots=True, eq=False)
class LeafRows:
    """Some rows of a block of the input, as they counted."""

    block: Block
    rows: Ints
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivation:
    """A fact, when it is true, and why; `holdsfor.why` says what each kind has.

    what: the fact as rules write it. since, until: of an interval (until None: not over), or of an event that takes
    time; at: of an event, or of a condition at a point. rule: where the rule stands that concludes it, with the values
    of its variables; of a background fact, where that stands. causes: the conditions that were true, each with its
    own. ended: why an interval was over. rows: of a leaf, the rows of the input. considered: rows that could have
    changed it, and did not. details: what else its kind has, by name. history: of the root, (start, end, tick).
    """

    kind: Kind
    what: str
    at: int | None = None
    since: int | None = None
    until: int | None = None
    rule: Place | None = None
    bindings: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    causes: tuple[Derivation, ...] = ()
    ended: tuple[Derivation, ...] = ()
    rows: tuple[LeafRows, ...] = ()
    considered: tuple[LeafRows, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[int, int, int] | None = None

    def __str__(self) -> str:
        from holdsfor.why.printing import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return f"<Derivation: {self.what}>"

    def _repr_html_(self) -> str:
        from holdsfor.view.reasons import tree_html

        return tree_html(self)

    def nodes(self) -> Iterator[Derivation]:
        """Iterate over the nodes of the tree, each once, a node before its causes."""
        seen, waiting = {id(self)}, [self]
        while waiting:
            node = waiting.pop()
            yield node
            for below in (*node.causes, *node.ended)[::-1]:
                if id(below) not in seen:
                    seen.add(id(below))
                    waiting.append(below)

    @property
    def unexplained(self) -> tuple[str, ...]:
        """Return what the tree cannot explain."""
        return tuple(node.what for node in self.nodes() if node.kind == "unexplained")

    def inputs(self) -> EventSource:
        """Return the rows of the input that are enough to conclude the fact again, as `read_events` gives events."""
        rows = (each for node in self.nodes() for each in (*node.rows, *node.considered))
        return SomeEvents((), collect_blocks(rows))

    def having(self, **details: Any) -> Derivation:
        """Return the node with more details."""
        return replace(self, details={**self.details, **details})

    def as_dict(self) -> dict[str, Any]:
        """Return the tree as plain values, for JSON: a list of nodes, and one of the rows that are its evidence."""
        from holdsfor.why.plain import as_dict

        return as_dict(self)


def unkept(node: Derivation) -> Derivation:
    """Say of a node that it was decided on input that is gone: it has no causes."""
    return replace(node, kind="unkept", notes=(NO_LONGER_KEPT,))


@dataclass(frozen=True, slots=True)
class SomeEvents(EventSource):
    """Events that have been read before."""

    blocks: tuple[Block, ...] = ()

    def read(self, inputs: Sequence[Input]) -> Events:
        """Return all rows, whatever reads them."""
        return Events(self.blocks, REJECTS_SCHEMA.empty_table(), sum(map(len, self.blocks)), 0)


def collect_blocks(parts: Iterable[LeafRows]) -> tuple[Block, ...]:
    """Return each block with those of its rows that are in one of the parts."""
    blocks: dict[int, tuple[Block, list[Ints]]] = {}
    for part in parts:
        blocks.setdefault(id(part.block), (part.block, []))[1].append(part.rows)
    return tuple(block.take(np.unique(np.concatenate(rows))) for block, rows in blocks.values())
