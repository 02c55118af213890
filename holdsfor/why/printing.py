"""Derivations as lines, which are shown as text, in colours, and on pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple, get_args

from holdsfor.language.patterns import JoinKind
from holdsfor.printable import count_text, printable
from holdsfor.why.derivation import Derivation, LeafRows

JOINS = frozenset(get_args(JoinKind)) | {"or", "where", "not"}
"""Parts of patterns that say no more than their own parts do."""
Style = OneOf["said", "fact", "condition", "failed", "row", "rule", "note", "ended"]


class TreeLine(NamedTuple):
    """A line of a tree: how deep it is, and its parts, each with its style. node: None of a line about a rule."""

    depth: int
    parts: tuple[tuple[Style, str], ...]
    node: Derivation | None

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.parts)


def as_text(derivation: Derivation) -> str:
    """Write the tree, a line or two for each node."""
    return "\n".join(printable("  " * line.depth + line.text) for line in as_lines(derivation))


def as_lines(derivation: Derivation) -> Iterator[TreeLine]:
    """Iterate over the lines of a tree. A node that comes again is not written out again."""
    seen: set[int] = set()
    waiting = [(derivation, 0, "")]
    while waiting:
        node, depth, label = waiting.pop()
        again = id(node) in seen and bool(node.causes)
        parts: list[tuple[Style, str]] = [("ended", label), *_headline(node)]
        parts.append(("note", " (see above)" if again else ""))
        yield TreeLine(depth, tuple(part for part in parts if part[1]), node)
        if again:
            continue
        seen.add(id(node))
        if node.rule is not None and node.kind != "fact":
            place = f"by {node.rule.file}:{node.rule.line}"
            yield TreeLine(depth + 1, (("rule", place), ("note", _with(node))), None)
        waiting += [(below, depth + 1, "ended: ") for below in node.ended[::-1]]
        waiting += [(below, depth + 1, "") for below in shown_causes(node)[::-1]]


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


def _headline(node: Derivation) -> list[tuple[Style, str]]:
    parts: list[tuple[Style, str]] = []
    if "said" in node.details:
        parts.append(("said", f"{node.details['said']}: "))
    is_denied = "denied" in node.details or node.kind == "attempt"
    style: Style = "failed" if is_denied else "fact" if "fact" in node.details else "condition"
    when = when_text(node)
    parts += [(style, node.what), ("note", f" {when}" if when else "")]
    if node.rows:
        parts.append(("row", f" [{rows_text(node.rows)}]"))
    elif node.kind == "fact" and not is_denied:
        parts.append(("row", " [fact]" if node.rule is None else f" [fact, {node.rule.file}:{node.rule.line}]"))
    return [*parts, *(("note", f" ({note})") for note in node.notes)]


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
