"""Derivations as text: an indented tree."""

from __future__ import annotations

from typing import get_args

from holdsfor.language.patterns import JoinKind
from holdsfor.printable import count_text, printable
from holdsfor.why.derivation import Derivation, LeafRows

JOINS = frozenset(get_args(JoinKind)) | {"or", "where", "not"}
"""Parts of patterns that say no more than their own parts do."""


def as_text(derivation: Derivation) -> str:
    """Write the tree, a line or two for each node. A node that comes again is not written out again."""
    lines: list[str] = []
    seen: set[int] = set()
    waiting = [(derivation, 0, "")]
    while waiting:
        node, depth, label = waiting.pop()
        again = id(node) in seen and bool(node.causes)
        indent = "  " * depth
        lines.append(f"{indent}{label}{_headline(node)}{' (see above)' if again else ''}")
        if again:
            continue
        seen.add(id(node))
        if node.rule is not None and node.kind != "fact":
            lines.append(f"{indent}  by {node.rule.file}:{node.rule.line}{_with(node)}")
        waiting += [(below, depth + 1, "ended: ") for below in node.ended[::-1]]
        waiting += [(below, depth + 1, "") for below in shown_causes(node)[::-1]]
    return "\n".join(map(printable, lines))


def shown_causes(node: Derivation) -> tuple[Derivation, ...]:
    """Return the causes of a node; in the place of a part of a pattern that only joins others, those others."""
    shown: list[Derivation] = []
    waiting = list(node.causes[::-1])
    while waiting:
        cause = waiting.pop()
        if cause.kind == "match" and cause.details["op"] in JOINS:
            waiting += cause.causes[::-1]
        else:
            shown.append(cause)
    return tuple(shown)


def _headline(node: Derivation) -> str:
    parts = [node.what, when_text(node)]
    if node.rows:
        parts.append(f"[{rows_text(node.rows)}]")
    elif node.kind == "fact":
        parts.append("[fact]" if node.rule is None else f"[fact, {node.rule.file}:{node.rule.line}]")
    parts += [f"({note})" for note in node.notes]
    return " ".join(part for part in parts if part)


def when_text(node: Derivation) -> str:
    """Say when a fact is true."""
    if node.kind in ("holds", "input", "unkept", "lasts") and node.at is None and node.since is not None:
        return f"from {node.since}" + (", open" if node.until is None else f" until {node.until}")
    if node.at is None:
        return ""
    return f"at {node.at}" if node.since is None else f"from {node.since} to {node.at}"


def rows_text(rows: tuple[LeafRows, ...]) -> str:
    """Say where rows come from and when they arrived."""
    count = sum(len(part.rows) for part in rows)
    arrivals = sorted({int(part.block.arrival[row]) for part in rows for row in part.rows.tolist()})
    source = ", ".join(dict.fromkeys(part.source for part in rows)) or "input"
    arrived = "" if not arrivals else f", arrived {arrivals[0]}" + (f"..{arrivals[-1]}" if len(arrivals) > 1 else "")
    return f"{source}{'' if count == 1 else ': ' + count_text(count, 'row')}{arrived}"


def _with(node: Derivation) -> str:
    return f" with {', '.join(f'{name}={value}' for name, value in node.bindings)}" if node.bindings else ""
