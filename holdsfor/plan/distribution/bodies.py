"""Rules as distribution sees them: a head, and conditions on events and fluents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from holdsfor.plan.definitions import Declared, Definition, Static
from holdsfor.plan.operators import Arg, At, Chain, Conclude, Holding, HoldsForRule, Occurring, Of, Op, Relation
from holdsfor.plan.patterns import (
    Absent,
    OneOfSeveral,
    Pairs,
    Pattern,
    Scan,
    Sliding,
    operands,
    positive_operands,
    scans,
    subpatterns,
    with_operands,
)
from holdsfor.plan.walk import conclusions, flat, parts, simple_of

Atom = At | Holding | Of | Scan


@dataclass(frozen=True, slots=True)
class Body:
    """A rule. evidence: alternatives, one of which must be there for the rule to conclude anything."""

    head: tuple[Arg, ...]
    atoms: tuple[Atom, ...]
    evidence: tuple[tuple[Atom, ...], ...]
    is_rowwise: bool  # each row of its one condition concludes by itself
    is_choosing: bool = False  # what it concludes of one row depends on all other rows of its conditions
    competes_freely: bool = False  # and whatever their arguments: they are all chosen from for one point in time

    def reads(self, relations: Iterable[Relation]) -> bool:
        wanted = set(relations)
        return any(atom.relation in wanted for atom in self.atoms)


def bodies_of(definition: Definition) -> Iterator[Body]:
    for rule in conclusions(definition):
        yield body_of(rule)
    for fluent in simple_of(definition):
        yield from (body for rules in fluent.initially for rule in rules if (body := _initial_body(rule)).atoms)
    if isinstance(definition, Static):
        yield from map(body_of, definition.rules)


def body_of(rule: Conclude | HoldsForRule) -> Body:
    if isinstance(rule, Conclude):
        atoms, evidence = _atoms(flat(rule.chain)), _evidence(rule.chain)
        is_choosing = any(map(_chooses, rule.chain))
        is_alone = len(atoms) == 1 and evidence == (atoms,)
        is_rowwise = is_alone and not is_choosing and not any(map(_gathers, rule.chain))
        return Body(rule.args, atoms, evidence, is_rowwise, is_choosing, any(map(_competes_freely, rule.chain)))
    evidence = tuple(tuple(item for item in join if isinstance(item, Of)) for join in rule.evidence)
    return Body(rule.args, tuple(parts(rule.expression)), evidence, isinstance(rule.expression, Of))


def _initial_body(rule: Declared) -> Body:
    """What holds initially may be for what the data mention."""
    return Body(rule.args, _atoms(flat(rule.chain)), _evidence(rule.chain), False)


def _atoms(ops: Iterable[Op]) -> tuple[Atom, ...]:
    return tuple(atom for op in ops for atom in _atoms_of(op))


def _atoms_of(op: Op) -> tuple[Atom, ...]:
    if isinstance(op, Occurring):
        return tuple(scans(_by_groups(op.pattern)))
    return (op,) if isinstance(op, At | Holding) else ()


def _by_groups(pattern: Pattern) -> Pattern:
    """The pattern in which occurrences that are aggregated have only the variables of their groups.

    A group must be in one bucket, so that nothing else can be shared out by.
    """
    match pattern:
        case Sliding():
            inside = _with_only(_by_groups(pattern.pattern), frozenset(pattern.group))
            return replace(pattern, pattern=inside)
        case _:
            return with_operands(pattern, tuple(map(_by_groups, operands(pattern))))


def _with_only(pattern: Pattern, names: frozenset[str]) -> Pattern:
    if isinstance(pattern, Scan):
        return replace(pattern, args=tuple(_only(arg, names) for arg in pattern.args))
    return with_operands(pattern, tuple(_with_only(operand, names) for operand in operands(pattern)))


def _only(arg: Arg, names: frozenset[str]) -> Arg:
    return None if isinstance(arg, str) and arg not in names else arg


def _evidence(chain: Chain) -> tuple[tuple[Atom, ...], ...]:
    """What must be there for the chain to give anything: a way for each choice between patterns."""
    ways: tuple[tuple[Atom, ...], ...] = ((),)
    for op in chain:
        if isinstance(op, Occurring):
            ways = tuple((*way, *more) for way in ways for more in _ways(_by_groups(op.pattern)))
        else:
            ways = tuple((*way, *_atoms_of(op)) for way in ways)
    return ways


def _ways(pattern: Pattern) -> tuple[tuple[Atom, ...], ...]:
    if isinstance(pattern, Scan):
        return ((pattern,),)
    if isinstance(pattern, OneOfSeveral):
        return tuple(way for one in pattern.alternatives for way in _ways(one))
    ways: tuple[tuple[Atom, ...], ...] = ((),)
    for operand in positive_operands(pattern):
        ways = tuple((*way, *more) for way in ways for more in _ways(operand))
    return ways


def _chooses(op: Op) -> bool:
    """Whether a policy makes some of the pairs only."""
    return any(True for _ in _choosing_joins(op))


def _competes_freely(op: Op) -> bool:
    """Whether a policy chooses from occurrences for something that has no arguments: a point in time."""
    return any(() in _ways(operand) for join in _choosing_joins(op) for operand in positive_operands(join))


def _choosing_joins(op: Op) -> Iterator[Pairs | Absent]:
    if isinstance(op, Occurring):
        for part in subpatterns(op.pattern):
            if isinstance(part, Pairs | Absent) and part.choosing.policy != "unrestricted":
                yield part


def _gathers(op: Op) -> bool:
    """Whether a pattern looks at several occurrences of one event."""
    return isinstance(op, Occurring) and any(isinstance(part, Sliding) for part in subpatterns(op.pattern))
