"""Derivations as text: an indented tree, and as plain values."""

from __future__ import annotations

from typing import Any

from holdsfor.printable import count_text, printable
from holdsfor.why.derivation import Derivation, LeafRows


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
        waiting += [(below, depth + 1, "") for below in node.causes[::-1]]
    return "\n".join(map(printable, lines))


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
    if node.kind in ("holds", "input") and node.at is None and node.since is not None:
        return f"from {node.since}" + (", still open" if node.until is None else f" until {node.until}")
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


def as_dict(derivation: Derivation) -> dict[str, Any]:
    """Return the tree as plain values. A node that comes again has only `what` and `again`."""
    root: dict[str, Any] = {}
    seen: set[int] = set()
    waiting = [(derivation, root)]
    while waiting:
        node, plain = waiting.pop()
        plain["what"] = node.what
        if id(node) in seen and node.causes:
            plain["again"] = True
            continue
        seen.add(id(node))
        times = {"at": node.at, "since": node.since, "until": node.until}
        plain |= {"kind": node.kind, **{name: time for name, time in times.items() if time is not None}}
        if node.rule is not None:
            plain["rule"] = {"file": node.rule.file, "line": node.rule.line}
        if node.bindings:
            plain["bindings"] = dict(node.bindings)
        if node.notes:
            plain["notes"] = list(node.notes)
        if node.rows:
            plain["rows"] = [row for part in node.rows for row in _rows(part)]
        for name, below in (("causes", node.causes), ("ended", node.ended)):
            if below:
                plain[name] = [{} for _ in below]
                waiting += zip(below, plain[name], strict=True)
    return root


def _rows(part: LeafRows) -> list[dict[str, Any]]:
    block = part.block
    return [{"source": part.source, "arrival": int(block.arrival[row])} for row in part.rows.tolist()]
