"""Rows of the input that are kept between query times: in parts, as they came, which are joined now and then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from holdsfor.engine.input.arrived import remembered
from holdsfor.engine.input.ended_facts import without_ended
from holdsfor.engine.input.window import is_ending
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.engine.tuning import Tuning
from holdsfor.io.events import Block
from holdsfor.io.join import TermLists, join_blocks

Kind = tuple[str, str, int]
Parts = tuple[Block, ...]


def add_part(parts: Parts, block: Block, frontier: Frontier, terms: TermLists) -> Parts:
    """Add rows of a kind; those that nothing looks at any more go with the part that they are in.

    A part is joined with one that is no larger, so that each row is copied a few times in all.
    """
    horizon = frontier.horizon_of_input(block)
    left = [part for part in parts if not is_over(part, horizon)]
    while left and len(left[-1]) <= len(block):
        part = left.pop()
        (block,) = join_blocks([part.filter(remembered(part, horizon)), block], terms)
    return (*left, block)


def is_over(block: Block, horizon: int) -> bool:
    """Whether nothing looks at any of these events any more."""
    return block.end is None and block.span()[1] <= horizon


@dataclass(frozen=True, slots=True)
class KeptInput:
    """rows: by name, kind and number of arguments. count: how many there are.

    needed: how many of those that end facts were needed when that was last looked at.
    """

    rows: Mapping[Kind, Parts] = field(default_factory=dict)
    count: int = 0
    needed: int = 0

    @property
    def blocks(self) -> Parts:
        return tuple(part for parts in self.rows.values() for part in parts)

    def of_points(self) -> Parts:
        """The rows that are given point by point."""
        return tuple(part for part in self.blocks if part.kind == "point") if self._has_points() else ()

    def _has_points(self) -> bool:
        return any(kind == "point" for _, kind, _ in self.rows)

    def add(self, fresh: Iterable[Block], frontier: Frontier) -> KeptInput:
        rows, terms = dict(self.rows), TermLists()  # rows that came together share their terms
        for block in filter(len, fresh):
            kind = _kind_of(block)
            rows[kind] = add_part(rows.get(kind, ()), block, frontier, terms)
        return KeptInput(rows, sum(len(part) for parts in rows.values() for part in parts), self.needed)

    def has_many_endings(self, tuning: Tuning) -> bool:
        """Whether so many more rows end facts than were needed that it is worth a look which still are."""
        more = _count_endings(self.blocks) - self.needed
        return more > max(tuning.many_endings, self.needed, self.count // tuning.changed_share)


def keep_input(blocks: Sequence[Block]) -> KeptInput:
    """Keep blocks of different kinds."""
    rows = {_kind_of(block): (block,) for block in blocks if len(block)}
    return KeptInput(rows, sum(map(len, blocks)), _count_endings(blocks))


def _count_endings(blocks: Iterable[Block]) -> int:
    return sum(len(block) for block in blocks if is_ending(block))


def _kind_of(block: Block) -> Kind:
    return block.name, block.kind, len(block.args)


def without_forgotten(blocks: Iterable[Block], frontier: Frontier) -> Parts:
    """Drop rows that nothing looks at any more."""
    left = (block.filter(remembered(block, frontier.horizon_of_input(block))) for block in blocks)
    return without_ended((block for block in left if len(block)), frontier)


def rows_after(blocks: Iterable[Block], time: int) -> Parts:
    """The rows that begin later."""
    return tuple(block.filter(block.start > time) for block in blocks if len(block) and block.span()[1] > time)
