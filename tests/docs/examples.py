"""Finds the examples of the documents: fenced blocks that are written to files, run, or compared with what comes out.

A `prolog` block begins an example, and the blocks after it belong to it:

    prolog                  rules.ec
    turtle                  knowledge.ttl, triples beside the rules
    test                    rules.test.ec; its fences are tildes, since it has blocks itself
    events                  events.txt, in the format of terms; a first line `% window=20 step=10` gives the times
    rtec, csv, toml         events.csv, events.csv, mapping.toml
    result                  intervals and occurrences, as `tables.result` writes them
    rejects, late           those tables
    error, warning          what is said about the rules
    python, output          a program, and what it prints
    console                 `$ holdsfor ...` and what it prints

Blocks of the kinds `text`, `sh`, `py` and `mermaid` are for reading only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from holdsfor.testing.blocks import find_blocks

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))

WRITTEN = {
    "prolog": "rules.ec",
    "turtle": "knowledge.ttl",
    "test": "rules.test.ec",
    "events": "events.txt",
    "rtec": "events.csv",
    "csv": "events.csv",
    "toml": "mapping.toml",
}
COMPARED = ("result", "rejects", "late", "error", "warning", "output", "console")
READ_ONLY = ("text", "sh", "py", "mermaid")
KINDS = (*WRITTEN, *COMPARED, "python", *READ_ONLY)


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    place: str


@dataclass(frozen=True)
class Example:
    blocks: tuple[Block, ...]

    @property
    def place(self) -> str:
        return self.blocks[0].place


def blocks(path: Path) -> Iterator[Block]:
    for block in find_blocks(path.read_text(encoding="utf-8")):
        yield Block(block.kind, block.text, f"{path.relative_to(ROOT)}:{block.line}")


def examples(path: Path) -> Iterator[Example]:
    group: list[Block] = []
    for block in blocks(path):
        if block.kind == "prolog" and group:
            yield Example(tuple(group))
            group = []
        if block.kind == "prolog" or (group and block.kind not in READ_ONLY):
            group.append(block)
    if group:
        yield Example(tuple(group))
