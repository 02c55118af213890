"""Rows that a batch brings to a bucket: of the input, and what earlier stages have concluded from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdsfor.io.events import Block


@dataclass(frozen=True, slots=True)
class Fresh:
    """Rows that a batch brings to a bucket. words: what earlier stages say of query times."""

    inputs: list[Block] = field(default_factory=list)
    forwards: list[Block] = field(default_factory=list)
    links: list[Block] = field(default_factory=list)
    words: list[Block] = field(default_factory=list)

    def add(self, label: str, block: Block) -> None:
        match label:
            case "input":
                self.inputs.append(block)
            case "forward":
                self.forwards.append(block)
            case "evidence":
                self.links.append(block)
            case "given":
                self.words.append(block)

    def labelled(self) -> Iterator[tuple[str, Block]]:
        """All blocks, each with the label that `add` knows it by."""
        uses = {"input": self.inputs, "forward": self.forwards, "evidence": self.links, "given": self.words}
        for use, blocks in uses.items():
            yield from ((use, block) for block in blocks)

    def __bool__(self) -> bool:
        return bool(self.inputs or self.forwards or self.links or self.words)
