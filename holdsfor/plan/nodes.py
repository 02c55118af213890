"""Nodes of a plan: they know their parts, as all nodes do, and besides which of their fields have variables.

A variable is its name where it stands for a column (`args`, `time`), and a `Var` inside a term. A node says

* in `VARIABLES` which fields have variables, in the order that names them: names, terms, nodes, or tuples of these;
* in `BINDS` which of them give variables a value;
* in `NEEDS` which of them must have a value before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from holdsfor.language.nodes import Node, find_all
from holdsfor.language.terms import Var

if TYPE_CHECKING:
    from holdsfor.plan.operators import Arg, Relation

NewNames = Mapping[str, str]


class PlanNode(Node):
    """Anything that a plan is made of."""

    __slots__ = ()
    VARIABLES: ClassVar[tuple[str, ...]] = ()
    BINDS: ClassVar[tuple[str, ...]] = ()
    NEEDS: ClassVar[tuple[str, ...]] = ()

    def mentions(self) -> Iterator[str]:
        """Iterate over the names of all variables, repeated as they occur."""
        return (name for field in self.VARIABLES for name in names_in(getattr(self, field)))

    def binds(self) -> Iterator[str]:
        """Iterate over the variables that have a value afterwards, if not before."""
        return (name for field in self.BINDS for name in names_bound_in(getattr(self, field)))

    def needs(self, outer: Set[str]) -> Iterator[str]:
        """Iterate over the variables that must have a value before. outer: those that the chain around it binds."""
        return (name for field in self.NEEDS for name in names_in(getattr(self, field)))

    def dependencies(self) -> Iterator[Dependency]:
        """Iterate over the relations that it reads, each with the sign that says whether more of it gives more."""
        return dependencies_of(self.children)

    def renamed(self, names: NewNames) -> Self:
        """Return the node with other names for its variables."""
        changes = {field: rename(getattr(self, field), names) for field in self.VARIABLES}
        return replace(self, **changes) if changes else self  # type: ignore[type-var]


class RelationNode(PlanNode):
    """A node that reads a relation: the rows with these arguments."""

    __slots__ = ()
    relation: Relation
    args: tuple[Arg, ...]

    def dependencies(self) -> Iterator[Dependency]:
        yield self, 1


Dependency = tuple[RelationNode, int]
"""A node that reads a relation; 1 if more of that gives more, -1 if it gives less, 0 if either may be."""


def dependencies_of(parts: Iterable[Any], sign: int = 1) -> Iterator[Dependency]:
    """Iterate over the dependencies of nodes, whose signs are those of the nodes times the sign."""
    return ((node, own * sign) for part in parts for node, own in part.dependencies())


def names_in(part: Any) -> Iterator[str]:
    """Iterate over the names of the variables in a field of a node, repeated as they occur."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from names_in(item)
    elif isinstance(part, PlanNode):
        yield from part.mentions()
    elif isinstance(part, Node):
        yield from (variable.name for variable in find_all(part, Var))


def names_bound_in(part: Any) -> Iterator[str]:
    """Iterate over the variables that a field of a node gives a value."""
    if isinstance(part, tuple):
        for item in part:
            yield from names_bound_in(item)
    elif isinstance(part, PlanNode):
        yield from part.binds()
    else:
        yield from names_in(part)


def rename(part: Any, names: NewNames) -> Any:
    """Return a field of a node with other names for its variables."""
    if isinstance(part, str):
        return names[part]
    if isinstance(part, tuple):
        return tuple(rename(item, names) for item in part)
    if isinstance(part, PlanNode):
        return part.renamed(names)
    if isinstance(part, Var):
        return Var(names[part.name])
    return part.rebuild(lambda inner: rename(inner, names)) if isinstance(part, Node) else part
