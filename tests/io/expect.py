"""What a reading test says: inputs in one line, rows as plain tuples."""

from __future__ import annotations

from typing import Any

from holdsfor.io.columns.text import as_text
from holdsfor.io.events import OPEN, Block, Events
from holdsfor.language.description import Input, Signature


def inputs(text: str) -> tuple[Input, ...]:
    """`event reading/2#1, interval near/2, point seen/1, unread event ping/0`; `#1` marks a number at position 1."""
    found = []
    for item in text.split(","):
        *words, form = item.split()
        name, _, numbers = form.partition("#")
        name, _, arity = name.partition("/")
        marked = frozenset(int(digit) for digit in numbers)
        found.append(Input(Signature(name, int(arity)), words[-1], words[0] != "unread", marked))  # type: ignore[arg-type]
    return tuple(found)


def block(events: Events, name: str, kind: str | None = None, arity: int | None = None) -> Block:
    """The one block of a name."""
    found = [
        b
        for b in events.blocks
        if b.name == name and kind in (None, b.kind) and (arity is None or len(b.args) == arity)
    ]
    assert len(found) == 1, f"{len(found)} blocks of {name}; rejects: {events.rejects.to_pylist()}"
    return found[0]


def args(block: Block) -> list[tuple[str, ...]]:
    """The arguments of each row as Prolog text."""
    columns = [as_text(column).to_pylist() for column in block.args]
    return list(zip(*columns, strict=True)) if columns else [()] * len(block)


def rows(block: Block) -> list[tuple[Any, ...]]:
    """(args, value, start, end, arrival) of each row; None for an open end."""
    values = block.value.to_pylist() if block.value is not None else [None] * len(block)
    ends = [None] * len(block) if block.end is None else [None if e == OPEN else e for e in block.end.tolist()]
    return list(zip(args(block), values, block.start.tolist(), ends, block.arrival.tolist(), strict=True))


def rejects(events: Events) -> list[tuple[int, str]]:
    """(row, reason) of each rejected row."""
    return [(reject["row"], reject["reason"]) for reject in events.rejects.to_pylist()]
