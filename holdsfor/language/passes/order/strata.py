"""The order in which definitions are computed: each after all that it depends on; and graphs, as dictionaries."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from holdsfor.language.description import Defined, FluentValue, Rule, Signature
from holdsfor.language.literals import Entity, Mention, Named, Statement
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Place, Term, is_ground

if TYPE_CHECKING:
    from holdsfor.language.draft import Draft

Part = tuple[Entity, Defined]


@dataclass(frozen=True, slots=True)
class Dependency:
    """One definition needs another: a condition of a rule; or (rule is None) of a pattern, or a deadline."""

    head: Part
    need: Part
    literal: Mention | None
    rule: Rule | None
    place: Place


def strata(draft: Draft) -> None:
    """Levels of definitions. Simple fluents that need each other are computed together, point by point; so are the
    events of patterns, and statically determined fluents."""
    all_steps = list(steps(draft))
    needs: dict[Part, list[Part]] = {part: [] for part in defined_parts(draft)}
    for step in all_steps:
        needs[step.head].append(step.need)
    levels: dict[Part, int] = {}
    patterns = {rule.signature for rule in draft.patterns}
    for group in components(needs):
        inner = set(group)
        below = [levels[need] for part in group for need in needs[part] if need not in inner]
        for part in group:
            levels[part] = max(below, default=-1) + 1
        if not any(need in inner for part in group for need in needs[part]):
            continue
        if all(entity == "event" and owner in patterns for entity, owner in group):
            draft.order.pattern_circles.append(tuple(part[1].signature for part in needs if part in inner))
            continue
        ways = [step for step in all_steps if step.head in inner and step.need in inner]
        if all(_is_static(part, draft) for part in group):
            draft.order.interval_circles.append(ways)
            draft.order.fixpoints.append(tuple(part[1] for part in needs if part in inner))
        else:
            draft.order.circles.append(ways)
            draft.order.cycles.append(tuple(part[1].signature for part in needs if part in inner))
    members: list[list[Defined]] = [[] for _ in range(max(levels.values(), default=-1) + 1)]
    for part in needs:
        members[levels[part]].append(part[1])
    draft.order.strata = list(map(tuple, members))


def _is_static(part: Part, draft: Draft) -> bool:
    """Whether only holdsFor rules define it."""
    entity, owner = part
    if entity == "event" or isinstance(owner, FluentValue):
        return entity != "event"
    return owner in draft.definitions.static and owner not in draft.definitions.simple


def defined_parts(draft: Draft) -> dict[Part, None]:
    """Every event, fluent and value that is defined by itself, in the order of rules, initially and deadlines."""
    split = split_values(draft.rules, draft.definitions.simple)
    statements = chain[Statement](draft.rules, draft.initially, draft.deadlines, draft.patterns)
    return dict.fromkeys(_part(each, split) for each in statements)


def split_values(rules: Iterable[Rule], simple: Iterable[Signature]) -> dict[Signature, tuple[Term, ...]]:
    """The statically determined values that are defined one by one: constants, beside others of the fluent."""
    by_fluent: dict[Signature, dict[Term, None]] = {}
    for rule in rules:
        if rule.kind == "holdsFor" and rule.value is not None:
            by_fluent.setdefault(rule.signature, {}).setdefault(rule.value)
    mixed = set(simple)
    return {
        owner: tuple(values)
        for owner, values in by_fluent.items()
        if all(map(is_ground, values)) and (len(values) > 1 or owner in mixed)
    }


def steps(draft: Draft) -> Iterator[Dependency]:
    """Iterate over what each definition needs, among those that are defined."""
    parts = defined_parts(draft)
    split = split_values(draft.rules, draft.definitions.simple)
    for statement in chain[Statement](draft.rules, draft.patterns, draft.initially):
        head = _part(statement, split)
        rule = statement if isinstance(statement, Rule) else None
        for literal in find_all(statement.body, Mention):
            needs = (need for need in _needs(literal, split) if need in parts)
            yield from (Dependency(head, need, literal, rule, literal.place) for need in needs)
    for deadline in draft.deadlines:
        fluent: Part = "fluent", deadline.signature
        yield Dependency(fluent, fluent, None, None, deadline.place)


def _part(statement: Statement, split: Mapping[Signature, tuple[Term, ...]]) -> Part:
    """Return the definition that a rule, a pattern, an initial value or a deadline is for."""
    entity, owner = defined(statement)
    if isinstance(statement, Rule) and statement.kind == "holdsFor" and statement.value and owner in split:
        return entity, FluentValue(*owner, statement.value)
    return entity, owner


def _needs(literal: Mention, split: Mapping[Signature, tuple[Term, ...]]) -> Iterator[Part]:
    """Iterate over what a condition may be about: the simple values of a fluent, and those defined one by one."""
    entity, owner = literal.named
    value = literal.value
    own = split.get(owner, ())
    if value is None or value not in own:
        yield entity, owner
    for each in own:
        if value == each or (value is not None and not is_ground(value)):
            yield entity, FluentValue(*owner, each)


def defined(statement: Statement) -> Named:
    """Return the event or fluent that a rule, a pattern, an initial value or a deadline is for."""
    return "event" if statement.about.kind == "event" else "fluent", statement.signature


# ---------------------------------------------------------------- graphs


Node = TypeVar("Node", bound=Hashable)


def components(needs: Mapping[Node, Collection[Node]]) -> list[list[Node]]:
    """Strongly connected groups, each after those it depends on (Tarjan's algorithm, without recursion)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    waiting: dict[Node, None] = {}  # seen, and not yet in a group; in the order of `index`
    groups: list[list[Node]] = []
    for root in needs:
        way: list[tuple[Node, Iterator[Node]]] = [] if root in index else [(root, iter(needs[root]))]
        while way:
            node, rest = way[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                waiting[node] = None
            need = next((each for each in rest if each not in index or each in waiting), None)
            if need is None:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == index[node]:
                    groups.append(_taken(waiting, node))
            elif need in index:
                low[node] = min(low[node], index[need])
            else:
                way.append((need, iter(needs[need])))
    return groups


def _taken(waiting: dict[Node, None], first: Node) -> list[Node]:
    """Takes the first and all after it."""
    group: list[Node] = []
    while not group or group[-1] != first:
        group.append(waiting.popitem()[0])
    return group[::-1]


def shortest_way(needs: Mapping[Node, Collection[Node]], start: Node, goal: Node) -> list[Node]:
    """Return the nodes of a shortest way of one step or more, with both ends; only the start if there is none."""
    paths = [[start]]
    seen: set[Node] = set()
    for path in paths:
        for need in needs.get(path[-1], ()):
            if need == goal:
                return [*path, need]
            if need not in seen:
                seen.add(need)
                paths.append([*path, need])
    return [start]
