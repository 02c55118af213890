"""Graphs of dependencies: in Mermaid's language, in Graphviz's, or drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

Kind = OneOf["input event", "input fluent", "event", "pattern", "simple fluent", "static fluent"]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A thing that is input or defined. layer: how many others must be evaluated before, at least.

    cyclic: it depends on itself, perhaps by way of others. internal: no result has it.
    """

    name: str
    kind: Kind
    layer: int
    cyclic: bool = False
    unreachable: bool = False
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """A dependency of `target` on `source` (positions in the nodes). cyclic: the arrow is part of a cycle."""

    source: int
    target: int
    negative: bool = False
    cyclic: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[GraphNode, ...]
    arrows: tuple[Arrow, ...]


_MERMAID_SHAPES: dict[Kind, tuple[str, str]] = {
    "input event": ("[/", "/]"),
    "input fluent": ("[", "]"),
    "event": ("{{", "}}"),
    "pattern": ("{{", "}}"),
    "simple fluent": ("(", ")"),
    "static fluent": ("[[", "]]"),
}
_DOT_SHAPES: dict[Kind, str] = {
    "input event": 'shape=parallelogram, fillcolor="#eef1f5"',
    "input fluent": 'shape=box, fillcolor="#eef1f5"',
    "event": 'shape=hexagon, fillcolor="#fdf0d5"',
    "pattern": 'shape=hexagon, fillcolor="#f3e5f9"',
    "simple fluent": 'shape=box, style="rounded,filled", fillcolor="#e3edff"',
    "static fluent": 'shape=box, peripheries=2, fillcolor="#e2f4e8"',
}
#: What a node may be besides its kind.
_MARKS = ("cyclic", "unreachable", "internal")


def mermaid(graph: Graph) -> str:
    """Write a flowchart, as pages and repositories show it."""
    lines = ["flowchart LR"]
    for number, node in enumerate(graph.nodes):
        opening, closing = _MERMAID_SHAPES[node.kind]
        lines.append(f'    n{number}{opening}"{_mermaid_text(node.name)}"{closing}:::{_word(node.kind)}')
    for arrow in graph.arrows:
        lines.append(f"    n{arrow.source} {'-.->' if arrow.negative else '-->'} n{arrow.target}")
    lines += [
        "    classDef input fill:#eef1f5,stroke:#5d6878",
        "    classDef event fill:#fdf0d5,stroke:#92560a",
        "    classDef pattern fill:#f3e5f9,stroke:#7b3fa0",
        "    classDef simple fill:#e3edff,stroke:#2563eb",
        "    classDef static fill:#e2f4e8,stroke:#1f7a4d",
        "    classDef cyclic stroke:#c62828,stroke-width:3px",
        "    classDef unreachable opacity:0.5",
        "    classDef internal stroke-dasharray:4 3",
    ]
    for word in _MARKS:
        chosen = [f"n{number}" for number, node in enumerate(graph.nodes) if getattr(node, word)]
        if chosen:
            lines.append(f"    class {','.join(chosen)} {word}")
    circle = [str(number) for number, arrow in enumerate(graph.arrows) if arrow.cyclic]
    if circle:
        lines.append(f"    linkStyle {','.join(circle)} stroke:#c62828,stroke-width:2px")
    return "\n".join(lines) + "\n"


def dot(graph: Graph) -> str:
    """Write a digraph for Graphviz."""
    lines = ["digraph dependencies {", "    rankdir=LR;", '    node [style=filled, fontname="sans-serif"];']
    for number, node in enumerate(graph.nodes):
        more = ', color="#c62828", penwidth=2.5' if node.cyclic else ""
        more += ', fontcolor="#9aa4b2"' if node.unreachable else ""
        more += ', style="dashed,filled"' if node.internal else ""
        lines.append(f'    n{number} [label="{_dot_text(node.name)}", {_DOT_SHAPES[node.kind]}{more}];')
    for arrow in graph.arrows:
        styles = ["style=dashed"] * arrow.negative + ['color="#c62828"'] * arrow.cyclic
        shown = f" [{', '.join(styles)}]" if styles else ""
        lines.append(f"    n{arrow.source} -> n{arrow.target}{shown};")
    for layer in sorted({node.layer for node in graph.nodes}):
        same = "; ".join(f"n{number}" for number, node in enumerate(graph.nodes) if node.layer == layer)
        lines.append(f"    {{ rank=same; {same}; }}")
    return "\n".join([*lines, "}"]) + "\n"


def _word(kind: Kind) -> str:
    return kind.split()[0]


def _mermaid_text(text: str) -> str:
    """Write characters by their numbers: anything but a letter, a digit, _ and / might mean something."""
    return "".join(_mermaid_characters(text))


def _mermaid_characters(text: str) -> Iterator[str]:
    for char in text:
        yield char if char.isalnum() or char in "_/ " else f"#{ord(char)};"


def _dot_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
