"""Derivations as plain values: version 1 of the JSON form that the docstring of `holdsfor.why` describes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from holdsfor.io.events import OPEN, Block
from holdsfor.language.description import AS_INPUT, ENDED, ENDINGS, REPLACED
from holdsfor.language.terms import quoted
from holdsfor.why.derivation import Derivation, LeafRows

VERSION = 1
TIMES = ("at", "since", "until")


def as_dict(derivation: Derivation) -> dict[str, Any]:
    """Return the nodes of a tree, each once, and the rows that are its evidence."""
    nodes = list(derivation.nodes())
    places = {id(node): place for place, node in enumerate(nodes)}
    evidence = EvidenceRows()
    plain = [_plain(node, places, evidence) for node in nodes]
    for node in nodes:
        evidence.places(node.considered)
    history = dict(zip(("start", "end", "tick"), derivation.history, strict=True)) if derivation.history else {}
    return {"version": VERSION, "history": history, "nodes": plain, "rows": evidence.rows}


class EvidenceRows:
    """Rows of the input, each once, in the order in which they are asked for."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._places: dict[tuple[int, int], int] = {}

    def places(self, parts: Iterable[LeafRows]) -> list[int]:
        """Return where rows stand in the list."""
        return [self._place(part, row) for part in parts for row in part.rows.tolist()]

    def _place(self, part: LeafRows, row: int) -> int:
        about = (id(part.block), row)
        if about not in self._places:
            self._places[about] = len(self.rows)
            arrival = int(part.block.arrival[row])
            self.rows.append({"row": row_text(part.block, row), "arrival": arrival, "source": part.source})
        return self._places[about]


def _plain(node: Derivation, place_of: dict[int, int], evidence: EvidenceRows) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": node.kind, "what": node.what, **node.details}
    plain |= {name: getattr(node, name) for name in TIMES if getattr(node, name) is not None}
    if node.rule is not None:
        plain["rule"] = {"file": node.rule.file, "line": node.rule.line}
    if node.bindings:
        plain["bindings"] = dict(node.bindings)
    for name, below in (("causes", node.causes), ("ended", node.ended)):
        if below:
            plain[name] = [place_of[id(each)] for each in below]
    if node.notes:
        plain["notes"] = list(node.notes)
    if node.rows:
        plain["rows"] = evidence.places(node.rows)
    return plain


def row_text(block: Block, row: int) -> str:
    """Write a row of the input as `read_events(..., format="terms")` reads it."""
    return f"{claim_text(block, row)} @ {span_text(block, row)} arrives {int(block.arrival[row])}"


def claim_text(block: Block, row: int) -> str:
    """Write the event of a row, or the fluent with its value."""
    args = [_text(column, row) for column in block.args]
    name, _, word = block.name.rpartition(" ")
    name = quoted(name if word in ENDINGS else block.name.removesuffix(f" {AS_INPUT}"))
    subject = f"{name}({','.join(args)})" if args else name
    if block.value is None or pa.types.is_integer(block.value.type):  # of a fact: when its row began
        return {ENDED: f"end {subject}", REPLACED: f"new {subject}"}.get(word, subject)
    return f"{subject}={_text(block.value, row)}"


def span_text(block: Block, row: int) -> str:
    """Write when a row is true."""
    start = int(block.start[row])
    if block.end is not None:
        end = int(block.end[row])
        return f"[{start},{'inf' if end == OPEN else end})"
    if block.onset is not None and block.onset[row] != start:
        return f"[{int(block.onset[row])},{start}]"
    return str(start)


def _text(column: pa.Array, row: int) -> str:
    return str(column[row].as_py())
