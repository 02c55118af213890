"""The variables of operators: what each mentions, binds and needs, and names for them by first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from holdsfor.language.terms import Term, Var, variables
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Conclude,
    Holding,
    Let,
    Lookup,
    Match,
    Occurring,
    Op,
    Structure,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.patterns import (
    Absent,
    Choosing,
    Moment,
    OneOfSeveral,
    Pairs,
    Pattern,
    Scan,
    Selected,
    Sliding,
    operands,
    positive_operands,
)
from holdsfor.plan.rewrite import substitute
from holdsfor.plan.structures import names_in


def mentions(op: Op) -> Iterator[str]:
    """The names of the variables, those inside negations too, in the order that gives them their names."""
    match op:
        case At(start=str() as start):
            yield from names_in(op.args)
            yield op.time
            yield start
        case At() | Holding():
            yield from names_in(op.args)
            yield op.time
        case Occurring():
            yield from mentioned(op.pattern)
            yield from (op.start, op.time)
        case Lookup():
            yield from names_in(op.args)
        case Where():
            yield from _names(op.left, op.right)
        case Let(same=True):
            yield op.variable
            yield from _names(op.expression)
        case Let():
            yield from _names(op.expression)
            yield op.variable
        case Match():
            yield from _names(op.term)
            yield from names_in((op.form,))
        case Without():
            for inner in op.chain:
                yield from mentions(inner)
        case Tally():
            for inner in op.chain:
                yield from mentions(inner)
            yield from _names(op.term)
            yield op.variable


def binds(op: Op) -> Iterator[str]:
    """The variables that have a value after the operator, if not before."""
    match op:
        case At():
            yield from names_in(op.args)
            yield op.time
            if op.start is not None:
                yield op.start
        case Occurring():
            yield from bound_names(op.pattern)
            yield from (op.start, op.time)
        case Holding() | Lookup():
            yield from names_in(op.args)
        case Let() | Tally():
            yield op.variable
        case Match():
            yield from names_in((op.form,))
        case _:
            return


def needs(op: Op, outer: Set[str]) -> Iterator[str]:
    """The variables that must have a value before; outer: those that the chain around a negation binds."""
    match op:
        case Holding():
            yield op.time
        case Where():
            yield from mentions(op)
        case Let():
            yield from _names(op.expression)
        case Match():
            yield from _names(op.term)
        case Without() | Tally():
            own = {op.variable} if isinstance(op, Tally) else set()
            yield from (name for name in mentions(op) if name in outer and name not in own)
        case _:
            return


def bound_names(pattern: Pattern) -> Iterator[str]:
    """The variables that a pattern gives values."""
    match pattern:
        case Scan():
            yield from names_in(pattern.args)
        case OneOfSeveral():
            yield from pattern.variables
        case Sliding():
            yield from pattern.group
            yield from (measure.variable for measure in pattern.measures)
        case _:
            for operand in positive_operands(pattern):
                yield from bound_names(operand)
    if isinstance(pattern, Absent) and pattern.outside:
        absent = {name for what in pattern.what for name in bound_names(what)}
        yield from (name for source in pattern.outside for name in bound_names(source) if name in absent)
    if isinstance(pattern, Pairs | Absent | Selected):
        for chain in pattern.conditions:
            yield from (name for op in chain for name in binds(op))


def mentioned(pattern: Pattern) -> Iterator[str]:
    """All variables of a pattern, in the order that gives them their names."""
    if isinstance(pattern, Scan):
        yield from names_in(pattern.args)
    for operand in operands(pattern):
        yield from mentioned(operand)
    if isinstance(pattern, Pairs | Absent | Selected):
        for chain in pattern.conditions:
            yield from (name for op in chain for name in mentions(op))
    if isinstance(pattern, Sliding):
        for measure in pattern.measures:
            yield from _names(*measure.terms)
            yield measure.variable


def _names(*terms: Term) -> Iterator[str]:
    return (variable.name for term in terms for variable in variables(term))


# ---------------------------------------------------------------- names


def renamed(rule: Conclude) -> Conclude:
    """The rule with v0, v1, ... by first use, so that rules that begin alike have equal beginnings."""
    order = dict.fromkeys(name for op in rule.chain for name in mentions(op))
    names = {name: f"v{number}" for number, name in enumerate(order)}
    if all(name == new for name, new in names.items()):
        return rule
    chain = tuple(_renamed(op, names) for op in rule.chain)
    start = None if rule.start is None else names[rule.start]
    return Conclude(chain, _args(rule.args, names), names[rule.time], rule.place, start=start)


def _renamed(op: Op, names: Mapping[str, str]) -> Op:
    binding = {name: Var(new) for name, new in names.items()}
    match op:
        case At():
            start = None if op.start is None else names[op.start]
            return replace(op, args=_args(op.args, names), time=names[op.time], start=start)
        case Holding():
            return replace(op, args=_args(op.args, names), time=names[op.time])
        case Occurring():
            return Occurring(_pattern(op.pattern, names), names[op.start], names[op.time])
        case Lookup():
            return replace(op, args=_args(op.args, names))
        case Where():
            return replace(op, left=substitute(op.left, binding), right=substitute(op.right, binding))
        case Let():
            return replace(op, variable=names[op.variable], expression=substitute(op.expression, binding))
        case Match():
            return Match(substitute(op.term, binding), _structure(op.form, names))
        case Without():
            return Without(_chain(op.chain, names))
        case Tally():
            term = substitute(op.term, binding)
            return replace(op, chain=_chain(op.chain, names), term=term, variable=names[op.variable])


def _pattern(pattern: Pattern, names: Mapping[str, str]) -> Pattern:
    match pattern:
        case Scan():
            return replace(pattern, args=_args(pattern.args, names))
        case Moment():
            return pattern
        case Pairs():
            left, right = _pattern(pattern.left, names), _pattern(pattern.right, names)
            chosen = replace(pattern, left=left, right=right, choosing=_choosing(pattern.choosing, names))
            return replace(chosen, conditions=tuple(_chain(chain, names) for chain in pattern.conditions))
        case Absent():
            what, first = tuple(_pattern(one, names) for one in pattern.what), _pattern(pattern.first, names)
            last = pattern.last if isinstance(pattern.last, int) else _pattern(pattern.last, names)
            outside = tuple(_pattern(one, names) for one in pattern.outside)
            chosen_absent = replace(pattern, what=what, first=first, last=last, outside=outside)
            conditions = tuple(_chain(chain, names) for chain in pattern.conditions)
            return replace(chosen_absent, conditions=conditions, choosing=_choosing(pattern.choosing, names))
        case Selected():
            conditions = tuple(_chain(chain, names) for chain in pattern.conditions)
            return Selected(_pattern(pattern.pattern, names), conditions)
        case OneOfSeveral():
            alternatives = tuple(_pattern(one, names) for one in pattern.alternatives)
            return OneOfSeveral(alternatives, tuple(names[name] for name in pattern.variables))
        case Sliding():
            binding = {name: Var(new) for name, new in names.items()}
            measures = tuple(
                replace(
                    measure,
                    variable=names[measure.variable],
                    terms=tuple(substitute(term, binding) for term in measure.terms),
                )
                for measure in pattern.measures
            )
            group = tuple(names[name] for name in pattern.group)
            return replace(pattern, pattern=_pattern(pattern.pattern, names), group=group, measures=measures)


def _choosing(choosing: Choosing, names: Mapping[str, str]) -> Choosing:
    return replace(choosing, prefers=tuple((how, names[name] if name else "") for how, name in choosing.prefers))


def _chain(chain: Chain, names: Mapping[str, str]) -> Chain:
    return tuple(_renamed(op, names) for op in chain)


def _args(args: tuple[Arg, ...], names: Mapping[str, str]) -> tuple[Arg, ...]:
    return tuple(_arg(arg, names) for arg in args)


def _arg(arg: Arg, names: Mapping[str, str]) -> Arg:
    if isinstance(arg, str):
        return names[arg]
    return _structure(arg, names) if isinstance(arg, Structure) else arg


def _structure(pattern: Structure, names: Mapping[str, str]) -> Structure:
    return replace(pattern, args=_args(pattern.args, names))
