"""What a batch brings to a bucket: rows of the input, and what earlier stages have concluded from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdsfor.io.events import Block


@dataclass(frozen=True, slots=True)
class Spoken:
    """A block of an earlier stage's bucket, and the last query time that it speaks for."""

    until: int
    block: Block


@dataclass(frozen=True, slots=True)
class Spokens:
    """What the buckets of earlier stages have concluded, by the first query time that each block speaks for."""

    by_time: dict[int, list[Spoken]] = field(default_factory=dict)
    lasting: list[tuple[int, Spoken]] = field(default_factory=list)  # those that speak for more than one query time

    def add(self, query_time: int, spoken: Spoken) -> None:
        self.by_time.setdefault(query_time, []).append(spoken)
        if spoken.until > query_time:
            self.lasting.append((query_time, spoken))

    def at(self, query_time: int) -> list[Block]:
        fresh = [spoken.block for spoken in self.by_time.get(query_time, ())]
        return fresh + [spoken.block for first, spoken in self.lasting if first < query_time <= spoken.until]

    def next_change(self, query_time: int) -> int | None:
        """When a block begins to speak, or one that speaks now speaks no longer: its sender may have nothing to say."""
        lasting = (spoken for first, spoken in self.lasting if first < query_time)
        speaking = [*self.by_time.get(query_time, ()), *lasting]
        silent = (spoken.until + 1 for spoken in speaking if spoken.until >= query_time)
        return min([*silent, *(first for first in self.by_time if first > query_time)], default=None)

    def blocks(self) -> Iterator[Block]:
        for spokens in self.by_time.values():
            yield from (spoken.block for spoken in spokens)


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a batch brings to a bucket. upstream: what earlier stages have concluded."""

    inputs: list[Block] = field(default_factory=list)
    forwards: list[Block] = field(default_factory=list)
    links: list[Block] = field(default_factory=list)
    upstream: Spokens = field(default_factory=Spokens)

    def add(self, label: str, block: Block) -> None:
        match label.split():
            case ["input"]:
                self.inputs.append(block)
            case ["forward"]:
                self.forwards.append(block)
            case ["evidence"]:
                self.links.append(block)
            case ["given", first, until]:
                self.upstream.add(int(first), Spoken(int(until), block))

    def labelled(self) -> Iterator[tuple[str, Block]]:
        """All blocks, each with the label that `add` knows it by."""
        for use, blocks in (("input", self.inputs), ("forward", self.forwards), ("evidence", self.links)):
            yield from ((use, block) for block in blocks)
        for query_time, spokens in self.upstream.by_time.items():
            yield from ((f"given {query_time} {spoken.until}", spoken.block) for spoken in spokens)

    def __bool__(self) -> bool:
        return bool(self.inputs or self.forwards or self.links or self.upstream.by_time)
