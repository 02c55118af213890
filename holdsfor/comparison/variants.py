"""Put versions of rules that differ in one number into one description, so that what they share is evaluated once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any, TypeVar

from holdsfor.language.description import Defined, EventDescription, FluentValue, Signature
from holdsfor.language.literals import About, Statement
from holdsfor.language.nodes import Node
from holdsfor.language.patterns import EventPattern, Stretch
from holdsfor.language.terms import Atom, Compound, Term
from holdsfor.plan.comparison import close_over, find_dependents

N = TypeVar("N", bound=Node)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in rules: its node and field, and what it is for the first and the last of some written values."""

    node: Node
    field: str
    at_first: int | float
    at_last: int | float

    def at(self, written: Sequence[str], value: str) -> int | float:
        """Return what it is for another written value: in ticks, where the rules have a unit."""
        if isinstance(self.at_first, float):
            return float(value)
        lowest, highest, amount = Decimal(written[0]), Decimal(written[-1]), Decimal(value)
        return int(self.at_first + (amount - lowest) * int(self.at_last - self.at_first) / (highest - lowest))


def name_variant(signature: Signature, value: str) -> Signature:
    """Name a definition in the version with a value; no rule can write such a name."""
    return signature.stand_in(f"at {value}")


def merge_variants(
    version: EventDescription, last_version: EventDescription, written: Sequence[str]
) -> EventDescription | None:
    """Return the first version with all that depends on the number once more for each other value.

    written: the values. last_version: the one with the last of them. None: the versions differ in more than a number,
    or what depends on it does not come from rules alone.
    """
    if len(written) == 1:
        return version
    before, after = _statements(version), _statements(last_version)
    if len(before) != len(after):
        return None
    differing = [(one, each) for one, other in zip(before, after, strict=True) for each in _differences(one, other)]
    owner, changing = differing[0] if len(differing) == 1 else (None, None)
    if owner is None or changing is None or [_with(each, changing, changing.at_last) for each in before] != after:
        return None
    words = close_over(find_dependents(version), {str(owner.signature)})
    names = {each.signature for each in before if str(each.signature) in words}
    if not names.isdisjoint(_named_outside(version)):
        return None
    merged = version
    for value in written[1:]:
        merged = _add_variant(merged, version, names, changing, changing.at(written, value), value)
    return merged


def _named_outside(description: EventDescription) -> Iterator[Signature]:
    """Iterate over names that stand for more than the rules about them: of inputs, facts in tables and domains."""
    yield from (each.signature for each in description.inputs)
    yield from (table.signature for table in description.background.tables)
    yield from description.background.dynamic_domains


def _statements(description: EventDescription) -> list[Statement]:
    """Return all that the rules state, but facts in tables."""
    background = description.background
    return [
        *description.rules,
        *description.patterns,
        *description.initially,
        *description.deadlines,
        *background.clauses,
        *background.groundings,
    ]


def _differences(node: Node, counterpart: Node) -> Iterator[Number | None]:
    """Iterate over the numbers in which two nodes differ; None stands for any other difference."""
    if node == counterpart:
        return
    mine, others = (*node.children, *node.terms), (*counterpart.children, *counterpart.terms)
    if type(node) is not type(counterpart) or len(mine) != len(others):
        yield None
        return
    for pair in zip(mine, others, strict=True):
        yield from _differences(*pair)
    for each in fields(node):  # type: ignore[arg-type]
        own, its = getattr(node, each.name), getattr(counterpart, each.name)
        if each.compare and isinstance(own, int | float) and type(own) is type(its) and own != its:
            yield Number(node, each.name, own, its)


def _with(node: N, changing: Number, value: int | float) -> N:
    """Return the node with another number."""
    if node is changing.node:
        return replace(node, **{changing.field: value})  # type: ignore[type-var]

    def change(part: Node) -> Node:
        return _with(part, changing, value)

    return node.rebuild(change, change)


def _add_variant(
    merged: EventDescription,
    version: EventDescription,
    names: Set[Signature],
    changing: Number,
    changed: int | float,
    value: str,
) -> EventDescription:
    """Add the named definitions of the first version with another number."""

    def rename(signature: Signature) -> Signature:
        return name_variant(signature, value)

    def copies(statements: Sequence[Any]) -> tuple[Any, ...]:
        own = (_with(each, changing, changed) for each in statements if each.signature in names)
        return tuple(_renamed(each, names, rename) for each in own)

    def groups(groupings: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        return (tuple(_rename_part(part, rename) for part in each if part.signature in names) for each in groupings)

    defined, order, background = merged.defined, merged.order, merged.background
    strata = zip(order.strata, groups(version.order.strata), strict=True)
    return replace(
        merged,
        rules=merged.rules + copies(version.rules),
        patterns=merged.patterns + copies(version.patterns),
        initially=merged.initially + copies(version.initially),
        deadlines=merged.deadlines + copies(version.deadlines),
        background=replace(
            background,
            clauses=background.clauses + copies(version.background.clauses),
            groundings=background.groundings + copies(version.background.groundings),
        ),
        defined=replace(
            defined,
            events=defined.events | set(map(rename, version.defined.events & names)),
            simple=defined.simple | set(map(rename, version.defined.simple & names)),
            static=defined.static | set(map(rename, version.defined.static & names)),
            unreported=defined.unreported | {(rename(s), v) for s, v in version.defined.unreported if s in names},
        ),
        order=replace(
            order,
            strata=tuple(old + new for old, new in strata),
            cycles=order.cycles + tuple(filter(None, groups(version.order.cycles))),
            recursive=order.recursive + tuple(filter(None, groups(version.order.recursive))),
        ),
        bounds={**merged.bounds, **{rename(each): most for each, most in version.bounds.items() if each in names}},
    )


def _rename_part(part: Defined, rename: Callable[[Signature], Signature]) -> Defined:
    return FluentValue(*rename(part.signature), part.value) if isinstance(part, FluentValue) else rename(part)


def _renamed(node: N, names: Set[Signature], rename: Callable[[Signature], Signature]) -> N:
    """Return the node with other names for what it and all inside it are about."""
    inner = node.rebuild(lambda child: _renamed(child, names, rename))
    if not isinstance(inner, Statement | About | EventPattern | Stretch):
        return inner
    field = inner.TERMS[0]
    term: Term = getattr(inner, field)
    signature = Signature.of(term)
    if signature not in names:
        return inner
    name = rename(signature).name
    renamed = replace(term, functor=name) if isinstance(term, Compound) else Atom(name, term.place)
    return replace(inner, **{field: renamed})  # type: ignore[type-var]
