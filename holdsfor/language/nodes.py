"""Nodes know their parts: terms, literals, patterns, rules and the operators of a plan are walked and rewritten alike.

A node is a frozen dataclass that inherits `Node` and names its fields by their role, in the order of the text:

    @dataclass(frozen=True, slots=True)
    class Holds(Literal):
        fluent: Term
        value: Term
        time: Term
        place: Place = field(compare=False)

        TERMS = ("fluent", "value", "time")

* `CHILDREN` names the fields with nodes inside: a node, a tuple of nodes, or tuples of tuples. What is no node (None, a
  number, a name) is passed over.
* `TERMS` names the fields with terms of the node itself: what it is about comes first.

That is all a new node needs: `walk` and `find_all` see it and all inside it, `transform` and `map_terms` rebuild it.
Terms are nodes, too: the children of `f(X, a)` are X and a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from holdsfor.language.terms import Term

N = TypeVar("N", bound="Node")
T = TypeVar("T", bound="Node")
Change = Callable[[Any], Any]


class Node:
    """Anything that is made of parts. See the module for the two fields that say which."""

    __slots__ = ()
    CHILDREN: ClassVar[tuple[str, ...]] = ()
    TERMS: ClassVar[tuple[str, ...]] = ()

    @property
    def children(self) -> tuple[Node, ...]:
        """Return the nodes directly inside, without the terms of this node."""
        return _nodes(self, self.CHILDREN)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return the terms of this node, without those of nodes inside it."""
        return _nodes(self, self.TERMS)

    def rebuild(self: N, change_child: Change, change_term: Change = lambda term: term) -> N:
        """Return this node with its children and terms changed; the node itself if nothing changes."""
        changes: dict[str, Any] = {}
        for names, change in ((self.CHILDREN, change_child), (self.TERMS, change_term)):
            for name in names:
                before = getattr(self, name)
                after = _map(before, change)
                if after is not before:
                    changes[name] = after
        return replace(self, **changes) if changes else self  # type: ignore[type-var]


def walk(nodes: Node | Iterable[Node]) -> Iterator[Node]:
    """Iterate over nodes and all inside them, each before those inside it; without the terms that nodes have."""
    waiting = [nodes] if isinstance(nodes, Node) else [*nodes][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if node.CHILDREN:
            waiting += node.children[::-1]


def find_all(nodes: Node | Iterable[Node], kind: type[T]) -> Iterator[T]:
    """Iterate over the nodes of a kind among those that `walk` gives."""
    return (node for node in walk(nodes) if isinstance(node, kind))


def all_terms(nodes: Node | Iterable[Node]) -> Iterator[Term]:
    """Iterate over the terms of nodes and of all inside them."""
    return (term for node in walk(nodes) for term in node.terms)


def transform(node: N, change: Change) -> N:
    """Return the node with `change` made to it and to all inside it, from the outermost inwards.

    What `change` replaces is not entered.
    """
    changed: N = change(node)
    return changed if changed is not node else node.rebuild(lambda child: transform(child, change))


def map_terms(node: N, change: Change) -> N:
    """Return the node with `change` made to its terms and to those of all nodes inside it."""
    return node.rebuild(lambda child: map_terms(child, change), change)


def _nodes(node: Node, names: Iterable[str]) -> tuple[Any, ...]:
    """Return the nodes that fields of a node have."""
    nodes: list[Any] = []
    for name in names:
        _collect(getattr(node, name), nodes)
    return tuple(nodes)


def _collect(value: Any, nodes: list[Any]) -> None:
    """Add the nodes of a field."""
    if isinstance(value, Node):
        nodes.append(value)
    elif isinstance(value, tuple):
        for item in value:
            _collect(item, nodes)


def _map(value: Any, change: Change) -> Any:
    """Return a field with its nodes changed; the very value if nothing changes."""
    if isinstance(value, Node):
        return change(value)
    if not isinstance(value, tuple):
        return value
    items = tuple(_map(item, change) for item in value)
    return value if all(after is before for after, before in zip(items, value, strict=True)) else items
