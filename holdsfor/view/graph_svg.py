"""A dependency graph as an SVG picture that needs nothing else: no script, no font, no program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from unicodedata import east_asian_width

from holdsfor.view.graph import Arrow, Graph, GraphNode, Kind
from holdsfor.view.graph_layers import HEIGHT, Layers, Spot, layers

_KINDS: tuple[Kind, ...] = ("input event", "input fluent", "event", "pattern", "simple fluent", "static fluent")
_ARROWS = (("arrow", "is needed by"), ("arrow negative", "must be absent for"), ("arrow cyclic", "closes a circle"))
_MARGIN = 24.0
_BETWEEN = 76.0
_LOOP = 34.0  # how far an arrow within a column swings out
_SLANT = 9.0
_LEGEND = 88.0
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_STYLE = """
text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1b2330; }
.node { stroke: #5d6878; stroke-width: 1.2; fill: #eef1f5; }
.event .node { fill: #fdf0d5; stroke: #92560a; }
.pattern .node { fill: #f3e5f9; stroke: #7b3fa0; }
.simple .node { fill: #e3edff; stroke: #2563eb; }
.static .node { fill: #e2f4e8; stroke: #1f7a4d; }
.cyclic .node { stroke: #c62828; stroke-width: 2.6; }
.unreachable { opacity: 0.5; }
.internal .node { stroke-dasharray: 4 3; }
.arrow { fill: none; stroke: #7a8698; stroke-width: 1.3; marker-end: url(#tip); }
.negative { stroke-dasharray: 5 4; }
.arrow.cyclic { stroke: #c62828; stroke-width: 1.8; marker-end: url(#cyclic-tip); }
"""


def svg(graph: Graph, title: str = "Dependencies of an event description") -> str:
    placed = layers(graph)
    lefts, widths = _columns(graph, placed)
    bottom = max(placed.y.values(), default=0.0) + HEIGHT + 2 * _MARGIN
    width = max((left + each for left, each in zip(lefts, widths, strict=True)), default=0.0) + _LOOP + _MARGIN
    width, height = max(width, _legend_width()), bottom + _LEGEND
    picture = _Picture(graph, placed, lefts, widths)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{_text(title)}</title>",
            f"<style>{_STYLE}</style>",
            f"<defs>{_tip('tip', '#7a8698')}{_tip('cyclic-tip', '#c62828')}</defs>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *picture.arrows(),
            *picture.nodes(),
            *_legend(bottom),
            "</svg>\n",
        ]
    )


def _columns(graph: Graph, placed: Layers) -> tuple[list[float], list[float]]:
    """Return the left edge and the width of each column."""
    lefts, widths, left = list[float](), list[float](), _MARGIN
    for number, column in enumerate(placed.columns):
        names = [graph.nodes[node].name for node, layer in column if graph.nodes[node].layer == layer == number]
        lefts.append(left)
        widths.append(max(map(_width, names), default=0.0))
        left += widths[-1] + _BETWEEN
    return lefts, widths


class _Picture:
    def __init__(self, graph: Graph, placed: Layers, lefts: list[float], widths: list[float]) -> None:
        self._graph, self._placed, self._lefts, self._widths = graph, placed, lefts, widths

    def nodes(self) -> Iterator[str]:
        for number, node in enumerate(self._graph.nodes):
            left, middle = self._lefts[node.layer], self._y((number, node.layer))
            yield _node(node, left, middle, self._widths[node.layer])

    def arrows(self) -> Iterator[str]:
        # Dashed ones first, so that a whole line shows where both run along the same way; circles on top of all.
        order = sorted(range(len(self._graph.arrows)), key=lambda number: self._rank(self._graph.arrows[number]))
        for number in order:
            arrow, route = self._graph.arrows[number], self._placed.routes[number]
            names = "arrow" + " negative" * arrow.negative + " cyclic" * arrow.cyclic
            source, target = self._graph.nodes[arrow.source].name, self._graph.nodes[arrow.target].name
            title = _text(f"{target} depends on {'the absence of ' if arrow.negative else ''}{source}")
            path = self._along(route) if route else self._beside(arrow)
            yield f'<path class="{names}" d="{path}"><title>{title}</title></path>'

    def _rank(self, arrow: Arrow) -> tuple[bool, bool]:
        return arrow.cyclic, not arrow.negative

    def _y(self, spot: Spot) -> float:
        return self._placed.y[spot] + HEIGHT / 2 + _MARGIN

    def _along(self, route: list[Spot]) -> str:
        """Draw an arrow from column to column, level inside each."""
        x, y = self._lefts[route[0][1]] + self._widths[route[0][1]], self._y(route[0])
        path = f"M{x:.1f} {y:.1f}"
        for spot in route[1:]:
            left, following = self._lefts[spot[1]], self._y(spot)
            bend = (x + left) / 2
            path += f"C{bend:.1f} {y:.1f} {bend:.1f} {following:.1f} {left:.1f} {following:.1f}"
            x, y = left, following
            if spot is not route[-1]:
                x = left + self._widths[spot[1]]
                path += f"H{x:.1f}"
        return path

    def _beside(self, arrow: Arrow) -> str:
        """Draw an arrow within a column, or back: round the right side."""
        begin, end = self._graph.nodes[arrow.source].layer, self._graph.nodes[arrow.target].layer
        x, y = self._lefts[begin] + self._widths[begin], self._y((arrow.source, begin))
        to_x, to_y = self._lefts[end] + self._widths[end], self._y((arrow.target, end))
        # One that goes back up runs outside the one that comes down.
        swing = _LOOP + (14 if to_y < y else 0)
        y, to_y = (y - 7, to_y + 7) if arrow.source == arrow.target else (y + 5, to_y - 5)
        out = max(x, to_x) + swing
        return f"M{x:.1f} {y:.1f}C{out:.1f} {y:.1f} {out:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"


def _node(node: GraphNode, left: float, middle: float, width: float) -> str:
    marks = {"cyclic": "part of a cycle", "unreachable": "never true", "internal": "in no result"}
    own = [mark for mark in marks if getattr(node, mark)]
    names, more = " ".join([node.kind.split()[0], *own]), "".join(f", {marks[mark]}" for mark in own)
    label = f'<text x="{left + width / 2:.1f}" y="{middle + 4.5:.1f}" text-anchor="middle">{_text(node.name)}</text>'
    title = f"<title>{_text(f'{node.name}: {node.kind}{more}')}</title>"
    return f'<g class="{names}">{title}{_shape(node.kind, left, middle, width)}{label}</g>'


def _shape(kind: Kind, left: float, middle: float, width: float) -> str:
    top, bottom, right, s = middle - HEIGHT / 2, middle + HEIGHT / 2, left + width, _SLANT
    if kind in ("input event", "event", "pattern"):
        slanted = [(left + s, top), (right, top), (right - s, bottom), (left, bottom)]
        pointed = [(left + s, top), (right - s, top), (right, middle), (right - s, bottom), (left + s, bottom)]
        corners = slanted if kind == "input event" else [*pointed, (left, middle)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        return f'<polygon class="node" points="{points}"/>'
    radius = 11 if kind == "simple fluent" else 0
    box = f'<rect class="node" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{HEIGHT:.0f}" rx="{radius}"/>'
    if kind != "static fluent":
        return box
    bars = "".join(f"M{x:.1f} {top:.1f}V{bottom:.1f}" for x in (left + 5, right - 5))
    return f'{box}<path class="node" d="{bars}"/>'


def _legend(top: float) -> Iterator[str]:
    x, middle = _MARGIN, top + HEIGHT / 2
    for kind in _KINDS:
        yield _node(GraphNode(kind, kind, 0), x, middle, _width(kind))
        x += _width(kind) + 14
    x, middle = _MARGIN, middle + HEIGHT + 6
    for names, text in _ARROWS:
        yield f'<path class="{names}" d="M{x:.1f} {middle:.1f}h34"/>'
        yield f'<text x="{x + 42:.1f}" y="{middle + 4.5:.1f}">{text}</text>'
        x += 42 + _width(text) - 10


def _legend_width() -> float:
    return 2 * _MARGIN + sum(_width(kind) + 14 for kind in _KINDS)


def _tip(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="{colour}"/></marker>'
    )


def _width(text: str) -> float:
    """Return about the width of a text as it is drawn, with room at both sides."""
    return sum(13.0 if char in "mwMW" or east_asian_width(char) in "WF" else 7.6 for char in text) + 28


def _text(text: str) -> str:
    """Return text that is safe in SVG; characters that XML does not have become U+FFFD."""
    return escape(_UNPRINTABLE.sub("\ufffd", text))
